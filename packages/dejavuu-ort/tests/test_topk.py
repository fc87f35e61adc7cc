"""Top-k against a plain sort of the whole vocabulary."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from dejavuu_ort.topk import topk


def sorted_ids(logits: NDArray[np.float32], k: int) -> NDArray[np.intp]:
    """Give the truth: by value, then by id."""
    return np.argsort(-logits, axis=1, kind="stable")[:, :k]


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    vocab=st.integers(1, 3000),
    k=st.integers(0, 40),
    levels=st.integers(1, 500),
)
def test_ids_are_those_of_a_full_sort_with_many_ties(
    seed: int, vocab: int, k: int, levels: int
) -> None:
    random = np.random.default_rng(seed)
    logits = random.integers(0, levels, (3, vocab)).astype(np.float32)
    k = min(k, vocab)
    ids, scores = topk(logits, k)
    np.testing.assert_array_equal(ids, sorted_ids(logits, k))
    assert ids.dtype == np.int32
    assert scores.dtype == np.float32


def test_scores_are_log_probabilities_even_of_huge_logits() -> None:
    logits = np.array([[1000.0, 1000.0, -1000.0]], dtype=np.float32)
    ids, scores = topk(logits, 2)
    np.testing.assert_array_equal(ids, [[0, 1]])
    np.testing.assert_allclose(scores, np.log([[0.5, 0.5]]), rtol=1e-6)


@pytest.mark.parametrize("vocab", [49152, 151936])
def test_scores_of_a_large_vocabulary_are_good_to_a_millionth(vocab: int) -> None:
    logits = np.random.default_rng(0).normal(0, 4, (2, vocab)).astype(np.float32)
    wide = logits.astype(np.float64)
    exact = wide - np.log(np.exp(wide).sum(axis=1, keepdims=True))
    ids, scores = topk(logits, 8)
    np.testing.assert_allclose(scores, np.take_along_axis(exact, ids, 1), rtol=2e-6)


def test_masked_logits_come_last() -> None:
    logits = np.full((1, 200), -np.inf, dtype=np.float32)
    logits[0, [7, 150]] = 1.0
    ids, _ = topk(logits, 3)
    np.testing.assert_array_equal(ids, [[7, 150, 0]])
