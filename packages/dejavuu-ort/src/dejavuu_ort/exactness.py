"""The probe: are a row's logits the same bits, however many rows run beside it?"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from dejavuu_core.contract import Draft, Exactness, Needs
from numpy.typing import NDArray

from dejavuu_ort.graph import Graph
from dejavuu_ort.session import OrtSession

__all__ = ["CONTEXTS", "Finding", "probe"]

CONTEXTS = (7, 250)
"""Cached tokens before the probed rows: an odd and an even count, in and past one block."""
_SEED = 20240607
_Floats = NDArray[np.float32]
_Report = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Finding:
    """What a probe found out about one graph on this machine."""

    measured: bool
    """False where nobody looked."""
    compared: int = 0
    """Numbers compared: logits, and cached keys and values."""
    differing: int = 0
    """How many of them had other bits than in one-row decoding."""
    largest: float = 0.0
    """Largest absolute difference."""

    @property
    def exactness(self) -> Exactness:
        """``bitwise`` where all was compared and nothing differed."""
        return "bitwise" if self.measured and not self.differing else "approximate"

    def __add__(self, other: "Finding") -> "Finding":
        """Put two findings on one graph together."""
        return Finding(
            self.measured and other.measured,
            self.compared + other.compared,
            self.differing + other.differing,
            max(self.largest, other.largest),
        )


def probe(graph: Graph, report: _Report = lambda done, of: None) -> Finding:
    """Measure every row count from 1 to ``max_rows``, and every chunk of a prefill.

    Rows are compared bit for bit with one-row decoding of the same tokens, at each of
    :data:`CONTEXTS`; chunks with reading the same tokens ``max_rows`` at a time, which the first
    part has compared. ``report`` is told how many of how many parts are done.
    """
    most = graph.manifest.max_context
    random = np.random.default_rng(_SEED)
    tokens = random.integers(0, graph.manifest.vocab_size, most, dtype=np.int32)
    contexts = sorted({min(context, most - graph.max_rows) for context in CONTEXTS})
    found, of = Finding(True), len(contexts) * graph.max_rows + len(graph.chunks)
    session = OrtSession(graph, Needs())
    parts = [_rows(session, graph, tokens, context) for context in contexts]
    done = 0
    for part in (*parts, _chunks(session, graph, tokens)):
        for finding in part:
            found, done = found + finding, done + 1
            report(done, of)
    session.close()
    return found


def _rows(
    session: OrtSession, graph: Graph, tokens: NDArray[np.int32], context: int
) -> Iterator[Finding]:
    """Compare every row count behind ``context`` tokens with one-row decoding."""
    block = tokens[context : context + graph.max_rows]
    session.rewind(0)
    session.prefill(tokens[: context + 1])
    one_by_one = np.concatenate([_step(session, block, at) for at in range(len(block))])
    end = context + len(block)
    cached = session.cache.slots(context, end).copy()
    for rows in range(1, len(block) + 1):
        session.rewind(context)
        session.prefill(block[:1])
        _scribble(session, context, end)
        together = _logits(session, block[1:rows])
        yield _compare(one_by_one[:rows], together) + _compare(
            cached[:, :, :, :rows], session.cache.slots(context, context + rows)
        )


def _chunks(session: OrtSession, graph: Graph, tokens: NDArray[np.int32]) -> Iterator[Finding]:
    """Compare what every chunk size caches with what ``max_rows`` at a time caches."""
    small = OrtSession(graph, Needs(prompt_rows=True))  # its chunks are max_rows long
    for size in graph.chunks:
        for one in (small, session):
            one.rewind(0)
            one.prefill(tokens[: size + 1] if size < len(tokens) else tokens[:size])
        size = session.length
        yield _compare(small.cache.slots(0, size), session.cache.slots(0, size))
    small.close()


def _step(session: OrtSession, block: NDArray[np.int32], at: int) -> _Floats:
    """Decode one token of ``block`` on its own; gives its logits float32[1, vocab]."""
    logits = _logits(session, block[:0])
    session.commit(block[:0], int(block[(at + 1) % len(block)]))
    return logits


def _logits(session: OrtSession, draft: NDArray[np.int32]) -> _Floats:
    rows = session.verify(Draft.chain(draft))
    return np.stack([rows.logits(row) for row in range(len(rows))])


def _scribble(session: OrtSession, start: int, stop: int) -> None:
    """Spoil what the last round left, so that only what this one writes can be equal."""
    session.cache.slots(start, stop)[:] = 0.0


def _compare(wanted: _Floats, found: _Floats) -> Finding:
    # as whole numbers, because 0.0 equals -0.0 and NaN equals nothing
    other = _bits(wanted) != _bits(found)
    differing = int(np.count_nonzero(other))
    largest = float(np.abs(wanted[other] - found[other]).max()) if differing else 0.0
    return Finding(True, wanted.size, differing, largest)


def _bits(values: _Floats) -> NDArray[np.int32]:
    return np.ascontiguousarray(values).view(np.int32)
