"""How much of an output repeats itself: small models loop, which flatters retrieval."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["LONGEST_PERIOD", "loop_share"]

LONGEST_PERIOD = 32
"""Tokens; longer repetitions are text that is quoted, not a loop."""
_TIMES = 3


def loop_share(tokens: Sequence[int]) -> float:
    """Give the share (0 to 1) of ``tokens`` inside a loop.

    A loop is a block of at most 32 tokens that stands at least three times in a row; its tokens
    behind the first block are inside it.
    """
    ids = np.asarray(tokens, dtype=np.int64)
    inside = np.zeros(len(ids), dtype=np.bool_)
    for period in range(1, min(LONGEST_PERIOD, len(ids) // _TIMES) + 1):
        _mark(ids, period, inside)
    return float(inside.mean()) if len(ids) else 0.0


def _mark(ids: NDArray[np.int64], period: int, inside: NDArray[np.bool_]) -> None:
    """Mark the runs that repeat what stands ``period`` tokens earlier for long enough."""
    same = np.concatenate([[False], ids[period:] == ids[:-period], [False]])
    edges = np.flatnonzero(same[1:] != same[:-1])
    for start, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        if end - start >= (_TIMES - 1) * period:
            inside[start + period : end + period] = True
