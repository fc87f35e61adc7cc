"""SHA-256 of files."""

import hashlib
import re
from pathlib import Path

from dejavuu_core.errors import ModelError, UsageError

__all__ = ["demand_sha256", "file_record", "sha256_of"]


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file as lower-case hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def file_record(path: Path) -> dict[str, int | str]:
    """Return ``{"bytes": size, "sha256": hex}`` of a file."""
    return {"bytes": path.stat().st_size, "sha256": sha256_of(path)}


def demand_sha256(path: Path, expected: str) -> None:
    """Check a file against a hash.

    Raises:
        UsageError: ``expected`` is no hash.
        ModelError: The file is missing, or its hash differs.
    """
    if not re.fullmatch("[0-9a-fA-F]{64}", expected):
        raise UsageError(f"{expected!r} is no SHA-256; give its 64 hexadecimal digits.")
    if not path.is_file():
        raise ModelError(f"{str(path)!r} is not a file, so its SHA-256 cannot be checked.")
    found = sha256_of(path)
    if found != expected.lower():
        raise ModelError(
            f"{str(path)!r} has SHA-256 {found} and not {expected.lower()}; fetch it again."
        )
