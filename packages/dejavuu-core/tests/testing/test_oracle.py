"""The truth of all other tests has to be true itself."""

import numpy as np
import pytest

from dejavuu_core.contract import Draft, Needs, Request
from dejavuu_core.errors import ClosedError, UnsupportedError, UsageError
from dejavuu_core.testing import OracleVerifier

TEXT = np.asarray([3, 14, 15, 9, 26, 5, 35, 8, 9, 7, 9, 32], dtype=np.int32)


def fresh(tokens, **options):
    verifier = OracleVerifier.from_pretrained(seed=2, **options)
    session = verifier.start(Request(TEXT), Needs(prompt_rows=True))
    session.prefill(np.asarray(tokens, dtype=np.int32))
    return session


def last_logits(tokens):
    return fresh(tokens).verify(Draft.empty()).logits(0)


def test_steps_and_prefill_agree():
    session = fresh(TEXT[:1])
    for count, token in enumerate(TEXT[1:].tolist(), start=1):
        rows = session.verify(Draft.empty())
        np.testing.assert_allclose(rows.logits(0), last_logits(TEXT[:count]), atol=1e-5)
        session.commit(np.empty(0, np.int32), token)


def test_a_tree_row_is_its_own_path():
    draft = Draft.tree([1, 2, 3, 4, 5], [-1, -1, 0, 1, 2])
    rows = fresh(TEXT).verify(draft)
    for row, path in {1: [1], 2: [2], 3: [1, 3], 4: [2, 4], 5: [1, 3, 5]}.items():
        np.testing.assert_allclose(rows.logits(row), last_logits([*TEXT, *path]), atol=1e-5)


@pytest.mark.parametrize("path", [[], [2], [1, 3], [1, 3, 5]])
def test_commit_keeps_the_path_alone(path):
    draft = Draft.tree([1, 2, 3, 4, 5], [-1, -1, 0, 1, 2])
    session = fresh(TEXT)
    session.verify(draft)
    session.commit(np.asarray(path, np.int32), 40)
    kept = [int(draft.tokens[row - 1]) for row in path]
    rows = session.verify(Draft.empty())
    np.testing.assert_allclose(rows.logits(0), last_logits([*TEXT, *kept, 40]), atol=1e-5)


def test_order_and_position_matter():
    assert not np.allclose(last_logits([1, 2, 3]), last_logits([2, 1, 3]), atol=1e-3)


def test_rewind_and_fork():
    session = fresh(TEXT)
    other = session.fork()
    session.rewind(4)
    session.prefill(np.asarray([8, 8], np.int32))
    np.testing.assert_allclose(
        session.verify(Draft.empty()).logits(0), last_logits([*TEXT[:4], 8, 8]), atol=1e-5
    )
    np.testing.assert_allclose(other.verify(Draft.empty()).logits(0), last_logits(TEXT), atol=1e-5)


def test_topk_and_prompt_rows():
    verifier = OracleVerifier.from_pretrained(seed=2)
    session = verifier.start(Request(TEXT), Needs(prompt_rows=True))
    rows = session.prefill(TEXT)
    ids, logprobs = rows.topk(50)
    assert ids.shape == (len(TEXT) - 1, 50)
    assert (ids[:, 0] == rows.argmax()).all()
    np.testing.assert_allclose(np.exp(logprobs).sum(axis=1), 1, atol=1e-5)
    assert rows.hidden().shape == (len(TEXT) - 1, 32)


def test_wrong_use_is_named():
    session = fresh(TEXT, tree=False)
    with pytest.raises(UnsupportedError, match="chains only"):
        session.verify(Draft.tree([1, 2], [-1, -1]))
    with pytest.raises(UsageError, match="rewind to 99"):
        session.rewind(99)
    session.rewind(2)
    with pytest.raises(ClosedError, match="no anchor"):
        session.verify(Draft.empty())
    session.close()
    session.close()
    with pytest.raises(ClosedError, match="closed"):
        session.prefill(TEXT)
