"""The probe finds what differs, and looks at every row count."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from ort_helpers import DATA

from dejavuu_core.contract import Draft
from dejavuu_ort.exactness import CONTEXTS, Finding, probe
from dejavuu_ort.feeds import Feeds, Output
from dejavuu_ort.graph import Graph
from dejavuu_ort.manifest import Manifest
from dejavuu_ort.runtime import Runtime


def graph(name: str, max_rows: int = 12) -> Graph:
    """Load one of the tiny graphs."""
    return Graph.load(Manifest.read(DATA / name), Runtime(threads=1), max_rows=max_rows)


@pytest.mark.parametrize("name", ["tiny", "int4"])
def test_our_graphs_are_bitwise(name: str) -> None:
    found = probe(graph(name))
    assert found.exactness == "bitwise"
    assert (found.differing, found.largest) == (0, 0.0)
    assert found.compared > 320 * len(CONTEXTS) * 12


def test_a_graph_without_the_spare_row_is_not() -> None:
    found = probe(graph("loose"))
    assert found.exactness == "approximate"
    assert found.differing > 1000
    assert 0 < found.largest < 1e-2


@pytest.fixture
def spoilt(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Let forwards of one row count give one wrong bit in the last logit."""
    run = Feeds.run

    def spoil(count: int) -> None:
        def wrong(
            self: Feeds, rows: int, start: int, *, asked: int, branches: Draft | None = None
        ) -> Output:
            output = run(self, rows, start, asked=asked, branches=branches)
            if rows != count or not asked:
                return output
            logits = output.logits.copy()
            logits[-1, -1] = np.nextafter(logits[-1, -1], np.float32(np.inf))
            return Output(logits, output.hidden)

        monkeypatch.setattr(Feeds, "run", wrong)

    return spoil


@pytest.mark.parametrize("count", [2, 3, 11, 12])
def test_one_wrong_bit_at_any_row_count_is_found(spoilt: Callable[[int], None], count: int) -> None:
    spoilt(count)
    found = probe(graph("tiny"))
    assert found.exactness == "approximate"
    assert found.differing == len(CONTEXTS)


def test_it_reports_every_forward() -> None:
    told: list[tuple[int, int]] = []
    probe(graph("tiny", 5), lambda done, of: told.append((done, of)))
    assert told == [(done, 10) for done in range(1, 11)]


def test_more_rows_than_half_the_context_can_be_measured() -> None:
    short = replace(Manifest.read(DATA / "tiny"), max_context=40)
    assert probe(Graph.load(short, Runtime(threads=1), max_rows=30)).exactness == "bitwise"


def test_what_nobody_measured_is_approximate() -> None:
    assert Finding(measured=False).exactness == "approximate"
    assert (Finding(True, 5) + Finding(True, 6, 1, 0.5)) == Finding(True, 11, 1, 0.5)
