"""Loading, capabilities, and what a session may ask for."""

import subprocess
import sys
from importlib.metadata import entry_points

import numpy as np
import pytest
from ort_helpers import DATA, Start, logits

from dejavuu_core.contract import Draft, Needs, Request
from dejavuu_core.errors import UnsupportedError, UsageError
from dejavuu_ort import OrtVerifier

ONE = Request.of([1], vocab_size=320)


def test_capabilities_say_what_was_measured() -> None:
    loaded = OrtVerifier.from_pretrained(str(DATA / "tiny"), threads=1, max_rows=6)
    can = loaded.capabilities
    assert (can.vocab_size, can.max_context, can.max_rows) == (320, 512, 6)
    assert (can.exactness, can.tree, can.hidden_size) == ("bitwise", True, 32)
    assert loaded.tokenizer.eos_ids == (0, 2)


def test_without_a_probe_exactness_is_not_claimed(int4: OrtVerifier) -> None:
    assert int4.capabilities.exactness == "approximate"
    assert not int4.finding.measured
    assert int4.capabilities.hidden_size == 0


def test_needs_that_cannot_be_met_are_refused(int4: OrtVerifier) -> None:
    with pytest.raises(UnsupportedError, match="gives no hidden rows"):
        int4.start(ONE, Needs(hidden=True))
    with pytest.raises(UsageError, match=r"Needs\.topk is 321"):
        int4.start(ONE, Needs(topk=321))
    with pytest.raises(UnsupportedError, match="payload of type bytes"):
        int4.start(Request(np.array([1], np.int32), payload=b"image"), Needs())


def test_many_are_verified_like_one(int4: OrtVerifier, start: Start) -> None:
    ids = np.arange(30, dtype=np.int32)
    pairs = [(start(int4, ids[: 10 + n]), Draft.chain(ids[:n])) for n in range(3)]
    for n, rows in enumerate(int4.verify_many(pairs)):
        wanted = logits(start(int4, ids[: 10 + n]), Draft.chain(ids[:n]))
        assert np.stack([rows.logits(row) for row in range(n + 1)]).tobytes() == wanted.tobytes()


def test_it_is_found_by_its_name() -> None:
    (found,) = entry_points(group="dejavuu.verifiers", name="ort")
    assert found.load() is OrtVerifier


def test_importing_it_brings_no_large_framework() -> None:
    code = "import sys, dejavuu_ort; print({'torch', 'transformers', 'onnx'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize("terminal", [True, False])
def test_progress_is_for_terminals(
    terminal: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal, raising=False)
    OrtVerifier.from_pretrained(DATA / "tiny", max_rows=2)
    assert capsys.readouterr().err.endswith("once per model: 4/4\n" if terminal else "")
