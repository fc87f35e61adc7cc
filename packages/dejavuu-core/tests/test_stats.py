"""Statistics count what was emitted, and where it came from."""

import numpy as np
import pytest

from dejavuu_core.contract import Draft, Seconds, Step
from dejavuu_core.stats import Stats


def step(draft, accepted, emitted, prefill=False):
    seconds = Seconds(draft=0.1, verify=0.5, accept=0.2, commit=0.1, learn=0.1)
    return Step(draft, None, np.asarray(accepted, np.int32), np.asarray(emitted), prefill, seconds)


def test_counts_rates_and_sources():
    stats = Stats(("context", "history"))
    draft = Draft.tree([1, 2, 3], [-1, 0, 1])
    draft.sources[2] = 1
    stats.add(step(Draft.empty(), [], [], prefill=True))
    stats.add(step(draft, [1, 2, 3], [1, 2, 3, 4]))
    stats.add(step(draft, [], [9]))
    assert (stats.steps, stats.new_tokens, stats.drafted, stats.accepted) == (2, 5, 6, 3)
    assert stats.mat == 2.5
    assert stats.acceptance_rate == 0.5
    assert stats.sources == {"context": 2, "history": 1}
    assert stats.prefill_s == pytest.approx(0.5)
    assert stats.tokens_per_s == pytest.approx(5 / (2.0 + 0.1))
    assert stats.to_dict()["mat"] == 2.5


def test_nothing_yet():
    assert (Stats().mat, Stats().acceptance_rate, Stats().tokens_per_s) == (0, 0, 0)
