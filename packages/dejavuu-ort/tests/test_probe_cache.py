"""Findings are kept per model and machine; a bad file means measuring again, never a crash."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from ort_helpers import DATA

from dejavuu_ort import OrtVerifier, probe_cache
from dejavuu_ort.exactness import Finding
from dejavuu_ort.graph import Graph
from dejavuu_ort.manifest import Manifest
from dejavuu_ort.runtime import Runtime

FOUND = Finding(True, 100, 3, 0.25)


@pytest.fixture(scope="module")
def graph() -> Graph:
    """Give a loaded graph to make keys of."""
    return Graph.load(Manifest.read(DATA / "tiny"), Runtime(threads=1), max_rows=4)


@pytest.fixture
def kept(graph: Graph, cache_folder: Path) -> Path:
    """Keep a finding; gives its file."""
    probe_cache.store(probe_cache.key_of(graph), FOUND)
    (path,) = (cache_folder / "probes").iterdir()
    return path


def test_what_was_stored_is_loaded(graph: Graph, kept: Path) -> None:
    assert probe_cache.load(probe_cache.key_of(graph)) == FOUND
    assert kept.suffix == ".json"


def test_a_second_load_measures_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    first = OrtVerifier.from_pretrained(DATA / "loose", max_rows=4)
    monkeypatch.setattr("dejavuu_ort.verifier.probe", None)  # calling it would fail
    second = OrtVerifier.from_pretrained(DATA / "loose", max_rows=4)
    assert first.finding == second.finding
    assert second.capabilities.exactness == "approximate"


@pytest.mark.parametrize(
    "change",
    [
        {"runtime": Runtime(threads=2)},
        {"runtime": Runtime(threads=1, config={"session.intra_op.allow_spinning": "0"})},
        {"max_rows": 5},
        {"manifest": replace(Manifest.read(DATA / "tiny"), digest="other")},
    ],
)
def test_another_setting_is_another_measurement(
    graph: Graph, kept: Path, change: dict[str, object]
) -> None:
    other = replace(graph, **change)  # type: ignore[arg-type]
    assert probe_cache.load(probe_cache.key_of(other)) is None


@pytest.mark.parametrize("name", ["onnxruntime", "processor", "cpus", "providers"])
def test_the_key_holds_the_machine(graph: Graph, name: str) -> None:
    assert probe_cache.key_of(graph)[name]


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "{}",
        b"\xff\xfe".decode("latin-1"),
        json.dumps({"key": {}, "finding": {"measured": True}}),
    ],
)
def test_a_damaged_file_means_measuring_again(graph: Graph, kept: Path, content: str) -> None:
    kept.write_text(content, encoding="latin-1")
    assert probe_cache.load(probe_cache.key_of(graph)) is None


@pytest.mark.parametrize(
    "wrong",
    [
        None,
        {"measured": False, "compared": 1, "differing": 0, "largest": 0.0},
        {"measured": True, "compared": 0, "differing": 0, "largest": 0.0},
        {"measured": True, "compared": 1, "differing": "0", "largest": 0.0},
        {"measured": True, "compared": 1, "differing": 0},
    ],
)
def test_a_finding_that_makes_no_sense_is_not_believed(
    graph: Graph, kept: Path, wrong: object
) -> None:
    key = probe_cache.key_of(graph)
    kept.write_text(json.dumps({"key": key, "finding": wrong}))
    assert probe_cache.load(key) is None


def test_a_vanished_file_means_measuring_again(graph: Graph, kept: Path) -> None:
    kept.unlink()
    assert probe_cache.load(probe_cache.key_of(graph)) is None


def test_a_cache_that_cannot_be_written_is_a_warning(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    monkeypatch.setenv("DEJAVUU_CACHE", str(blocked))
    with pytest.warns(UserWarning, match="set DEJAVUU_CACHE to a folder that can be written"):
        found = OrtVerifier.from_pretrained(DATA / "tiny", max_rows=2)
    assert found.capabilities.exactness == "bitwise"


def test_a_write_that_fails_leaves_nothing_behind(
    graph: Graph, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "replace", full)
    with pytest.warns(UserWarning, match="no space left"):
        probe_cache.store({"another": 1}, FOUND)
    assert list(kept.parent.iterdir()) == [kept]
