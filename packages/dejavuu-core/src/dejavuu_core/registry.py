"""Finding drafters and verifiers by name: a built-in table, then what other packages announce.

Names are looked up first and imported only when used. Entry-point groups:
``dejavuu.drafters`` and ``dejavuu.verifiers``.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, Literal, cast

from dejavuu_core.contract import Drafter, Verifier
from dejavuu_core.drafters import BUILT_IN
from dejavuu_core.errors import PluginError, UnknownNameError, UsageError
from dejavuu_core.version import __version__

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = [
    "Plugin",
    "available_drafters",
    "available_verifiers",
    "drafter_class",
    "load_drafter",
    "load_verifier",
    "plugins",
    "verifier_class",
]

Kind = Literal["drafter", "verifier"]

_GROUPS: dict[Kind, str] = {"drafter": "dejavuu.drafters", "verifier": "dejavuu.verifiers"}
_CORE = f"dejavuu-core {__version__}"
_PIP = {"hf": "dejavuu-hf", "ort": "dejavuu-ort", "vlm": "dejavuu-vlm"}


@dataclass(frozen=True, slots=True)
class Plugin:
    """One name that can be asked for, and where it comes from."""

    kind: Kind
    name: str
    target: str
    """``module:Class``."""
    package: str
    """Distribution and version."""
    error: str
    """Why it cannot be loaded, empty where it can."""


def available_drafters() -> list[str]:
    """Give the names of all drafters, sorted; nothing is imported."""
    return sorted({*BUILT_IN, *(entry.name for entry in _entries("drafter"))})


def available_verifiers() -> list[str]:
    """Give the names of all verifiers, sorted; nothing is imported."""
    return sorted({entry.name for entry in _entries("verifier")})


def drafter_class(name: str) -> type[Drafter]:
    """Import the drafter class ``name``.

    Raises :class:`UnknownNameError` and :class:`PluginError`.
    """
    return cast("type[Drafter]", _load("drafter", name))


def verifier_class(name: str) -> Any:  # noqa: ANN401
    """Import the verifier class ``name``; it has ``from_pretrained(source, **options)``.

    Raises :class:`UnknownNameError` and :class:`PluginError`.
    """
    return _load("verifier", name)


def load_drafter(name: str, **options: object) -> Drafter:
    """Make the drafter ``name`` with the method's own ``options``.

    Raises :class:`UsageError` for an option that the method does not have.
    """
    return cast("Drafter", _call(drafter_class(name), f"method {name!r}", options))


def load_verifier(name: str, source: object, **options: object) -> Verifier:
    """Load the model at ``source`` with the backend ``name`` and its own ``options``.

    Raises :class:`UsageError` for an option that the backend does not have, and
    :class:`ModelError` for a model that it cannot run.
    """
    load = verifier_class(name).from_pretrained
    return cast("Verifier", _call(load, f"backend {name!r}", options, source))


def plugins() -> list[Plugin]:
    """Give every name with its package, trying to import each one."""
    found = [_tried("drafter", name, target, _CORE) for name, target in BUILT_IN.items()]
    for kind in _GROUPS:
        found += [
            _tried(kind, entry.name, entry.value, _package(entry)) for entry in _entries(kind)
        ]
    return sorted(found, key=lambda plugin: (plugin.kind, plugin.name))


def _entries(kind: Kind) -> "list[EntryPoint]":
    # A quarter of the import time of the core, and most programs ask once or never.
    from importlib.metadata import entry_points

    return list(entry_points(group=_GROUPS[kind]))


def _package(entry: "EntryPoint") -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else "unknown package"


def _load(kind: Kind, name: str) -> object:
    """Import what ``name`` stands for; a name with two owners belongs to nobody."""
    if not isinstance(name, str):
        raise UsageError(f"the name of a {kind} is {name!r}; give a text")
    owners = [(entry.value, _package(entry)) for entry in _entries(kind) if entry.name == name]
    if kind == "drafter" and name in BUILT_IN:
        owners.append((BUILT_IN[name], _CORE))
    if not owners:
        raise UnknownNameError(_unknown(kind, name))
    if len(owners) > 1:
        packages = " and ".join(sorted(package for _, package in owners))
        raise PluginError(f"{kind} {name!r} is claimed by {packages}; uninstall one of them")
    target, package = owners[0]
    return _import(kind, name, target, package)


def _import(kind: Kind, name: str, target: str, package: str) -> object:
    module, _, attribute = target.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise PluginError(
            f"{kind} {name!r} of {package} cannot be loaded: {error}; reinstall that package"
        ) from error


def _tried(kind: Kind, name: str, target: str, package: str) -> Plugin:
    try:
        _load(kind, name)
    except PluginError as error:
        return Plugin(kind, name, target, package, str(error))
    return Plugin(kind, name, target, package, "")


def _unknown(kind: Kind, name: str) -> str:
    names = available_drafters() if kind == "drafter" else available_verifiers()
    text = f"{kind} {name!r} is misspelled or not installed; available: {_listed(names)}"
    if close := get_close_matches(name, names, n=1):
        return f"{text}. Did you mean {close[0]!r}?"
    if kind == "verifier" and name in _PIP:
        return f"{text}. Try: pip install {_PIP[name]}"
    return text


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


def _call(make: Any, what: str, options: dict[str, object], *given: object) -> object:  # noqa: ANN401
    """Call ``make``; an option that it does not know is the caller's mistake, said as such."""
    known = signature(make).parameters.values()
    names = [p.name for p in known if p.kind is Parameter.KEYWORD_ONLY]
    takes_any = any(p.kind is Parameter.VAR_KEYWORD for p in known)
    if not takes_any and (unknown := sorted(set(options) - set(names))):
        raise UsageError(f"{what} has no option {unknown[0]!r}; its options: {_listed(names)}")
    return make(*given, **options)
