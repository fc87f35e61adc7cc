"""A folder that appears whole or not at all."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dejavuu_core.errors import UsageError

__all__ = ["check_free", "output_folder"]


@contextmanager
def output_folder(path: Path, force: bool) -> Iterator[Path]:
    """Yield a temporary sibling of ``path`` that takes its place if the block succeeds.

    Args:
        path: The folder to make.
        force: True to replace what is there.

    Raises:
        UsageError: There is something at ``path`` and ``force`` is False, or it is not a built
            folder and so nothing that may be replaced.
    """
    check_free(path, force)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    try:
        temporary.chmod(0o755)  # mkdtemp's folders are private, a model is not
        yield temporary
        check_free(path, force)  # somebody else may have been faster
        _replace(temporary, path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _replace(new: Path, path: Path) -> None:
    """Put ``new`` in the place of ``path``; what was there comes back if that fails."""
    if not path.exists():
        new.rename(path)
        return
    old = new.with_name(new.name + ".old")
    path.rename(old)
    try:
        new.rename(path)
    except OSError:
        old.rename(path)
        raise
    shutil.rmtree(old)


def check_free(path: Path, force: bool) -> None:
    """Check that a folder may be made at ``path``.

    Raises:
        UsageError: See ``output_folder``.
    """
    if not path.exists():
        return
    if not force:
        raise UsageError(f"{str(path)!r} exists; give --force to replace it, or another --out.")
    if not (path / "manifest.json").is_file() and (path.is_file() or any(path.iterdir())):
        raise UsageError(f"{str(path)!r} is not a built folder, so --force does not replace it.")
