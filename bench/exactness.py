"""``exactness``: the same bits for every row count, and the same text with guesses as without."""

import argparse
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from bench.difference import first_difference
from bench.models import model_or_demo
from bench.prompts import demo_cases
from bench.rowcheck import Check, check_rows
from bench.specbench import slice_cases
from dejavuu_core import DejaVu
from dejavuu_core.cli.table import print_json, print_table
from dejavuu_core.errors import UsageError

__all__ = ["HELP", "add_arguments", "check_prompts", "check_rows", "run"]

HELP = "prove on a real model that guesses change no bit of the output"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--model", type=Path, metavar="DIR", help="default: the demo model")
    parser.add_argument("--backend", default="ort", help="who runs the model (default: ort)")
    parser.add_argument(
        "--contexts", default="10,500", metavar="N,N", help="tokens before the rows"
    )
    parser.add_argument("--rows", type=int, default=64, help="most rows of one forward")
    parser.add_argument("--prompts", type=int, default=4, metavar="N", help="texts to write")
    parser.add_argument("--max-new-tokens", type=int, default=96, metavar="N")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; 1 where anything differs."""
    contexts = _contexts(arguments.contexts)
    folder = model_or_demo(arguments.model)
    model = DejaVu.from_pretrained(folder, backend=arguments.backend, method="pld")
    rows, most = arguments.rows, model.verifier.capabilities.max_rows
    if not 2 <= rows <= most:
        raise UsageError(f"--rows is {rows}; give 2 to {most}, the most that one forward takes")
    checks = [check for n in contexts for check in check_rows(model.verifier, n, rows)]
    checks += check_prompts(model, arguments.max_new_tokens, arguments.prompts)
    exactness = model.verifier.capabilities.exactness
    if arguments.json:
        found = [asdict(check) for check in checks]
        print_json({"model": folder.name, "exactness": exactness, "checks": found})
    else:
        print(f"{folder.name} on {arguments.backend}, exactness as measured at load: {exactness}")
        _print(checks)
    return 1 if any(check.different for check in checks) else 0


def check_prompts(model: DejaVu, max_new_tokens: int, count: int = 4) -> Iterator[Check]:
    """Compare what ``model``'s method writes with plain decoding, on ``count`` shipped prompts."""
    plain = model.with_method("baseline")
    room = max(1, model.verifier.capabilities.max_context - max_new_tokens)
    for case in [*demo_cases(), *slice_cases()][:count]:
        # A model of a short context gets the end of a long prompt.
        prompt = model.encode(case.messages)[-room:]
        wanted, found = (
            one.generate(prompt, max_new_tokens=max_new_tokens).tokens for one in (plain, model)
        )
        at = first_difference(wanted, found)
        equal = len(wanted) if at is None else at
        yield Check(f"{model.method}, {case.name}", len(wanted), equal, _said(wanted, found, at))


def _said(wanted: list[int], found: list[int], at: int | None) -> str:
    if at is None:
        return ""
    here, plain = (str(ids[at]) if at < len(ids) else "the end" for ids in (found, wanted))
    return f"token {at} is {here}, in plain decoding {plain}"


def _contexts(text: str) -> list[int]:
    try:
        contexts = [int(word) for word in text.split(",")]
    except ValueError:
        contexts = []
    if not contexts or min(contexts) < 1:
        raise UsageError(f"--contexts is {text!r}; give whole numbers from 1, such as 10,500")
    return contexts


def _print(checks: list[Check]) -> None:
    print_table(
        ("check", "compared", "equal", "first difference"),
        [(c.what, str(c.compared), str(c.equal), c.first or "none") for c in checks],
    )
    wrong = sum(check.different for check in checks)
    print(f"{wrong} differences" if wrong else "no difference: the same bits everywhere")
