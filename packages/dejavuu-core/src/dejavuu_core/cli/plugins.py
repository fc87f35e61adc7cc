"""``plugins``: which drafters and verifiers were found, and whether they load."""

import argparse
from dataclasses import asdict

from dejavuu_core.cli.table import print_json, print_table
from dejavuu_core.registry import plugins

__all__ = ["HELP", "add_arguments", "run"]

HELP = "list the drafters and verifiers that were found, and their packages"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--json", action="store_true", help="print the list as JSON")


def run(arguments: argparse.Namespace) -> None:
    """Run the command."""
    found = plugins()
    if arguments.json:
        print_json([asdict(plugin) for plugin in found])
        return
    rows = [[p.kind, p.name, p.package, p.error or "ok"] for p in found]
    print_table(["kind", "name", "package", "error"], rows)
