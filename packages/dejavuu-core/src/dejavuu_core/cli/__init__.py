"""The command line: one argparse root, one file a command."""

import argparse
import sys
from collections.abc import Sequence

from dejavuu_core import __version__
from dejavuu_core.cli import generate, methods, plugins
from dejavuu_core.errors import DejavuuError, UsageError

__all__ = ["main"]

_COMMANDS = {"generate": generate, "methods": methods, "plugins": plugins}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; gives the exit code: 0 done, 1 failed, 2 wrong use.

    A bare prompt is short for ``generate``.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    if words and words[0] not in _COMMANDS and words[0] not in ("-h", "--help", "--version"):
        words.insert(0, "generate")
    arguments = _parser().parse_args(words)
    try:
        arguments.run(arguments)
    except DejavuuError as error:
        print(f"dejavuu: {error}", file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1
    except KeyboardInterrupt:
        print("dejavuu: interrupted", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="dejavuu", description="Faster language models from text already seen."
    )
    parser.add_argument("--version", action="version", version=f"dejavuu {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, module in _COMMANDS.items():
        command = commands.add_parser(name, help=module.HELP, description=module.HELP)
        module.add_arguments(command)
        command.set_defaults(run=module.run)
    return parser
