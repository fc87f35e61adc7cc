"""Ends: the first one wins, and nothing behind it remains."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavuu_core.errors import UsageError
from dejavuu_core.stop import Ends


def ends(ids=(), most=10, prompt=5, context=100):
    return Ends.of(ids, max_new_tokens=most, prompt_tokens=prompt, max_context=context)


@given(
    tokens=st.lists(st.integers(0, 5), min_size=1, max_size=20),
    ids=st.frozensets(st.integers(0, 5), max_size=3),
    most=st.integers(1, 25),
    block=st.integers(1, 6),
)
def test_blocks_end_where_single_tokens_would(tokens, ids, most, block):
    single = list(tokens[:most])
    for place, token in enumerate(single):
        if token in ids:
            single = single[: place + 1]
            break
    written = []
    for start in range(0, len(tokens), block):
        kept, reason = ends(ids, most).cut(tokens[start : start + block], len(written))
        written += kept
        if reason:
            assert reason == ("stop" if written[-1] in ids else "length")
            break
    assert written == single


def test_an_id_wins_over_the_count_at_the_same_token():
    assert ends({7}, most=2).cut([1, 7, 3], 0)[1] == "stop"


@pytest.mark.parametrize("most", [0, -3])
def test_a_count_below_one_is_refused(most):
    with pytest.raises(UsageError, match=f"max_new_tokens is {most}"):
        ends(most=most)


def test_a_prompt_that_fills_the_context_is_refused():
    with pytest.raises(UsageError, match=r"100 tokens .* at most 99"):
        ends(prompt=100)
    assert ends(prompt=99).most == 1
