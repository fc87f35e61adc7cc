"""``peer``: plain decoding against another engine on the same weights and quantisation."""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.models import model_or_demo
from bench.peers.genai import Pair, alternate, genai_environment, start_peer
from bench.peers.genai_model import ensure_genai_model, source_of
from bench.peers.quantisation import quantisation_of
from bench.peers.ratio import Interval, geometric_mean
from bench.prompts import demo_cases
from bench.specbench import slice_cases
from dejavuu_build.manifest import read_manifest
from dejavuu_core import DejaVu
from dejavuu_core.checks import whole
from dejavuu_core.cli.table import print_json, print_table

__all__ = ["HELP", "add_arguments", "run"]

HELP = "compare plain decoding with another engine on the same weights"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("name", choices=["genai"], help="the other engine")
    parser.add_argument("--model", type=Path, metavar="DIR", help="default: the demo model")
    parser.add_argument("--prompts", type=int, default=16, metavar="N", help="at most 16")
    parser.add_argument("--max-new-tokens", type=int, default=64, metavar="N")
    parser.add_argument("--rounds", type=int, default=2, metavar="N", help="of each on a prompt")
    parser.add_argument("--threads", type=int, default=2, metavar="N", help="of both")
    parser.add_argument(
        "--python", type=Path, metavar="FILE", help="of an environment that has the engine"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    for name in ("prompts", "rounds", "threads"):
        whole(f"--{name}", getattr(arguments, name), least=1)
    folder = model_or_demo(arguments.model)
    how = quantisation_of(folder)
    source = source_of(str(read_manifest(folder)["sources"][0]["sha256"]))
    python = arguments.python or genai_environment()
    theirs = ensure_genai_model(python, source, how)
    model = DejaVu.from_pretrained(folder, method="baseline", threads=arguments.threads)
    prompts = _prompts(model, arguments.prompts)
    with start_peer(python, theirs, arguments.threads) as peer:
        warm = (prompts[0],)
        list(alternate(model, peer, warm, 8, 1))
        pairs = list(alternate(model, peer, prompts, arguments.max_new_tokens, arguments.rounds))
        title = f"{folder.name} against onnxruntime-genai {peer.version}: {how}"
    found = geometric_mean([pair.ratio for pair in pairs])
    _print(title, pairs, found, arguments.json)
    return 0


def _prompts(model: DejaVu, count: int) -> list[tuple[str, NDArray[np.int32]]]:
    cases = [*demo_cases(), *slice_cases()][:count]
    return [(case.name, model.encode(case.messages)) for case in cases]


def _print(title: str, pairs: Sequence[Pair], found: Interval, as_json: bool) -> None:
    if as_json:
        rows = [
            {"name": p.name, "ours": p.ours, "theirs": p.theirs, "ratio": p.ratio} for p in pairs
        ]
        ratio = {"low": found.low, "mean": found.mean, "high": found.high}
        print_json({"title": title, "ratio": ratio, "prompts": rows})
        return
    print(title)
    print_table(
        ("prompt", "ours tokens/s", "theirs tokens/s", "ratio", "same first tokens"),
        [
            (p.name, _rates(p.ours), _rates(p.theirs), f"{p.ratio:.3f}", str(p.same_tokens))
            for p in pairs
        ],
    )
    print(f"ours / theirs, geometric mean over {len(pairs)} prompts and 95 % interval: {found}")


def _rates(rates: Sequence[float]) -> str:
    return " ".join(f"{rate:.1f}" for rate in rates)
