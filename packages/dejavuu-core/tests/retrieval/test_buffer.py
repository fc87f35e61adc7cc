"""The buffer against a list."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavuu_core.retrieval import TokenBuffer

blocks = st.lists(st.lists(st.integers(0, 99), max_size=9), max_size=12)


@given(first=st.lists(st.integers(0, 99), max_size=5), more=blocks)
def test_against_a_list(first, more):
    buffer, truth = TokenBuffer(np.asarray(first, dtype=np.int32), room=1), list(first)
    views = []
    for block in more:
        views.append((buffer.view(), list(truth)))
        buffer.append(np.asarray(block, dtype=np.int32))
        truth += block
    assert buffer.view().tolist() == truth
    assert len(buffer) == len(truth)
    assert all(view.tolist() == then for view, then in views)


def test_views_cannot_be_written():
    with pytest.raises(ValueError, match="read-only"):
        TokenBuffer(np.asarray([1], dtype=np.int32)).view()[0] = 2
