"""A draft: the rows that hang below the anchor, a tree whose simplest form is a chain."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from dejavuu_core.errors import DraftError

__all__ = ["Draft"]

_LINE = np.arange(-1, 1023, dtype=np.int32)  # the parents of every chain, sliced instead of made
_LINE.flags.writeable = False
_NO_IDEA = np.full(1024, np.nan, dtype=np.float32)
_NO_IDEA.flags.writeable = False
_ZEROS = np.zeros(1024, dtype=np.uint32)
_ZEROS.flags.writeable = False
_BYTES = np.zeros(1024, dtype=np.uint8)
_BYTES.flags.writeable = False


@dataclass(frozen=True, slots=True, eq=False)
class Draft:
    """``n`` proposed rows, parents before children, best first among equals.

    Raises :class:`DraftError` where the arrays disagree in length or a parent does not come
    before its child.
    """

    tokens: NDArray[np.int32]
    """int32[n], the proposed ids."""
    parents: NDArray[np.int32]
    """int32[n], ``parents[i] < i``; -1 hangs from the anchor."""
    probs: NDArray[np.float32]
    """float32[n], chance that the row is accepted given that its parent was; NaN: no idea."""
    keys: NDArray[np.uint32]
    """uint32[n], the calibration bucket of the row."""
    sources: NDArray[np.uint8]
    """uint8[n], index into the drafter's ``sources``."""

    def __post_init__(self) -> None:
        """Check lengths and parents."""
        n = len(self.tokens)
        others = (self.parents, self.probs, self.keys, self.sources)
        if any(len(array) != n for array in others):
            lengths = [n, *(len(array) for array in others)]
            raise DraftError(f"the arrays of a draft have lengths {lengths}; make them equal")
        if self._is_line:
            return
        late = np.flatnonzero((self.parents >= np.arange(n)) | (self.parents < -1))
        if len(late):
            row = int(late[0])
            raise DraftError(
                f"row {row} of a draft names parent {int(self.parents[row])}; "
                f"a parent is -1 (the anchor) or an earlier row"
            )

    def __len__(self) -> int:
        """Give the number of rows."""
        return len(self.tokens)

    @property
    def is_chain(self) -> bool:
        """True where every row hangs from the row before it."""
        return self._is_line or bool(np.array_equal(self.parents, line(len(self))))

    @property
    def _is_line(self) -> bool:
        """Whether the parents are a beginning of the shared line: a chain, known at a glance.

        A later piece of the line, as slicing a draft gives it, hangs from rows that are gone.
        """
        return self.parents.base is _LINE and (not len(self) or self.parents[0] == -1)

    @classmethod
    def empty(cls) -> Self:
        """Give the draft without rows: the step is plain decoding."""
        return cls.chain(())

    @classmethod
    def chain(cls, tokens: Sequence[int] | NDArray[np.int32], *, source: int = 0) -> Self:
        """Give a tree of width one from ``tokens`` (int32[n]), with no idea of its worth."""
        ids = np.asarray(tokens, dtype=np.int32)
        n = len(ids)
        if n >= len(_LINE):
            raise DraftError(f"a draft of {n} rows is longer than {len(_LINE) - 1}; propose fewer")
        sources = _BYTES[:n] if source == 0 else np.full(n, source, dtype=np.uint8)
        return cls(ids, line(n), _NO_IDEA[:n], _ZEROS[:n], sources)

    @classmethod
    def tree(
        cls,
        tokens: Sequence[int] | NDArray[np.int32],
        parents: Sequence[int] | NDArray[np.int32],
        *,
        source: int = 0,
    ) -> Self:
        """Give a tree from ``tokens`` and ``parents`` (int32[n] each), with no idea of its worth.

        Raises :class:`DraftError` where a parent does not come before its child.
        """
        ids = np.asarray(tokens, dtype=np.int32)
        n = len(ids)
        above = np.asarray(parents, dtype=np.int32)
        nan = np.full(n, np.nan, dtype=np.float32)
        return cls(ids, above, nan, np.zeros(n, np.uint32), np.full(n, source, np.uint8))


def line(n: int) -> NDArray[np.int32]:
    """Give the parents of a chain of ``n`` rows: -1, 0, 1, ... (int32[n], read-only)."""
    return _LINE[:n]
