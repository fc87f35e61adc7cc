"""A loaded decoder graph: its inputs and outputs checked, and what all its sessions share."""

from dataclasses import dataclass

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from dejavuu_core.errors import ModelError, UsageError
from dejavuu_ort.manifest import Manifest
from dejavuu_ort.runtime import Runtime

__all__ = ["Graph", "cache_names"]

_SMALL = {
    "input_ids": "tensor(int64)",
    "position_ids": "tensor(int64)",
    "attention_bias": "tensor(float)",
    "seqlens_k": "tensor(int32)",
    "total_sequence_length": "tensor(int32)",
    "logits_rows": "tensor(int64)",
}


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """One onnxruntime session and the sizes that go with it; shared by all sessions."""

    manifest: Manifest
    runtime: Runtime
    session: onnxruntime.InferenceSession
    max_rows: int
    """Most rows of one forward, of a verify and of a prefill alike."""
    has_hidden: bool
    """True where the graph gives hidden rows."""
    no_bias: NDArray[np.float32]
    """Zeros for the largest mask of a chain; pages of it that are never read cost no memory."""

    @classmethod
    def load(cls, manifest: Manifest, runtime: Runtime, *, max_rows: int) -> "Graph":
        """Load the graph of ``manifest`` for up to ``max_rows`` rows a forward.

        Raises :class:`UsageError` for a ``max_rows`` below one, and :class:`ModelError` where the
        graph has not the inputs and outputs that it must have.
        """
        if max_rows < 1:
            raise UsageError(f"max_rows is {max_rows}; give 1 or more")
        session = runtime.open(manifest.folder / manifest.graph)
        outputs = _check(session, manifest)
        rows = min(max_rows, manifest.max_context)
        return cls(
            manifest=manifest,
            runtime=runtime,
            session=session,
            max_rows=rows,
            has_hidden="hidden_states" in outputs,
            no_bias=np.zeros((rows + 1) * (manifest.max_context + 1), dtype=np.float32),
        )


def cache_names(layers: int, side: str) -> list[str]:
    """Give the names of all cache tensors in layer order, key before value.

    ``side`` is ``past_key_values`` for inputs and ``present`` for outputs.
    """
    return [f"{side}.{layer}.{part}" for layer in range(layers) for part in ("key", "value")]


def _check(session: onnxruntime.InferenceSession, manifest: Manifest) -> dict[str, str]:
    """Compare names and types with what the manifest promises; gives the outputs' types."""
    inputs = {item.name: item.type for item in session.get_inputs()}
    outputs = {item.name: item.type for item in session.get_outputs()}
    past = dict.fromkeys(cache_names(manifest.layers, "past_key_values"), "tensor(float)")
    present = dict.fromkeys(cache_names(manifest.layers, "present"), "tensor(float)")
    if not past.keys() & inputs.keys():
        raise ModelError(
            f"the graph {manifest.graph!r} has no cache inputs such as 'past_key_values.0.key'; "
            f"build it with dejavuu-build"
        )
    _compare("input", {**_SMALL, **past}, inputs, manifest)
    _compare("output", {"logits": "tensor(float)", **present}, outputs, manifest)
    unknown = sorted(inputs.keys() - _SMALL.keys() - past.keys())
    if unknown:
        raise ModelError(
            f"the graph {manifest.graph!r} wants an input {unknown[0]!r} that this backend does "
            f"not know; build it with dejavuu-build"
        )
    return outputs


def _compare(kind: str, wanted: dict[str, str], found: dict[str, str], manifest: Manifest) -> None:
    for name, dtype in wanted.items():
        if found.get(name) != dtype:
            has = found.get(name, "nothing")
            raise ModelError(
                f"the graph {manifest.graph!r} has {has} as {kind} {name!r} where {dtype} is "
                f"needed; build it with dejavuu-build"
            )
