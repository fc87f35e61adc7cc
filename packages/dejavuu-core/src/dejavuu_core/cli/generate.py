"""``generate``: write what follows one prompt."""

import argparse

from dejavuu_core.cli.table import print_json
from dejavuu_core.contract import Message
from dejavuu_core.errors import UsageError
from dejavuu_core.facade import DejaVu, Prompt, Result

__all__ = ["HELP", "add_arguments", "run"]

HELP = "write what follows a prompt"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("prompt", help="the text to go on from")
    parser.add_argument("--chat", action="store_true", help="put the prompt as a chat message")
    parser.add_argument("--model", metavar="DIR", help="model folder (default: the demo model)")
    parser.add_argument("--backend", default="ort", help="who runs the model (default: ort)")
    parser.add_argument("--method", default="pld", help="how to draft (default: pld)")
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option of the method, such as num_pred=8; may be repeated",
    )
    parser.add_argument("--max-new-tokens", type=int, default=128, metavar="N")
    parser.add_argument("--threads", type=int, metavar="N", help="threads of the backend")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(arguments: argparse.Namespace) -> None:
    """Run the command."""
    backend_options = {} if arguments.threads is None else {"threads": arguments.threads}
    model = DejaVu.from_pretrained(
        arguments.model,
        backend=arguments.backend,
        method=arguments.method,
        method_options=dict(_option(text) for text in arguments.option),
        **backend_options,
    )
    message: Message = {"role": "user", "content": arguments.prompt}
    prompt: Prompt = [message] if arguments.chat else arguments.prompt
    result = model.generate(prompt, max_new_tokens=arguments.max_new_tokens)
    if arguments.json:
        print_json(result.to_dict())
    else:
        print(result.text)
        print(_summary(result))


def _option(text: str) -> tuple[str, object]:
    """Read ``name=value``; a value is a whole number, true, false, or a word."""
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise UsageError(f"option {text!r} is not of the form NAME=VALUE, such as num_pred=8")
    if value in ("true", "false"):
        return name, value == "true"
    try:
        return name, int(value)
    except ValueError:
        return name, value


def _summary(result: Result) -> str:
    stats = result.stats
    return (
        f"\n[{result.method} on {result.backend}, {result.exactness}: {stats.new_tokens} tokens "
        f"in {stats.steps} steps, MAT {stats.mat:.2f}, {stats.tokens_per_s:.1f} tokens/s, "
        f"ended by {result.finish_reason}]"
    )
