"""A ratio of two speeds over prompts, with its interval."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

__all__ = ["Interval", "geometric_mean"]

_RESAMPLES = 10_000


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean and its 95 % interval."""

    low: float
    mean: float
    high: float

    def __str__(self) -> str:
        """Give the mean with the interval behind it."""
        return f"{self.mean:.3f} ({self.low:.3f} to {self.high:.3f})"


def geometric_mean(ratios: Sequence[float]) -> Interval:
    """Give the geometric mean of ``ratios`` with its 95 % bootstrap interval over prompts."""
    logs = np.log(np.asarray(ratios, dtype=np.float64))
    picks = np.random.default_rng(0).integers(0, len(logs), (_RESAMPLES, len(logs)))
    low, high = np.exp(np.percentile(logs[picks].mean(axis=1), [2.5, 97.5])).tolist()
    return Interval(low, float(np.exp(logs.mean())), high)
