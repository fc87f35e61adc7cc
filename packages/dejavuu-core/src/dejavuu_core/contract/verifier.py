"""The checking side: a loaded model, one session a request, and the rows of one forward."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dejavuu_core.contract.capabilities import Capabilities
from dejavuu_core.contract.draft import Draft
from dejavuu_core.contract.needs import Needs
from dejavuu_core.contract.request import Request
from dejavuu_core.contract.tokenizer import Tokenizer

__all__ = ["Rows", "Session", "Verifier"]


class Rows(Protocol):
    """What one forward says of its rows: the anchor first, then the draft.

    Valid until the next ``verify`` or ``prefill`` of its session; copy what must live longer.
    """

    def __len__(self) -> int:
        """Give the number of rows, ``n + 1``."""
        ...

    def argmax(self) -> NDArray[np.int32]:
        """Give int32[n + 1], each row's likeliest id; of equal logits the lowest id."""
        ...

    def topk(self, k: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Give ids int32[n + 1, k] and log-probabilities float32[n + 1, k], likeliest first."""
        ...

    def logits(self, row: int) -> NDArray[np.float32]:
        """Give float32[vocab] of one row, read-only."""
        ...

    def hidden(self) -> NDArray[np.float32]:
        """Give float32[n + 1, d]; raises :class:`UnsupportedError` where there is none."""
        ...


class Session(Protocol):
    """One request's state in the model: it alone owns its KV cache, one thread at a time."""

    @property
    def length(self) -> int:
        """Number of cached tokens; the anchor is not among them."""
        ...

    def prefill(self, tokens: NDArray[np.int32]) -> Rows:
        """Read ``tokens`` (int32[m], m >= 1) behind what is cached: the last becomes the anchor.

        The other m - 1 are run and cached. Gives their rows where ``Needs`` asked for prompt
        rows, otherwise no rows.
        """
        ...

    def verify(self, draft: Draft) -> Rows:
        """Run the anchor and ``draft`` in one forward; gives ``n + 1`` rows, caches nothing yet.

        Raises :class:`UnsupportedError` for a branch where ``Capabilities.tree`` is false, and
        :class:`ClosedError` after ``close`` or without an anchor.
        """
        ...

    def commit(self, path: NDArray[np.int32], token: int) -> None:
        """Keep the anchor and the rows ``path`` (int32[a], by depth) of the last verify.

        All other rows vanish without a trace. ``token`` becomes the next anchor.
        """
        ...

    def rewind(self, length: int) -> None:
        """Keep the first ``length`` cached tokens and forget the rest and the anchor.

        What is read after it is bit for bit what a fresh session would give.
        Raises :class:`UsageError` where ``length`` is negative or more than is cached.
        """
        ...

    def fork(self) -> "Session":
        """Give a second session in the same state; neither touches the other from then on."""
        ...

    def close(self) -> None:
        """Give the cache back. May be called again."""
        ...


class Verifier(Protocol):
    """One loaded model. Thread-safe: many sessions may run at once."""

    @property
    def capabilities(self) -> Capabilities:
        """What this model can do, fixed from loading on."""
        ...

    @property
    def tokenizer(self) -> Tokenizer:
        """The model's tokenizer."""
        ...

    def start(self, request: Request, needs: Needs) -> Session:
        """Give a session with nothing cached; ``needs`` says what its rows must be able to tell.

        Raises :class:`UnsupportedError` where a need cannot be met.
        """
        ...

    def verify_many(self, pairs: Sequence[tuple[Session, Draft]]) -> list[Rows]:
        """Verify one draft in each of several sessions; one by one unless a backend can batch."""
        return [session.verify(draft) for session, draft in pairs]
