"""Real models for the benchmark: fetched and built once, kept in the cache."""

import argparse
import sys
from pathlib import Path

from bench.sources import SOURCES, Source
from bench.weights import fetch
from dejavuu_build.build import BuildOptions, build_folder
from dejavuu_build.manifest import read_manifest
from dejavuu_build.precision import BITS, Precision
from dejavuu_core.errors import ModelError, UnknownNameError
from dejavuu_core.home import demo_model_folder

__all__ = ["DEMO", "HELP", "add_arguments", "ensure_model", "model_or_demo", "run"]

HELP = "fetch and build one of the benchmark's models; prints its folder"
DEMO = "smollm2-135m-instruct"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("name", help=f"one of {', '.join(SOURCES)}")
    parser.add_argument("--precision", choices=BITS, default="int4")
    parser.add_argument(
        "--weights", action="store_true", help="fetch only; prints the GGUF file instead"
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    if arguments.weights:
        print(fetch(_source(arguments.name)))
    else:
        print(ensure_model(arguments.name, arguments.precision))
    return 0


def model_or_demo(folder: Path | None) -> Path:
    """Give ``folder``, or the demo model, built if it is missing."""
    return ensure_model(DEMO, "int4") if folder is None else folder


def ensure_model(name: str, precision: str) -> Path:
    """Give the folder of a model, fetched and built if it is not there.

    Raises :class:`UnknownNameError` for a name that is not in the table, and
    :class:`ModelError` where the weights cannot be had or are not the right ones.
    """
    source = _source(name)
    folder = demo_model_folder().parent / f"{name}-{precision}"
    if _is_current(folder):
        return folder
    weights = fetch(source)
    print(f"building {folder.name}", file=sys.stderr)
    options = BuildOptions(_precision(source, precision), sha256=source.sha256, force=True)
    build_folder(weights, folder, options)
    return folder


def _source(name: str) -> Source:
    source = SOURCES.get(name)
    if source is None:
        raise UnknownNameError(f"model {name!r} is not known; available: {', '.join(SOURCES)}")
    return source


def _is_current(folder: Path) -> bool:
    """Whether a folder was built in the format of today; the cache may hold older ones."""
    if not folder.is_dir():
        return False
    try:
        read_manifest(folder)
    except ModelError as error:
        print(f"{folder.name} is built again: {error}", file=sys.stderr)
        return False
    return True


def _precision(source: Source, name: str) -> Precision:
    if name == "int4":
        return Precision(name, table_bits=source.table_bits)
    return Precision(name, symmetric=name == "int8")
