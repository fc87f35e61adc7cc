"""How a built graph stores its matrices, read from the graph itself."""

from dataclasses import dataclass
from pathlib import Path

import onnx

from dejavuu_core.errors import UsageError

__all__ = ["Quantisation", "quantisation_of"]


@dataclass(frozen=True, slots=True)
class Quantisation:
    """What a peer must be told to store the same weights in the same way."""

    bits: int
    block: int
    symmetric: bool
    head_bits: int

    def __str__(self) -> str:
        """Give it in words."""
        kind = "symmetric" if self.symmetric else "asymmetric"
        return f"int{self.bits}, block {self.block}, {kind}, head int{self.head_bits}"


def quantisation_of(folder: Path) -> Quantisation:
    """Read the quantisation of ``folder``'s graph; its last matrix is the head.

    Raises :class:`UsageError` for a folder without a graph, or one without quantised matrices.
    """
    path = folder / "decoder.onnx"
    if not path.is_file():
        raise UsageError(f"there is no graph {str(path)!r}; give a folder that dejavuu-build made")
    graph = onnx.load(str(path), load_external_data=False).graph
    nodes = [node for node in graph.node if node.op_type == "MatMulNBits"]
    if not nodes:
        raise UsageError(f"{str(path)!r} is not quantised; give an int4 or int8 model")
    values = [{item.name: item.i for item in node.attribute} for node in (nodes[0], nodes[-1])]
    zero_points = len(nodes[0].input) > 3 and bool(nodes[0].input[3])
    return Quantisation(
        values[0]["bits"], values[0]["block_size"], not zero_points, values[1]["bits"]
    )
