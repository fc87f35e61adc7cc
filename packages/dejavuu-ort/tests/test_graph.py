"""A graph with other inputs and outputs than the format's is refused when it is loaded."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from ort_helpers import DATA

from dejavuu_core.errors import ModelError, UsageError
from dejavuu_ort.graph import Graph
from dejavuu_ort.manifest import Manifest
from dejavuu_ort.runtime import Runtime

FLOAT = "tensor(float)"
INPUTS = {
    "input_ids": "tensor(int64)",
    "position_ids": "tensor(int64)",
    "seqlens_k": "tensor(int32)",
    "total_sequence_length": "tensor(int32)",
    "logits_rows": "tensor(int64)",
    "past_key_values.0.key": FLOAT,
    "past_key_values.0.value": FLOAT,
}
OUTPUTS = {"logits": FLOAT, "present.0.key": FLOAT, "present.0.value": FLOAT}


def load(monkeypatch: pytest.MonkeyPatch, inputs: dict[str, str], outputs: dict[str, str]) -> Graph:
    """Load a one-layer graph that claims these names and types."""
    nodes = [[SimpleNamespace(name=n, type=t) for n, t in io.items()] for io in (inputs, outputs)]
    session = SimpleNamespace(get_inputs=lambda: nodes[0], get_outputs=lambda: nodes[1])
    monkeypatch.setattr(Runtime, "open", lambda self, path: session)
    manifest = replace(Manifest.read(DATA / "tiny"), layers=1)
    return Graph.load(manifest, Runtime(), max_rows=8)


def test_the_format_itself_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not load(monkeypatch, INPUTS, OUTPUTS).has_hidden
    assert load(monkeypatch, INPUTS, {**OUTPUTS, "hidden_states": FLOAT}).has_hidden


def test_a_graph_without_cache_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = {name: kind for name, kind in INPUTS.items() if "past" not in name}
    with pytest.raises(ModelError, match=r"no cache inputs such as 'past_key_values\.0\.key'"):
        load(monkeypatch, inputs, OUTPUTS)


@pytest.mark.parametrize(
    ("inputs", "outputs", "message"),
    [
        ({"past_key_values.0.key": "tensor(float16)"}, {}, r"has tensor\(float16\) as input"),
        ({"input_ids": "tensor(int32)"}, {}, r"'input_ids' where tensor\(int64\) is needed"),
        ({"attention_mask": "tensor(int64)"}, {}, "wants an input 'attention_mask'"),
        ({}, {"logits": "tensor(float16)"}, r"as output 'logits' where tensor\(float\)"),
        ({}, {"present.0.value": "tensor(int8)"}, "as output 'present.0.value'"),
    ],
)
def test_what_does_not_fit_is_named(
    monkeypatch: pytest.MonkeyPatch,
    inputs: dict[str, str],
    outputs: dict[str, str],
    message: str,
) -> None:
    with pytest.raises(ModelError, match=message):
        load(monkeypatch, {**INPUTS, **inputs}, {**OUTPUTS, **outputs})


def test_the_graph_for_trees_wants_a_bias(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = load(monkeypatch, INPUTS, OUTPUTS)
    with pytest.raises(ModelError, match=r"'decoder_tree\.onnx' has nothing as input 'attention"):
        graph.trees()


def test_the_graph_for_trees_is_loaded_once() -> None:
    graph = Graph.load(Manifest.read(DATA / "tiny"), Runtime(), max_rows=8)
    assert graph.trees() is graph.trees()


def test_a_missing_output_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ModelError, match="has nothing as output 'logits'"):
        load(monkeypatch, INPUTS, {name: FLOAT for name in OUTPUTS if name != "logits"})


def test_rows_are_at_least_one_and_at_most_the_context() -> None:
    manifest = Manifest.read(DATA / "tiny")
    assert Graph.load(manifest, Runtime(), max_rows=9999).max_rows == 512
    with pytest.raises(UsageError, match="max_rows is 0"):
        Graph.load(manifest, Runtime(), max_rows=0)
