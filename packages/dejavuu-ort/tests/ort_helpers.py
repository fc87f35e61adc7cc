"""What several tests use: where the models lie, and what is done with a session."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dejavuu_core.contract import Draft
from dejavuu_ort.session import OrtSession

DATA = Path(__file__).parent / "data"
Start = Callable[..., OrtSession]
NONE = np.empty(0, dtype=np.int32)


def spine(rows: int) -> NDArray[np.int32]:
    """Give the path of the first ``rows`` rows of a chain."""
    return np.arange(1, rows + 1, dtype=np.int32)


def logits(session: OrtSession, draft: Draft) -> NDArray[np.float32]:
    """Verify ``draft`` and copy its logits, float32[n + 1, vocab]."""
    rows = session.verify(draft)
    return np.stack([rows.logits(row) for row in range(len(rows))])


def one_by_one(session: OrtSession, tokens: NDArray[np.int32]) -> NDArray[np.float32]:
    """Decode ``tokens`` singly behind the session's anchor; gives the logits of each forward."""
    found = []
    for token in tokens:
        found.append(logits(session, Draft.empty())[0])
        session.commit(NONE, int(token))
    return np.stack(found)
