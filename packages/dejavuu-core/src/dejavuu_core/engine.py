"""The engine: a small state machine for one request, and the one loop that drives it.

Everything that decodes (one request, a batch, a foreign engine) asks the same
:class:`Generation` for the next draft and hands it the verified rows.
"""

from collections.abc import Iterator
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from dejavuu_core.accept import accept_greedy
from dejavuu_core.contract import (
    Capabilities,
    Draft,
    Drafting,
    Limit,
    Request,
    Rows,
    Seconds,
    Session,
    Step,
)
from dejavuu_core.errors import DraftError
from dejavuu_core.retrieval import TokenBuffer
from dejavuu_core.stop import Ends, FinishReason
from dejavuu_core.tree import spine_first, widest

__all__ = ["Generation", "decode"]

_NOTHING = np.empty(0, dtype=np.int32)


class Generation:
    """One request on its way: what was written, what may be drafted, whether it has ended."""

    def __init__(
        self,
        request: Request,
        drafting: Drafting,
        ends: Ends,
        capabilities: Capabilities,
        limit: Limit,
    ) -> None:
        """Begin; ``limit`` is the most that one step may draft."""
        self.request = request
        self.finish_reason: FinishReason | None = None
        self._drafting = drafting
        self._ends = ends
        self._vocab_size = capabilities.vocab_size
        self._limit = Limit(min(limit.rows, capabilities.max_rows - 1), limit.width)
        self._context = TokenBuffer(request.tokens)

    @property
    def written(self) -> NDArray[np.int32]:
        """The new tokens so far (int32[m], read-only)."""
        return self._context.view()[len(self.request.tokens) :]

    @property
    def _count(self) -> int:
        return len(self._context) - len(self.request.tokens)

    def next_draft(self) -> Draft:
        """Ask for a draft that fits into what is left; spine first.

        Raises :class:`DraftError` where the drafter breaks its limit or the vocabulary.
        """
        # The last token is never accepted as a draft: every step brings one of its own.
        room = self._ends.most - self._count - 1
        limit = Limit(min(self._limit.rows, room), self._limit.width)
        draft = self._drafting.propose(self._context.view(), limit)
        self._check(draft, limit)
        return spine_first(draft)

    def take(self, draft: Draft, rows: Rows, seconds: Seconds) -> Step:
        """Accept what the model says of ``draft``, cut at the end, and write it down."""
        path, emitted = accept_greedy(draft, rows.argmax())
        kept, self.finish_reason = self._ends.cut(emitted, self._count)
        accepted = np.asarray(path[: len(kept)], dtype=np.int32) if path else _NOTHING
        tokens = np.asarray(kept, dtype=np.int32)
        self._context.append(tokens)
        return Step(draft, rows, accepted, tokens, False, seconds)

    def learn(self, step: Step) -> None:
        """Let the drafter see the step."""
        self._drafting.observe(step)

    def _check(self, draft: Draft, limit: Limit) -> None:
        if len(draft) > limit.rows:
            raise DraftError(
                f"the drafter proposed {len(draft)} rows where {limit.rows} were allowed; "
                f"it must keep to the limit"
            )
        if not len(draft):
            return
        if (width := widest(draft)) > limit.width:
            raise DraftError(
                f"the drafter proposed {width} children of one row where {limit.width} were "
                f"allowed; it must keep to the limit"
            )
        low, high = int(draft.tokens.min()), int(draft.tokens.max())
        if low < 0 or high >= self._vocab_size:
            raise DraftError(
                f"the drafter proposed id {low if low < 0 else high}, outside the vocabulary "
                f"(0 to {self._vocab_size - 1})"
            )


def decode(generation: Generation, session: Session) -> Iterator[Step]:
    """Yield the steps of a generation: the prefill, then one a forward until it ends."""
    yield _prefill(generation, session)
    while generation.finish_reason is None:
        seconds, watch = Seconds(), _Watch()
        draft = generation.next_draft()
        seconds.draft = watch.lap()
        rows = session.verify(draft)
        seconds.verify = watch.lap()
        step = generation.take(draft, rows, seconds)
        seconds.accept = watch.lap()
        session.commit(step.path, int(step.emitted[-1]))
        seconds.commit = watch.lap()
        generation.learn(step)
        seconds.learn = watch.lap()
        yield step


def _prefill(generation: Generation, session: Session) -> Step:
    """Read what the session does not hold yet of the prompt, as a step that emits nothing."""
    seconds, watch = Seconds(), _Watch()
    rows = session.prefill(generation.request.tokens[session.length :])
    seconds.verify = watch.lap()
    step = Step(Draft.empty(), rows, _NOTHING, _NOTHING, True, seconds)
    generation.learn(step)
    seconds.learn = watch.lap()
    return step


class _Watch:
    """A stopwatch that gives the seconds since it was last asked."""

    __slots__ = ("_last",)

    def __init__(self) -> None:
        self._last = perf_counter()

    def lap(self) -> float:
        now = perf_counter()
        seconds, self._last = now - self._last, now
        return seconds
