"""A graph under construction: nodes, initializers, and the file that holds the weights."""

from collections.abc import Sequence

import numpy as np
import onnx_ir as ir
from onnx_ir.tape import Tape

from dejavuu_build.arrays import Array
from dejavuu_build.weight_file import WeightFile

__all__ = ["HEAD", "MICROSOFT", "Attributes", "Wiring"]

HEAD = "lm_head"  # name of the matrix that makes logits
MICROSOFT = "com.microsoft"
Attributes = dict[str, int | float]
_OPSET = {"": 21, MICROSOFT: 1}
_IR_VERSION = 10


class Wiring:
    """Adds operators one by one; names of nodes and values are fixed by the order of the calls."""

    def __init__(self, weights: WeightFile) -> None:
        """Start with no node; weights go to ``weights``."""
        self.weights = weights
        self._tape = Tape()

    def op(
        self,
        kind: str,
        inputs: Sequence[ir.Value | None],
        attributes: Attributes | None = None,
        domain: str = "",
        output: ir.Value | None = None,
    ) -> ir.Value:
        """Add an operator with one output; ``output`` names it, for an output of the graph."""
        return self._tape.op(kind, inputs, attributes, domain=domain, output=output)

    def op_outputs(
        self,
        kind: str,
        inputs: Sequence[ir.Value | None],
        attributes: Attributes,
        outputs: Sequence[ir.Value],
        domain: str = "",
    ) -> None:
        """Add an operator with the given outputs; an output with the name ``""`` is not wanted."""
        self._tape.op_multi_out(kind, inputs, attributes, outputs=outputs, domain=domain)

    def weight(self, name: str, array: Array) -> ir.Value:
        """Write ``array`` to the weight file and return it as an initializer."""
        return self.stored(self.weights.append(name, array))

    def stored(self, tensor: ir.ExternalTensor) -> ir.Value:
        """Return a tensor of the weight file as an initializer."""
        return self._tape.initializer(tensor)

    def ints(self, name: str, values: Sequence[int] | int) -> ir.Value:
        """Return small int64 constants, kept in the graph itself so that shapes can be inferred."""
        return self._tape.initializer(ir.tensor(np.array(values, np.int64), name=name))

    def model(self, inputs: Sequence[ir.Value], outputs: Sequence[ir.Value]) -> ir.Model:
        """Close the graph."""
        graph = ir.Graph(
            inputs,
            outputs,
            nodes=self._tape.nodes,
            initializers=self._tape.initializers,
            opset_imports=_OPSET,
            name="decoder",
        )
        return ir.Model(graph, ir_version=_IR_VERSION, producer_name="dejavuu-build")
