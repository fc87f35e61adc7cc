"""The first difference between two outputs."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["first_bit_difference", "first_difference"]


def first_difference(one: Sequence[int], other: Sequence[int]) -> int | None:
    """Give the first position where two token lists differ, None where they are equal.

    A list that ends early differs at the position behind its end.
    """
    for position, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return position
    return None if len(one) == len(other) else min(len(one), len(other))


def first_bit_difference(one: NDArray[np.float32], other: NDArray[np.float32]) -> int | None:
    """Give the first index where two rows (float32[n] each) differ in a bit, None where equal.

    Bits, not values: 0.0 and -0.0 differ, a NaN equals itself.
    """
    places = np.flatnonzero(one.view(np.uint32) != other.view(np.uint32))
    return int(places[0]) if len(places) else None
