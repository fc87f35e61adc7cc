"""The manifest of a built folder: what is in it, from what it was made, and its hashes."""

from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from dejavuu_build.digest import file_record, sha256_of
from dejavuu_build.json_file import read_json
from dejavuu_build.precision import Precision
from dejavuu_build.spec import DecoderSpec
from dejavuu_build.text_parts import TextParts
from dejavuu_core.errors import ModelError

__all__ = [
    "GRAPH",
    "MANIFEST",
    "TREE_GRAPH",
    "Contents",
    "describe",
    "read_manifest",
    "verify_folder",
]

MANIFEST = "manifest.json"
GRAPH = "decoder.onnx"  # for chains
TREE_GRAPH = "decoder_tree.onnx"  # the same weights file, with a bias for trees
_FORMAT, _FORMAT_VERSION = "dejavuu-decoder", 2
_TOOLS = ("dejavuu-build", "gguf", "numpy", "onnx-ir", "onnxruntime", "tokenizers")


@dataclass(frozen=True)
class Contents:
    """What a folder was built from.

    Attributes:
        spec: The decoder.
        precision: How its matrices are stored.
        text: Its tokenizer and end tokens.
        max_context: Tokens that the graph's rotary table covers.
        hidden_layer: Block whose residual stream is an output, or None.
        sources: The files that the weights came from.
    """

    spec: DecoderSpec
    precision: Precision
    text: TextParts
    max_context: int
    hidden_layer: int | None
    sources: tuple[Path, ...]


def describe(contents: Contents, folder: Path) -> dict[str, Any]:
    """Return the manifest of ``folder``, hashing every file in it and every source."""
    spec, precision, text = contents.spec, contents.precision, contents.text
    blocks = precision.name != "fp32"
    return {
        "format": _FORMAT,
        "format_version": _FORMAT_VERSION,
        "model_type": spec.family,
        "vocab_size": spec.vocab_size,
        "hidden_size": spec.hidden_size,
        "layers": spec.layers,
        "heads": spec.heads,
        "kv_heads": spec.kv_heads,
        "head_dim": spec.head_dim,
        "max_context": contents.max_context,
        "precision": precision.name,
        "bits": precision.bits,
        "block_size": precision.block if blocks else None,
        "symmetric": precision.symmetric if blocks else None,
        "tied": spec.tied,
        "spare_row": True,
        "hidden_layer": contents.hidden_layer,
        "graph": GRAPH,
        "tree_graph": TREE_GRAPH,
        "bos_token_id": text.bos[0] if text.bos else None,
        "add_bos": text.add_bos,
        "eos_token_ids": list(text.eos_ids),
        "sources": [{"name": path.name, **file_record(path)} for path in contents.sources],
        "files": {path.name: file_record(path) for path in sorted(folder.iterdir())},
        "versions": {tool: version(tool) for tool in _TOOLS},
        "options": {"table_bits": precision.table_bits},
        "parity": None,
    }


def read_manifest(folder: Path) -> dict[str, Any]:
    """Read the manifest of a built folder.

    Raises:
        ModelError: It is missing, or is not one of this format and version.
    """
    manifest = read_json(folder / MANIFEST)
    found = (manifest.get("format"), manifest.get("format_version"))
    if found != (_FORMAT, _FORMAT_VERSION):
        raise ModelError(
            f"{str(folder / MANIFEST)!r} is of format {found[0]!r} version {found[1]!r}; only "
            f"{_FORMAT!r} version {_FORMAT_VERSION} can be used. Build the folder again."
        )
    return manifest


def verify_folder(folder: Path) -> int:
    """Hash every file of a built folder again.

    Returns:
        The number of files checked.

    Raises:
        ModelError: A file is missing or differs from the manifest; the first one is named.
    """
    files: dict[str, dict[str, Any]] = read_manifest(folder)["files"]
    for name, record in files.items():
        path = folder / name
        if not path.is_file():
            raise ModelError(f"{name!r} is missing from {str(folder)!r}; build the folder again.")
        if path.stat().st_size != record["bytes"] or sha256_of(path) != record["sha256"]:
            raise ModelError(
                f"{name!r} in {str(folder)!r} is not the file that was built; build it again."
            )
    return len(files)
