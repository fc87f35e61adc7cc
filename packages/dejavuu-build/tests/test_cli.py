"""The command line and what it leaves on disk."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from dejavuu_build import build as build_module
from dejavuu_build.cli import main
from dejavuu_build.digest import sha256_of
from dejavuu_build.json_file import read_json
from dejavuu_build.tiny import write_tiny_checkpoint

Build = Callable[..., tuple[Path, Path]]
Capture = pytest.CaptureFixture[str]


def failed(capsys: Capture, code: int, *argv: object) -> str:
    """Run a command that must fail with ``code`` and one sentence; return the sentence."""
    assert main([str(part) for part in argv]) == code
    out, err = capsys.readouterr()
    assert not out
    assert err.count("\n") == 1
    assert "Traceback" not in err
    return err


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write_tiny_checkpoint(tmp_path / "source")


def test_build_then_verify_then_parity(source: Path, tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "deep" / "out"
    assert main(["build", str(source), "--out", str(out), "--precision", "int4", "--json"]) == 0
    manifest = json.loads(capsys.readouterr().out)
    assert manifest == read_json(out / "manifest.json")
    assert sorted(manifest["files"]) == [
        "config.json",
        "decoder.onnx",
        "decoder.onnx.data",
        "decoder_tree.onnx",
        "generation_config.json",
        "tokenizer.json",
        "tokenizer_config.json",
    ]
    assert manifest["eos_token_ids"] == [0, 2]
    assert (manifest["bits"], manifest["block_size"], manifest["symmetric"]) == (4, 32, False)
    assert manifest["parity"] is None
    assert main(["parity", str(out), "--source", str(source)]) == 0
    assert "top1_agreement" in capsys.readouterr().out
    parity = read_json(out / "manifest.json")["parity"]
    assert parity["tokens"] == 511  # one slot is left for a token to come
    assert 0.5 < parity["perplexity_graph"] / parity["perplexity_source"] < 2
    assert main(["verify", str(out)]) == 0
    assert "All 7 files" in capsys.readouterr().out


def test_fp32_parity_is_exact_enough(built: Build, tmp_path: Path, capsys: Capture) -> None:
    source, folder = built("qwen2", tied=False)
    text, prompts = tmp_path / "text.txt", tmp_path / "prompts.jsonl"
    text.write_text("some text to read, with 123 numbers")
    prompts.write_text('{"prompt": "abc"}\n{"prompt": "hello there"}\n')
    argv = ["parity", str(folder), "--source", str(source), "--json"]
    assert main([*argv, "--text", str(text), "--prompts", str(prompts)]) == 0
    parity = json.loads(capsys.readouterr().out)
    assert parity["max_abs_logit_diff"] < 1e-3
    assert parity["top1_agreement"] == 1.0
    assert parity["greedy_equal"] == parity["greedy_tokens"] == 64


def test_parity_refuses_what_it_cannot_use(built: Build, tmp_path: Path, capsys: Capture) -> None:
    source, folder = built()
    argv = ("parity", folder, "--source", source)
    other = write_tiny_checkpoint(tmp_path / "other", seed=1)
    assert "not the one" in failed(capsys, 1, "parity", folder, "--source", other)
    assert "There is no file" in failed(capsys, 2, *argv, "--text", tmp_path / "none")
    bad = tmp_path / "bad"
    bad.write_text("x")
    assert "has 1 tokens" in failed(capsys, 2, *argv, "--text", bad)
    assert "Line 1" in failed(capsys, 2, *argv, "--prompts", bad)
    bad.write_bytes(b"\xff\xfe\xff")
    assert "not UTF-8" in failed(capsys, 2, *argv, "--text", bad)


def test_existing_folder_needs_force(source: Path, tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "out"
    argv = ("build", source, "--out", out, "--precision", "fp32")
    assert main([str(part) for part in argv]) == 0
    capsys.readouterr()
    before = (out / "decoder.onnx").stat().st_ino
    assert "--force" in failed(capsys, 2, *argv)
    assert (out / "decoder.onnx").stat().st_ino == before
    assert main([*map(str, argv), "--force"]) == 0
    assert (out / "decoder.onnx").stat().st_ino != before
    capsys.readouterr()
    (out / "manifest.json").unlink()
    assert "is not a built folder" in failed(capsys, 2, *argv, "--force")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out", "source"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError("disk full")])
def test_an_interrupted_build_leaves_nothing(
    source: Path,
    tmp_path: Path,
    capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
) -> None:
    def stop(*_: object) -> None:
        raise error

    monkeypatch.setattr(build_module, "describe", stop)  # the last step, with all files written
    failed(capsys, 1, "build", source, "--out", tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["source"]


def test_same_inputs_give_the_same_bytes(source: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        assert main(["build", str(source), "--out", str(tmp_path / name)]) == 0
    files = [path.name for path in (tmp_path / "a").iterdir()]
    assert len(files) == 8
    assert [sha256_of(tmp_path / "a" / f) for f in files] == [
        sha256_of(tmp_path / "b" / f) for f in files
    ]


def test_wrong_choices(source: Path, tmp_path: Path, capsys: Capture) -> None:
    argv = ("build", source, "--out", tmp_path / "out")
    assert "Block size 128" in failed(capsys, 2, *argv, "--block-size", "128")
    assert "There is no block 2" in failed(capsys, 2, *argv, "--hidden-layer", "2")
    assert "context of 513" in failed(capsys, 2, *argv, "--max-context", "513")
    assert "do not go with fp32" in failed(
        capsys, 2, *argv, "--precision", "fp32", "--table-bits", "8"
    )
    assert main(["build"]) == 2
    assert main(["--help"]) == 0
    capsys.readouterr()
    assert not (tmp_path / "out").exists()


def test_hash_of_the_source(source: Path, tmp_path: Path, capsys: Capture) -> None:
    argv = ("--out", tmp_path / "new" / "out", "--sha256", "0" * 64)
    assert "is not a file" in failed(capsys, 1, "build", source, *argv)
    file = tmp_path / "m.gguf"
    file.write_bytes(b"GGUF")
    assert "has SHA-256" in failed(capsys, 1, "build", file, *argv)
    assert not (tmp_path / "new").exists()
    argv = ("--out", tmp_path / "out", "--sha256", sha256_of(file).upper())
    assert "cut short" in failed(capsys, 1, "build", file, *argv)


def test_verify_names_the_file(source: Path, tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "out"
    assert "There is no file" in failed(capsys, 1, "verify", out)
    assert main(["build", str(source), "--out", str(out), "--max-context", "64"]) == 0
    assert read_json(out / "manifest.json")["max_context"] == 64
    capsys.readouterr()
    data = bytearray((out / "decoder.onnx.data").read_bytes())
    data[1000] ^= 1
    (out / "decoder.onnx.data").write_bytes(data)
    assert "'decoder.onnx.data'" in failed(capsys, 1, "verify", out)
    (out / "config.json").unlink()
    assert "'config.json' is missing" in failed(capsys, 1, "verify", out)
    (out / "manifest.json").write_text('{"format": "other"}')
    assert "format 'other'" in failed(capsys, 1, "verify", out)


def test_graph_that_does_not_load(source: Path, tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "out"
    assert main(["build", str(source), "--out", str(out)]) == 0
    capsys.readouterr()
    (out / "decoder.onnx").write_bytes(b"no graph")
    assert "does not load" in failed(capsys, 1, "parity", out, "--source", source)


@pytest.mark.parametrize(
    "options", [["--symmetric"], ["--table-bits", "8"], ["--block-size", "16"]]
)
def test_options_build_graphs_near_the_source(
    source: Path, tmp_path: Path, capsys: Capture, options: list[str]
) -> None:
    out = tmp_path / "out"
    assert main(["build", str(source), "--out", str(out), *options]) == 0
    assert main(["parity", str(out), "--source", str(source), "--json"]) == 0
    parity = json.loads(capsys.readouterr().out.partition("\n")[2])
    assert 0.5 < parity["perplexity_graph"] / parity["perplexity_source"] < 2


def test_runs_as_a_module(tmp_path: Path) -> None:
    argv = [sys.executable, "-m", "dejavuu_build", "verify", str(tmp_path)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("dejavuu_build: There is no file")


def test_mistakes_that_look_like_something_else(
    source: Path, tmp_path: Path, capsys: Capture
) -> None:
    out = tmp_path / "out"
    argv = ("build", source, "--out", out)
    assert "is no SHA-256" in failed(capsys, 2, *argv, "--sha256", "xyz")
    assert "leave it" in failed(capsys, 2, *argv, "--precision", "fp32", "--symmetric")
    assert "give 2 to 512" in failed(capsys, 2, *argv, "--max-context", "1")
    (tmp_path / "empty").mkdir()
    assert "no config.json" in failed(capsys, 1, "build", tmp_path / "empty", "--out", out)
    file = tmp_path / "file"
    file.touch()
    assert "cannot be used" in failed(capsys, 1, "build", source, "--out", file / "x")
    assert main(["build", str(source), "--out", str(out)]) == 0
    capsys.readouterr()
    assert "built folder already" in failed(capsys, 1, "build", out, "--out", tmp_path / "two")


def test_a_killed_build_leaves_nothing(source: Path, tmp_path: Path) -> None:
    code = (
        "import os, signal, sys, dejavuu_build.build as b, dejavuu_build.cli as c\n"
        "b.describe = lambda *_: os.kill(os.getpid(), signal.SIGTERM)\n"
        "sys.exit(c.main(sys.argv[1:]))"
    )
    argv = [sys.executable, "-c", code, "build", str(source), "--out", str(tmp_path / "out")]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert [path.name for path in tmp_path.iterdir()] == ["source"]
