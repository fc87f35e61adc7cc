"""Runs a built graph through ONNX Runtime, with a cache of its own."""

from pathlib import Path

import numpy as np
import onnxruntime as ort

from dejavuu_build.arrays import Array, FloatArray, IntArray
from dejavuu_build.json_file import read_json
from dejavuu_core.errors import ModelError, UsageError

__all__ = ["GraphRunner"]

_HIDDEN = -np.inf  # what the bias adds where a row must not look


class GraphRunner:
    """One graph and one key-value cache.

    Attributes:
        length: Tokens whose keys and values are in the cache.
        hidden: float32 ``[rows, hidden]`` of the last run, or None where the graph has none.
    """

    def __init__(
        self, folder: Path, capacity: int = 2048, threads: int = 0, trees: bool = False
    ) -> None:
        """Load the graph.

        Args:
            folder: A built folder.
            capacity: Slots of the cache; one of them is the spare row's.
            threads: Threads inside an operator; 0 leaves the choice to the runtime.
            trees: True for the graph that takes a bias, which a branch needs.

        Raises:
            ModelError: The folder holds no graph that can be loaded.
        """
        manifest = read_json(folder / "manifest.json")
        graph = folder / manifest["tree_graph" if trees else "graph"]
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        try:
            self._session = ort.InferenceSession(
                graph,
                options,
                providers=["CPUExecutionProvider"],
            )
        except Exception as error:  # the runtime's errors have no common base
            raise ModelError(f"The graph in {str(folder)!r} does not load: {error}") from None
        shape = (1, manifest["kv_heads"], capacity, manifest["head_dim"])
        self._cache = [
            ort.OrtValue.ortvalue_from_numpy(np.zeros(shape, np.float32))
            for _ in range(2 * manifest["layers"])
        ]
        self._trees = trees
        self._capacity = min(capacity, manifest["max_context"] + 1)
        self._binding = self._session.io_binding()
        names = [output.name for output in self._session.get_outputs()]
        self._results = [name for name in names if not name.startswith("present.")]
        self._bind_cache(manifest["layers"])
        self.length = 0
        self.hidden: FloatArray | None = None

    def _bind_cache(self, layers: int) -> None:
        for i in range(layers):
            for j, part in enumerate(("key", "value")):
                value = self._cache[2 * i + j]
                self._binding.bind_ortvalue_input(f"past_key_values.{i}.{part}", value)
                self._binding.bind_ortvalue_output(f"present.{i}.{part}", value)

    def rewind(self, length: int) -> None:
        """Forget all but the first ``length`` tokens."""
        self.length = length

    def run(
        self, tokens: IntArray, wanted: IntArray | None = None, parents: IntArray | None = None
    ) -> FloatArray:
        """Run rows and keep all of them in the cache.

        Args:
            tokens: int64 ``[rows]``.
            wanted: int64 ``[k]``, rows whose logits are wanted; None for all.
            parents: int64 ``[rows]``, ``parents[i] < i`` or -1 for the last cached token; None for
                a chain.

        Returns:
            Logits, float32 ``[k, vocab]``.

        Raises:
            UsageError: The cache has no room for the rows and the spare one, or parents are given
                and the graph takes chains only.
        """
        rows, total = len(tokens), self.length + len(tokens)
        if parents is not None and not self._trees:
            raise UsageError("This graph takes chains only; load it with trees=True.")
        if total + 1 > self._capacity:
            raise UsageError(f"{total} tokens do not fit into a cache of {self._capacity - 1}.")
        chain = np.arange(-1, rows - 1) if parents is None else parents
        depths, bias = self._layout(chain)
        feeds: dict[str, Array] = {
            "input_ids": np.asarray(tokens, np.int64)[None],
            "position_ids": self.length + depths[None],
            "seqlens_k": np.array([total], np.int32),
            "total_sequence_length": np.array([total + 1], np.int32),
            "logits_rows": np.arange(rows) if wanted is None else np.asarray(wanted, np.int64),
        }
        if self._trees:
            feeds["attention_bias"] = bias
        for name, array in feeds.items():
            self._binding.bind_cpu_input(name, np.ascontiguousarray(array))
        for name in self._results:
            self._binding.bind_output(name)
        self._session.run_with_iobinding(self._binding)
        self.length = total
        results = self._binding.get_outputs()[-len(self._results) :]
        logits, *hidden = (np.asarray(value.numpy(), np.float32) for value in results)
        self.hidden = hidden[0] if hidden else None
        return logits

    def _layout(self, parents: IntArray) -> tuple[IntArray, FloatArray]:
        """Depth of each row, int64 ``[rows]``, and the bias ``[1, 1, rows + 1, total + 1]``."""
        rows, past = len(parents), self.length
        bias = np.full((rows + 1, past + rows + 1), _HIDDEN, np.float32)
        bias[:, :past] = 0
        depths = np.zeros(rows, np.int64)
        for row, parent in enumerate(parents):
            if parent >= 0:
                bias[row] = bias[parent]
                depths[row] = depths[parent] + 1
            bias[row, past + row] = 0
        bias[rows] = bias[rows - 1]  # the spare row sees what the last one sees
        return depths, bias[None, None]
