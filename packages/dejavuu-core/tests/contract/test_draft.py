"""Drafts check themselves."""

import numpy as np
import pytest

from dejavuu_core.contract import Draft
from dejavuu_core.errors import DraftError


def test_a_chain_hangs_from_the_anchor():
    draft = Draft.chain([4, 5, 6])
    assert draft.parents.tolist() == [-1, 0, 1]
    assert draft.is_chain
    assert np.isnan(draft.probs).all()
    assert Draft.tree([4, 5], [-1, 0]).is_chain
    assert not Draft.tree([4, 5], [-1, -1]).is_chain
    assert len(Draft.empty()) == 0


@pytest.mark.parametrize("parents", [[0, 0], [-1, 1], [-1, 2], [-2, 0]])
def test_a_parent_comes_before_its_child(parents):
    with pytest.raises(DraftError, match="names parent"):
        Draft.tree([1, 2], parents)


def test_the_later_rows_of_a_chain_alone_are_no_draft():
    whole = Draft.chain([4, 5, 6, 7])
    parts = (whole.tokens, whole.parents, whole.probs, whole.keys, whole.sources)
    assert Draft(*(part[:2] for part in parts)).is_chain
    with pytest.raises(DraftError, match="names parent 1"):
        Draft(*(part[2:] for part in parts))


def test_lengths_agree():
    with pytest.raises(DraftError, match=r"lengths \[2, 1"):
        Draft.tree([1, 2], [-1])


def test_an_endless_chain_is_refused():
    with pytest.raises(DraftError, match="5000 rows"):
        Draft.chain(np.zeros(5000, dtype=np.int32))
