"""``run``: methods in turn on the prompts of a data set, against plain decoding."""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench.manifest import manifest_of
from bench.models import model_or_demo
from bench.prompts import Case
from bench.rows import Row, measured_rows
from bench.specbench import SLICE, load_cases
from bench.table import HEAD, lines_of
from dejavuu_core import DejaVu
from dejavuu_core.cli.table import print_table
from dejavuu_core.errors import UsageError
from dejavuu_core.registry import drafter_class

__all__ = ["HELP", "add_arguments", "run"]

HELP = "measure methods on a data set and write a result folder"
DATASETS = {"spec_bench": load_cases}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--dataset", choices=sorted(DATASETS), default="spec_bench")
    parser.add_argument("--data", type=Path, metavar="FILE", help="the full set (default: a slice)")
    parser.add_argument("--model", type=Path, metavar="DIR", help="default: the demo model")
    parser.add_argument("--backend", default="ort", help="who runs the model (default: ort)")
    parser.add_argument("--threads", type=int, metavar="N", help="threads of the backend")
    parser.add_argument("--methods", default="baseline,pld", metavar="A,B", help="with baseline")
    parser.add_argument("--per-task", type=int, default=2, metavar="N", help="prompts of a task")
    parser.add_argument("--max-new-tokens", type=int, default=128, metavar="N")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="must not exist")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; 1 where a bitwise backend wrote other tokens than plain decoding."""
    methods = _methods(arguments.methods)
    _demand_new(arguments.out)
    data: Path = arguments.data or SLICE
    cases = DATASETS[arguments.dataset](data, arguments.per_task)
    folder = model_or_demo(arguments.model)
    threads = {} if arguments.threads is None else {"threads": arguments.threads}
    plain = DejaVu.from_pretrained(folder, backend=arguments.backend, method="baseline", **threads)
    models = {name: plain.with_method(name) for name in methods}
    manifest = manifest_of(plain, folder, data, _options(arguments))
    rows = _write(arguments.out, manifest, models, cases, arguments.max_new_tokens)
    print_table(HEAD, lines_of(rows, methods))
    return _verdict(rows)


def _methods(text: str) -> list[str]:
    methods = [word.strip() for word in text.split(",")]
    for name in methods:
        drafter_class(name)  # says what is unknown before anything is loaded
    if "baseline" not in methods or len(set(methods)) != len(methods):
        raise UsageError(f"--methods is {text!r}; give different names, baseline among them")
    return methods


def _demand_new(out: Path) -> None:
    if out.exists():
        raise UsageError(f"{str(out)!r} exists and results are never overwritten; name a new one")


def _options(arguments: argparse.Namespace) -> dict[str, object]:
    names = ("dataset", "backend", "threads", "methods", "per_task", "max_new_tokens")
    return {name: getattr(arguments, name) for name in names}


def _write(
    out: Path,
    manifest: Mapping[str, object],
    models: Mapping[str, DejaVu],
    cases: Sequence[Case],
    max_new_tokens: int,
) -> list[Row]:
    """Write the folder as the rows come, so that a run that is cut short is not lost."""
    out.mkdir(parents=True)
    (out / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    rows = []
    with (out / "rows.jsonl").open("w", encoding="utf-8") as file:
        for row in measured_rows(models, cases, max_new_tokens):
            rows.append(row)
            file.write(json.dumps(row) + "\n")
            file.flush()
            _progress(len(rows), len(cases) * len(models))
    return rows


def _progress(done: int, of: int) -> None:
    if sys.stderr.isatty():
        end = "\n" if done == of else ""
        print(f"\r{done} of {of} generations", end=end, file=sys.stderr, flush=True)


def _verdict(rows: Sequence[Row]) -> int:
    """Say where texts differ; gives the exit code."""
    wrong = [row for row in rows if row["first_difference"] is not None]
    for row in wrong:
        print(f"{row['method']}, prompt {row['name']}: differs at token {row['first_difference']}")
    return 1 if any(row["exactness"] == "bitwise" for row in wrong) else 0
