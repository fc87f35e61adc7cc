"""A growing row of token ids that is read without copying."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["TokenBuffer"]


class TokenBuffer:
    """An int32 buffer that doubles when full; appending is amortised constant time a token."""

    def __init__(self, tokens: NDArray[np.int32], room: int = 256) -> None:
        """Start with a copy of ``tokens`` (int32[L]) and space for ``room`` more."""
        self._length = len(tokens)
        self._store = np.empty(self._length + max(room, 1), dtype=np.int32)
        self._store[: self._length] = tokens

    def __len__(self) -> int:
        """Give the number of tokens."""
        return self._length

    def append(self, tokens: NDArray[np.int32]) -> None:
        """Put ``tokens`` (int32[m]) at the end."""
        end = self._length + len(tokens)
        if end > len(self._store):
            grown = np.empty(max(end, 2 * len(self._store)), dtype=np.int32)
            grown[: self._length] = self._store[: self._length]
            self._store = grown
        self._store[self._length : end] = tokens
        self._length = end

    def view(self) -> NDArray[np.int32]:
        """Give int32[L], read-only; it keeps its content when the buffer grows."""
        view = self._store[: self._length]
        view.flags.writeable = False
        return view
