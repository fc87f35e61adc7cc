"""The decoder graph: what goes in, the blocks, what comes out."""

import onnx_ir as ir

from dejavuu_build.arrays import FloatArray
from dejavuu_build.block import Block, SharedInputs
from dejavuu_build.matrices import Matrices, matrices_for
from dejavuu_build.precision import Precision
from dejavuu_build.rope import rope_tables
from dejavuu_build.source import Source
from dejavuu_build.weight_file import WeightFile
from dejavuu_build.wiring import HEAD, MICROSOFT, Wiring

__all__ = ["BIAS", "decoder_graph", "without_bias"]

BIAS = "attention_bias"

_FLOAT, _INT64, _INT32 = ir.DataType.FLOAT, ir.DataType.INT64, ir.DataType.INT32


class _Decoder:
    """One graph under construction."""

    def __init__(self, source: Source, precision: Precision, weights: WeightFile) -> None:
        self.source, self.spec = source, source.spec
        self.wiring = Wiring(weights)
        self.matrices: Matrices = matrices_for(precision, self.wiring)
        self.ids = ir.val("input_ids", _INT64, [1, "rows"])
        self.positions = ir.val("position_ids", _INT64, [1, "rows"])
        self.bias = ir.val(BIAS, _FLOAT, [1, 1, "rows_and_spare", "total_and_spare"])
        self.seqlens = ir.val("seqlens_k", _INT32, [1])
        self.total = ir.val("total_sequence_length", _INT32, [1])
        self.wanted = ir.val("logits_rows", _INT64, ["wanted"])
        cache: list[int | str | None] = [1, self.spec.kv_heads, "capacity", self.spec.head_dim]
        self.past, self.present = (
            [
                (
                    ir.val(f"{when}.{i}.key", _FLOAT, cache),
                    ir.val(f"{when}.{i}.value", _FLOAT, cache),
                )
                for i in range(self.spec.layers)
            ]
            for when in ("past_key_values", "present")
        )

    def inputs(self) -> list[ir.Value]:
        first = [self.ids, self.positions, self.bias, self.seqlens, self.total, self.wanted]
        return first + [value for pair in self.past for value in pair]

    def shared(self, max_context: int) -> SharedInputs:
        """What every block's attention needs, computed once."""
        w = self.wiring
        one, zero = w.ints("one", 1), w.ints("zero", 0)
        rows = w.op("Squeeze", [w.op("Shape", [self.ids], {"start": 1, "end": 2})])
        counted = w.op("Range", [zero, w.op("Add", [rows, one]), one])
        # 0, 1, ..., rows - 1, rows - 1: the spare row repeats the last one.
        spared = w.op("Min", [counted, w.op("Sub", [rows, one])])
        # The spare row's slot lies one past the context, and the operator wants a table row for it.
        cosines, sines = rope_tables(self.spec.rope, self.spec.head_dim, max_context + 1)
        return SharedInputs(
            spared=spared,
            starts=w.ints("slice_starts", [0]),
            ends=w.ints("slice_ends", [-1]),
            axes=w.ints("slice_axes", [1]),
            seqlens=self.seqlens,
            total=self.total,
            cosines=w.weight("rope.cosines", cosines),
            sines=w.weight("rope.sines", sines),
            positions=w.op("Gather", [self.positions, spared], {"axis": 1}),
            bias=self.bias,
        )

    def norm_weight(self, name: str) -> ir.Value:
        return self.wiring.weight(name, self.tensor(name))

    def tensor(self, name: str) -> FloatArray:
        return self.source.tensor(name)

    def head(self, stream: ir.Value, delta: ir.Value) -> ir.Value:
        """Logits ``[wanted, vocab]`` of the wanted rows alone."""
        w, spec = self.wiring, self.spec
        # The rows are picked before the norm, so that a long prompt never has logits for all.
        picked = [w.op("Gather", [value, self.wanted], {"axis": 1}) for value in (stream, delta)]
        normed = w.op(
            "SkipSimplifiedLayerNormalization",
            [*picked, self.norm_weight("model.norm.weight")],
            {"epsilon": spec.rms_eps},
            MICROSOFT,
        )
        flat = w.op("Squeeze", [normed, w.ints("batch_axis", [0])])
        logits = ir.val("logits", _FLOAT, ["wanted", spec.vocab_size])
        if spec.tied:
            return self.matrices.tied_head(HEAD, flat, logits)
        weight = self.tensor("lm_head.weight")
        return self.matrices.linear(HEAD, flat, weight, output=logits)

    def hidden_states(self, stream: ir.Value, delta: ir.Value) -> ir.Value:
        """The residual stream ``[rows, hidden]`` after a block."""
        w = self.wiring
        total = w.op("Add", [stream, delta])
        flat = ir.val("hidden_states", _FLOAT, ["rows", self.spec.hidden_size])
        return w.op("Squeeze", [total, w.ints("hidden_axis", [0])], output=flat)


def decoder_graph(
    source: Source,
    precision: Precision,
    weights: WeightFile,
    max_context: int,
    hidden_layer: int | None = None,
) -> ir.Model:
    """Build the graph, writing its weights on the way.

    Args:
        source: Weights and hyper-parameters.
        precision: How matrices are stored.
        weights: Receives every tensor.
        max_context: Tokens that the rotary table covers.
        hidden_layer: Block, from 0, whose residual stream becomes ``hidden_states``.

    Returns:
        The model; inputs and outputs as in the package's README.
    """
    decoder = _Decoder(source, precision, weights)
    shared = decoder.shared(max_context)
    block = Block(source, decoder.wiring, decoder.matrices, shared)
    table = decoder.tensor("model.embed_tokens.weight")
    stream = decoder.matrices.embedding("model.embed_tokens", decoder.ids, table)
    del table  # the largest tensor
    delta: ir.Value | None = None
    hidden: list[ir.Value] = []
    for i in range(decoder.spec.layers):
        stream, delta = block.add(i, stream, delta, decoder.past[i], decoder.present[i])
        if i == hidden_layer:
            hidden.append(decoder.hidden_states(stream, delta))
    if delta is None:
        raise AssertionError("a decoder has at least one block")
    logits = decoder.head(stream, delta)
    present = [value for pair in decoder.present for value in pair]
    return decoder.wiring.model(decoder.inputs(), [logits, *hidden, *present])


def without_bias(model: ir.Model) -> ir.Model:
    """Turn a graph for trees into one for chains: the operator's own mask is enough for those.

    Adding a bias of zeros changes no bit and costs three per cent of a step.

    Args:
        model: A graph of :func:`decoder_graph`; it is changed.

    Returns:
        ``model``.
    """
    for node in model.graph:
        if node.op_type == "GroupQueryAttention":
            node.resize_inputs(len(node.inputs) - 1)
    bias = next(value for value in model.graph.inputs if value.name == BIAS)
    model.graph.inputs.remove(bias)
    return model
