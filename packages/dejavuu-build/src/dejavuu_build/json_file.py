"""JSON files: read with clear errors, written the same way every time."""

import json
from pathlib import Path
from typing import Any

from dejavuu_core.errors import ModelError

__all__ = ["read_json", "write_json"]


def read_json(path: Path) -> dict[str, Any]:
    """Read an object.

    Raises:
        ModelError: The file is missing, is not JSON, or holds no object.
    """
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ModelError(f"There is no file {str(path)!r}.") from None
    except ValueError as error:
        raise ModelError(f"{str(path)!r} is not JSON: {error}.") from None
    if not isinstance(value, dict):
        raise ModelError(f"{str(path)!r} holds no JSON object.")
    return value


def write_json(path: Path, value: dict[str, Any]) -> None:
    """Write an object, whole or not at all."""
    # A reader, or a crash in the middle, must never see half a file.
    partial = path.with_name(path.name + ".part")
    partial.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    partial.replace(path)
