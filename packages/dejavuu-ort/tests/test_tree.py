"""Tree drafts: every row sees its own path and nothing else."""

import numpy as np
import pytest
from numpy.typing import NDArray
from ort_helpers import Start, logits

from dejavuu_core.contract import Draft
from dejavuu_ort import OrtVerifier

Ids = NDArray[np.int32]
#        anchor - 1 - 2 - 3
#              \    \ 4 - 5
#               6 - 7
PARENTS = [-1, 0, 1, 0, 3, -1, 5]
TOKENS = [11, 22, 33, 44, 55, 66, 77]


def path_of(row: int) -> list[int]:
    """Give the rows from the anchor (left out) down to ``row``."""
    path: list[int] = []
    while row > 0:
        path.insert(0, row)
        row = PARENTS[row - 1] + 1
    return path


@pytest.mark.parametrize("row", range(1, 8))
def test_a_row_is_what_its_path_gives_as_a_chain(
    tiny: OrtVerifier, start: Start, text: Ids, row: int
) -> None:
    tree = logits(start(tiny, text[:60]), Draft.tree(TOKENS, PARENTS))
    chain = Draft.chain([TOKENS[at - 1] for at in path_of(row)])
    alone = logits(start(tiny, text[:60]), chain)
    np.testing.assert_allclose(tree[row], alone[-1], atol=1e-4)


def test_a_hidden_row_weighs_exactly_nothing(tiny: OrtVerifier, start: Start, text: Ids) -> None:
    first = logits(start(tiny, text[:60]), Draft.tree(TOKENS, PARENTS))
    others = [11, 22, 33, 144, 155, 66, 77]  # rows 4 and 5
    second = logits(start(tiny, text[:60]), Draft.tree(others, PARENTS))
    same = [0, 1, 2, 3, 6, 7]
    assert first[same].tobytes() == second[same].tobytes()
    assert not np.array_equal(first[4], second[4])


def test_the_spine_of_a_tree_is_bitwise(int4: OrtVerifier, start: Start, text: Ids) -> None:
    tree = logits(start(int4, text[:60]), Draft.tree(TOKENS, PARENTS))
    chain = logits(start(int4, text[:60]), Draft.chain(TOKENS[:3]))
    assert tree[:4].tobytes() == chain.tobytes()


@pytest.mark.parametrize("row", [5, 7])
def test_an_accepted_branch_is_as_if_it_had_been_read(
    tiny: OrtVerifier, start: Start, text: Ids, row: int
) -> None:
    path = path_of(row)
    session = start(tiny, text[:60])
    session.verify(Draft.tree(TOKENS, PARENTS))
    session.commit(np.array(path, np.int32), 99)
    read = [*text[:60], *(TOKENS[at - 1] for at in path), 99]
    fresh = start(tiny, np.array(read, np.int32))
    assert session.length == fresh.length
    found, wanted = (logits(one, Draft.chain(text[:4])) for one in (session, fresh))
    np.testing.assert_allclose(found, wanted, atol=1e-4)


def test_a_chain_written_as_a_tree_is_the_chain(tiny: OrtVerifier, start: Start, text: Ids) -> None:
    tree = logits(start(tiny, text[:60]), Draft.tree(TOKENS, list(range(-1, 6))))
    chain = logits(start(tiny, text[:60]), Draft.chain(TOKENS))
    assert tree.tobytes() == chain.tobytes()
