"""The command line: ``build``, ``parity``, ``verify``."""

import argparse
import json
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dejavuu_build.build import BuildOptions, build_folder
from dejavuu_build.manifest import verify_folder
from dejavuu_build.parity import check_parity
from dejavuu_build.precision import BITS, Precision
from dejavuu_core.errors import DejavuuError, UsageError

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: Arguments without the program's name; None for those of the process.

    Returns:
        Exit code: 0 done, 1 failed, 2 wrong use.
    """
    try:
        arguments = _parser().parse_args(argv)
    except SystemExit as stop:  # argparse has already said what was wrong
        return int(stop.code or 0)
    # A polite kill cleans up like Ctrl-C does; without it the half-made folder would stay.
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        result, sentence = _COMMANDS[arguments.command](arguments)
    except UsageError as error:
        print(f"dejavuu_build: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("dejavuu_build: interrupted; nothing was left half-done.", file=sys.stderr)
        return 1
    except OSError as error:
        where = f" {str(error.filename)!r}" if error.filename else ""
        print(f"dejavuu_build:{where} cannot be used: {error.strerror}.", file=sys.stderr)
        return 1
    except DejavuuError as error:
        print(f"dejavuu_build: {error}", file=sys.stderr)
        return 1
    print(json.dumps(result, indent=2, ensure_ascii=False) if arguments.json else sentence)
    return 0


def _build(arguments: argparse.Namespace) -> tuple[dict[str, Any], str]:
    precision = Precision(
        arguments.precision,
        arguments.block_size,
        # 256 levels lose nothing by a fixed zero point, 16 levels do.
        symmetric=arguments.symmetric or arguments.precision == "int8",
        table_bits=arguments.table_bits,
    )
    options = BuildOptions(
        precision, arguments.max_context, arguments.hidden_layer, arguments.force, arguments.sha256
    )
    manifest = build_folder(arguments.source, arguments.out, options)
    size = sum(record["bytes"] for record in manifest["files"].values()) / 1e6
    sentence = (
        f"Built {manifest['model_type']} {manifest['precision']} in {arguments.out}: {size:.1f} MB."
    )
    return manifest, sentence


def _parity(arguments: argparse.Namespace) -> tuple[dict[str, Any], str]:
    parity = check_parity(arguments.folder, arguments.source, arguments.text, arguments.prompts)
    lines = (f"{key:>24}  {value}" for key, value in parity.items())
    return parity, "\n".join(lines)


def _verify(arguments: argparse.Namespace) -> tuple[dict[str, Any], str]:
    count = verify_folder(arguments.folder)
    return {"files": count}, f"All {count} files in {arguments.folder} are as built."


_COMMANDS = {"build": _build, "parity": _parity, "verify": _verify}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m dejavuu_build", description="Make and prove ONNX decoder graphs."
    )
    commands = parser.add_subparsers(dest="command", required=True)

    build = commands.add_parser("build", help="make a decoder graph and what belongs beside it")
    build.add_argument("source", type=Path, help="a GGUF file or a local Hugging Face folder")
    build.add_argument("--out", type=Path, required=True, help="folder to make")
    build.add_argument("--precision", choices=BITS, default="int4")
    build.add_argument("--block-size", type=int, default=32, help="weights that share a scale")
    build.add_argument("--symmetric", action="store_true", help="int4 without zero points")
    build.add_argument(
        "--table-bits", type=int, choices=(4, 8), help="bits of embedding and head, if others"
    )
    build.add_argument(
        "--hidden-layer", type=int, help="block whose output the graph gives, from 0"
    )
    build.add_argument("--max-context", type=int, help="tokens the graph can hold at most")
    build.add_argument("--sha256", help="hash that the source file must have")
    build.add_argument("--force", action="store_true", help="replace a built folder")

    parity = commands.add_parser("parity", help="compare a graph with its source's float32 weights")
    parity.add_argument("folder", type=Path, help="a built folder")
    parity.add_argument("--source", type=Path, required=True, help="what it was built from")
    parity.add_argument("--text", type=Path, help="text for logits and perplexity")
    parity.add_argument("--prompts", type=Path, help='JSON lines with a "prompt" each')

    verify = commands.add_parser("verify", help="hash a built folder's files again")
    verify.add_argument("folder", type=Path, help="a built folder")
    for command in (build, parity, verify):
        command.add_argument("--json", action="store_true", help="print JSON")
    return parser
