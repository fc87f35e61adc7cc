"""An environment for one peer, apart from ours: its packages never meet our own."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from dejavuu_core.errors import ModelError

__all__ = ["ensure_environment"]


def ensure_environment(name: str, groups: Sequence[Sequence[str]]) -> Path:
    """Give the Python of ``.venvs/name``, made with the requirements of ``groups`` in order.

    An environment that was made with other requirements is filled again.
    Raises :class:`ModelError` where the packages cannot be had.
    """
    folder = Path(".venvs") / name
    python, stamp = folder / "bin" / "python", folder / "requirements.txt"
    wanted = "".join(f"{requirement}\n" for group in groups for requirement in group)
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted:
        return python
    print(f"installing {name} into {folder}; this takes minutes", file=sys.stderr)
    _run([sys.executable, "-m", "venv", str(folder)])
    for group in groups:
        _run([str(python), "-m", "pip", "install", "--quiet", *group])
    stamp.write_text(wanted, encoding="utf-8")
    return python


def _run(words: list[str]) -> None:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise ModelError(f"{' '.join(words[:4])} failed: {last}; check the package index")
