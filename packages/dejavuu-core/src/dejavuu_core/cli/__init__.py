"""The command line: one argparse root, one file a command."""

import argparse
import sys
from collections.abc import Sequence
from difflib import get_close_matches

from dejavuu_core.cli import generate, methods, plugins
from dejavuu_core.errors import DejavuuError, UsageError
from dejavuu_core.version import __version__

__all__ = ["main"]

_NO_OUTPUT = "the output cannot be written"
_COMMANDS = {"generate": generate, "methods": methods, "plugins": plugins}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; gives the exit code: 0 done, 1 failed, 2 wrong use.

    A bare prompt is short for ``generate``.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        arguments = _parser().parse_args(_with_command(words))
        arguments.run(arguments)
        sys.stdout.flush()  # here, where a full disk or a closed pipe can still be said
    except DejavuuError as error:
        print(f"dejavuu: {error}", file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1
    except OSError as error:
        sys.stdout = None  # or Python writes to it once more
        what = f"{error.filename!r} cannot be used" if error.filename else _NO_OUTPUT
        print(f"dejavuu: {what} ({error.strerror})", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("dejavuu: interrupted", file=sys.stderr)
        return 1
    return 0


def _with_command(words: list[str]) -> list[str]:
    """Put ``generate`` before a bare prompt, unless it looks like a command with a slip."""
    if not words or words[0] in (*_COMMANDS, "-h", "--help", "--version"):
        return words
    if near := get_close_matches(words[0], _COMMANDS, n=1, cutoff=0.8):
        raise UsageError(
            f"{words[0]!r} is no command; did you mean {near[0]!r}? (For a prompt, write "
            f"generate {words[0]!r}.)"
        )
    return ["generate", *words]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="dejavuu",
        description="Faster language models from text already seen.",
        epilog="A prompt in place of a command is short for: generate PROMPT",
    )
    parser.add_argument("--version", action="version", version=f"dejavuu {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, module in _COMMANDS.items():
        command = commands.add_parser(name, help=module.HELP, description=module.HELP)
        module.add_arguments(command)
        command.set_defaults(run=module.run)
    return parser
