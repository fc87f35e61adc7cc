"""``methods``: what can be asked for with ``--method``."""

import argparse
from dataclasses import asdict

from dejavuu_core.cli.table import print_json, print_table
from dejavuu_core.registry import available_drafters, load_drafter

__all__ = ["HELP", "add_arguments", "run"]

HELP = "list the drafting methods"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--json", action="store_true", help="print the list as JSON")


def run(arguments: argparse.Namespace) -> None:
    """Run the command."""
    found = [_described(name) for name in available_drafters()]
    if arguments.json:
        print_json(found)
        return
    rows = [
        [
            str(row["name"]),
            "tree" if row["branches"] else "chain",
            "yes" if row["history"] else "no",
            str(row["summary"]),
            str(row["paper"]),
        ]
        for row in found
    ]
    print_table(["method", "shape", "history", "what it does", "source"], rows)


def _described(name: str) -> dict[str, object]:
    drafter = load_drafter(name)
    method = drafter.method
    return {
        "name": name,
        "summary": method.summary,
        "paper": method.paper,
        "needs": asdict(drafter.needs),
        "branches": method.branches,
        "history": method.history,
    }
