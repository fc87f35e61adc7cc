"""Plain decoding of ours and of onnxruntime-genai, prompt by prompt and in turn."""

import json
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from bench.difference import first_difference
from bench.measure import timed
from bench.peers.environment import ensure_environment
from bench.peers.genai_model import WORKER
from dejavuu_core import DejaVu
from dejavuu_core.errors import ModelError

__all__ = ["Pair", "Peer", "alternate", "genai_environment", "start_peer"]

_TORCH = ("torch==2.13.0",)
_REST = ("onnxruntime-genai==0.18.0", "onnx==1.23.2", "transformers==5.24.0", "gguf==0.19.0")


@dataclass(frozen=True, slots=True)
class Pair:
    """Speeds on one prompt, tokens a second of decoding, one entry a round."""

    name: str
    ours: tuple[float, ...]
    theirs: tuple[float, ...]
    same_tokens: int
    """How many tokens both begin with."""

    @property
    def ratio(self) -> float:
        """Ours over theirs, the median over rounds: the two runs of a round are neighbours."""
        return float(np.median(np.divide(self.ours, self.theirs)))


class Peer:
    """The other engine, in a process of its own that waits while we work."""

    def __init__(self, ask: IO[str], answers: IO[str]) -> None:
        """Take the process's ends and wait until its model is loaded."""
        self._ask, self._answers = ask, answers
        self.version = str(self._read()["version"])

    def generate(self, prompt: NDArray[np.int32], max_new_tokens: int) -> tuple[list[int], float]:
        """Give the tokens and the tokens a second of decoding behind the first of them."""
        asked = {"tokens": prompt.tolist(), "max_new_tokens": max_new_tokens}
        self._ask.write(json.dumps(asked) + "\n")
        self._ask.flush()
        answer = self._read()
        tokens: list[int] = answer["tokens"]
        return tokens, (len(tokens) - 1) / answer["decode_s"]

    def _read(self) -> dict[str, Any]:
        line = self._answers.readline()
        if not line:
            raise ModelError("onnxruntime-genai ended early; see its message above")
        found: dict[str, Any] = json.loads(line)
        return found


def genai_environment() -> Path:
    """Give the Python of the peer's environment, with the same onnxruntime as ours."""
    runtime = f"onnxruntime=={version('onnxruntime')}"
    return ensure_environment("genai", (_TORCH, (*_REST, runtime)))


@contextmanager
def start_peer(python: Path, folder: Path, threads: int) -> Iterator[Peer]:
    """Yield the peer with the model in ``folder`` loaded; it ends with the block."""
    words = [str(python), "-P", str(WORKER), "serve", str(folder), str(threads)]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None, "it was asked for"
        assert process.stdout is not None, "it was asked for"
        yield Peer(process.stdin, process.stdout)


def alternate(
    model: DejaVu,
    peer: Peer,
    prompts: Sequence[tuple[str, NDArray[np.int32]]],
    max_new_tokens: int,
    rounds: int,
) -> Iterator[Pair]:
    """Yield the speeds of each prompt, measured A B A B; every other prompt begins with B."""
    for number, (name, prompt) in enumerate(prompts):
        ours, theirs = [], []
        for turn in range(2 * rounds):
            if (turn + number) % 2 == 0:
                run = timed(model, prompt, max_new_tokens)
                ours.append(run.tokens_per_s)
                own = run.result.tokens
            else:
                other, rate = peer.generate(prompt, max_new_tokens)
                theirs.append(rate)
        at = first_difference(own, other)
        same = len(own) if at is None else at
        yield Pair(name, tuple(ours), tuple(theirs), same)
