"""``python -m bench``: demo, exactness, model, run."""

import argparse
import sys
from collections.abc import Sequence

from dejavuu_core.errors import DejavuuError, UsageError

from bench import demo, exactness, models, run

_COMMANDS = {"demo": demo, "exactness": exactness, "model": models, "run": run}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; gives the exit code: 0 done, 1 failed, 2 wrong use."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    commands = parser.add_subparsers(required=True)
    for name, module in _COMMANDS.items():
        command = commands.add_parser(name, help=module.HELP, description=module.HELP)
        module.add_arguments(command)
        command.set_defaults(main=module.main)
    arguments = parser.parse_args(argv)
    try:
        return int(arguments.main(arguments))
    except DejavuuError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1


if __name__ == "__main__":
    sys.exit(main())
