"""Greedy acceptance: follow the draft as long as it says what the model says."""

import numpy as np
from numpy.typing import NDArray

from dejavuu_core.contract import Draft

__all__ = ["accept_greedy"]


def accept_greedy(
    draft: Draft, choices: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Give the accepted path and the tokens that this step emits.

    ``choices`` (int32[n + 1]) is each row's likeliest id. From the anchor on, the child that
    carries its parent's choice is accepted; where there is none, the choice itself ends the step
    as the bonus token. Returns ``path`` int32[a], rows from 1 to n by depth, and ``emitted``
    int32[a + 1]. What is emitted is what plain decoding emits, whatever the draft was.
    """
    wanted = choices.tolist()
    path: list[int] = []
    row = 0
    above = (draft.parents + 1).tolist()
    # Parents come before their children, so one pass finds the whole path.
    for child, (parent, token) in enumerate(zip(above, draft.tokens.tolist(), strict=True), 1):
        if parent == row and token == wanted[row]:
            path.append(child)
            row = child
    rows = np.asarray(path, dtype=np.int32)
    return rows, choices[np.concatenate([[0], rows])]
