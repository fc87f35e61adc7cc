"""Matrices kept as float32."""

import onnx_ir as ir

from dejavuu_build.arrays import FloatArray
from dejavuu_build.wiring import Wiring

__all__ = ["FloatMatrices"]


class FloatMatrices:
    """See ``matrices.Matrices``; weights lie as ``[in, out]``, the table as ``[vocab, hidden]``."""

    def __init__(self, wiring: Wiring) -> None:
        """Add to ``wiring``."""
        self._wiring = wiring
        self._table: ir.Value | None = None

    def linear(
        self,
        name: str,
        x: ir.Value,
        weight: FloatArray,
        bias: FloatArray | None = None,
        output: ir.Value | None = None,
    ) -> ir.Value:
        """See ``Matrices.linear``."""
        stored = self._wiring.weight(f"{name}.weight", weight.T)
        if bias is None:
            return self._wiring.op("MatMul", [x, stored], output=output)
        product = self._wiring.op("MatMul", [x, stored])
        return self._wiring.op("Add", [product, self._wiring.weight(f"{name}.bias", bias)])

    def embedding(self, name: str, ids: ir.Value, table: FloatArray) -> ir.Value:
        """See ``Matrices.embedding``."""
        self._table = self._wiring.weight(f"{name}.weight", table)
        return self._wiring.op("Gather", [self._table, ids], {"axis": 0})

    def tied_head(self, name: str, x: ir.Value, output: ir.Value) -> ir.Value:
        """See ``Matrices.tied_head``."""
        return self._wiring.op("Gemm", [x, self._table], {"transB": 1}, output=output)
