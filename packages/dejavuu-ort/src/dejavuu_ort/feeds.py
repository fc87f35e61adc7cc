"""What one session hands to the graph and gets back: made once, bound once, written in place."""

from dataclasses import dataclass

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from dejavuu_core.contract import Draft
from dejavuu_core.errors import ModelError
from dejavuu_core.tree.layout import depths, visible
from dejavuu_ort.cache import KvCache
from dejavuu_ort.graph import Graph, cache_names

__all__ = ["Feeds", "Output"]

# Finite, because -inf turns a row without a visible neighbour into NaN; its weight is exactly 0.
_HIDDEN_FROM = np.float32(-1e9)
_value = onnxruntime.OrtValue.ortvalue_from_numpy


@dataclass(frozen=True, slots=True, eq=False)
class Output:
    """What one forward gave: read-only views of memory that the next forward writes over."""

    logits: NDArray[np.float32]
    """float32[asked, vocab]."""
    hidden: NDArray[np.float32] | None
    """float32[rows, d], or None where they were not asked for."""


class Feeds:
    """The binding of one session to one graph. Not for two threads at once."""

    def __init__(
        self, graph: Graph, cache: KvCache, *, hidden: bool, branches: bool = False
    ) -> None:
        """Bind ``cache`` and make room for the widest forward, with ``branches`` or of chains."""
        manifest = graph.manifest
        self._graph = graph
        self._session = graph.trees() if branches else graph.chains
        self._name = manifest.tree_graph if branches else manifest.graph
        self._binding = self._session.io_binding()
        self.ids = np.zeros((1, graph.max_rows), dtype=np.int64)
        """int64[1, max_rows]; fill the first rows before :meth:`run`."""
        self._positions = np.zeros_like(self.ids)
        self._logits = np.empty((graph.max_rows, manifest.vocab_size), dtype=np.float32)
        width = manifest.hidden_size if hidden else 0
        self._hidden = np.empty((graph.max_rows, width), dtype=np.float32)
        self._lengths = np.zeros((2, 1), dtype=np.int32)
        self._by_rows: dict[int, dict[str, onnxruntime.OrtValue]] = {}
        self._by_asked: dict[int, tuple[onnxruntime.OrtValue, onnxruntime.OrtValue]] = {}
        self._bound = (0, -1)  # rows and asked rows of the last run
        self._output = Output(self._logits[:0], None)
        self._binding.bind_ortvalue_input("seqlens_k", _value(self._lengths[0]))
        self._binding.bind_ortvalue_input("total_sequence_length", _value(self._lengths[1]))
        self.bind_cache(cache)

    def bind_cache(self, cache: KvCache) -> None:
        """Point the graph to the buffer of ``cache``, for reading and writing."""
        layers = self._graph.manifest.layers
        past, present = cache_names(layers, "past_key_values"), cache_names(layers, "present")
        for before, after, value in zip(past, present, cache.values(), strict=True):
            self._binding.bind_ortvalue_input(before, value)
            self._binding.bind_ortvalue_output(after, value)

    def run(self, rows: int, start: int, *, asked: int, branches: Draft | None = None) -> Output:
        """Run the first ``rows`` of ``ids`` behind ``start`` cached tokens.

        Logits come from the first ``asked`` rows. ``branches`` is the draft behind row 0 where it
        is not a chain. The cache must have room for one slot more than the rows.
        Raises :class:`ModelError` where onnxruntime fails on the graph.
        """
        total = start + rows
        self._lengths[0, 0] = total
        self._lengths[1, 0] = total + 1
        if (rows, asked) != self._bound:
            self._bind(rows, asked)
        if branches is None:
            self._positions[0, :rows] = np.arange(start, total)
        else:
            np.add(depths(branches), start, out=self._positions[0, :rows])
            # held until the next one: older bindings do not keep the memory alive themselves
            self._bias = _value(_bias(branches, start))
            self._binding.bind_ortvalue_input("attention_bias", self._bias)
        try:
            self._session.run_with_iobinding(self._binding)
        except RuntimeError as error:
            raise ModelError(
                f"the graph {self._name!r} failed on {rows} rows behind {start} "
                f"tokens ({error}); build the folder again"
            ) from error
        return self._output

    def _bind(self, rows: int, asked: int) -> None:
        """Bind the small tensors of these counts; their values are made once and kept."""
        small = self._by_rows.get(rows)
        if small is None:
            small = self._by_rows[rows] = self._small(rows)
        wanted = self._by_asked.get(asked)
        if wanted is None:
            picks = np.arange(asked, dtype=np.int64)
            wanted = self._by_asked[asked] = (_value(picks), _value(self._logits[:asked]))
        self._binding.bind_ortvalue_input("input_ids", small["input_ids"])
        self._binding.bind_ortvalue_input("position_ids", small["position_ids"])
        if "hidden_states" in small:
            self._binding.bind_ortvalue_output("hidden_states", small["hidden_states"])
        self._binding.bind_ortvalue_input("logits_rows", wanted[0])
        self._binding.bind_ortvalue_output("logits", wanted[1])
        self._output = self._views(rows, asked)
        self._bound = (rows, asked)

    def _small(self, rows: int) -> dict[str, onnxruntime.OrtValue]:
        small = {
            "input_ids": _value(self.ids[:, :rows]),
            "position_ids": _value(self._positions[:, :rows]),
        }
        if self._hidden.size:
            small["hidden_states"] = _value(self._hidden[:rows])
        return small

    def _views(self, rows: int, asked: int) -> Output:
        logits = self._logits[:asked]
        logits.flags.writeable = False
        if not self._hidden.size:
            return Output(logits, None)
        hidden = self._hidden[:rows]
        hidden.flags.writeable = False
        return Output(logits, hidden)


def _bias(draft: Draft, start: int) -> NDArray[np.float32]:
    """Give float32[1, 1, rows + 1, total + 1]: rows see the cache, themselves and ancestors."""
    rows = len(draft) + 1
    bias = np.zeros((1, 1, rows + 1, start + rows + 1), dtype=np.float32)
    bias[0, 0, :rows, start : start + rows][~visible(draft)] = _HIDDEN_FROM
    return bias
