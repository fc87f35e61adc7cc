"""How onnxruntime is to run a graph: threads, providers, options; nothing is chosen silently."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import onnxruntime

from dejavuu_core.checks import whole
from dejavuu_core.errors import ModelError, UsageError

__all__ = ["CPU", "Runtime", "default_threads"]

CPU = "CPUExecutionProvider"
_SMALL = 4  # processors


@dataclass(frozen=True, slots=True)
class Runtime:
    """The settings of one onnxruntime session, checked before anything is loaded."""

    threads: int | None = None
    """Threads inside one operator; None: see :func:`default_threads`."""
    providers: Sequence[str] = (CPU,)
    """Execution providers by falling preference; CPU alone unless others are asked for."""
    provider_options: Sequence[Mapping[str, str]] = ()
    """One mapping for each provider, or nothing."""
    config: Mapping[str, str] = field(default_factory=dict)
    """Config entries of the session options, such as ``session.intra_op.allow_spinning``."""

    def __post_init__(self) -> None:
        """Raise :class:`UsageError` for settings that make no sense on this machine."""
        if self.threads is not None:
            whole("threads", self.threads, least=1)
        if not self.providers:
            raise UsageError(f"providers is empty; leave it out for {CPU}")
        available = onnxruntime.get_available_providers()
        missing = [name for name in self.providers if name not in available]
        if missing:
            raise UsageError(
                f"the execution provider {missing[0]!r} is not available here; available are "
                f"{', '.join(available)}"
            )
        if self.provider_options and len(self.provider_options) != len(self.providers):
            raise UsageError(
                f"there are {len(self.provider_options)} provider options for "
                f"{len(self.providers)} providers; give one mapping for each"
            )

    def open(self, path: Path) -> onnxruntime.InferenceSession:
        """Load the graph at ``path``.

        Raises :class:`ModelError` where onnxruntime refuses it or leaves out a provider.
        """
        try:
            session = onnxruntime.InferenceSession(
                str(path),
                self._options(),
                providers=list(self.providers),
                provider_options=[dict(item) for item in self.provider_options] or None,
                enable_fallback=0,
            )
        except Exception as error:  # onnxruntime has no common root for its errors
            reason = str(error).strip().splitlines()[0]
            raise ModelError(f"onnxruntime cannot load {str(path)!r}: {reason}") from error
        used = session.get_providers()
        dropped = [name for name in self.providers if name not in used]
        if dropped:
            raise ModelError(
                f"onnxruntime left out the execution provider {dropped[0]!r} and uses "
                f"{', '.join(used)}; mend its installation or do not ask for it"
            )
        return session

    def describe(self) -> dict[str, object]:
        """Give what a measurement on this runtime depends on, as plain JSON data."""
        return {
            "onnxruntime": onnxruntime.__version__,
            "threads": self.threads or default_threads(),
            "cpus": _processors(),
            "providers": list(self.providers),
            "provider_options": [dict(item) for item in self.provider_options],
            "config": dict(self.config),
        }

    def _options(self) -> onnxruntime.SessionOptions:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self.threads or default_threads()
        options.log_severity_level = 3
        for key, value in self.config.items():
            options.add_session_config_entry(key, value)
        return options


def default_threads() -> int:
    """Give the threads of an operator where nobody chose; 0 leaves it to onnxruntime.

    onnxruntime takes one per physical core. On a small machine, where two processors are often
    the two halves of one core, both together were measured to be 1.5 times as fast as one
    (SmolLM2 int4: 7.3 against 11.3 ms a step), so up to four processors are all used.
    """
    return _processors() if _processors() <= _SMALL else 0


def _processors() -> int:
    """Logical processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
