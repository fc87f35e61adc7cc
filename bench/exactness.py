"""Exactness on a real model: rows, chunks and whole generations against one row at a time."""

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from dejavuu_core import DejaVu
from dejavuu_core.contract import Draft, Needs, Request, Session, Verifier
from dejavuu_core.errors import UsageError
from numpy.typing import NDArray

from bench.demo import demo_prompts
from bench.difference import first_difference
from bench.models import built

__all__ = ["HELP", "Check", "add_arguments", "check_prompts", "check_rows", "main"]

HELP = "compare logits of many rows and tokens of pld with plain decoding, bit for bit"

Ids = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Check:
    """One comparison with plain decoding."""

    name: str
    compared: int
    """Rows or tokens."""
    different: int
    largest: float
    """Largest absolute difference of two logits; 0 for tokens."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--model", type=Path, metavar="DIR", help="default: int4 SmolLM2-135M")
    parser.add_argument("--contexts", default="10,500", help="cached tokens before the rows")
    parser.add_argument("--rows", type=int, default=64, help="most rows of one forward")
    parser.add_argument("--max-new-tokens", type=int, default=64, metavar="N")
    parser.add_argument("--json", action="store_true", help="print the checks as JSON")


def main(arguments: argparse.Namespace) -> int:
    """Run the command; gives 1 where anything differs."""
    model = DejaVu.from_pretrained(
        arguments.model or built("smollm2-135m-instruct"), max_rows=arguments.rows
    )
    checks = []
    for context in _contexts(arguments.contexts):
        checks += list(check_rows(model.verifier, context, arguments.rows))
    checks += list(check_prompts(model, arguments.max_new_tokens))
    if arguments.json:
        print(json.dumps([asdict(check) for check in checks], indent=2))
    for check in [] if arguments.json else checks:
        state = f"{check.different} DIFFER (largest {check.largest:g})" if check.different else "ok"
        print(f"{check.name:<44} {check.compared:>6}  {state}")
    failed = sum(check.different > 0 for check in checks)
    print(f"{len(checks) - failed} passed, {failed} failed", file=sys.stderr)
    return 1 if failed else 0


def _contexts(text: str) -> list[int]:
    try:
        return [int(word) for word in text.split(",")]
    except ValueError:
        raise UsageError(f"--contexts is {text!r}; give whole numbers such as 10,500") from None


def check_rows(verifier: Verifier, context: int, rows: int) -> Iterator[Check]:
    """Compare every count of 1 to ``rows`` rows behind ``context`` tokens, and chunked prefill."""
    random = np.random.default_rng(7)
    vocab = verifier.capabilities.vocab_size
    text = random.integers(0, vocab, context + rows, dtype=np.int32)
    session = verifier.start(Request(text), Needs())
    session.prefill(text[: context + 1])
    single = _one_by_one(session, text[context:])
    for parity, name in ((1, "odd"), (0, "even")):
        checks = [
            _compare(single[:count], _together(session, text, context, count))
            for count in range(1, rows + 1)
            if count % 2 == parity
        ]
        yield _summed(f"{name} row counts to {rows}, context {context}", checks)
    for chunk in (1, 7, 32, 100):
        _prefill(session, text, context, chunk)
        found = _logits(session, text[context + 1 :])
        yield _summed(f"prefill in chunks of {chunk}, context {context}", [_compare(single, found)])
    session.close()


def check_prompts(model: DejaVu, max_new_tokens: int) -> Iterator[Check]:
    """Compare the tokens of ``model``'s method with those of plain decoding."""
    plain = model.with_method("baseline")
    for case in demo_prompts():
        message = [{"role": "user", "content": case["text"]}]
        a, b = (m.generate(message, max_new_tokens=max_new_tokens).tokens for m in (plain, model))
        at = first_difference(a, b)
        name = f"{model.method} = baseline, prompt {case['name']!r}"
        yield Check(name, len(a), 0 if at is None else len(a) - at, 0.0)


def _one_by_one(session: Session, tokens: Ids) -> NDArray[np.float32]:
    """Decode ``tokens`` one row at a time; gives float32[len(tokens), vocab]."""
    logits = []
    for at in range(len(tokens)):
        logits.append(_logits(session, tokens[:0]))
        session.commit(tokens[:0], int(tokens[(at + 1) % len(tokens)]))
    return np.concatenate(logits)


def _together(session: Session, text: Ids, context: int, count: int) -> NDArray[np.float32]:
    session.rewind(context)
    session.prefill(text[context : context + 1])
    return _logits(session, text[context + 1 : context + count])


def _prefill(session: Session, text: Ids, context: int, chunk: int) -> None:
    """Read the context in pieces; the anchor of a piece is read again by the next one."""
    session.rewind(0)
    for start in range(0, context, chunk):
        session.prefill(text[start : min(start + chunk, context) + 1])


def _logits(session: Session, draft: Ids) -> NDArray[np.float32]:
    rows = session.verify(Draft.chain(draft))
    return np.stack([rows.logits(row) for row in range(len(rows))])


def _compare(wanted: NDArray[np.float32], found: NDArray[np.float32]) -> Check:
    rows = (wanted.view(np.int32) != found.view(np.int32)).any(axis=1)
    return Check("", len(rows), int(rows.sum()), float(np.abs(wanted - found).max()))


def _summed(name: str, checks: list[Check]) -> Check:
    return Check(
        name,
        sum(check.compared for check in checks),
        sum(check.different for check in checks),
        max(check.largest for check in checks),
    )
