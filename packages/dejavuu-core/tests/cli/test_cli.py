"""The command line: what it prints, and its exit codes."""

import json
import subprocess
import sys

import pytest

from dejavuu_core.cli import main
from dejavuu_core.home import demo_model_folder


@pytest.fixture(autouse=True)
def acme(tmp_path, monkeypatch):
    info = tmp_path / "acme-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[dejavuu.verifiers]\nacme = dejavuu_core.testing:OracleVerifier\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("DEJAVUU_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("DEJAVUU_MODEL", raising=False)


def run(capsys, *words):
    code = main(words)
    out, err = capsys.readouterr()
    return code, out, err


def test_generate_as_json(capsys):
    words = ("generate", "abcabc", "--model", "x", "--backend", "acme", "--json")
    code, out, _ = run(capsys, *words, "--max-new-tokens", "6", "--option", "num_pred=3")
    assert code == 0
    assert len(json.loads(out)["tokens"]) == 6


def test_a_bare_prompt_generates(capsys):
    code, out, _ = run(capsys, "abc", "--model", "x", "--backend", "acme", "--chat")
    assert code == 0
    assert "[pld on acme, argmax: " in out


def test_methods_and_plugins(capsys):
    code, out, _ = run(capsys, "methods", "--json")
    assert code == 0
    keys = {"name", "summary", "paper", "needs", "branches", "history"}
    assert all(set(row) == keys for row in json.loads(out))
    assert run(capsys, "methods")[1].splitlines()[1].startswith("baseline")
    code, out, _ = run(capsys, "plugins", "--json")
    assert ("acme", "acme 1.0") in {(row["name"], row["package"]) for row in json.loads(out)}
    assert "acme 1.0" in run(capsys, "plugins")[1]


@pytest.mark.parametrize(
    ("words", "code", "complaint"),
    [
        (["x", "--model", "x", "--backend", "nix"], 2, "'nix' is misspelled or not installed"),
        (["x", "--model", "x", "--backend", "acme", "--method", "no"], 2, "drafter 'no'"),
        (["x", "--model", "x", "--backend", "acme", "--max-new-tokens", "0"], 2, "at least 1"),
        (["", "--model", "x", "--backend", "acme"], 2, "empty"),
        (["x", "--backend", "acme"], 1, "make demo"),
        (["x", "--model", "x", "--backend", "acme", "--option", "n"], 2, "NAME=VALUE"),
        (["x", "--model", "x", "--backend", "acme", "--option", "partial=no"], 2, "true or false"),
        (["x", "--model", "x", "--backend", "acme", "--option", "num_pred=--5"], 2, "'--5'"),
        (["method"], 2, "did you mean 'methods'"),
        (["a\udcff", "--model", "x", "--backend", "acme"], 2, "no character"),
        (["x", "--model", "x", "--backend", "acme", "--threads", "2"], 2, "no option 'threads'"),
    ],
)
def test_mistakes_are_one_sentence(capsys, words, code, complaint):
    got, _, err = run(capsys, *words)
    assert got == code
    assert complaint in err
    assert err.count("\n") == 1


def test_the_demo_model_is_the_default(capsys):
    folder = demo_model_folder()
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text("{}")
    assert run(capsys, "x", "--backend", "acme")[0] == 0


def test_a_file_that_cannot_be_used_is_named(capsys, monkeypatch):
    def fail(arguments):
        raise PermissionError(13, "Permission denied", "some/model")

    monkeypatch.setattr("dejavuu_core.cli.methods.run", fail)
    code, _, err = run(capsys, "methods")
    assert (code, err) == (1, "dejavuu: 'some/model' cannot be used (Permission denied)\n")


def test_output_that_cannot_be_written_is_one_sentence():
    words = [sys.executable, "-m", "dejavuu_core", "methods"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "cannot be written" in done.stderr
