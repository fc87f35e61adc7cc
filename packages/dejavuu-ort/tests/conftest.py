"""Shared fixtures: the tiny models, loaded once, and a probe cache of the test's own."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from ort_helpers import DATA, Start

from dejavuu_core.contract import Needs, Request
from dejavuu_ort import OrtVerifier
from dejavuu_ort.session import OrtSession


@pytest.fixture(autouse=True)
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep what is measured away from the user's own cache."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("DEJAVUU_CACHE", str(folder))
    return folder


@pytest.fixture
def model_folder(tmp_path: Path) -> Path:
    """Give a copy of the tiny model that a test may damage."""
    return Path(shutil.copytree(DATA / "tiny", tmp_path / "model"))


@pytest.fixture(scope="session")
def tiny() -> OrtVerifier:
    """Give the float32 model with hidden rows, not probed."""
    return OrtVerifier.from_pretrained(DATA / "tiny", threads=1, max_rows=24, probe=False)


@pytest.fixture(scope="session")
def int4() -> OrtVerifier:
    """Give the 4-bit model without hidden rows, not probed."""
    return OrtVerifier.from_pretrained(DATA / "int4", threads=1, max_rows=24, probe=False)


@pytest.fixture(params=["tiny", "int4"])
def verifier(request: pytest.FixtureRequest) -> OrtVerifier:
    """Give each of the models in turn."""
    found = request.getfixturevalue(request.param)
    assert isinstance(found, OrtVerifier)
    return found


@pytest.fixture
def start() -> Iterator[Start]:
    """Start sessions that are closed after the test; with tokens they are read at once."""
    sessions = []

    def begin(
        verifier: OrtVerifier, tokens: NDArray[np.int32] | None = None, needs: Needs | None = None
    ) -> OrtSession:
        prompt = Request.of([1], vocab_size=verifier.capabilities.vocab_size)
        session = verifier.start(prompt, Needs() if needs is None else needs)
        sessions.append(session)
        if tokens is not None:
            session.prefill(tokens)
        return session

    yield begin
    for session in sessions:
        session.close()


@pytest.fixture(scope="session")
def text() -> NDArray[np.int32]:
    """Give int32[512], a random text inside the tiny vocabulary."""
    return np.random.default_rng(5).integers(0, 320, 512, dtype=np.int32)
