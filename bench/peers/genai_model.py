"""The peer's graph: the same weights, quantised in the same way by its own model builder."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.peers.quantisation import Quantisation
from bench.sources import SOURCES, Source
from bench.weights import fetch
from dejavuu_core.errors import ModelError, UsageError
from dejavuu_core.home import cache_folder

__all__ = ["WORKER", "ensure_genai_model", "source_of"]

WORKER = Path(__file__).with_name("genai_worker.py")


def source_of(sha256: str) -> Source:
    """Give the source whose weights have this hash.

    Raises :class:`UsageError` where it is none of the benchmark's.
    """
    for source in SOURCES.values():
        if source.sha256 == sha256:
            return source
    raise UsageError(
        f"the model's weights ({sha256[:12]}...) are none of {', '.join(SOURCES)}; "
        f"build one of those with `python -m bench model`"
    )


def ensure_genai_model(python: Path, source: Source, how: Quantisation) -> Path:
    """Give the folder of the peer's graph, built in the cache if it is not there."""
    kind = "symmetric" if how.symmetric else "asymmetric"
    name = f"{Path(source.file).stem}-int{how.bits}-{how.block}-{kind}-head{how.head_bits}"
    folder = cache_folder() / "genai" / name
    if (folder / "genai_config.json").is_file():
        return folder
    weights = fetch(source)
    folder.parent.mkdir(parents=True, exist_ok=True)
    print(f"building {folder.name} for onnxruntime-genai", file=sys.stderr)
    with tempfile.TemporaryDirectory(prefix=".build.", dir=folder.parent) as place:
        hf, built = Path(place) / "hf", Path(place) / "built"
        _run([str(python), "-P", str(WORKER), "export", str(weights), str(hf)])
        _run(_builder(python, how, hf, built, Path(place)))
        shutil.rmtree(folder, ignore_errors=True)
        os.replace(built, folder)  # whole or not at all
    return folder


def _builder(python: Path, how: Quantisation, hf: Path, built: Path, place: Path) -> list[str]:
    words = [str(python), "-m", "onnxruntime_genai.models.builder"]
    words += ["-i", str(hf), "-o", str(built), "-c", str(place / "cache")]
    words += ["-p", f"int{how.bits}", "-e", "cpu", "--extra_options"]
    words += [f"block_size={how.block}", "accuracy_level=4"]
    # A table shared with the head gives a graph that its runtime does not load; only the lookup of
    # one row differs.
    words += [f"is_symmetric={str(how.symmetric).lower()}", "shared_embeddings=false"]
    if how.head_bits != how.bits:
        words += ["algo_config=rtn", f"matmul_mixed_precision=last_matmul:int{how.head_bits}"]
    return words


def _run(words: list[str]) -> None:
    # Everything is local; without this, transformers asks the hub and waits for it.
    offline = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
    done = subprocess.run(
        words, capture_output=True, text=True, check=False, env=os.environ | offline
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise ModelError(f"onnxruntime-genai's model could not be built: {last}")
