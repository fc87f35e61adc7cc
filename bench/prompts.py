"""Shipped prompts: the cases that come with the checkout."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dejavuu_core.contract import Message
from dejavuu_core.errors import UsageError

__all__ = ["CASES", "Case", "demo_cases", "read_lines", "user_message"]

CASES = Path(__file__).parent / "cases"


@dataclass(frozen=True, slots=True)
class Case:
    """One prompt of a benchmark."""

    name: str
    task: str
    messages: tuple[Message, ...]


def demo_cases() -> list[Case]:
    """Give the demo's prompts."""
    path = CASES / "demo.jsonl"
    return [
        Case(str(line["name"]), str(line["task"]), (user_message(str(line["prompt"])),))
        for line in read_lines(path)
    ]


def user_message(text: str) -> Message:
    """Give ``text`` as what the user says."""
    return {"role": "user", "content": text}


def read_lines(path: Path) -> Sequence[dict[str, object]]:
    """Read a file of one JSON object a line.

    Raises :class:`UsageError` where it is missing or a line is something else.
    """
    if not path.is_file():
        raise UsageError(f"there is no file {str(path)!r}; give the path of a JSON lines file")
    lines = []
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not text.strip():
            continue
        try:
            line = json.loads(text)
        except ValueError as error:
            raise UsageError(f"line {number} of {str(path)!r} is no JSON: {error}") from None
        if not isinstance(line, dict):
            raise UsageError(f"line {number} of {str(path)!r} is not a JSON object")
        lines.append(line)
    return lines
