"""Spec-Bench: 480 questions of six tasks (Xia et al., Findings of ACL 2024)."""

from collections import Counter
from pathlib import Path

from bench.prompts import CASES, Case, read_lines, user_message
from dejavuu_core.checks import whole
from dejavuu_core.errors import UsageError

__all__ = ["SLICE", "TASKS", "load_cases", "slice_cases"]

SLICE = CASES / "spec_bench_slice.jsonl"
"""Two questions a task, for smoke runs."""

TASKS = ("mt_bench", "translation", "summarization", "qa", "math_reasoning", "rag")
_MT_BENCH = frozenset(
    ["writing", "roleplay", "reasoning", "math", "coding", "extraction", "stem", "humanities"]
)


def slice_cases() -> list[Case]:
    """Give the questions that come with the checkout."""
    return load_cases(SLICE, per_task=None)


def load_cases(path: Path, per_task: int | None) -> list[Case]:
    """Read a ``question.jsonl`` of Spec-Bench, first turns only.

    ``per_task``: the most questions of a task, spread evenly over the file; None: all.
    Raises :class:`UsageError` for a file that is missing or of another format.
    """
    cases = [_case(line, path) for line in read_lines(path)]
    if per_task is None:
        return cases
    return _spread(cases, whole("--per-task", per_task, least=1))


def _case(line: dict[str, object], path: Path) -> Case:
    category, turns = line.get("category"), line.get("turns")
    task = "mt_bench" if category in _MT_BENCH else category
    if task not in TASKS or not isinstance(turns, list) or not turns:
        raise UsageError(
            f"question {line.get('question_id')!r} of {str(path)!r} has category {category!r} and "
            f"{type(turns).__name__} turns; give a question.jsonl of Spec-Bench"
        )
    return Case(str(line.get("question_id")), str(task), (user_message(str(turns[0])),))


def _spread(cases: list[Case], per_task: int) -> list[Case]:
    """Keep ``per_task`` of each task, evenly over its questions, in the order of the file."""
    totals, seen, kept = Counter(case.task for case in cases), Counter[str](), []
    for case in cases:
        index, total = seen[case.task], totals[case.task]
        seen[case.task] += 1
        if total <= per_task or index * per_task % total < per_task:
            kept.append(case)
    return kept
