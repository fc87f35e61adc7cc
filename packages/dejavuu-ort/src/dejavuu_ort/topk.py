"""The likeliest ids of logits, exactly, without sorting a vocabulary."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["topk"]

_LAYERS = 64  # values a block; 49 thousand logits make 768 blocks
_Floats = NDArray[np.float32]


def topk(logits: _Floats, k: int) -> tuple[NDArray[np.int32], _Floats]:
    """Give ids int32[n, k] and log-probabilities float32[n, k] of float32[n, vocab].

    Likeliest first, of equal logits the lowest id first.
    """
    ids = np.empty((len(logits), k), dtype=np.int32)
    scores = np.empty((len(logits), k), dtype=np.float32)
    if k:
        for at, row in enumerate(logits):  # row by row, so that the exponentials stay in the cache
            best = _best(row, k)
            below = row[best] - row[best[0]]
            ids[at] = best
            scores[at] = below - np.log(np.exp(row - row[best[0]]).sum())
    return ids, scores


def _best(row: _Floats, k: int) -> NDArray[np.intp]:
    """Give the ids of the k largest values, by value and then by id.

    The k-th largest maximum of blocks bounds the k-th largest value from below, so what counts
    lies in the few blocks that reach it. A block is a column of the row folded into layers: numpy
    takes the maxima of columns ten times as fast as those of runs.
    """
    width = len(row) // _LAYERS
    if width <= k:
        return _sorted_best(row, np.arange(len(row)), k)
    body, tail = row[: width * _LAYERS].reshape(_LAYERS, width), row[width * _LAYERS :]
    maxima = body.max(axis=0)
    least = np.partition(maxima, width - k)[width - k]
    columns = np.flatnonzero(maxima >= least)
    ids = (np.arange(_LAYERS)[:, None] * width + columns).ravel()  # rising, as the sort wants it
    ids = np.concatenate([ids, np.arange(width * _LAYERS, len(row))])
    values = np.concatenate([body[:, columns].ravel(), tail])
    enough = np.flatnonzero(values >= least)
    return _sorted_best(values[enough], ids[enough], k)


def _sorted_best(values: _Floats, ids: NDArray[np.intp], k: int) -> NDArray[np.intp]:
    """Give the k ids with the largest values; ``ids`` rise, so a stable sort settles ties."""
    return ids[np.argsort(-values, kind="stable")[:k]]
