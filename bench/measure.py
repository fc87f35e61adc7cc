"""One timed generation."""

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from dejavuu_core import DejaVu, Result
from dejavuu_core.contract import Step

__all__ = ["Timed", "rotated", "timed"]


@dataclass(frozen=True, slots=True)
class Timed:
    """What one generation wrote and how long it took."""

    result: Result
    wall_s: float
    """Seconds of the whole call: session, prefill, decoding, ids to text."""
    decode_s: float
    """Seconds from the end of the prefill to the end of the last step, by the wall clock."""

    @property
    def tokens_per_s(self) -> float:
        """New tokens a second of decoding."""
        return len(self.result.tokens) / self.decode_s

    @property
    def overhead_s(self) -> float:
        """Seconds of the call that no phase of any step accounts for."""
        stats = self.result.stats
        return self.wall_s - stats.prefill_s - stats.decode_s


def timed(model: DejaVu, prompt: NDArray[np.int32], max_new_tokens: int) -> Timed:
    """Generate once from ids (int32[L]) and time it."""
    ends: list[float] = []

    def watch(_: Step) -> None:
        ends.append(perf_counter())

    start = perf_counter()
    result = model.generate(prompt, max_new_tokens=max_new_tokens, watch=watch)
    return Timed(result, perf_counter() - start, ends[-1] - ends[0])


def rotated(names: Sequence[str], turn: int) -> list[str]:
    """Give ``names`` beginning with another one each turn, so that none is always first."""
    at = turn % len(names)
    return [*names[at:], *names[:at]]
