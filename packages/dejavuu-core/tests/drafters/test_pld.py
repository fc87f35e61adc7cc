"""Prompt lookup against the published scan, word for word in plain Python."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavuu_core.contract import Limit, Request
from dejavuu_core.drafters.pld import PromptLookup
from dejavuu_core.errors import UsageError


def published(ids, max_ngram, num_pred):
    """The scan of the paper: longest n first, earliest place, full continuation."""
    length = len(ids)
    for n in range(max_ngram, 0, -1):
        gram = ids[length - n :]
        for start in range(length - n + 1):
            if n <= length and ids[start : start + n] == gram:
                copy = start + n
                if copy + num_pred <= length and copy < length - n:
                    return ids[copy : copy + num_pred]
    return []


def transformers_like(ids, max_ngram, num_pred):
    """The same with a continuation that may be cut by the end of the text."""
    length = len(ids)
    for n in range(min(max_ngram, length - 1), 0, -1):
        for start in range(length - n):
            if ids[start : start + n] == ids[length - n :] and start + n < length:
                return ids[start + n : start + n + num_pred]
    return []


def proposed(ids, rows=1000, draftable=None, **options):
    context = np.asarray(ids, dtype=np.int32)
    mask = None if draftable is None else np.asarray(draftable)
    drafting = PromptLookup(**options).start(Request(context, mask))
    return drafting.propose(context, Limit(rows)).tokens.tolist()


texts = st.lists(st.integers(0, 3), min_size=1, max_size=40)


@given(ids=texts, max_ngram=st.integers(1, 4), num_pred=st.integers(1, 6))
def test_is_the_published_method(ids, max_ngram, num_pred):
    assert proposed(ids, max_ngram=max_ngram, num_pred=num_pred) == published(
        ids, max_ngram, num_pred
    )


@given(ids=texts, max_ngram=st.integers(1, 4), num_pred=st.integers(1, 6))
def test_partial_continuations(ids, max_ngram, num_pred):
    options = {"max_ngram": max_ngram, "num_pred": num_pred, "partial": True}
    assert proposed(ids, **options) == transformers_like(ids, max_ngram, num_pred)


def test_defaults_are_the_papers():
    text = [1, 2, 3, *range(10, 20), 1, 2, 3]
    assert proposed(text) == list(range(10, 20))
    assert proposed([1, 2, 3, *range(10, 15), 1, 2, 3]) == []


def test_earliest_or_latest_place():
    text = [1, 2, 7, 7, 1, 2, 8, 8, 1, 2]
    assert proposed(text, num_pred=2, max_ngram=2) == [7, 7]
    assert proposed(text, num_pred=2, max_ngram=2, occurrence="last") == [8, 8]


def test_a_limit_cuts_the_draft_and_not_the_search():
    text = [1, 2, 3, *range(10, 20), 1, 2, 3]
    assert proposed(text, rows=4) == [10, 11, 12, 13]
    assert proposed(text, rows=0) == []


def test_placeholders_are_never_copied_or_matched():
    text = [1, 2, 9, 9, 5, 1, 2, 6, 7, 8, 1, 2]
    draftable = [token != 9 for token in text]
    assert proposed(text, draftable=draftable, num_pred=2, max_ngram=2) == [6, 7]


@pytest.mark.parametrize(
    "options",
    [
        {"max_ngram": 0},
        {"max_ngram": "abc"},
        {"min_ngram": 4},
        {"min_ngram": None},
        {"num_pred": 0},
        {"num_pred": 2.5},
        {"num_pred": True},
        {"occurrence": "middle"},
        {"partial": "no"},
        {"partial": 1},
    ],
)
def test_options_that_contradict_each_other(options):
    with pytest.raises(UsageError, match=next(iter(options))):
        PromptLookup(**options)
