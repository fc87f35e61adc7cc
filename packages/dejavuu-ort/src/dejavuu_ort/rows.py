"""The rows of one forward: live ones over the graph's output, kept ones from a prompt."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dejavuu_core.contract import Rows
from dejavuu_core.errors import ClosedError, UnsupportedError, UsageError
from dejavuu_ort.feeds import Output
from dejavuu_ort.topk import topk

__all__ = ["LiveRows", "PromptRows"]


class LiveRows(Rows):
    """Rows over memory that the next forward of their session writes over."""

    def __init__(self, output: Output) -> None:
        """Show what one forward gave."""
        self._output: Output | None = output
        self._rows = len(output.logits)

    def expire(self) -> None:
        """Let go of the memory: from now on every method raises :class:`ClosedError`."""
        self._output = None

    def __len__(self) -> int:
        """Give the number of rows."""
        return self._rows

    def argmax(self) -> NDArray[np.int32]:
        """Give int32[n + 1], each row's likeliest id; of equal logits the lowest id."""
        best: NDArray[np.int32] = self._live().logits.argmax(axis=1).astype(np.int32)
        return best

    def topk(self, k: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Give ids int32[n + 1, k] and log-probabilities float32[n + 1, k], likeliest first."""
        logits = self._live().logits
        _check_k(k, logits.shape[1])
        return topk(logits, k)

    def logits(self, row: int) -> NDArray[np.float32]:
        """Give float32[vocab] of one row, read-only."""
        logits: NDArray[np.float32] = self._live().logits[row]
        return logits

    def hidden(self) -> NDArray[np.float32]:
        """Give float32[n + 1, d], read-only."""
        hidden = self._live().hidden
        if hidden is None:
            raise _no_hidden()
        return hidden

    def _live(self) -> Output:
        if self._output is None:
            raise ClosedError(
                "these rows are over, because their session ran another forward; copy what must "
                "live longer than a step"
            )
        return self._output


class PromptRows(Rows):
    """Rows of a prompt, of which only the asked-for part was kept: never all logits."""

    def __init__(
        self,
        best: NDArray[np.int32],
        ids: NDArray[np.int32],
        scores: NDArray[np.float32],
        hidden: NDArray[np.float32] | None,
    ) -> None:
        """Hold int32[m], int32[m, k], float32[m, k] and, where asked for, float32[m, d]."""
        self._best, self._ids, self._scores, self._hidden = best, ids, scores, hidden

    @classmethod
    def keep(cls, output: Output, most: int) -> "PromptRows":
        """Copy what is asked for out of one chunk's ``output``: ``most`` likeliest ids a row."""
        best = output.logits.argmax(axis=1).astype(np.int32)
        hidden = None if output.hidden is None else output.hidden.copy()
        return cls(best, *topk(output.logits, most), hidden)

    @classmethod
    def join(cls, pieces: Sequence["PromptRows"]) -> "PromptRows":
        """Give the rows of all chunks, at least one, in order."""
        hidden = [piece._hidden for piece in pieces if piece._hidden is not None]
        return cls(
            np.concatenate([piece._best for piece in pieces]),
            np.concatenate([piece._ids for piece in pieces]),
            np.concatenate([piece._scores for piece in pieces]),
            np.concatenate(hidden) if hidden else None,
        )

    def __len__(self) -> int:
        """Give the number of rows."""
        return len(self._best)

    def argmax(self) -> NDArray[np.int32]:
        """Give int32[m], each row's likeliest id; of equal logits the lowest id."""
        return self._best

    def topk(self, k: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Give ids int32[m, k] and log-probabilities float32[m, k], likeliest first.

        Raises :class:`UnsupportedError` for more than the session's ``Needs`` asked for.
        """
        kept = self._ids.shape[1]
        if not 0 <= k <= kept:
            raise UnsupportedError(
                f"the {kept} likeliest ids of the prompt rows were kept, not {k}; ask for more "
                f"with Needs(topk={k})"
            )
        return self._ids[:, :k], self._scores[:, :k]

    def logits(self, row: int) -> NDArray[np.float32]:
        """Raise :class:`UnsupportedError`: the logits of a whole prompt are not kept."""
        raise UnsupportedError(
            f"the logits of prompt row {row} were not kept; use topk() or verify the tokens"
        )

    def hidden(self) -> NDArray[np.float32]:
        """Give float32[m, d]."""
        if self._hidden is None:
            raise _no_hidden()
        return self._hidden


def _check_k(k: int, vocab: int) -> None:
    if not 0 <= k <= vocab:
        raise UsageError(f"topk of {k} ids is asked for; give 0 to {vocab}, the vocabulary")


def _no_hidden() -> UnsupportedError:
    return UnsupportedError(
        "these rows have no hidden rows; ask for them with Needs(hidden=True) when the session "
        "starts, on a graph that gives them"
    )
