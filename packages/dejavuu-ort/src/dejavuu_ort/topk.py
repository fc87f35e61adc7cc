"""The likeliest ids of logits, exactly, without sorting a vocabulary."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["log_normaliser", "topk"]

_Floats = NDArray[np.float32]


def topk(logits: _Floats, k: int) -> tuple[NDArray[np.int32], _Floats]:
    """Give ids int32[n, k] and log-probabilities float32[n, k] of float32[n, vocab].

    Likeliest first, of equal logits the lowest id first.
    """
    ids = np.empty((len(logits), k), dtype=np.int32)
    for row, best in zip(logits, ids, strict=True):
        best[:] = _best(row, k)
    values = np.take_along_axis(logits, ids, axis=1)
    return ids, (values - log_normaliser(logits)[:, None]).astype(np.float32)


def log_normaliser(logits: _Floats) -> NDArray[np.float64]:
    """Give float64[n], the logarithm of the summed exponentials of float32[n, vocab]."""
    sums = np.empty(len(logits), dtype=np.float64)
    for at, row in enumerate(logits):  # row by row, so that the exponentials stay in the cache
        most = row.max()
        sums[at] = np.float64(most) + np.log(np.exp(row - most).sum(dtype=np.float64))
    return sums


def _best(row: _Floats, k: int) -> NDArray[np.intp]:
    """Give the ids of the k largest values, by value and then by id.

    They all lie in the k blocks with the largest maxima, of equal maxima the first blocks: each
    block before the one of a value left out holds a value that comes before it.
    """
    if k == 0:
        return np.empty(0, dtype=np.intp)
    size = max(8, int((len(row) / k) ** 0.5))  # as many block maxima to sort as values inside
    blocks = len(row) // size
    if blocks <= k:
        return _sorted_best(row, np.arange(len(row)), k)
    body = row[: blocks * size].reshape(blocks, size)
    chosen = np.sort(_sorted_best(body.max(axis=1), np.arange(blocks), k))
    inside = (chosen[:, None] * size + np.arange(size)).ravel()
    tail = np.arange(blocks * size, len(row))  # the rest, too short for a block
    ids = np.concatenate([inside, tail])
    return _sorted_best(row[ids], ids, k)


def _sorted_best(values: _Floats, ids: NDArray[np.intp], k: int) -> NDArray[np.intp]:
    """Give the k ids with the largest values; ``ids`` rise, so a stable sort settles ties."""
    if k < len(values):
        least = np.partition(values, len(values) - k)[len(values) - k]
        enough = np.flatnonzero(values >= least)
        values, ids = values[enough], ids[enough]
    return ids[np.argsort(-values, kind="stable")[:k]]
