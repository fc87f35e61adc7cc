"""A step: one forward and what came of it. The only thing that drafters learn from."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dejavuu_core.contract.draft import Draft
from dejavuu_core.contract.verifier import Rows

__all__ = ["Seconds", "Step"]


@dataclass(slots=True)
class Seconds:
    """Wall seconds of one step by phase, filled as the step runs."""

    draft: float = 0.0
    verify: float = 0.0
    accept: float = 0.0
    commit: float = 0.0
    learn: float = 0.0

    @property
    def total(self) -> float:
        """Sum of all phases."""
        return self.draft + self.verify + self.accept + self.commit + self.learn


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One forward, after the cut: nothing beyond the end of the generation is in it."""

    draft: Draft
    """What was verified, spine first."""
    rows: Rows | None
    """The verified rows, valid until the next verify; None where an engine gives none."""
    accepted: NDArray[np.int32]
    """int32[a], the drafted rows whose tokens were emitted, by depth, each from 1 to n."""
    emitted: NDArray[np.int32]
    """int32[e], the tokens that this step added to the output; empty for the prefill."""
    prefill: bool
    """True for the step that only read the prompt."""
    seconds: Seconds
    """Where the time went."""

    @property
    def path(self) -> NDArray[np.int32]:
        """int32[e - 1], the rows to keep in the cache; the last emitted token is the next anchor.

        Where the cut fell on an accepted row, that row is in ``accepted`` and not in here.
        """
        return self.accepted[: max(len(self.emitted) - 1, 0)]
