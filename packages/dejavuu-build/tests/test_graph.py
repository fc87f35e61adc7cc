"""Built graphs against the numpy reference, and against themselves."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest

from dejavuu_build.arrays import FloatArray
from dejavuu_build.json_file import read_json
from dejavuu_build.quantize import dequantize_blocks, quantize_blocks
from dejavuu_build.reference import Reference
from dejavuu_build.runner import GraphRunner
from dejavuu_build.source import Source, open_source
from dejavuu_core.errors import UsageError

Build = Callable[..., tuple[Path, Path]]
TOKENS = np.random.default_rng(7).integers(3, 320, 60)
EVERY = [
    (f, t, p) for f in ("llama", "qwen2") for t in (True, False) for p in ("fp32", "int8", "int4")
]


class Rounded:
    """A source whose matrices have been through quantisation."""

    def __init__(self, source: Source, bits: int) -> None:
        self.spec, self.files, self.text_parts = source.spec, source.files, source.text_parts
        self._source, self._bits = source, bits

    def tensor(self, name: str) -> FloatArray:
        array = self._source.tensor(name)
        if array.ndim < 2:
            return array
        return dequantize_blocks(
            quantize_blocks(array, self._bits, 32, self._bits == 8), self._bits
        )


@pytest.mark.parametrize(("family", "tied", "precision"), EVERY)
def test_logits_equal_the_reference(built: Build, family: str, tied: bool, precision: str) -> None:
    source_path, folder = built(family, tied, precision)
    source: Source = open_source(source_path)
    if precision != "fp32":
        source = Rounded(source, int(precision.removeprefix("int")))
    truth = Reference(source).run(TOKENS)
    logits = GraphRunner(folder).run(TOKENS)
    error = np.sqrt(np.mean(np.square(logits - truth)) / np.mean(np.square(truth)))
    # With blocks, the runtime also rounds what goes into a product to eight bits.
    assert error < (2e-5 if precision == "fp32" else 0.07)


@pytest.mark.parametrize(("family", "tied", "precision"), EVERY)
def test_rows_do_not_depend_on_how_many_rows_run(
    built: Build, family: str, tied: bool, precision: str
) -> None:
    graph = GraphRunner(built(family, tied, precision)[1])
    whole = graph.run(TOKENS)
    for count in range(1, 18):
        graph.rewind(20)
        assert np.array_equal(graph.run(TOKENS[20 : 20 + count]), whole[20 : 20 + count]), count
    for chunk in (1, 2, 7, 16):
        graph.rewind(0)
        pieces = [graph.run(TOKENS[at : at + chunk]) for at in range(0, len(TOKENS), chunk)]
        assert np.array_equal(np.concatenate(pieces), whole), chunk


def test_only_wanted_rows_have_logits(built: Build) -> None:
    graph = GraphRunner(built(precision="int4")[1])
    whole = graph.run(TOKENS)
    graph.rewind(0)
    wanted = np.array([59, 0, 17])
    assert np.array_equal(graph.run(TOKENS, wanted), whole[wanted])
    graph.rewind(0)
    assert graph.run(TOKENS, np.array([], np.int64)).shape == (0, 320)


def test_a_node_of_a_tree_equals_its_path_run_as_a_chain(built: Build) -> None:
    graph = GraphRunner(built(tied=False)[1], trees=True)
    graph.run(TOKENS[:10])
    nodes, parents = TOKENS[10:17], np.array([-1, 0, 0, 1, 2, 2, -1])
    tree = graph.run(nodes, parents=parents)
    for node in range(len(nodes)):
        path = [node]
        while parents[path[0]] >= 0:
            path.insert(0, int(parents[path[0]]))
        graph.rewind(10)
        chain = graph.run(nodes[path])
        assert np.abs(chain[-1] - tree[node]).max() < 1e-4


@pytest.mark.parametrize("precision", ["fp32", "int4"])
@pytest.mark.parametrize("layer", [0, 1])
def test_hidden_states_lead_to_the_same_logits(built: Build, precision: str, layer: int) -> None:
    source_path, folder = built(precision=precision, hidden_layer=layer)
    graph = GraphRunner(folder)
    logits = graph.run(TOKENS)
    assert np.array_equal(logits, GraphRunner(built(precision=precision)[1]).run(TOKENS))
    assert graph.hidden is not None
    assert graph.hidden.shape == (60, 32)
    if layer == 1 and precision == "fp32":  # the last block: only the norm and the head remain
        source = open_source(source_path)
        x = graph.hidden / np.sqrt(np.mean(np.square(graph.hidden), -1, keepdims=True) + 1e-5)
        head = x * source.tensor("model.norm.weight") @ source.tensor("model.embed_tokens.weight").T
        assert np.abs(head - logits).max() < 2e-4


@pytest.mark.parametrize("precision", ["fp32", "int8", "int4"])
def test_a_tied_table_is_stored_once(built: Build, precision: str) -> None:
    sizes = [
        (built(tied=tied, precision=precision)[1] / "decoder.onnx.data").stat().st_size
        for tied in (True, False)
    ]
    per_weight = {"fp32": 4.0, "int8": 1 + 4 / 32, "int4": 0.5 + 4 / 32 + 1 / 32}[precision]
    assert sizes[1] - sizes[0] == pytest.approx(320 * 32 * per_weight, abs=200)


@pytest.mark.parametrize("precision", ["fp32", "int8", "int4"])
def test_a_chain_has_the_same_bits_in_both_graphs(built: Build, precision: str) -> None:
    folder = built(precision=precision)[1]
    chains, trees = GraphRunner(folder), GraphRunner(folder, trees=True)
    for count in (1, 2, 9, 30):
        assert np.array_equal(chains.run(TOKENS[:count]), trees.run(TOKENS[:count]))


def test_the_graph_for_chains_refuses_branches(built: Build) -> None:
    with pytest.raises(UsageError, match="chains only"):
        GraphRunner(built()[1]).run(TOKENS[:2], parents=np.array([-1, -1]))


@pytest.mark.parametrize("name", ["decoder.onnx", "decoder_tree.onnx"])
def test_graph_has_the_inputs_and_outputs_of_the_contract(built: Build, name: str) -> None:
    model = onnx.load(built(hidden_layer=0)[1] / name, load_external_data=False)
    shapes = {
        value.name: [d.dim_param or d.dim_value for d in value.type.tensor_type.shape.dim]
        for value in [*model.graph.input, *model.graph.output]
    }
    cache = [1, 2, "capacity", 16]
    bias = {"attention_bias": [1, 1, "rows_and_spare", "total_and_spare"]}
    assert shapes == {
        **(bias if name == "decoder_tree.onnx" else {}),
        "input_ids": [1, "rows"],
        "position_ids": [1, "rows"],
        "seqlens_k": [1],
        "total_sequence_length": [1],
        "logits_rows": ["wanted"],
        **{f"past_key_values.{i}.{part}": cache for i in range(2) for part in ("key", "value")},
        "logits": ["wanted", 320],
        "hidden_states": ["rows", 32],
        **{f"present.{i}.{part}": cache for i in range(2) for part in ("key", "value")},
    }


def test_context_can_be_filled_to_the_last_token(built: Build) -> None:
    folder = built()[1]
    limit = read_json(folder / "manifest.json")["max_context"]
    tokens = np.resize(TOKENS, limit)
    graph = GraphRunner(folder)
    whole = graph.run(tokens)
    graph.rewind(limit - 1)
    assert np.array_equal(graph.run(tokens[-1:])[0], whole[-1])
    with pytest.raises(ValueError, match="513 tokens do not fit"):
        graph.run(tokens[:1])
