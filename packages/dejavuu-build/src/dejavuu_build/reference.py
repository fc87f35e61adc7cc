"""The decoder once more, in plain numpy float32, as the truth that a graph is compared with."""

from dataclasses import dataclass

import numpy as np

from dejavuu_build.arrays import Array, FloatArray, IntArray
from dejavuu_build.families import family_of
from dejavuu_build.rope import frequencies
from dejavuu_build.source import Source

__all__ = ["Reference"]


@dataclass(frozen=True)
class _Layer:
    """Weights of one block; matrices are float32 ``[out, in]``, biases ``[out]`` or None."""

    attention_norm: FloatArray
    qkv: tuple[FloatArray, FloatArray, FloatArray]
    biases: tuple[FloatArray | None, FloatArray | None, FloatArray | None]
    output: FloatArray
    feed_norm: FloatArray
    gate: FloatArray
    up: FloatArray
    down: FloatArray


class Reference:
    """A Llama-like decoder with a cache of its own; all weights stay in memory as float32.

    Attributes:
        length: Tokens in the cache.
    """

    def __init__(self, source: Source) -> None:
        """Read every weight of ``source``."""
        self._spec = spec = source.spec
        self._table = source.tensor("model.embed_tokens.weight")
        self._layers = [_read_layer(source, i) for i in range(spec.layers)]
        self._norm = source.tensor("model.norm.weight")
        self._head = self._table if spec.tied else source.tensor("lm_head.weight")
        self._turns = frequencies(spec.rope, spec.head_dim)
        self._keys: list[FloatArray] = []
        self._values: list[FloatArray] = []
        self.rewind(0)

    def rewind(self, length: int) -> None:
        """Forget all but the first ``length`` tokens."""
        if length == 0:
            empty = np.zeros((self._spec.kv_heads, 0, self._spec.head_dim), np.float32)
            self._keys = [empty] * self._spec.layers
            self._values = [empty] * self._spec.layers
        self._keys = [keys[:, :length] for keys in self._keys]
        self._values = [values[:, :length] for values in self._values]
        self.length = length

    def run(self, tokens: IntArray, last_only: bool = False) -> FloatArray:
        """Run a chain of tokens.

        Args:
            tokens: int64 ``[rows]``.
            last_only: True for the logits of the last row alone.

        Returns:
            Logits, float32 ``[rows, vocab]`` (or ``[1, vocab]``).
        """
        x: Array = self._table[tokens]
        for i, layer in enumerate(self._layers):
            x = x + self._attention(i, layer, self._rms(x, layer.attention_norm))
            inner = self._rms(x, layer.feed_norm)
            x = x + (_silu(inner @ layer.gate.T) * (inner @ layer.up.T)) @ layer.down.T
        self.length += len(tokens)
        kept = x[-1:] if last_only else x
        logits: FloatArray = self._rms(kept, self._norm) @ self._head.T
        return logits

    def _rms(self, x: Array, weight: FloatArray) -> Array:
        mean = np.mean(np.square(x), -1, keepdims=True, dtype=np.float32)
        return x / np.sqrt(mean + np.float32(self._spec.rms_eps)) * weight

    def _attention(self, index: int, layer: _Layer, x: Array) -> Array:
        spec, rows, past = self._spec, len(x), self.length
        q, k, v = (
            x @ weight.T if bias is None else x @ weight.T + bias
            for weight, bias in zip(layer.qkv, layer.biases, strict=True)
        )
        q, k = self._rotate(self._split(q)), self._rotate(self._split(k))
        self._keys[index] = keys = np.concatenate([self._keys[index], k], 1)
        self._values[index] = values = np.concatenate([self._values[index], self._split(v)], 1)
        shared = spec.heads // spec.kv_heads  # query heads that read one key head
        q = q.reshape(spec.kv_heads, shared, rows, spec.head_dim)
        scores = q @ keys[:, None].swapaxes(-1, -2) / np.float32(np.sqrt(spec.head_dim))
        later = np.arange(past + rows) > past + np.arange(rows)[:, None]
        scores = np.where(later, np.float32(-np.inf), scores)
        mixed = _softmax(scores) @ values[:, None]
        flat = mixed.reshape(spec.heads, rows, spec.head_dim).swapaxes(0, 1).reshape(rows, -1)
        output: Array = flat @ layer.output.T
        return output

    def _split(self, x: Array) -> Array:
        """``[rows, heads * d]`` to ``[heads, rows, d]``."""
        return x.reshape(len(x), -1, self._spec.head_dim).swapaxes(0, 1)

    def _rotate(self, x: Array) -> Array:
        """Turn the pairs ``(j, j + d/2)`` of each row by its position."""
        positions = np.arange(self.length, self.length + x.shape[1], dtype=np.float32)
        angles = positions[:, None] * self._turns
        cosines, sines = np.cos(angles), np.sin(angles)
        left, right = np.split(x, 2, -1)
        return np.concatenate([left * cosines - right * sines, right * cosines + left * sines], -1)


def _read_layer(source: Source, index: int) -> _Layer:
    name = f"model.layers.{index}"
    projections = [f"{name}.self_attn.{part}_proj" for part in "qkv"]
    biased = family_of(source.spec.family).qkv_bias
    q, k, v = (source.tensor(f"{part}.weight") for part in projections)
    qb, kb, vb = (source.tensor(f"{part}.bias") if biased else None for part in projections)
    return _Layer(
        attention_norm=source.tensor(f"{name}.input_layernorm.weight"),
        qkv=(q, k, v),
        biases=(qb, kb, vb),
        output=source.tensor(f"{name}.self_attn.o_proj.weight"),
        feed_norm=source.tensor(f"{name}.post_attention_layernorm.weight"),
        gate=source.tensor(f"{name}.mlp.gate_proj.weight"),
        up=source.tensor(f"{name}.mlp.up_proj.weight"),
        down=source.tensor(f"{name}.mlp.down_proj.weight"),
    )


def _silu(x: Array) -> Array:
    # A very negative x overflows to infinity, and x / infinity is the zero that is wanted.
    with np.errstate(over="ignore"):
        silu: Array = x / (1 + np.exp(-x))
    return silu


def _softmax(scores: Array) -> Array:
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    shares: Array = powers / powers.sum(-1, keepdims=True)
    return shares
