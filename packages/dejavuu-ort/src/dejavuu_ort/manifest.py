"""The manifest of a decoder folder: what its files are and what the graph takes."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dejavuu_core.errors import ModelError

__all__ = ["FORMAT", "FORMAT_VERSION", "Manifest", "read_json"]

FORMAT = "dejavuu-decoder"
FORMAT_VERSION = 2


@dataclass(frozen=True, slots=True)
class Manifest:
    """What ``manifest.json`` says, checked against the sizes of the files beside it."""

    folder: Path
    graph: str
    """Name of the graph file, for chains."""
    tree_graph: str
    """Name of the graph file that takes a bias, on the same weights."""
    vocab_size: int
    hidden_size: int
    layers: int
    kv_heads: int
    head_dim: int
    max_context: int
    eos_token_ids: tuple[int, ...]
    bos_token_id: int | None
    add_bos: bool
    digest: str
    """Hex digest over the names, sizes and hashes of all listed files."""

    @classmethod
    def read(cls, folder: Path) -> "Manifest":
        """Read the manifest in ``folder`` and check that its files are whole.

        Sizes are checked, hashes are not: ``dejavuu-build verify`` does that.
        Raises :class:`ModelError` for a folder or file that is missing, cut or of another format.
        """
        if folder.is_file():
            raise ModelError(
                f"{str(folder)!r} is a file; build a folder from it with dejavuu-build first"
            )
        if not folder.is_dir():
            raise ModelError(
                f"there is no model folder {str(folder)!r}; give the path of a folder that "
                f"dejavuu-build made"
            )
        raw = read_json(folder / "manifest.json", "build the folder with dejavuu-build")
        _check_format(raw, folder)
        files = _files(raw, folder)
        bos = raw.get("bos_token_id")
        return cls(
            folder=folder,
            graph=_listed(raw, "graph", folder),
            tree_graph=_listed(raw, "tree_graph", folder),
            vocab_size=_count(raw, "vocab_size", folder),
            hidden_size=_count(raw, "hidden_size", folder),
            layers=_count(raw, "layers", folder),
            kv_heads=_count(raw, "kv_heads", folder),
            head_dim=_count(raw, "head_dim", folder),
            max_context=_count(raw, "max_context", folder),
            eos_token_ids=_ids(raw, "eos_token_ids", folder),
            bos_token_id=bos if isinstance(bos, int) else None,
            add_bos=raw.get("add_bos") is True,
            digest=hashlib.sha256(json.dumps(files, sort_keys=True).encode()).hexdigest(),
        )


def read_json(path: Path, way_out: str) -> dict[str, object]:
    """Read one JSON object.

    Raises :class:`ModelError` where the file is missing or holds something else.
    """
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ModelError(
            f"the model folder {str(path.parent)!r} has no {path.name}; {way_out}"
        ) from None
    except (OSError, ValueError) as error:
        raise ModelError(f"{str(path)!r} cannot be read ({error}); {way_out}") from error
    if not isinstance(raw, dict):
        raise ModelError(f"{str(path)!r} is not a JSON object; {way_out}")
    return raw


def _check_format(raw: Mapping[str, object], folder: Path) -> None:
    found = (raw.get("format"), raw.get("format_version"))
    if found != (FORMAT, FORMAT_VERSION):
        raise ModelError(
            f"the manifest in {str(folder)!r} has format {found[0]!r} version {found[1]!r}, this "
            f"release reads {FORMAT!r} version {FORMAT_VERSION}; build the folder again"
        )


def _files(raw: Mapping[str, object], folder: Path) -> Mapping[str, object]:
    files = raw.get("files")
    if not isinstance(files, dict) or not files:
        raise _wrong("files", files, folder)
    for name, entry in files.items():
        if Path(name).name != name:
            raise _wrong("files", name, folder)
        size = entry.get("bytes") if isinstance(entry, dict) else None
        if not isinstance(size, int):
            raise _wrong(f"files[{name!r}]", entry, folder)
        _check_size(folder / name, size)
    return files


def _check_size(path: Path, size: int) -> None:
    if not path.is_file():
        raise ModelError(
            f"the model folder {str(path.parent)!r} has no {path.name}, which its manifest lists; "
            f"build the folder again"
        )
    found = path.stat().st_size
    if found != size:
        raise ModelError(
            f"{str(path)!r} has {found} bytes and its manifest says {size}; the copy is cut or "
            f"changed, so copy or build the folder again"
        )


def _count(raw: Mapping[str, object], key: str, folder: Path) -> int:
    value = raw.get(key)
    if not isinstance(value, int) or value < 1:
        raise _wrong(key, value, folder)
    return value


def _listed(raw: Mapping[str, object], key: str, folder: Path) -> str:
    """Give a file's name; only what the manifest lists, in the folder itself, is ever loaded."""
    value, files = raw.get(key), raw.get("files")
    if not isinstance(value, str) or not isinstance(files, dict) or value not in files:
        raise _wrong(key, value, folder)
    return value


def _ids(raw: Mapping[str, object], key: str, folder: Path) -> tuple[int, ...]:
    value, vocab = raw.get(key), _count(raw, "vocab_size", folder)
    if not isinstance(value, list) or not all(
        isinstance(item, int) and 0 <= item < vocab for item in value
    ):
        raise _wrong(key, value, folder)
    return tuple(value)


def _wrong(key: str, value: object, folder: Path) -> ModelError:
    return ModelError(
        f"the manifest in {str(folder)!r} says {key} = {value!r}, which cannot be used; build the "
        f"folder again"
    )
