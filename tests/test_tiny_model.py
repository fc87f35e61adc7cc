"""All packages together on a graph of random weights: built, loaded, probed, decoded."""

import pytest

from bench.rowcheck import check_rows
from dejavuu_build.build import BuildOptions, build_folder
from dejavuu_build.precision import Precision
from dejavuu_build.tiny import write_tiny_checkpoint
from dejavuu_core import DejaVu
from dejavuu_core.registry import available_verifiers


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    folder = tmp_path_factory.mktemp("checkpoint") / "source"
    write_tiny_checkpoint(folder)
    return folder


@pytest.fixture(params=["fp32", "int8", "int4"])
def model(request, checkpoint, tmp_path, monkeypatch):
    monkeypatch.setenv("DEJAVUU_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / request.param
    precision = Precision(request.param, symmetric=request.param == "int8")
    build_folder(checkpoint, folder, BuildOptions(precision))
    return DejaVu.from_pretrained(folder, method="pld", max_rows=16)


def test_the_backend_is_announced():
    assert "ort" in available_verifiers()


def test_drafts_change_nothing(model):
    plain = model.with_method("baseline")
    for prompt in ("abcabcabcabcabc", "the cat sat on the mat, the cat", [1, 2, 3, 1, 2, 3, 1]):
        fast = model.generate(prompt, max_new_tokens=60)
        assert fast.tokens == plain.generate(prompt, max_new_tokens=60).tokens
        assert fast.exactness == "bitwise"
        assert fast.text == plain.generate(prompt, max_new_tokens=60).text


def test_the_exactness_command_finds_nothing(model):
    checks = list(check_rows(model.verifier, 10, 16))
    assert [check for check in checks if check.different] == []
    assert all(check.compared for check in checks)
