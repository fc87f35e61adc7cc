"""The KV cache of one session: one buffer for all layers that onnxruntime writes in place."""

import numpy as np
import onnxruntime
from numpy.typing import NDArray

__all__ = ["KvCache"]

_FIRST = 256  # slots of a young cache; most chats and completions outgrow it once or twice


class KvCache:
    """Keys and values, float32[2 * layers, 1, kv_heads, capacity, head_dim].

    What lies behind the slots in use is garbage that the next forward writes over, so forgetting
    tokens is free: the session lowers its length.
    """

    def __init__(self, layers: int, kv_heads: int, head_dim: int, most: int) -> None:
        """Make an empty cache that may grow to ``most`` slots."""
        self._most = most
        self._data = self._room(layers, kv_heads, head_dim, min(_FIRST, most))

    @property
    def capacity(self) -> int:
        """Slots that fit without growing."""
        return int(self._data.shape[3])

    def reserve(self, slots: int, used: int) -> bool:
        """Make room for ``slots`` and keep the first ``used``; True where the buffer moved."""
        capacity = self.capacity
        if slots <= capacity:
            return False
        while capacity < slots:
            capacity *= 2
        self._data = self._copy(min(capacity, self._most), used)
        return True

    def move(self, base: int, path: NDArray[np.int32]) -> None:
        """Bring the slots ``base + path`` (int32[a], rising) side by side behind ``base``."""
        kept = self._data[:, :, :, base + path]
        self._data[:, :, :, base + 1 : base + 1 + len(path)] = kept

    def copy(self, used: int) -> "KvCache":
        """Give an own copy of the first ``used`` slots, with the same capacity."""
        other = object.__new__(KvCache)
        other._most = self._most
        other._data = self._copy(self.capacity, used)
        return other

    def slots(self, start: int, stop: int) -> NDArray[np.float32]:
        """Give a view of some slots, float32[2 * layers, 1, kv_heads, stop - start, head_dim]."""
        return self._data[:, :, :, start:stop]

    def values(self) -> list[onnxruntime.OrtValue]:
        """Give one onnxruntime view a layer and part, key before value; they share the memory."""
        return [onnxruntime.OrtValue.ortvalue_from_numpy(part) for part in self._data]

    def _copy(self, capacity: int, used: int) -> NDArray[np.float32]:
        parts, _, heads, _, dim = self._data.shape
        room = self._room(parts // 2, heads, dim, capacity)
        room[:, :, :, :used] = self._data[:, :, :, :used]
        return room

    @staticmethod
    def _room(layers: int, heads: int, dim: int, capacity: int) -> NDArray[np.float32]:
        # zeros, not empty: garbage could be NaN, and NaN times a masked weight of 0 is NaN
        return np.zeros((2 * layers, 1, heads, capacity, dim), dtype=np.float32)
