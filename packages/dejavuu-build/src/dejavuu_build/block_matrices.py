"""Matrices quantised in blocks, run by ``MatMulNBits`` and ``GatherBlockQuantized``."""

from dataclasses import dataclass

import onnx_ir as ir

from dejavuu_build.arrays import FloatArray
from dejavuu_build.precision import Precision
from dejavuu_build.quantize import quantize_blocks
from dejavuu_build.wiring import MICROSOFT, Attributes, Wiring

__all__ = ["BlockMatrices"]


@dataclass(frozen=True)
class _Stored:
    """A quantised ``[rows, width]`` matrix in the weight file."""

    rows: int
    width: int
    data: ir.ExternalTensor
    scales: ir.ExternalTensor
    zero_points: ir.ExternalTensor | None


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
        stored = self._store(name, weight)
        added = None if bias is None else self._wiring.weight(f"{name}.bias", bias)
        parts = (stored.data, stored.scales, stored.zero_points)
        values = [part and self._wiring.stored(part) for part in parts]
        return self._matmul(x, stored, values, added, output)

    def embedding(self, name: str, ids: ir.Value, table: FloatArray) -> ir.Value:
        """See ``Matrices.embedding``."""
        stored = self._table = self._store(name, table)
        flat = (stored.rows, stored.width * self._precision.bits // 8)
        data = self._alias(f"{name}.rows", stored.data, flat)
        scales = self._wiring.stored(stored.scales)
        zeros = stored.zero_points and self._wiring.stored(stored.zero_points)
        attributes: Attributes = {
            "bits": self._precision.bits,
            "block_size": self._precision.block,
            "gather_axis": 0,
            "quantize_axis": 1,
        }
        inputs = [data, ids, scales, *([zeros] if zeros else [])]
        return self._wiring.op("GatherBlockQuantized", inputs, attributes, MICROSOFT)

    def tied_head(self, name: str, x: ir.Value, output: ir.Value) -> ir.Value:
        """See ``Matrices.tied_head``."""
        stored = self._table
        if stored is None:
            raise AssertionError("the embedding is added before the head")
        parts = {"data": stored.data, "scales": stored.scales, "zero_points": stored.zero_points}
        values = [
            part and self._alias(f"{name}.{leaf}", part, tuple(part.shape.numpy()))
            for leaf, part in parts.items()
        ]
        return self._matmul(x, stored, values, None, output)

    def _store(self, name: str, weight: FloatArray) -> _Stored:
        setting, append = self._precision, self._wiring.weights.append
        blocks = quantize_blocks(weight, setting.bits, setting.block, setting.symmetric)
        return _Stored(
            *weight.shape,
            append(f"{name}.data", blocks.data),
            append(f"{name}.scales", blocks.scales),
            None
            if blocks.zero_points is None
            else append(f"{name}.zero_points", blocks.zero_points),
        )

    def _alias(self, name: str, tensor: ir.ExternalTensor, shape: tuple[int, ...]) -> ir.Value:
        return self._wiring.stored(self._wiring.weights.alias(name, tensor, shape))

    def _matmul(
        self,
        x: ir.Value,
        stored: _Stored,
        values: list[ir.Value | None],
        bias: ir.Value | None,
        output: ir.Value | None,
    ) -> ir.Value:
        attributes: Attributes = {
            "K": stored.width,
            "N": stored.rows,
            "bits": self._precision.bits,
            "block_size": self._precision.block,
            "accuracy_level": 4,  # int8 products: the fastest, and the same for every row count
        }
        inputs = [x, *values, None, bias]
        while inputs[-1] is None:
            inputs.pop()
        return self._wiring.op("MatMulNBits", inputs, attributes, MICROSOFT, output)
