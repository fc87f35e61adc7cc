"""The command line: one argparse root, one module a command."""

import argparse
import sys
from collections.abc import Sequence
from typing import Protocol

from bench import demo, exactness, models, peer, run
from dejavuu_core.errors import DejavuuError, UsageError

__all__ = ["main"]


class Command(Protocol):
    """What a command's module has."""

    HELP: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's arguments."""
        ...

    def run(self, arguments: argparse.Namespace) -> int:
        """Run; gives the exit code."""
        ...


_COMMANDS: dict[str, Command] = {
    "demo": demo,
    "exactness": exactness,
    "model": models,
    "peer": peer,
    "run": run,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; gives the exit code: 0 done, 1 failed or not exact, 2 wrong use."""
    arguments = _parser().parse_args(argv)
    command: Command = arguments.module
    try:
        return command.run(arguments)
    except (DejavuuError, OSError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1
    except KeyboardInterrupt:
        print("bench: interrupted", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure dejavuu.")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, module in _COMMANDS.items():
        command = commands.add_parser(name, help=module.HELP, description=module.HELP)
        module.add_arguments(command)
        command.set_defaults(module=module)
    return parser
