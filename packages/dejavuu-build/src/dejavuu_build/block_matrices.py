"""Matrices quantised in blocks, run by ``MatMulNBits`` and ``GatherBlockQuantized``."""

from dataclasses import dataclass

import onnx_ir as ir

from dejavuu_build.arrays import FloatArray
from dejavuu_build.precision import Precision
from dejavuu_build.quantize import quantize_blocks
from dejavuu_build.wiring import HEAD, MICROSOFT, Attributes, Wiring

__all__ = ["BlockMatrices"]

_BIAS_INPUT = 5  # after x, data, scales, zero points and the group index that we never use


@dataclass(frozen=True)
class _Stored:
    """A quantised ``[rows, width]`` matrix in the weight file."""

    precision: Precision
    rows: int
    width: int
    parts: tuple[ir.ExternalTensor, ...]  # data, scales and, unless symmetric, zero points

    @property
    def data(self) -> ir.ExternalTensor:
        return self.parts[0]


class BlockMatrices:
    """See ``matrices.Matrices``; one copy of the table serves both embedding and head."""

    def __init__(self, wiring: Wiring, precision: Precision) -> None:
        """Add to ``wiring``, quantising as ``precision`` says."""
        self._wiring = wiring
        self._precision = precision
        self._table: _Stored | None = None

    def linear(
        self,
        name: str,
        x: ir.Value,
        weight: FloatArray,
        bias: FloatArray | None = None,
        output: ir.Value | None = None,
    ) -> ir.Value:
        """See ``Matrices.linear``."""
        setting = self._precision.for_table if name == HEAD else self._precision
        stored = self._store(name, weight, setting)
        added = None if bias is None else self._wiring.weight(f"{name}.bias", bias)
        values = [self._wiring.stored(part) for part in stored.parts]
        return self._matmul(x, stored, values, added, output)

    def embedding(self, name: str, ids: ir.Value, table: FloatArray) -> ir.Value:
        """See ``Matrices.embedding``."""
        stored = self._table = self._store(name, table, self._precision.for_table)
        flat = (stored.rows, stored.width * stored.precision.bits // 8)
        data = self._alias(f"{name}.rows", stored.data, flat)
        rest = [self._wiring.stored(part) for part in stored.parts[1:]]
        attributes: Attributes = {
            "bits": stored.precision.bits,
            "block_size": stored.precision.block,
            "gather_axis": 0,
            "quantize_axis": 1,
        }
        inputs = [data, ids, *rest]
        return self._wiring.op("GatherBlockQuantized", inputs, attributes, MICROSOFT)

    def tied_head(self, name: str, x: ir.Value, output: ir.Value) -> ir.Value:
        """See ``Matrices.tied_head``."""
        stored = self._table
        if stored is None:
            raise AssertionError("the embedding is added before the head")
        values = [
            self._alias(f"{name}.{leaf}", part, tuple(part.shape.numpy()))
            for leaf, part in zip(("data", "scales", "zero_points"), stored.parts, strict=False)
        ]
        return self._matmul(x, stored, values, None, output)

    def _store(self, name: str, weight: FloatArray, setting: Precision) -> _Stored:
        append = self._wiring.weights.append
        blocks = quantize_blocks(weight, setting.bits, setting.block, setting.symmetric)
        parts = [append(f"{name}.data", blocks.data), append(f"{name}.scales", blocks.scales)]
        if blocks.zero_points is not None:
            parts.append(append(f"{name}.zero_points", blocks.zero_points))
        rows, width = weight.shape
        return _Stored(setting, rows, width, tuple(parts))

    def _alias(self, name: str, tensor: ir.ExternalTensor, shape: tuple[int, ...]) -> ir.Value:
        return self._wiring.stored(self._wiring.weights.alias(name, tensor, shape))

    def _matmul(
        self,
        x: ir.Value,
        stored: _Stored,
        values: list[ir.Value],
        bias: ir.Value | None,
        output: ir.Value | None,
    ) -> ir.Value:
        attributes: Attributes = {
            "K": stored.width,
            "N": stored.rows,
            "bits": stored.precision.bits,
            "block_size": stored.precision.block,
            "accuracy_level": 4,  # int8 products: the fastest, and the same for every row count
        }
        inputs: list[ir.Value | None] = [x, *values]
        if bias is not None:
            inputs += [None] * (_BIAS_INPUT - len(inputs)) + [bias]
        return self._wiring.op("MatMulNBits", inputs, attributes, MICROSOFT, output)
