"""The rows of a result: one a prompt and method."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypedDict

from bench.difference import first_difference
from bench.loops import loop_share
from bench.measure import Timed, rotated, timed
from bench.prompts import Case
from dejavuu_core import DejaVu

__all__ = ["Row", "measured_rows"]


class Row(TypedDict):
    """One generation; times are wall seconds, rates are of decoding alone."""

    name: str
    task: str
    method: str
    turn: int
    """0 where the method was the first to run on this prompt."""
    prompt_tokens: int
    new_tokens: int
    finish_reason: str
    steps: int
    drafted: int
    accepted: int
    mat: float
    acceptance_rate: float
    rows_per_step: float
    """Rows of one forward, the anchor included."""
    wall_s: float
    decode_s: float
    """From the end of the prefill to the end of the last step."""
    prefill_s: float
    draft_s: float
    verify_s: float
    accept_s: float
    commit_s: float
    learn_s: float
    overhead_s: float
    """``wall_s`` less all phases: the session, the engine's loop, ids to text."""
    tokens_per_s: float
    loop_share: float
    exactness: str
    first_difference: int | None
    """The first token that plain decoding did not write; None: the same tokens."""
    tokens: list[int]


def measured_rows(
    models: Mapping[str, DejaVu], cases: Sequence[Case], max_new_tokens: int
) -> Iterator[Row]:
    """Run every method on every prompt, the order rotated; yields the rows of a prompt together.

    ``models`` holds ``baseline``, the truth and the denominator.
    """
    for model in models.values():
        model.generate("one two three one two three one two", max_new_tokens=16, ignore_eos=True)
    for number, case in enumerate(cases):
        prompt = models["baseline"].encode(case.messages)
        order = rotated(list(models), number)
        runs = {name: timed(models[name], prompt, max_new_tokens) for name in order}
        for name in models:
            yield _row(case, order.index(name), runs[name], runs["baseline"].result.tokens)


def _row(case: Case, turn: int, run: Timed, plain: list[int]) -> Row:
    result, stats = run.result, run.result.stats
    return {
        "name": case.name,
        "task": case.task,
        "method": result.method,
        "turn": turn,
        "prompt_tokens": result.prompt_tokens,
        "new_tokens": stats.new_tokens,
        "finish_reason": result.finish_reason,
        "steps": stats.steps,
        "drafted": stats.drafted,
        "accepted": stats.accepted,
        "mat": stats.mat,
        "acceptance_rate": stats.acceptance_rate,
        "rows_per_step": 1 + stats.drafted / stats.steps,
        "wall_s": run.wall_s,
        "decode_s": run.decode_s,
        "prefill_s": stats.prefill_s,
        "draft_s": stats.draft_s,
        "verify_s": stats.verify_s,
        "accept_s": stats.accept_s,
        "commit_s": stats.commit_s,
        "learn_s": stats.learn_s,
        "overhead_s": run.overhead_s,
        "tokens_per_s": run.tokens_per_s,
        "loop_share": loop_share(result.tokens),
        "exactness": result.exactness,
        "first_difference": first_difference(plain, result.tokens),
        "tokens": result.tokens,
    }
