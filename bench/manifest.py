"""What a result was measured with."""

import os
import platform
import subprocess
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from dejavuu_build.digest import sha256_of
from dejavuu_core import DejaVu

__all__ = ["manifest_of"]

_PACKAGES = ("dejavuu-core", "dejavuu-ort", "dejavuu-build", "onnxruntime", "numpy", "tokenizers")
_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "OPENBLAS_NUM_THREADS")


def manifest_of(
    model: DejaVu, folder: Path, data: Path, options: Mapping[str, object]
) -> dict[str, object]:
    """Give machine, versions, git id, hashes and options of a run, for JSON."""
    return {
        "machine": {
            "processor": _processor(),
            "cores": os.cpu_count(),
            "system": f"{platform.system()} {platform.machine()}",
            "environment": {name: os.environ[name] for name in _VARIABLES if name in os.environ},
        },
        "python": platform.python_version(),
        "versions": {name: _version(name) for name in _PACKAGES},
        "git": _git(),
        "model": {
            "name": folder.name,
            # The manifest lists the hash of every file, so its own hash stands for all.
            "manifest_sha256": _sha256(folder / "manifest.json"),
            "exactness": model.verifier.capabilities.exactness,
            "max_rows": model.verifier.capabilities.max_rows,
        },
        "data": {"name": data.name, "sha256": _sha256(data)},
        "options": dict(options),
    }


def _processor() -> str:
    """Give the processor's name as Linux tells it, or what Python knows."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor())


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _git() -> str | None:
    """Give the commit, with ``-dirty`` behind it where files were changed."""
    words = ["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude", "*"]
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    return done.stdout.strip() or None


def _sha256(path: Path) -> str | None:
    return sha256_of(path) if path.is_file() else None
