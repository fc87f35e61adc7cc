"""Greedy acceptance: follow the draft as long as it says what the model says."""

import numpy as np
from numpy.typing import NDArray

from dejavuu_core.contract import Draft

__all__ = ["accept_greedy"]


def accept_greedy(draft: Draft, choices: NDArray[np.int32]) -> tuple[list[int], list[int]]:
    """Give the accepted path and the tokens that this step emits.

    ``choices`` (int32[n + 1]) is each row's likeliest id. From the anchor on, the child that
    carries its parent's choice is accepted; where there is none, the choice itself ends the step
    as the bonus token. Returns the rows of the path, ``a`` numbers from 1 to n by depth, and the
    ``a + 1`` emitted ids: lists, which are faster than arrays at this size. What is emitted is
    what plain decoding emits, whatever the draft was.
    """
    wanted: list[int] = choices.tolist()
    path: list[int] = []
    emitted = [wanted[0]]
    row = 0
    rows = zip(draft.parents.tolist(), draft.tokens.tolist(), strict=True)
    # Parents come before their children, so one pass finds the whole path.
    for child, (parent, token) in enumerate(rows, start=1):
        if parent + 1 == row and token == emitted[-1]:
            path.append(child)
            emitted.append(wanted[child])
            row = child
    return path, emitted
