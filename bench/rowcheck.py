"""Do a row's logits depend on the rows beside it? Asked through the session contract alone."""

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.difference import first_bit_difference
from bench.prompts import demo_cases
from bench.specbench import slice_cases
from dejavuu_core.contract import Draft, Needs, Request, Session, Verifier
from dejavuu_core.errors import UsageError

__all__ = ["Check", "check_rows", "text_of"]

Tokens = NDArray[np.int32]
Logits = list[NDArray[np.float32]]

_COUNTS = {"odd": range(1, 1024, 2), "even": range(2, 1024, 2)}
_CHUNKS = (1, 2, 7, 33, 64)
_NO_ROWS = np.empty(0, dtype=np.int32)


@dataclass(frozen=True, slots=True)
class Check:
    """What was compared, and the first place that was not the same."""

    what: str
    compared: int
    """Rows of logits, or texts."""
    equal: int
    first: str
    """Where and how the first one differs, empty where all are the same."""

    @property
    def different(self) -> int:
        """How many are not the same."""
        return self.compared - self.equal


def text_of(verifier: Verifier) -> Tokens:
    """Give the ids of the shipped prompts, one text behind the other (int32[L])."""
    cases = [*demo_cases(), *slice_cases()]
    text = "\n\n".join(message["content"] for case in cases for message in case.messages)
    return verifier.tokenizer.encode(text)


def check_rows(verifier: Verifier, context: int, rows: int) -> Iterator[Check]:
    """Yield the checks of 1 to ``rows`` rows behind ``context`` tokens of real text.

    The truth is one-row decoding along the text.
    Raises :class:`UsageError` where the model or the text is shorter than both together.
    """
    text = text_of(verifier)
    most = min(len(text), verifier.capabilities.max_context)
    if context + rows > most:
        raise UsageError(f"{context} tokens and {rows} rows are more than the {most} that fit")
    with closing(verifier.start(Request(text[:context]), Needs())) as session:
        session.prefill(text[:context])
        truth = _one_by_one(session, text, context, rows)
        for name, counts in _COUNTS.items():
            found = (_verify(session, text, context, n, truth) for n in counts if n <= rows)
            yield _summed(f"{name} counts of rows to {rows} behind {context} tokens", found)
        counts = range(2, rows + 1, max(1, rows // 8))
        found = (_keep_part(session, text, context, n, truth) for n in counts)
        yield _summed(f"drafts kept in part behind {context} tokens", found)
    found = (_chunked(verifier, text, context, size, truth) for size in _CHUNKS if size <= context)
    yield _summed(f"prefill in chunks of {context} tokens", found)


def _one_by_one(session: Session, text: Tokens, context: int, rows: int) -> Logits:
    """Decode along the text with one row a step; gives each row's logits (float32[vocab])."""
    truth = []
    for row in range(rows):
        truth.append(session.verify(Draft.empty()).logits(0).copy())
        session.commit(_NO_ROWS, int(text[context + row]))
    return truth


def _back(session: Session, text: Tokens, context: int) -> None:
    """Make the last token of the context the anchor again."""
    session.rewind(context - 1)
    session.prefill(text[context - 1 : context])


def _verify(
    session: Session, text: Tokens, context: int, count: int, truth: Logits
) -> Iterator[str]:
    _back(session, text, context)
    rows = session.verify(Draft.chain(text[context : context + count - 1]))
    for row in range(count):
        yield _compared(rows.logits(row), truth[row], f"row {row} of {count}")


def _keep_part(
    session: Session, text: Tokens, context: int, count: int, truth: Logits
) -> Iterator[str]:
    """Keep half of a draft and go on with one row."""
    _back(session, text, context)
    session.verify(Draft.chain(text[context : context + count - 1]))
    kept = (count - 1) // 2
    session.commit(np.arange(1, kept + 1, dtype=np.int32), int(text[context + kept]))
    logits = session.verify(Draft.empty()).logits(0)
    yield _compared(logits, truth[kept + 1], f"{kept} of {count} rows kept")


def _chunked(
    verifier: Verifier, text: Tokens, context: int, size: int, truth: Logits
) -> Iterator[str]:
    """Read the prompt ``size`` tokens at a time."""
    with closing(verifier.start(Request(text[:context]), Needs())) as session:
        while session.length < context - 1:
            # One more than is to be cached: the last one is the anchor, read again by the next.
            session.prefill(text[session.length : min(session.length + size + 1, context)])
        if context == 1:
            session.prefill(text[:1])
        logits = session.verify(Draft.empty()).logits(0)
        yield _compared(logits, truth[0], f"chunks of {size}")


def _compared(logits: NDArray[np.float32], truth: NDArray[np.float32], where: str) -> str:
    """Say how ``logits`` differ from the ``truth``, nothing where they do not."""
    at = first_bit_difference(logits, truth)
    if at is None:
        return ""
    return f"{where}: the logit of id {at} is {logits[at]!r}, with one row {truth[at]!r}"


def _summed(what: str, groups: Iterable[Iterable[str]]) -> Check:
    said = [text for group in groups for text in group]
    wrong = [text for text in said if text]
    return Check(what, len(said), len(said) - len(wrong), wrong[0] if wrong else "")
