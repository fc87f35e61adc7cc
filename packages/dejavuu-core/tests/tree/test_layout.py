"""Layouts against brute force over random trees."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dejavuu_core.contract import Draft
from dejavuu_core.tree import depths, spine_first, visible, widest


@st.composite
def drafts(draw):
    n = draw(st.integers(0, 14))
    parents = [draw(st.integers(-1, i - 1)) for i in range(n)]
    tokens = draw(st.lists(st.integers(0, 9), min_size=n, max_size=n))
    return Draft.tree(tokens, parents)


def ancestors(draft, row):
    """Rows on the way from ``row`` (draft numbering) to the anchor, itself first."""
    way = []
    while row >= 0:
        way.append(row)
        row = int(draft.parents[row])
    return way


@given(drafts())
def test_depths_and_mask(draft):
    depth, mask = depths(draft), visible(draft)
    assert depth[0] == 0
    assert mask[0].tolist() == [True] + [False] * len(draft)
    for row in range(len(draft)):
        way = ancestors(draft, row)
        assert depth[row + 1] == len(way)
        assert set(np.flatnonzero(mask[row + 1]).tolist()) == {0} | {r + 1 for r in way}


@given(drafts())
def test_spine_first_keeps_the_paths_and_puts_the_first_one_in_front(draft):
    def paths(d):
        return sorted(tuple(d.tokens[r] for r in ancestors(d, row)) for row in range(len(d)))

    moved = spine_first(draft)
    assert paths(moved) == paths(draft)
    children = {}
    for row, parent in enumerate(draft.parents.tolist()):
        children.setdefault(parent, []).append(row)
    row, place = -1, 0
    while row in children:
        row = children[row][0]
        assert moved.tokens[place] == draft.tokens[row]
        assert moved.parents[place] == place - 1
        place += 1


@given(drafts())
def test_widest(draft):
    parents = draft.parents.tolist()
    assert widest(draft) == max((parents.count(p) for p in parents), default=0)
