"""Requests check their ids."""

import numpy as np
import pytest

from dejavuu_core.contract import Request
from dejavuu_core.errors import UsageError


@pytest.mark.parametrize(
    ("tokens", "complaint"),
    [
        ([], "empty"),
        ([1, 50], "token id 50 at position 1"),
        ([1, -2], "token id -2 at position 1"),
        ([1.5], "whole numbers, not float64"),
        ([[1, 2]], r"shape \(1, 2\)"),
        ([2**40], "token id 1099511627776"),
    ],
)
def test_bad_prompts(tokens, complaint):
    with pytest.raises(UsageError, match=complaint):
        Request.of(tokens, vocab_size=50)


def test_ids_become_int32():
    assert Request.of([1, 49], vocab_size=50).tokens.dtype == np.int32
