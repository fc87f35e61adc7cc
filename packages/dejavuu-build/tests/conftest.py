"""Tiny checkpoints and graphs, built once."""

from collections.abc import Callable
from pathlib import Path

import pytest

from dejavuu_build.build import BuildOptions, build_folder
from dejavuu_build.precision import Precision
from dejavuu_build.tiny import write_tiny_checkpoint

Built = tuple[Path, Path]  # source, folder


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Built]:
    """Return a function that builds a tiny graph, or hands back the one it built before."""
    cache: dict[tuple[str, bool, str, int | None], Built] = {}

    def make(
        family: str = "llama",
        tied: bool = True,
        precision: str = "fp32",
        hidden_layer: int | None = None,
    ) -> Built:
        key = (family, tied, precision, hidden_layer)
        if key not in cache:
            base = tmp_path_factory.mktemp("tiny")
            source = write_tiny_checkpoint(base / "source", family=family, tied=tied)
            setting = Precision(precision, symmetric=precision == "int8")
            options = BuildOptions(setting, hidden_layer=hidden_layer)
            build_folder(source, base / "out", options)
            cache[key] = source, base / "out"
        return cache[key]

    return make
