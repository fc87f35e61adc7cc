"""A request: what one generation knows before it starts."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dejavuu_core.errors import UsageError

__all__ = ["Request"]


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """A prompt in token ids, and what goes with it."""

    tokens: NDArray[np.int32]
    """int32[L], L >= 1, the prompt; its last token becomes the first anchor."""
    draftable: NDArray[np.bool_] | None = None
    """bool[L], False where a drafter must not copy from (placeholders); None: all may be copied."""
    payload: object | None = None
    """Embeddings and the like, for the verifier alone."""
    namespace: str = "default"
    """Whose history this request may read and write."""

    @classmethod
    def of(cls, tokens: Sequence[int] | NDArray[np.integer], *, vocab_size: int) -> "Request":
        """Make a request of ids, checked against the vocabulary.

        Raises :class:`UsageError` for an empty prompt, for what is not a flat list of whole
        numbers, and for an id outside ``0 .. vocab_size - 1``.
        """
        try:
            ids = np.asarray(tokens)
        except ValueError:  # lists of different lengths
            raise UsageError("a prompt of token ids is a flat list, not a list of lists") from None
        if ids.size == 0:
            raise UsageError("the prompt is empty; give at least one token")
        if ids.ndim != 1 or not np.issubdtype(ids.dtype, np.integer):
            raise UsageError(
                f"a prompt of token ids is a flat list of whole numbers, not {ids.dtype} "
                f"of shape {ids.shape}"
            )
        outside = np.flatnonzero((ids < 0) | (ids >= vocab_size))
        if len(outside):
            at = int(outside[0])
            raise UsageError(
                f"token id {int(ids[at])} at position {at} is outside the model's vocabulary "
                f"(0 to {vocab_size - 1}); was another tokenizer used?"
            )
        return cls(ids.astype(np.int32))
