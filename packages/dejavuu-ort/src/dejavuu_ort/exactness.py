"""The probe: are a row's logits the same bits, however many rows run beside it?"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dejavuu_core.contract import Draft, Exactness, Needs
from dejavuu_ort.graph import Graph
from dejavuu_ort.session import OrtSession

__all__ = ["CONTEXTS", "Finding", "probe"]

CONTEXTS = (0, 251)
"""Cached tokens before the probed rows: none, as a prompt is read, and an odd count."""
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
    """Measure every row count from 1 to ``max_rows`` behind each of :data:`CONTEXTS`.

    Logits and cached keys and values are compared bit for bit with one-row decoding of the same
    tokens. ``report`` is told how many of how many forwards are done.
    """
    most = graph.manifest.max_context
    random = np.random.default_rng(_SEED)
    tokens = random.integers(0, graph.manifest.vocab_size, most, dtype=np.int32)
    contexts = sorted({min(context, most - graph.max_rows) for context in CONTEXTS})
    session = OrtSession(graph, Needs())
    found, done = Finding(True), 0
    for context in contexts:
        for finding in _rows(session, graph.max_rows, tokens, context):
            found, done = found + finding, done + 1
            report(done, len(contexts) * graph.max_rows)
    session.close()
    return found


def _rows(
    session: OrtSession, most: int, tokens: NDArray[np.int32], context: int
) -> Iterator[Finding]:
    """Compare every row count behind ``context`` tokens with one-row decoding."""
    block = tokens[context : context + most]
    session.rewind(0)
    session.prefill(tokens[: context + 1])
    one_by_one = np.concatenate([_step(session, block, at) for at in range(most)])
    cached = session.cache.slots(context, context + most).copy()
    for rows in range(1, most + 1):
        session.rewind(context)
        session.prefill(block[:1])
        written = session.cache.slots(context, context + rows)
        written[:] = 0.0  # spoil the last round's, so that only what this one writes can be equal
        logits = _logits(session, block[1:rows])
        yield _compare(one_by_one[:rows], logits) + _compare(cached[:, :, :, :rows], written)


def _step(session: OrtSession, block: NDArray[np.int32], at: int) -> _Floats:
    """Decode one token of ``block`` on its own; gives its logits float32[1, vocab]."""
    logits = _logits(session, block[:0])
    session.commit(block[:0], int(block[(at + 1) % len(block)]))
    return logits


def _logits(session: OrtSession, draft: NDArray[np.int32]) -> _Floats:
    rows = session.verify(Draft.chain(draft))
    return np.stack([rows.logits(row) for row in range(len(rows))])


def _compare(wanted: _Floats, found: _Floats) -> Finding:
    # as whole numbers, because 0.0 equals -0.0 and NaN equals nothing
    other = _bits(wanted) != _bits(found)
    differing = int(np.count_nonzero(other))
    largest = float(np.abs(wanted[other] - found[other]).max()) if differing else 0.0
    return Finding(True, wanted.size, differing, largest)


def _bits(values: _Floats) -> NDArray[np.int32]:
    return np.ascontiguousarray(values).view(np.int32)
