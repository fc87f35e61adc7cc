"""Compares a built graph with the float32 weights that it was made from."""

import json
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from dejavuu_build.arrays import FloatArray, IntArray
from dejavuu_build.digest import sha256_of
from dejavuu_build.json_file import write_json
from dejavuu_build.manifest import GRAPH, MANIFEST, read_manifest
from dejavuu_build.reference import Reference
from dejavuu_build.runner import GraphRunner
from dejavuu_build.source import Source, open_source
from dejavuu_core.errors import ModelError, UsageError

__all__ = ["check_parity"]

_TEXT_TOKENS = 512  # of the text at most
_NEW_TOKENS = 32  # greedy tokens per prompt


def check_parity(
    folder: Path, source_path: Path, text: Path | None = None, prompts: Path | None = None
) -> dict[str, Any]:
    """Measure how far a graph is from its source and write the result into the manifest.

    Args:
        folder: A built folder.
        source_path: What it was built from.
        text: UTF-8 text for logits and perplexity; None for the one that comes with the package.
        prompts: JSON lines, each with a string "prompt"; None for those of the package.

    Returns:
        ``tokens``, ``max_abs_logit_diff``, ``mean_abs_logit_diff``, ``top1_agreement`` (0 to 1),
        ``perplexity_graph``, ``perplexity_source``, ``greedy_tokens`` and ``greedy_equal`` (tokens
        compared, and how many come before the first difference of their prompt).

    Raises:
        ModelError: A folder or file is missing or damaged, or the source is another one.
        UsageError: The text or the prompts cannot be used.
    """
    manifest = read_manifest(folder)
    source = open_source(source_path)
    _check_same_source(manifest, source)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    graph, reference = GraphRunner(folder), Reference(source)
    tokens = _text_tokens(tokenizer, text, manifest["max_context"])
    parity = {"tokens": len(tokens), **_compare(graph.run(tokens), reference.run(tokens), tokens)}
    compared = equal = 0
    for prompt in _read_prompts(prompts):
        ids = np.array(tokenizer.encode(prompt).ids[-_TEXT_TOKENS:], np.int64)
        mine = _greedy(graph.rewind, lambda t: graph.run(t, np.array([len(t) - 1])), ids)
        truth = _greedy(reference.rewind, lambda t: reference.run(t, last_only=True), ids)
        compared += len(truth)
        equal += int(np.cumprod(np.equal(mine, truth)).sum())
    parity |= {"prompts_new_tokens": _NEW_TOKENS, "greedy_tokens": compared, "greedy_equal": equal}
    write_json(folder / MANIFEST, {**manifest, "parity": parity})
    return parity


def _check_same_source(manifest: dict[str, Any], source: Source) -> None:
    found = [sha256_of(path) for path in source.files]
    if found != [record["sha256"] for record in manifest["sources"]]:
        names = ", ".join(record["name"] for record in manifest["sources"])
        raise ModelError(f"The source is not the one ({names}) that {GRAPH} was built from.")


def _compare(graph: FloatArray, truth: FloatArray, tokens: IntArray) -> dict[str, float]:
    difference = np.abs(graph - truth)
    return {
        "max_abs_logit_diff": float(difference.max()),
        "mean_abs_logit_diff": float(difference.mean(dtype=np.float64)),
        "top1_agreement": float(np.mean(graph.argmax(-1) == truth.argmax(-1))),
        "perplexity_graph": _perplexity(graph, tokens),
        "perplexity_source": _perplexity(truth, tokens),
    }


def _perplexity(logits: FloatArray, tokens: IntArray) -> float:
    """Exp of the mean surprise, in nats, of each token but the first."""
    ahead = logits[:-1].astype(np.float64)
    top = ahead.max(-1)
    total = top + np.log(np.exp(ahead - top[:, None]).sum(-1))
    return float(np.exp(np.mean(total - ahead[np.arange(len(ahead)), tokens[1:]])))


def _greedy(
    rewind: Callable[[int], None], run: Callable[[IntArray], FloatArray], ids: IntArray
) -> list[int]:
    rewind(0)
    chosen = [int(run(ids)[-1].argmax())]
    while len(chosen) < _NEW_TOKENS:
        chosen.append(int(run(np.array(chosen[-1:], np.int64))[-1].argmax()))
    return chosen


def _text_tokens(tokenizer: Tokenizer, text: Path | None, max_context: int) -> IntArray:
    content = _read(text, "parity.txt")
    ids = tokenizer.encode(content).ids[: min(_TEXT_TOKENS, max_context - 1)]
    if len(ids) < 2:
        raise UsageError(f"The text {str(text)!r} has {len(ids)} tokens; give one of 2 at least.")
    return np.array(ids, np.int64)


def _read_prompts(path: Path | None) -> list[str]:
    prompts = []
    for number, line in enumerate(_read(path, "prompts.jsonl").splitlines(), 1):
        try:
            prompts.append(str(json.loads(line)["prompt"]))
        except (ValueError, KeyError, TypeError):
            raise UsageError(
                f'Line {number} of {str(path)!r} is no JSON object with a "prompt".'
            ) from None
    return prompts


def _read(path: Path | None, default: str) -> str:
    if path is None:
        return (files("dejavuu_build") / "data" / default).read_text(encoding="utf-8")
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UsageError(f"There is no file {str(path)!r}.") from None
    except UnicodeDecodeError:
        raise UsageError(f"{str(path)!r} is not UTF-8 text.") from None
