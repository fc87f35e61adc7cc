"""Printing: aligned columns for people, JSON for programs."""

import json
from collections.abc import Sequence

__all__ = ["print_json", "print_table"]


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print ``rows`` under ``head`` in left-aligned columns."""
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    for row in (head, *rows):
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print("  ".join(cells).rstrip())


def print_json(value: object) -> None:
    """Print ``value`` as one JSON document."""
    print(json.dumps(value, ensure_ascii=False, indent=2))
