"""One block of a decoder: attention and feed-forward, each behind a norm."""

from dataclasses import dataclass

import numpy as np
import onnx_ir as ir

from dejavuu_build.families import family_of
from dejavuu_build.matrices import Matrices
from dejavuu_build.source import Source
from dejavuu_build.wiring import MICROSOFT, Attributes, Wiring

__all__ = ["Block", "SharedInputs"]


@dataclass(frozen=True)
class SharedInputs:
    """Values that every block uses.

    Attributes:
        spared: int64 ``[rows + 1]``, the row numbers with the last one twice.
        starts: int64 ``[1]``; with ``ends`` and ``axes``, cuts the spare row off again.
        ends: int64 ``[1]``.
        axes: int64 ``[1]``.
        seqlens: int32 ``[1]``.
        total: int32 ``[1]``.
        cosines: float32 ``[positions, head_dim / 2]``.
        sines: float32 ``[positions, head_dim / 2]``.
        positions: int64 ``[1, rows + 1]``.
        bias: float32 ``[1, 1, rows + 1, total + 1]``.
    """

    spared: ir.Value
    starts: ir.Value
    ends: ir.Value
    axes: ir.Value
    seqlens: ir.Value
    total: ir.Value
    cosines: ir.Value
    sines: ir.Value
    positions: ir.Value
    bias: ir.Value


class Block:
    """Adds blocks to a graph."""

    def __init__(
        self, source: Source, wiring: Wiring, matrices: Matrices, shared: SharedInputs
    ) -> None:
        """Read weights from ``source`` and add to ``wiring``."""
        self._source, self._spec = source, source.spec
        self._wiring, self._matrices, self._shared = wiring, matrices, shared
        self._biased = family_of(source.spec.family).qkv_bias

    def add(
        self,
        index: int,
        stream: ir.Value,
        delta: ir.Value | None,
        past: tuple[ir.Value, ir.Value],
        present: tuple[ir.Value, ir.Value],
    ) -> tuple[ir.Value, ir.Value]:
        """Add block ``index``.

        Args:
            index: Number of the block, from 0.
            stream: Residual stream, ``[1, rows, hidden]``.
            delta: What the block before adds to it; None for the first.
            past: Key and value cache, ``[1, kv_heads, capacity, head_dim]`` each.
            present: The same after the block; outputs of the graph.

        Returns:
            The residual stream and what this block adds to it. The sum is left to the next norm,
            which does both in one operator.
        """
        name = f"model.layers.{index}"
        normed, stream = self._norm(f"{name}.input_layernorm.weight", stream, delta)
        attended = self._attention(f"{name}.self_attn", normed, past, present)
        normed, stream = self._norm(f"{name}.post_attention_layernorm.weight", stream, attended)
        return stream, self._feed_forward(f"{name}.mlp", normed)

    def _norm(
        self, name: str, stream: ir.Value, delta: ir.Value | None
    ) -> tuple[ir.Value, ir.Value]:
        """The norm of ``stream + delta``, and that sum."""
        weight = self._wiring.weight(name, self._source.tensor(name))
        epsilon: Attributes = {"epsilon": self._spec.rms_eps}
        if delta is None:
            normed = self._wiring.op(
                "SimplifiedLayerNormalization", [stream, weight], {"axis": -1, **epsilon}
            )
            return normed, stream
        normed, total = ir.Value(), ir.Value()
        outputs = [normed, ir.Value(name=""), ir.Value(name=""), total]
        inputs = [stream, delta, weight]
        self._wiring.op_outputs(
            "SkipSimplifiedLayerNormalization", inputs, epsilon, outputs, MICROSOFT
        )
        return normed, total

    def _attention(
        self,
        name: str,
        x: ir.Value,
        past: tuple[ir.Value, ir.Value],
        present: tuple[ir.Value, ir.Value],
    ) -> ir.Value:
        w, shared, spec = self._wiring, self._shared, self._spec
        qkv = self._joined(f"{name}.qkv_proj", x, [f"{name}.{p}_proj" for p in "qkv"], self._biased)
        # Attention over one row takes another path than over several and rounds differently; the
        # spare row makes sure that there are always at least two.
        qkv = w.op("Gather", [qkv, shared.spared], {"axis": 1})
        attended = ir.Value()
        w.op_outputs(
            "GroupQueryAttention",
            [qkv, None, None, *past, shared.seqlens, shared.total, shared.cosines, shared.sines,
             shared.positions, shared.bias],
            {"num_heads": spec.heads, "kv_num_heads": spec.kv_heads, "do_rotary": 1},
            [attended, *present],
            MICROSOFT,
        )  # fmt: skip
        kept = w.op("Slice", [attended, shared.starts, shared.ends, shared.axes])
        weight = self._source.tensor(f"{name}.o_proj.weight")
        return self._matrices.linear(f"{name}.o_proj", kept, weight)

    def _feed_forward(self, name: str, x: ir.Value) -> ir.Value:
        w = self._wiring
        parts = [f"{name}.gate_proj", f"{name}.up_proj"]
        both = self._joined(f"{name}.gate_up_proj", x, parts, biased=False)
        gate, up = ir.Value(), ir.Value()
        w.op_outputs("Split", [both], {"axis": -1, "num_outputs": 2}, [gate, up])
        silu = w.op("QuickGelu", [gate], {"alpha": 1.0}, MICROSOFT)
        inner = w.op("Mul", [silu, up])
        weight = self._source.tensor(f"{name}.down_proj.weight")
        return self._matrices.linear(f"{name}.down_proj", inner, weight)

    def _joined(self, name: str, x: ir.Value, parts: list[str], biased: bool) -> ir.Value:
        """Several projections of ``x`` as one, their outputs side by side."""
        tensor = self._source.tensor
        weight = np.concatenate([tensor(f"{part}.weight") for part in parts])
        bias = np.concatenate([tensor(f"{part}.bias") for part in parts]) if biased else None
        return self._matrices.linear(name, x, weight, bias)
