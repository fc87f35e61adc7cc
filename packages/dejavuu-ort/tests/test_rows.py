"""Rows: live ones end with the next forward, those of a prompt keep what was asked for."""

import numpy as np
import pytest
from numpy.typing import NDArray
from ort_helpers import Start, spine

from dejavuu_core.contract import Draft, Needs
from dejavuu_core.errors import ClosedError, UnsupportedError, UsageError
from dejavuu_ort import OrtVerifier
from dejavuu_ort.feeds import Output
from dejavuu_ort.rows import LiveRows

Ids = NDArray[np.int32]


def test_of_equal_logits_the_lowest_id_is_first() -> None:
    logits = np.array([[1, 3, 3, 0], [2, 2, 2, 2]], np.float32)
    rows = LiveRows(Output(logits, None))
    assert rows.argmax().tolist() == [1, 0]
    assert rows.argmax().dtype == np.int32
    assert rows.topk(3)[0].tolist() == [[1, 2, 0], [0, 1, 2]]


@pytest.mark.parametrize("next_forward", ["verify", "prefill"])
def test_rows_are_over_with_the_next_forward(
    int4: OrtVerifier, start: Start, text: Ids, next_forward: str
) -> None:
    session = start(int4, text[:10])
    rows = session.verify(Draft.chain(text[10:13]))
    session.commit(spine(3), 5)
    assert rows.logits(0).shape == (320,)  # commit alone does not end them
    if next_forward == "verify":
        session.verify(Draft.empty())
    else:
        session.prefill(text[:4])
    assert len(rows) == 4
    for use in (rows.argmax, lambda: rows.topk(1), lambda: rows.logits(0), rows.hidden):
        with pytest.raises(ClosedError, match="these rows are over"):
            use()


def test_logits_cannot_be_written(int4: OrtVerifier, start: Start, text: Ids) -> None:
    rows = start(int4, text[:10]).verify(Draft.empty())
    with pytest.raises(ValueError, match="read-only"):
        rows.logits(0)[0] = 1.0


def test_an_impossible_topk_is_refused(int4: OrtVerifier, start: Start, text: Ids) -> None:
    rows = start(int4, text[:10]).verify(Draft.empty())
    with pytest.raises(UsageError, match="give 0 to 320"):
        rows.topk(321)


def test_without_needs_a_prompt_gives_no_rows(tiny: OrtVerifier, start: Start, text: Ids) -> None:
    rows = start(tiny).prefill(text[:50])
    assert len(rows) == 0
    assert rows.argmax().shape == (0,)


@pytest.mark.parametrize("length", [1, 2, 24, 25, 26, 60])
def test_prompt_rows_are_those_of_verify(
    tiny: OrtVerifier, start: Start, text: Ids, length: int
) -> None:
    needs = Needs(topk=3, prompt_rows=True, hidden=True)
    rows = start(tiny, needs=needs).prefill(text[:length])
    assert len(rows) == length - 1
    ids, scores = rows.topk(3)
    hidden = rows.hidden()
    assert (ids.shape, hidden.shape) == ((length - 1, 3), (length - 1, 32))
    session = start(tiny, text[:1], needs)
    for at in range(length - 1):
        single = session.verify(Draft.empty())
        assert single.argmax()[0] == rows.argmax()[at]
        assert single.topk(3)[0].tolist() == [ids[at].tolist()]
        assert single.topk(3)[1].tobytes() == scores[at].tobytes()
        assert single.hidden().tobytes() == hidden[at].tobytes()
        session.commit(spine(0), int(text[at + 1]))


def test_prompt_rows_live_on_but_hold_only_what_was_asked_for(
    tiny: OrtVerifier, start: Start, text: Ids
) -> None:
    session = start(tiny, needs=Needs(topk=2, prompt_rows=True))
    rows = session.prefill(text[:30])
    session.verify(Draft.empty())
    assert rows.topk(1)[0][:, 0].tolist() == rows.argmax().tolist()
    with pytest.raises(UnsupportedError, match=r"Needs\(topk=4\)"):
        rows.topk(4)
    with pytest.raises(UnsupportedError, match="prompt row 7"):
        rows.logits(7)
    with pytest.raises(UnsupportedError, match="hidden=True"):
        rows.hidden()


def test_hidden_rows_follow_the_rows(tiny: OrtVerifier, start: Start, text: Ids) -> None:
    session = start(tiny, text[:20], Needs(hidden=True))
    together = session.verify(Draft.chain(text[20:25])).hidden().copy()
    assert together.shape == (6, 32)
    assert session.verify(Draft.empty()).hidden().tobytes() == together[:1].tobytes()
    plain = start(tiny, text[:20]).verify(Draft.empty())
    with pytest.raises(UnsupportedError, match="hidden=True"):
        plain.hidden()
