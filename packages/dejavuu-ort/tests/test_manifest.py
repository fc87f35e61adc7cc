"""A folder that cannot be run is refused in one sentence."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from dejavuu_core.errors import ModelError
from dejavuu_ort import OrtVerifier
from dejavuu_ort.manifest import Manifest

Change = Callable[[dict[str, object]], object]


def change(folder: Path, change: Change) -> None:
    """Edit the manifest in ``folder``."""
    path = folder / "manifest.json"
    raw = json.loads(path.read_text())
    change(raw)
    path.write_text(json.dumps(raw))


def test_it_says_what_the_graph_is(model_folder: Path) -> None:
    manifest = Manifest.read(model_folder)
    assert (manifest.vocab_size, manifest.layers, manifest.head_dim) == (320, 2, 16)
    assert manifest.eos_token_ids == (0, 2)


def test_the_digest_follows_the_weights_alone(model_folder: Path) -> None:
    before = Manifest.read(model_folder).digest
    change(model_folder, lambda raw: raw.update(precision="other"))
    assert Manifest.read(model_folder).digest == before
    change(model_folder, lambda raw: raw["files"]["decoder.onnx"].update(sha256="0"))  # type: ignore[index]
    assert Manifest.read(model_folder).digest != before


def test_an_unknown_path_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"there is no model folder '.*nowhere'; give the path"):
        OrtVerifier.from_pretrained(tmp_path / "nowhere")


def test_a_folder_without_manifest_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"has no manifest\.json; build the folder"):
        OrtVerifier.from_pretrained(tmp_path)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"format": "gguf"}, "format 'gguf' version 2"),
        ({"format_version": 3}, "version 3, this release reads"),
        ({"vocab_size": "many"}, "vocab_size = 'many'"),
        ({"layers": 0}, "layers = 0"),
        ({"graph": None}, "graph = None"),
        ({"eos_token_ids": 2}, "eos_token_ids = 2"),
        ({"eos_token_ids": [99999999]}, r"eos_token_ids = \[99999999\]"),
        ({"graph": "../decoder.onnx"}, "graph = '../decoder.onnx'"),
        ({"files": {"../x": {"bytes": 3}}}, "files = '../x'"),
        ({"files": {}}, "files = {}"),
        ({"files": {"decoder.onnx": {}}}, r"files\['decoder.onnx'\] = {}"),
        ({"files": {"gone.bin": {"bytes": 3}}}, r"has no gone\.bin, which its manifest lists"),
    ],
)
def test_a_manifest_that_makes_no_sense_is_refused(
    model_folder: Path, changed: dict[str, object], message: str
) -> None:
    change(model_folder, lambda raw: raw.update(changed))
    with pytest.raises(ModelError, match=message):
        OrtVerifier.from_pretrained(model_folder)


@pytest.mark.parametrize("content", ["{", "[]", "\udcff"])
def test_a_damaged_manifest_is_refused(model_folder: Path, content: str) -> None:
    raw = content.encode("utf-8", "surrogateescape")
    (model_folder / "manifest.json").write_bytes(raw)
    with pytest.raises(ModelError, match=r"manifest\.json"):
        OrtVerifier.from_pretrained(model_folder)


def test_a_cut_file_is_found_by_its_size(model_folder: Path) -> None:
    path = model_folder / "decoder.onnx.data"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ModelError, match="172799 bytes and its manifest says 172800"):
        OrtVerifier.from_pretrained(model_folder)
