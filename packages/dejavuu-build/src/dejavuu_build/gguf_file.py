"""One GGUF file: its metadata, its table of tensors, and the tensors as float32.

The header is read here rather than by ``gguf.GGUFReader``, which takes ten seconds for a
vocabulary of 150 thousand and says nothing useful about a file that was cut short.
"""

import mmap
import struct
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType
from gguf.quants import dequantize

from dejavuu_build.arrays import FloatArray
from dejavuu_core.errors import ModelError

__all__ = ["GGUFFile", "StoredTensor"]

_SCALARS = {
    0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d",
}  # fmt: skip
_STRING, _ARRAY = 8, 9
_VERSIONS = (2, 3)
_MAX_DIMS = 8
_CHUNK_VALUES = 1 << 22  # values dequantised at once, so that temporaries stay near 50 MB


@dataclass(frozen=True)
class StoredTensor:
    """Where a tensor lies: numpy order of axes, ggml type, byte offset in the file, bytes."""

    shape: tuple[int, ...]
    kind: GGMLQuantizationType
    offset: int
    nbytes: int


class _Cursor:
    """Reads little-endian values one after another and never past the end."""

    def __init__(self, path: Path, data: "mmap.mmap") -> None:
        self.path, self.data, self.at = path, data, 0

    def take(self, count: int) -> bytes:
        end = self.at + count
        if end > len(self.data):
            raise ModelError(
                f"{str(self.path)!r} is cut short: its header needs byte {end} and the file has "
                f"{len(self.data)}; fetch it again."
            )
        piece = self.data[self.at : end]
        self.at = end
        return piece

    def number(self, code: str) -> Any:  # noqa: ANN401  the code decides
        return struct.unpack("<" + code, self.take(struct.calcsize("<" + code)))[0]

    def text(self) -> str:
        return self.take(self.number("Q")).decode("utf-8", errors="replace")

    def value(self, kind: int) -> Any:  # noqa: ANN401  the kind decides
        if kind in _SCALARS:
            return self.number(_SCALARS[kind])
        if kind == _STRING:
            return self.text()
        if kind != _ARRAY:
            raise ModelError(f"{str(self.path)!r} has a metadata value of unknown type {kind}.")
        inner, count = self.number("I"), self.number("Q")
        if inner in _SCALARS:
            dtype = np.dtype("<" + _SCALARS[inner])
            return np.frombuffer(self.take(count * dtype.itemsize), dtype).tolist()
        return [self.value(inner) for _ in range(count)]


class GGUFFile:
    """A GGUF file opened for reading; tensor data stays on disk until it is asked for.

    Attributes:
        path: The file.
        metadata: Every key with its value; arrays are lists.
        tensors: Every tensor by its GGUF name.
    """

    def __init__(self, path: Path) -> None:
        """Read the header.

        Raises:
            ModelError: Not a GGUF file, a version that is not 2 or 3, or a file cut short.
        """
        self.path = path
        with path.open("rb") as file:
            if file.read(4) != b"GGUF":
                raise ModelError(
                    f"{str(path)!r} is not a GGUF file: it does not start with 'GGUF'."
                )
            self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        cursor = _Cursor(path, self._data)
        cursor.take(4)
        version = cursor.number("I")
        if version not in _VERSIONS:
            raise ModelError(f"{str(path)!r} has GGUF version {version}; only 2 and 3 can be read.")
        tensor_count, pair_count = cursor.number("Q"), cursor.number("Q")
        self.metadata: dict[str, Any] = {}
        for _ in range(pair_count):
            key = cursor.text()
            self.metadata[key] = cursor.value(cursor.number("I"))
        entries = [self._entry(cursor) for _ in range(tensor_count)]
        align = int(self.metadata.get("general.alignment", 32))
        start = -(-cursor.at // align) * align
        self.tensors = {entry[0]: self._stored(entry, start) for entry in entries}

    def _entry(self, cursor: _Cursor) -> tuple[str, tuple[int, ...], int, int]:
        name, dims = cursor.text(), cursor.number("I")
        if dims > _MAX_DIMS:
            raise ModelError(f"{str(self.path)!r} is damaged: tensor {name!r} has {dims} axes.")
        # ggml names the fastest axis first, numpy last.
        shape = tuple(cursor.number("Q") for _ in range(dims))[::-1]
        return name, shape, cursor.number("I"), cursor.number("Q")

    def _stored(self, entry: tuple[str, tuple[int, ...], int, int], start: int) -> StoredTensor:
        name, shape, kind, offset = entry
        if kind not in {member.value for member in GGMLQuantizationType}:
            raise ModelError(f"Tensor {name!r} of {str(self.path)!r} has unknown type {kind}.")
        known = GGMLQuantizationType(kind)
        block, block_bytes = GGML_QUANT_SIZES[known]
        nbytes = prod(shape) // block * block_bytes
        end = start + offset + nbytes
        if end > len(self._data):
            raise ModelError(
                f"{str(self.path)!r} is cut short: tensor {name!r} ends at byte {end} and the file "
                f"has {len(self._data)}; fetch it again."
            )
        return StoredTensor(shape, known, start + offset, nbytes)

    def tensor(self, name: str) -> FloatArray:
        """Dequantise one tensor.

        Returns:
            float32, axes in numpy order (``[out, in]`` for a matrix).

        Raises:
            ModelError: No tensor has that name, or its type cannot be dequantised.
        """
        stored = self.tensors.get(name)
        if stored is None:
            raise ModelError(f"{str(self.path)!r} has no tensor {name!r}.")
        raw = np.frombuffer(self._data, np.uint8, stored.nbytes, stored.offset)
        rows = prod(stored.shape[:-1])
        raw = raw.reshape(rows, -1)
        out = np.empty((rows, stored.shape[-1]), np.float32)
        step = max(1, _CHUNK_VALUES // stored.shape[-1])
        try:
            for at in range(0, rows, step):
                out[at : at + step] = dequantize(raw[at : at + step], stored.kind)
        except NotImplementedError:
            raise ModelError(
                f"Tensor {name!r} has type {stored.kind.name}, which cannot be dequantised."
            ) from None
        return out.reshape(stored.shape)
