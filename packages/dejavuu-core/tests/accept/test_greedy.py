"""Greedy acceptance against a walk from the anchor."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dejavuu_core.accept import accept_greedy
from dejavuu_core.contract import Draft


@given(st.data())
def test_against_a_walk(data):
    n = data.draw(st.integers(0, 12))
    parents = [data.draw(st.integers(-1, i - 1)) for i in range(n)]
    tokens = data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    choices = data.draw(st.lists(st.integers(0, 2), min_size=n + 1, max_size=n + 1))
    path, emitted = accept_greedy(Draft.tree(tokens, parents), np.asarray(choices, np.int32))
    row, walked, said = 0, [], []
    while True:
        said.append(choices[row])
        child = [i for i in range(n) if parents[i] + 1 == row and tokens[i] == choices[row]]
        if not child:
            break
        row = child[0] + 1
        walked.append(row)
    assert path == walked
    assert emitted == said
