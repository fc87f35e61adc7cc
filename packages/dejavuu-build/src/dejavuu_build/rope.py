"""Tables of rotary positions."""

import math
from typing import Any

import numpy as np

from dejavuu_build.arrays import FloatArray
from dejavuu_build.spec import Rope
from dejavuu_core.errors import ModelError

__all__ = ["frequencies", "rope_from_config", "rope_tables"]


def frequencies(rope: Rope, head_dim: int) -> FloatArray:
    """Radians per position for each pair, float32 ``[head_dim / 2]``.

    Computed in float32 as the models were trained, so that angles round as theirs do.
    """
    exponents = np.arange(0, head_dim, 2, dtype=np.float32) / np.float32(head_dim)
    turns = np.float32(1) / np.power(np.float32(rope.theta), exponents)
    if rope.factors is None:
        return np.asarray(turns, np.float32)
    return np.asarray(turns / np.array(rope.factors, np.float32), np.float32)


def rope_tables(rope: Rope, head_dim: int, positions: int) -> tuple[FloatArray, FloatArray]:
    """Cosines and sines, each float32 ``[positions, head_dim / 2]``."""
    steps = np.arange(positions, dtype=np.float32)
    angles = steps[:, None] * frequencies(rope, head_dim)
    return np.cos(angles), np.sin(angles)


def rope_from_config(config: dict[str, Any], head_dim: int) -> Rope:
    """Read the rotary positions of a Hugging Face ``config.json``.

    Raises:
        ModelError: A kind of scaling that cannot be built.
    """
    # transformers 5 writes everything into rope_parameters, older ones a theta and a scaling.
    scaling = config.get("rope_parameters") or config.get("rope_scaling") or {}
    theta = float(scaling.get("rope_theta", config.get("rope_theta", 10000.0)))
    kind = scaling.get("rope_type", scaling.get("type", "default"))
    if kind == "default":
        factors = config.get("rope_factors")  # our own config.json
        return Rope(theta, tuple(factors) if factors else None)
    if kind == "linear":
        return Rope(theta, (float(scaling["factor"]),) * (head_dim // 2))
    if kind == "llama3":
        return Rope(theta, _llama3_factors(theta, head_dim, scaling))
    raise ModelError(f"Rope scaling {kind!r} cannot be built; default, linear and llama3 can.")


def _llama3_factors(theta: float, head_dim: int, scaling: dict[str, Any]) -> tuple[float, ...]:
    """Long waves are slowed by ``factor``, short ones kept, those between blended."""
    factor = float(scaling["factor"])
    low, high = float(scaling["low_freq_factor"]), float(scaling["high_freq_factor"])
    trained = float(scaling["original_max_position_embeddings"])
    factors = []
    for turn in frequencies(Rope(theta), head_dim).tolist():
        share = (trained * turn / (2 * math.pi) - low) / (high - low)
        share = min(max(share, 0.0), 1.0)  # 1 keeps the frequency, 0 divides it by the factor
        factors.append(1 / ((1 - share) / factor + share))
    return tuple(factors)
