"""The layout of a draft in one forward: depths, the mask, and the spine in front.

Row 0 is the anchor, row ``i + 1`` the draft's row ``i``. Positions are ``length + depth``, so
siblings share one. A row sees all that is cached, itself and its ancestors.
"""

import numpy as np
from numpy.typing import NDArray

from dejavuu_core.contract import Draft

__all__ = ["depths", "spine_first", "visible", "widest"]


def depths(draft: Draft) -> NDArray[np.int32]:
    """Give int32[n + 1], the depth of the anchor (0) and of every row of ``draft``."""
    n = len(draft)
    if draft.is_chain:
        return np.arange(n + 1, dtype=np.int32)
    depth = [0] * (n + 1)
    for row, parent in enumerate(draft.parents.tolist(), start=1):
        depth[row] = depth[parent + 1] + 1
    return np.asarray(depth, dtype=np.int32)


def visible(draft: Draft) -> NDArray[np.bool_]:
    """Give bool[n + 1, n + 1], True at ``[i, j]`` where row ``i`` sees row ``j``."""
    n = len(draft)
    if draft.is_chain:
        return np.tri(n + 1, dtype=np.bool_)
    mask = np.eye(n + 1, dtype=np.bool_)
    for row, parent in enumerate(draft.parents.tolist(), start=1):
        mask[row] |= mask[parent + 1]
    return mask


def widest(draft: Draft) -> int:
    """Give the most children that one row has; 1 for a chain, 0 for the empty draft."""
    if draft.is_chain:
        return min(1, len(draft))
    return int(np.bincount(draft.parents + 1).max())


def spine_first(draft: Draft) -> Draft:
    """Put the spine's rows first and keep the order of the others.

    The spine is the path that takes the first child at every row. Its rows then lie side by side
    behind the anchor, so that accepting them moves nothing in the cache.
    """
    if draft.is_chain:
        return draft
    spine = _spine(draft.parents.tolist())
    on_spine = np.zeros(len(draft), dtype=np.bool_)
    on_spine[spine] = True
    order = np.concatenate([spine, np.flatnonzero(~on_spine)])
    place = np.empty(len(draft) + 1, dtype=np.int32)
    place[0] = -1  # the anchor stays the anchor
    place[order + 1] = np.arange(len(draft), dtype=np.int32)
    return Draft(
        draft.tokens[order],
        place[draft.parents[order] + 1],
        draft.probs[order],
        draft.keys[order],
        draft.sources[order],
    )


def _spine(parents: list[int]) -> NDArray[np.intp]:
    """Rows of the first path, from the anchor down."""
    first_child: dict[int, int] = {}
    for row, parent in enumerate(parents):
        first_child.setdefault(parent, row)
    spine, row = [], -1
    while (child := first_child.get(row)) is not None:
        spine.append(child)
        row = child
    return np.asarray(spine, dtype=np.intp)
