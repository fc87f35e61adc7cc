"""The matrices of a decoder, behind one interface for every precision."""

from typing import Protocol

import onnx_ir as ir

from dejavuu_build.arrays import FloatArray
from dejavuu_build.block_matrices import BlockMatrices
from dejavuu_build.float_matrices import FloatMatrices
from dejavuu_build.precision import Precision
from dejavuu_build.wiring import Wiring

__all__ = ["Matrices", "matrices_for"]


class Matrices(Protocol):
    """Adds matrix operators to a graph."""

    def linear(
        self,
        name: str,
        x: ir.Value,
        weight: FloatArray,
        bias: FloatArray | None = None,
        output: ir.Value | None = None,
    ) -> ir.Value:
        """``x @ weight.T + bias``; ``weight`` is float32 ``[out, in]``, ``bias`` ``[out]``."""

    def embedding(self, name: str, ids: ir.Value, table: FloatArray) -> ir.Value:
        """Rows ``ids`` of ``table``, float32 ``[vocab, hidden]``."""

    def tied_head(self, name: str, x: ir.Value, output: ir.Value) -> ir.Value:
        """``x @ table.T`` on the bytes that ``embedding`` stored; ``x`` is ``[k, hidden]``."""


def matrices_for(precision: Precision, wiring: Wiring) -> Matrices:
    """Return the matrices for a precision."""
    if precision.name == "fp32":
        return FloatMatrices(wiring)
    return BlockMatrices(wiring, precision)
