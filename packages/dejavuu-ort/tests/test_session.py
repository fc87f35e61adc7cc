"""What a session promises: cutting a text into forwards in any way gives the same bits."""

import threading
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from ort_helpers import NONE, Start, logits, one_by_one, spine

from dejavuu_core.contract import Draft, Needs
from dejavuu_core.errors import ClosedError, DraftError, UsageError
from dejavuu_ort import OrtVerifier
from dejavuu_ort.session import OrtSession

Ids = NDArray[np.int32]


@pytest.mark.parametrize("rows", [2, 3, 7, 8, 24])
def test_rows_together_are_the_bits_of_rows_one_by_one(
    verifier: OrtVerifier, start: Start, text: Ids, rows: int
) -> None:
    single = one_by_one(start(verifier, text[:40]), text[40 : 40 + rows])
    together = logits(start(verifier, text[:40]), Draft.chain(text[40 : 39 + rows]))
    assert together.tobytes() == single.tobytes()


@settings(
    deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(cuts=st.sets(st.integers(1, 119), max_size=12), accepted=st.integers(0, 5))
def test_a_text_read_in_any_pieces_ends_in_the_same_bits(
    int4: OrtVerifier, start: Start, text: Ids, cuts: set[int], accepted: int
) -> None:
    whole = logits(start(int4, text[:120]), Draft.chain(text[120:126]))
    session = start(int4)
    before = 0
    for cut in sorted(cuts):
        session.prefill(text[before : cut + 1])
        before = cut
    session.prefill(text[before:120])
    assert logits(session, Draft.chain(text[120:126])).tobytes() == whole.tobytes()
    session.commit(spine(accepted), int(text[120 + accepted]))
    assert logits(session, Draft.empty())[0].tobytes() == whole[accepted + 1].tobytes()


def test_rejected_rows_leave_no_trace(verifier: OrtVerifier, start: Start, text: Ids) -> None:
    session = start(verifier, text[:30])
    for accepted in (0, 3, 0, 8, 1):
        at = session.length + 1
        draft = text[at : at + 8].copy()
        draft[accepted:] = (draft[accepted:] + 7) % 320  # wrong from here on
        session.verify(Draft.chain(draft))
        session.commit(spine(accepted), int(text[at + accepted]))
    fresh = start(verifier, text[: session.length + 1])
    assert session.length == fresh.length
    assert logits(session, Draft.empty()).tobytes() == logits(fresh, Draft.empty()).tobytes()


def test_rewinding_is_a_fresh_start(verifier: OrtVerifier, start: Start, text: Ids) -> None:
    session = start(verifier, text[:100])
    session.verify(Draft.chain(text[100:110]))
    session.rewind(37)
    assert session.length == 37
    session.prefill(text[200:230])
    other = np.concatenate([text[:37], text[200:230]])
    wanted = logits(start(verifier, other), Draft.chain(text[:5]))
    assert logits(session, Draft.chain(text[:5])).tobytes() == wanted.tobytes()


def test_the_cache_grows_without_changing_a_bit(int4: OrtVerifier, start: Start, text: Ids) -> None:
    session = start(int4, text[:250])
    young = session.cache.capacity
    for at in range(250, 290, 4):
        session.verify(Draft.chain(text[at : at + 3]))
        session.commit(spine(3), int(text[at + 3]))
    assert session.cache.capacity > young
    fresh = start(int4, text[:290])
    assert logits(session, Draft.empty()).tobytes() == logits(fresh, Draft.empty()).tobytes()


def test_the_context_can_be_used_to_its_last_token(
    verifier: OrtVerifier, start: Start, text: Ids
) -> None:
    session = start(verifier, text[:508])
    session.verify(Draft.chain(text[508:511]))
    session.commit(spine(3), int(text[511]))
    assert session.length == 511
    assert np.isfinite(logits(session, Draft.empty())).all()
    session.commit(NONE, 0)
    with pytest.raises(UsageError, match="context of 512"):
        session.verify(Draft.empty())


def test_a_fork_and_its_origin_do_not_touch_each_other(
    verifier: OrtVerifier, start: Start, text: Ids
) -> None:
    session = start(verifier, text[:50])
    session.verify(Draft.chain(text[50:55]))
    other = session.fork()
    session.commit(NONE, 9)
    one_by_one(session, text[:20])
    other.commit(spine(2), int(text[52]))  # the verify was forked too
    fresh = start(verifier, text[:53])
    assert logits(other, Draft.empty()).tobytes() == logits(fresh, Draft.empty()).tobytes()
    session.close()
    assert other.length == 52
    other.close()


def test_threads_with_sessions_of_their_own_get_the_bits_of_serial_use(
    int4: OrtVerifier, start: Start, text: Ids
) -> None:
    def work(session: OrtSession, at: int, into: dict[int, bytes]) -> None:
        session.prefill(text[at : at + 60])
        into[at] = one_by_one(session, text[:30]).tobytes()

    serial: dict[int, bytes] = {}
    parallel: dict[int, bytes] = {}
    for at in range(6):
        work(start(int4), at, serial)
    threads = [threading.Thread(target=work, args=(start(int4), at, parallel)) for at in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert parallel == serial


def test_two_sessions_in_turn_do_not_mix(verifier: OrtVerifier, start: Start, text: Ids) -> None:
    first, second = start(verifier, text[:20]), start(verifier, text[100:140])
    alone = one_by_one(start(verifier, text[:20]), text[20:26])
    mixed = []
    for at in range(20, 26):
        mixed.append(logits(first, Draft.empty())[0])
        logits(second, Draft.chain(text[:5]))
        first.commit(NONE, int(text[at]))
    assert np.stack(mixed).tobytes() == alone.tobytes()


def test_an_anchor_that_was_not_committed_is_replaced(int4: OrtVerifier, start: Start) -> None:
    session = start(int4, np.array([5, 6, 7], np.int32))
    session.verify(Draft.empty())
    session.prefill(np.array([8], np.int32))
    assert session.length == 2
    fresh = start(int4, np.array([5, 6, 8], np.int32))
    assert logits(session, Draft.empty()).tobytes() == logits(fresh, Draft.empty()).tobytes()


def _wrong_commit(path: list[int], token: int = 0) -> Callable[[OrtSession], None]:
    return lambda session: session.commit(np.array(path, np.int32), token)


@pytest.mark.parametrize(
    ("misuse", "error", "message"),
    [
        (lambda s: s.verify(Draft.chain([320])), DraftError, "token id 320"),
        (lambda s: s.verify(Draft.chain([4, -1])), DraftError, "token id -1"),
        (lambda s: s.verify(Draft.chain([0] * 24)), DraftError, "at most 23"),
        (lambda s: s.prefill(np.array([3, 999], np.int32)), UsageError, "token id 999"),
        (lambda s: s.prefill(NONE), UsageError, "at least the anchor"),
        (lambda s: s.prefill(np.zeros(500, np.int32)), UsageError, "context of 512"),
        (lambda s: s.rewind(-1), UsageError, "give 0 to 29"),
        (lambda s: s.rewind(30), UsageError, "rewind to 30"),
        (_wrong_commit([2]), UsageError, "row 2 does not hang from row 0"),
        (_wrong_commit([1, 3]), UsageError, "row 3 does not hang from row 1"),
        (_wrong_commit([5]), UsageError, "not one of the draft"),
        (_wrong_commit([0]), UsageError, "not one of the draft"),
        (_wrong_commit([], 320), UsageError, "token id 320"),
    ],
)
def test_a_mistake_leaves_the_session_as_it_was(
    int4: OrtVerifier,
    start: Start,
    text: Ids,
    misuse: Callable[[OrtSession], object],
    error: type[Exception],
    message: str,
) -> None:
    session = start(int4, text[:30])
    rows = session.verify(Draft.chain(text[30:34]))
    before = rows.logits(4).copy()
    with pytest.raises(error, match=message):
        misuse(session)
    assert rows.logits(4).tobytes() == before.tobytes()
    session.commit(spine(4), int(text[34]))
    fresh = start(int4, text[:35])
    assert session.length == fresh.length
    assert logits(session, Draft.empty()).tobytes() == logits(fresh, Draft.empty()).tobytes()


def test_commit_needs_a_verify_and_only_one(int4: OrtVerifier, start: Start, text: Ids) -> None:
    session = start(int4, text[:10])
    with pytest.raises(UsageError, match="call verify first"):
        session.commit(NONE, 0)
    session.verify(Draft.empty())
    session.commit(NONE, 0)
    with pytest.raises(UsageError, match="call verify first"):
        session.commit(NONE, 0)
    session.verify(Draft.empty())
    session.prefill(text[:1])
    with pytest.raises(UsageError, match="call verify first"):
        session.commit(NONE, 0)


def test_without_an_anchor_there_is_nothing_to_verify(
    int4: OrtVerifier, start: Start, text: Ids
) -> None:
    session = start(int4)
    with pytest.raises(ClosedError, match="prefill first"):
        session.verify(Draft.empty())
    session.prefill(text[:9])
    session.rewind(8)
    with pytest.raises(ClosedError, match="prefill first"):
        session.verify(Draft.empty())


def test_a_closed_session_says_so_and_closes_again(
    int4: OrtVerifier, start: Start, text: Ids
) -> None:
    session = start(int4, text[:10])
    session.close()
    session.close()
    uses: list[Callable[[], object]] = [
        lambda: session.prefill(text[:2]),
        lambda: session.verify(Draft.empty()),
        lambda: session.commit(NONE, 0),
        lambda: session.rewind(0),
        session.fork,
    ]
    for use in uses:
        with pytest.raises(ClosedError, match="session is closed"):
            use()


def test_a_failing_graph_is_named(int4: OrtVerifier, start: Start, text: Ids) -> None:
    session = start(int4, text[:10], Needs())
    assert session._feeds is not None
    session._feeds._binding.clear_binding_inputs()
    with pytest.raises(ValueError, match=r"decoder\.onnx.* failed on 1 rows behind 9 tokens"):
        session.verify(Draft.empty())
