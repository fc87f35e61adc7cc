"""The oracle: a two-layer numpy transformer in float64, small enough to read and to trust."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Oracle", "OracleWeights"]

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class OracleWeights:
    """Random weights of a decoder with attention; the same seed gives the same weights."""

    embedding: Array
    """float64[vocab, width]."""
    head: Array
    """float64[width, vocab]; not the embedding, or every token would choose itself."""
    qkv: Array
    """float64[layers, width, 3 * width]."""
    out: Array
    """float64[layers, width, width]."""
    up: Array
    """float64[layers, width, 4 * width]."""
    down: Array
    """float64[layers, 4 * width, width]."""

    @classmethod
    def random(
        cls, *, vocab: int = 50, width: int = 32, layers: int = 2, seed: int = 0
    ) -> "OracleWeights":
        """Draw weights."""
        draw = np.random.default_rng(seed).standard_normal
        scale = width**-0.5
        return cls(
            embedding=draw((vocab, width)) / 4,
            head=draw((width, vocab)),
            qkv=draw((layers, width, 3 * width)) * scale * 1.5,
            out=draw((layers, width, width)) * scale,
            up=draw((layers, width, 4 * width)) * scale,
            down=draw((layers, 4 * width, width)) * scale / 2,
        )


class Oracle:
    """The forward pass. It holds no state: the caller brings the cache."""

    def __init__(self, weights: OracleWeights, heads: int = 4) -> None:
        """Take the weights; ``heads`` divides the width."""
        self.weights = weights
        self.heads = heads
        self.vocab, self.width = weights.embedding.shape
        self.layers = len(weights.qkv)

    def forward(
        self, tokens: NDArray[np.int32], positions: NDArray[np.int32], bias: Array, cache: Array
    ) -> tuple[Array, Array, Array]:
        """Run ``tokens`` (int32[r]) at ``positions`` (int32[r]) behind ``cache``.

        ``cache`` is float64[layers, 2, c, width] (keys and values) and ``bias`` float64[r, c + r]
        is added to the attention scores: 0 where a row sees, -inf where it does not. Returns
        logits float64[r, vocab], hidden rows float64[r, width] and the new cache entries
        float64[layers, 2, r, width].
        """
        x = self.weights.embedding[tokens]
        fresh = np.empty((self.layers, 2, len(tokens), self.width))
        for layer in range(self.layers):
            q, k, v = np.split(_norm(x) @ self.weights.qkv[layer], 3, axis=1)
            fresh[layer] = self._turned(k, positions), v
            keys, values = np.concatenate([cache[layer], fresh[layer]], axis=1)
            x = (
                x
                + self._attend(self._turned(q, positions), keys, values, bias)
                @ (self.weights.out[layer])
            )
            x = x + np.maximum(_norm(x) @ self.weights.up[layer], 0) @ self.weights.down[layer]
        return _norm(x) @ self.weights.head, x, fresh

    def _attend(self, q: Array, keys: Array, values: Array, bias: Array) -> Array:
        split = (len(q), self.heads, -1)
        rows, cached = len(q), len(keys)
        scores = np.einsum("rhd,chd->hrc", q.reshape(split), keys.reshape(cached, self.heads, -1))
        scores = scores * (self.width // self.heads) ** -0.5 + bias
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        mixed: Array = np.einsum("hrc,chd->rhd", weights, values.reshape(cached, self.heads, -1))
        return mixed.reshape(rows, self.width)

    def _turned(self, x: Array, positions: NDArray[np.int32]) -> Array:
        """Rotary positions: pairs of channels turned by an angle that grows with the position."""
        half = self.width // self.heads // 2
        angles = positions[:, None] * 100.0 ** (-np.arange(half) / half)
        cos, sin = np.cos(angles)[:, None], np.sin(angles)[:, None]
        a, b = np.split(x.reshape(len(x), self.heads, -1), 2, axis=-1)
        return np.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1).reshape(x.shape)


def _norm(x: Array) -> Array:
    normed: Array = x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + 1e-6)
    return normed
