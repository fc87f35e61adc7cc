"""Settings of onnxruntime are checked, and nothing is replaced in silence."""

from pathlib import Path
from types import SimpleNamespace

import onnxruntime
import pytest
from ort_helpers import DATA

from dejavuu_core.errors import ModelError, UsageError
from dejavuu_ort import OrtVerifier, runtime
from dejavuu_ort.runtime import CPU, Runtime


def test_an_unknown_provider_is_refused_with_what_is_there() -> None:
    with pytest.raises(UsageError, match=f"'NoExecutionProvider' is not available.*{CPU}"):
        OrtVerifier.from_pretrained(DATA / "tiny", providers=["NoExecutionProvider"])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"threads": 0}, "threads is 0; give a whole number"),
        ({"threads": 1.5}, "threads is 1.5; give a whole number"),
        ({"threads": "a"}, "threads is 'a'; give a whole number"),
        ({"providers": []}, "providers is empty"),
        ({"provider_options": [{}, {}]}, "2 provider options for 1 providers"),
    ],
)
def test_settings_without_sense_are_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        OrtVerifier.from_pretrained(DATA / "tiny", **settings)  # type: ignore[arg-type]


def test_a_provider_that_was_left_out_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    session = SimpleNamespace(get_providers=lambda: ["OtherExecutionProvider"])
    monkeypatch.setattr(onnxruntime, "InferenceSession", lambda *args, **kwargs: session)
    with pytest.raises(ModelError, match=f"left out the execution provider '{CPU}'"):
        Runtime().open(Path("decoder.onnx"))


def test_what_onnxruntime_refuses_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "decoder.onnx"
    path.write_bytes(b"no graph")
    with pytest.raises(ModelError, match=r"cannot load '.*decoder\.onnx': [^\n]+$"):
        Runtime().open(path)


def test_options_reach_onnxruntime() -> None:
    key = "session.intra_op.allow_spinning"
    session = Runtime(threads=1, config={key: "0"}).open(DATA / "tiny" / "decoder.onnx")
    options = session.get_session_options()
    assert options.get_session_config_entry(key) == "0"
    assert options.intra_op_num_threads == 1


@pytest.mark.parametrize(("processors", "threads"), [(1, 1), (2, 2), (4, 4), (5, 0), (64, 0)])
def test_small_machines_use_all_their_processors(
    monkeypatch: pytest.MonkeyPatch, processors: int, threads: int
) -> None:
    monkeypatch.setattr(runtime, "_processors", lambda: processors)
    assert runtime.default_threads() == threads
    assert Runtime().describe()["threads"] == threads
    assert Runtime(threads=3).describe()["threads"] == 3
