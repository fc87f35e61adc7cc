"""A loaded decoder graph: its inputs and outputs checked, and what all its sessions share."""

from dataclasses import dataclass, field
from threading import Lock

import onnxruntime

from dejavuu_core.checks import whole
from dejavuu_core.errors import ModelError
from dejavuu_ort.manifest import Manifest
from dejavuu_ort.runtime import Runtime

__all__ = ["Graph", "cache_names"]

_SMALL = {
    "input_ids": "tensor(int64)",
    "position_ids": "tensor(int64)",
    "seqlens_k": "tensor(int32)",
    "total_sequence_length": "tensor(int32)",
    "logits_rows": "tensor(int64)",
}
_BIAS = {"attention_bias": "tensor(float)"}


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """The onnxruntime sessions and the sizes that go with them; shared by all our sessions."""

    manifest: Manifest
    runtime: Runtime
    chains: onnxruntime.InferenceSession
    """Runs chains: the operator's own mask is enough, and a bias costs some per cent of a step."""
    max_rows: int
    """Most rows of one forward, of a verify and of a prefill alike."""
    has_hidden: bool
    """True where the graph gives hidden rows."""
    _trees: list[onnxruntime.InferenceSession] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock)

    @classmethod
    def load(cls, manifest: Manifest, runtime: Runtime, *, max_rows: int) -> "Graph":
        """Load the graph of ``manifest`` for up to ``max_rows`` rows a forward.

        Raises :class:`UsageError` for a ``max_rows`` below one, and :class:`ModelError` where the
        graph has not the inputs and outputs that it must have.
        """
        whole("max_rows", max_rows, least=1)
        session = runtime.open(manifest.folder / manifest.graph)
        outputs = _check(session, manifest.graph, _SMALL, manifest.layers)
        return cls(
            manifest=manifest,
            runtime=runtime,
            chains=session,
            max_rows=min(max_rows, manifest.max_context),
            has_hidden="hidden_states" in outputs,
        )

    def trees(self) -> onnxruntime.InferenceSession:
        """Give the graph that takes a bias, loaded with the first branch that needs it.

        Raises :class:`ModelError` where it has not the inputs and outputs that it must have.
        """
        with self._lock:
            if not self._trees:
                name = self.manifest.tree_graph
                session = self.runtime.open(self.manifest.folder / name)
                _check(session, name, {**_SMALL, **_BIAS}, self.manifest.layers)
                self._trees.append(session)
            return self._trees[0]


def cache_names(layers: int, side: str) -> list[str]:
    """Give the names of all cache tensors in layer order, key before value.

    ``side`` is ``past_key_values`` for inputs and ``present`` for outputs.
    """
    return [f"{side}.{layer}.{part}" for layer in range(layers) for part in ("key", "value")]


def _check(
    session: onnxruntime.InferenceSession, name: str, small: dict[str, str], layers: int
) -> dict[str, str]:
    """Compare names and types with what a graph of ours has; gives the outputs' types."""
    inputs = {item.name: item.type for item in session.get_inputs()}
    outputs = {item.name: item.type for item in session.get_outputs()}
    past = dict.fromkeys(cache_names(layers, "past_key_values"), "tensor(float)")
    present = dict.fromkeys(cache_names(layers, "present"), "tensor(float)")
    if not past.keys() & inputs.keys():
        raise ModelError(
            f"the graph {name!r} has no cache inputs such as 'past_key_values.0.key'; "
            f"build it with dejavuu-build"
        )
    _compare("input", {**small, **past}, inputs, name)
    _compare("output", {"logits": "tensor(float)", **present}, outputs, name)
    unknown = sorted(inputs.keys() - small.keys() - past.keys())
    if unknown:
        raise ModelError(
            f"the graph {name!r} wants an input {unknown[0]!r} that this backend does "
            f"not know; build it with dejavuu-build"
        )
    return outputs


def _compare(kind: str, wanted: dict[str, str], found: dict[str, str], graph: str) -> None:
    for name, dtype in wanted.items():
        if found.get(name) != dtype:
            has = found.get(name, "nothing")
            raise ModelError(
                f"the graph {graph!r} has {has} as {kind} {name!r} where {dtype} is "
                f"needed; build it with dejavuu-build"
            )
