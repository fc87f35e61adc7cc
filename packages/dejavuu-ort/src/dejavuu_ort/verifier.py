"""An ONNX decoder as a verifier: a loaded graph, its tokenizer and its measured exactness."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from dejavuu_core.contract import Capabilities, Needs, Request, Verifier
from dejavuu_core.errors import UnsupportedError, UsageError
from dejavuu_ort import probe_cache
from dejavuu_ort.exactness import Finding, probe
from dejavuu_ort.graph import Graph
from dejavuu_ort.manifest import Manifest
from dejavuu_ort.runtime import CPU, Runtime
from dejavuu_ort.session import OrtSession
from dejavuu_ort.tokenizer import OrtTokenizer

__all__ = ["OrtVerifier"]


class OrtVerifier(Verifier):
    """One loaded decoder. Thread-safe: sessions share the graph and nothing else."""

    def __init__(self, graph: Graph, tokenizer: OrtTokenizer, finding: Finding) -> None:
        """Put a loaded graph together with what was measured on it."""
        self._graph = graph
        self._tokenizer = tokenizer
        self._finding = finding
        manifest = graph.manifest
        self._capabilities = Capabilities(
            vocab_size=manifest.vocab_size,
            max_context=manifest.max_context,
            max_rows=graph.max_rows,
            exactness=finding.exactness,
            tree=True,
            hidden_size=manifest.hidden_size if graph.has_hidden else 0,
        )

    @classmethod
    def from_pretrained(
        cls,
        folder: str | Path,
        *,
        threads: int | None = None,
        providers: Sequence[str] | None = None,
        provider_options: Sequence[Mapping[str, str]] | None = None,
        session_options: Mapping[str, str] | None = None,
        max_rows: int = 64,
        probe: bool = True,
    ) -> "OrtVerifier":
        """Load a folder that ``dejavuu-build`` made.

        Args:
            folder: The model folder.
            threads: Threads inside one operator; None: all processors up to four of them,
                otherwise one per physical core.
            providers: Execution providers by falling preference; None: the CPU alone.
            provider_options: One mapping for each provider.
            session_options: Config entries for onnxruntime's session.
            max_rows: Most rows of one forward; a prompt is read as many tokens at a time.
            probe: False skips the measurement; ``exactness`` is then ``approximate``, unknown.

        Raises :class:`ModelError` for a folder or graph that cannot be run, and
        :class:`UsageError` for settings that make no sense or a provider that is not there.
        """
        runtime = Runtime(
            threads=threads,
            providers=(CPU,) if providers is None else tuple(providers),
            provider_options=tuple(provider_options or ()),
            config=dict(session_options or {}),
        )
        manifest = Manifest.read(Path(folder).expanduser())
        tokenizer = OrtTokenizer(manifest)
        graph = Graph.load(manifest, runtime, max_rows=max_rows)
        return cls(graph, tokenizer, _measured(graph) if probe else Finding(measured=False))

    @property
    def capabilities(self) -> Capabilities:
        """What this model can do, fixed from loading on."""
        return self._capabilities

    @property
    def finding(self) -> Finding:
        """What the probe found, in numbers."""
        return self._finding

    @property
    def tokenizer(self) -> OrtTokenizer:
        """The model's tokenizer."""
        return self._tokenizer

    def start(self, request: Request, needs: Needs) -> OrtSession:
        """Give a session with nothing cached; ``needs`` says what its rows must be able to tell.

        Raises :class:`UnsupportedError` where hidden rows are wanted and the graph gives none, or
        where the request carries a payload, and :class:`UsageError` for an impossible top-k.
        """
        if needs.hidden and not self._graph.has_hidden:
            raise UnsupportedError(
                f"the graph in {str(self._graph.manifest.folder)!r} gives no hidden rows; build it "
                f"with a hidden layer or use a drafter that needs none"
            )
        if request.payload is not None:
            raise UnsupportedError(
                f"this backend reads text alone and got a payload of type "
                f"{type(request.payload).__name__}; use a backend for images"
            )
        if not 0 <= needs.topk <= self._capabilities.vocab_size:
            raise UsageError(
                f"Needs.topk is {needs.topk}; give 0 to {self._capabilities.vocab_size}"
            )
        return OrtSession(self._graph, needs)


def _measured(graph: Graph) -> Finding:
    """Give the kept finding for this graph and machine, or measure and keep it."""
    key = probe_cache.key_of(graph)
    found = probe_cache.load(key)
    if found is None:
        found = probe(graph, _progress if sys.stderr.isatty() else lambda done, of: None)
        probe_cache.store(key, found)
    return found


def _progress(done: int, of: int) -> None:
    end = "\n" if done == of else ""
    print(
        f"\rmeasuring exactness, once per model: {done}/{of}", end=end, file=sys.stderr, flush=True
    )
