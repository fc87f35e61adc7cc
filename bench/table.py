"""The printed table: speed-up per task, with its spread."""

from collections.abc import Sequence

import numpy as np

from bench.rows import Row

__all__ = ["HEAD", "lines_of", "quartiles"]

HEAD = (
    "task",
    "method",
    "prompts",
    "tokens/s",
    "speed-up",
    "quartiles",
    "MAT",
    "accepted",
    "rows/step",
    "identical",
    "in loops",
)


def lines_of(rows: Sequence[Row], methods: Sequence[str]) -> list[list[str]]:
    """Give the cells, a line for each task and method, and one for each method over all tasks.

    ``speed-up`` of a task is the median over its prompts of the method's tokens/s over those of
    ``baseline`` on the same prompt; over all tasks it is all tokens over all seconds.
    """
    tasks = list(dict.fromkeys(row["task"] for row in rows))
    lines = [
        _line(task, [row for row in rows if row["task"] == task], method)
        for task in tasks
        for method in methods
    ]
    return lines + [_line("all", rows, method) for method in methods]


def quartiles(values: Sequence[float]) -> tuple[float, float, float]:
    """Give the lower quartile, the median and the upper quartile."""
    low, middle, high = np.percentile(np.asarray(values), [25, 50, 75]).tolist()
    return low, middle, high


def _line(task: str, rows: Sequence[Row], method: str) -> list[str]:
    plain = {row["name"]: row for row in rows if row["method"] == "baseline"}
    own = [row for row in rows if row["method"] == method]
    ratios = [row["tokens_per_s"] / plain[row["name"]]["tokens_per_s"] for row in own]
    low, middle, high = quartiles(ratios)
    overall = _rate(own) / _rate(list(plain.values()))
    tokens, steps = sum(row["new_tokens"] for row in own), sum(row["steps"] for row in own)
    drafted, accepted = sum(row["drafted"] for row in own), sum(row["accepted"] for row in own)
    looped = sum(row["loop_share"] * row["new_tokens"] for row in own)
    same = sum(row["first_difference"] is None for row in own)
    return [
        task,
        method,
        str(len(own)),
        f"{_rate(own):.1f}",
        f"{overall if task == 'all' else middle:.2f}",
        f"{low:.2f}-{high:.2f}",
        f"{tokens / steps:.2f}",
        f"{accepted / drafted:.0%}" if drafted else "-",
        f"{1 + drafted / steps:.1f}",
        f"{same}/{len(own)}",
        f"{looped / tokens:.0%}",
    ]


def _rate(rows: Sequence[Row]) -> float:
    return sum(row["new_tokens"] for row in rows) / sum(row["decode_s"] for row in rows)
