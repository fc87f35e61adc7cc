"""Findings of the probe on disk, so that a machine measures a model once."""

import hashlib
import json
import os
import platform
import tempfile
import warnings
from dataclasses import asdict
from pathlib import Path

from dejavuu_core.home import cache_folder
from dejavuu_ort.exactness import CONTEXTS, Finding
from dejavuu_ort.graph import Graph

__all__ = ["key_of", "load", "processor", "store"]

_VERSION = 1  # raise it when the probe looks at something else


def key_of(graph: Graph) -> dict[str, object]:
    """Give all that a finding depends on, as plain JSON data."""
    return {
        "version": _VERSION,
        "model": graph.manifest.digest,
        "processor": processor(),
        "max_rows": graph.max_rows,
        "contexts": list(CONTEXTS),
        **graph.runtime.describe(),
    }


def load(key: dict[str, object]) -> Finding | None:
    """Give what was found for ``key``; None where nothing, or nothing readable, was kept."""
    try:
        kept = json.loads(_path(key).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(kept, dict) or kept.get("key") != key:
        return None
    return _finding(kept.get("finding"))


def store(key: dict[str, object], finding: Finding) -> None:
    """Keep ``finding`` for ``key``, whole or not at all; warns where that cannot be."""
    path = _path(key)
    text = json.dumps({"key": key, "finding": asdict(finding)}, indent=1) + "\n"
    try:
        _write(path, text)
    except OSError as error:
        warnings.warn(
            f"the measured exactness cannot be kept ({error}), so the next load measures again; "
            f"set DEJAVUU_CACHE to a folder that can be written",
            stacklevel=2,
        )


def processor() -> str:
    """Give a digest of the processor's model and abilities; kernels are chosen by them."""
    facts = [platform.machine(), platform.processor()]
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith(("model name", "flags", "Features", "CPU part")):
                facts.append(line)
            if not line:  # the first core speaks for all
                break
    except OSError:
        facts.append(platform.platform())
    return hashlib.sha256("\n".join(facts).encode()).hexdigest()[:16]


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:  # gone again, whatever happens
        young = Path(folder) / path.name
        young.write_text(text, encoding="utf-8")
        os.replace(young, path)


def _path(key: dict[str, object]) -> Path:
    name = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:24]
    return cache_folder() / "probes" / f"{name}.json"


def _finding(raw: object) -> Finding | None:
    if not isinstance(raw, dict):
        return None
    compared, differing, largest = (raw.get(k) for k in ("compared", "differing", "largest"))
    if not (isinstance(compared, int) and isinstance(differing, int) and compared > 0):
        return None
    if raw.get("measured") is not True or not isinstance(largest, float):
        return None
    return Finding(True, compared, differing, largest)
