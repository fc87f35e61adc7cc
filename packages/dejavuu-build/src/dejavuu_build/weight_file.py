"""The external data of a graph, written tensor by tensor."""

from pathlib import Path
from types import TracebackType

import numpy as np
import onnx_ir as ir

from dejavuu_build.arrays import Array

__all__ = ["WeightFile"]

_ALIGNMENT = 64  # bytes; a cache line, so that vector loads never straddle the start of a tensor


class WeightFile:
    """Appends tensors to one file and hands back references to them.

    A context manager; nothing that was appended stays in memory.
    """

    def __init__(self, path: Path) -> None:
        """Create the file at ``path``; it must not exist."""
        self._folder, self._location = path.parent, path.name
        self._file = path.open("xb")

    def __enter__(self) -> "WeightFile":
        """Return self."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the file."""
        self._file.close()

    def append(self, name: str, array: Array) -> ir.ExternalTensor:
        """Write ``array`` (any shape; float32, uint8 or int64) and return the reference to it."""
        self._file.write(bytes(-self._file.tell() % _ALIGNMENT))
        offset = self._file.tell()
        self._file.write(np.ascontiguousarray(array).data.cast("B"))
        dtype = ir.DataType.from_numpy(array.dtype)
        return self._reference(name, offset, array.nbytes, dtype, array.shape)

    def alias(
        self, name: str, tensor: ir.ExternalTensor, shape: tuple[int, ...]
    ) -> ir.ExternalTensor:
        """Return a second reference to the bytes of ``tensor`` under another name and shape.

        Two operators that want one table in two shapes share it this way: a ``Reshape`` in the
        graph would be folded into a copy when the graph is loaded.
        """
        if tensor.offset is None or tensor.length is None:
            raise AssertionError("a tensor of this file always has its place")
        return self._reference(name, tensor.offset, tensor.length, tensor.dtype, shape)

    def _reference(
        self, name: str, offset: int, length: int, dtype: ir.DataType, shape: tuple[int, ...]
    ) -> ir.ExternalTensor:
        return ir.ExternalTensor(
            self._location, offset, length, dtype,
            shape=ir.Shape(shape), name=name, base_dir=self._folder,
        )  # fmt: skip
