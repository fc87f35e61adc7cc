"""The demo: a real model writes with and without drafts, and the tokens are compared."""

import argparse
import json
from pathlib import Path

from dejavuu_core import DejaVu, Result

from bench.models import built

__all__ = ["HELP", "add_arguments", "demo_prompts", "main"]

HELP = "watch a real model write faster with the same tokens"


def demo_prompts() -> list[dict[str, str]]:
    """Give the shipped prompts: objects with ``name`` and ``text``."""
    path = Path(__file__).parent / "cases" / "demo.json"
    prompts: list[dict[str, str]] = json.loads(path.read_text(encoding="utf-8"))
    return prompts


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--model", type=Path, metavar="DIR", help="default: int4 SmolLM2-135M")
    parser.add_argument("--max-new-tokens", type=int, default=128, metavar="N")


def main(arguments: argparse.Namespace) -> int:
    """Run the command; gives 1 where a bitwise backend wrote other tokens."""
    folder = arguments.model or built("smollm2-135m-instruct")
    model = DejaVu.from_pretrained(folder, method="pld")
    plain = model.with_method("baseline")
    model.generate("warm up", max_new_tokens=8)
    broken, seconds, tokens = 0, [0.0, 0.0], [0, 0]
    for case in demo_prompts():
        message = [{"role": "user", "content": case["text"]}]
        results = [m.generate(message, max_new_tokens=arguments.max_new_tokens) for m in (plain, model)]
        same = results[0].tokens == results[1].tokens
        broken += not same and results[1].exactness == "bitwise"
        for side, result in enumerate(results):
            seconds[side] += result.stats.decode_s
            tokens[side] += len(result.tokens)
        _show(case["name"], *results, same=same)
    rates = [count / time for count, time in zip(tokens, seconds, strict=True)]
    print(f"all prompts: {rates[0]:.1f} -> {rates[1]:.1f} tokens/s, {rates[1] / rates[0]:.2f} times")
    return 1 if broken else 0


def _show(name: str, plain: Result, fast: Result, *, same: bool) -> None:
    print(f"--- {name} ({plain.prompt_tokens} prompt tokens, {plain.exactness})")
    print("\n".join(f"    {line}" for line in fast.text.strip().splitlines()[:6]))
    for result in (plain, fast):
        stats = result.stats
        print(f"{result.method:>10}: {stats.tokens_per_s:6.1f} tokens/s, MAT {stats.mat:.2f}")
    print(f"    tokens: {'identical' if same else 'DIFFERENT'} ({len(plain.tokens)})\n")
