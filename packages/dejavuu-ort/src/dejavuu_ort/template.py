"""Chat templates: jinja2 in a sandbox, with the helpers that published templates expect."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import NoReturn

from jinja2 import TemplateError, nodes
from jinja2.ext import Extension
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment

from dejavuu_core.contract import Message
from dejavuu_core.errors import UsageError

__all__ = ["ChatTemplate"]


class _Generation(Extension):
    """Accepts ``{% generation %}``, which marks the assistant's text for training."""

    tags = {"generation"}  # noqa: RUF012

    def parse(self, parser: Parser) -> list[nodes.Node]:
        """Give the body as it is."""
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


class ChatTemplate:
    """One model's chat template, compiled once."""

    def __init__(self, source: str, special: Mapping[str, str]) -> None:
        """Compile ``source``; ``special`` are names such as ``bos_token`` that it may use.

        Raises :class:`UsageError` where it is not a template.
        """
        self._special = dict(special)
        with _Rejected("the model's chat template cannot be compiled"):
            self._template = _environment().from_string(source)

    def render(self, messages: Sequence[Message]) -> str:
        """Give the text of ``messages``, ready for the assistant's answer.

        Raises :class:`UsageError` where the template rejects them.
        """
        with _Rejected("the model's chat template rejects these messages"):
            return self._template.render(
                messages=list(messages), add_generation_prompt=True, **self._special
            )


class _Rejected:
    """Turns what goes wrong inside a template into one sentence."""

    def __init__(self, what: str) -> None:
        self._what = what

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, TemplateError | TypeError):
            raise UsageError(f"{self._what}: {error}") from error


def _environment() -> ImmutableSandboxedEnvironment:
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.loopcontrols", _Generation],
    )
    environment.filters["tojson"] = _to_json
    helpers: dict[str, Callable[[str], str]] = {"raise_exception": _raise, "strftime_now": _now}
    environment.globals.update(helpers)
    return environment


def _to_json(
    value: object,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    # jinja2's own filter escapes for HTML, which no model was trained on
    return json.dumps(
        value,
        ensure_ascii=ensure_ascii,
        indent=indent,
        separators=separators,
        sort_keys=sort_keys,
    )


def _raise(message: str) -> NoReturn:
    raise TemplateError(message)


def _now(form: str) -> str:
    return datetime.now().strftime(form)
