"""Where dejavuu keeps what it can make again: measured probes and the demo model."""

import os
from pathlib import Path

from dejavuu_core.errors import ModelError

__all__ = ["cache_folder", "default_model", "demo_model_folder"]


def cache_folder() -> Path:
    """Give the cache folder (it may not exist): ``DEJAVUU_CACHE``, else the user's own cache."""
    named = os.environ.get("DEJAVUU_CACHE")
    if named:
        return Path(named).expanduser()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "dejavuu"


def demo_model_folder() -> Path:
    """Give the folder where ``make demo`` puts its model."""
    return cache_folder() / "models" / "smollm2-135m-instruct-int4"


def default_model() -> Path:
    """Give the model that is meant where none is named: ``DEJAVUU_MODEL``, else the demo's.

    Raises :class:`ModelError` where neither is there.
    """
    named = os.environ.get("DEJAVUU_MODEL")
    if named:
        return Path(named).expanduser()
    demo = demo_model_folder()
    if (demo / "manifest.json").is_file():
        return demo
    raise ModelError(
        "no model was named and the demo model is not built; give --model DIR, set "
        "DEJAVUU_MODEL, or run `make demo` once in a checkout of dejavuu"
    )
