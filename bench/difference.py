"""Where two token lists part."""

from collections.abc import Sequence

__all__ = ["first_difference"]


def first_difference(a: Sequence[int], b: Sequence[int]) -> int | None:
    """Give the first position at which ``a`` and ``b`` differ, None where they are equal."""
    for at, (x, y) in enumerate(zip(a, b, strict=False)):
        if x != y:
            return at
    return None if len(a) == len(b) else min(len(a), len(b))
