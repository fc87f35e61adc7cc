"""Quantisation against brute force."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from dejavuu_build.arrays import FloatArray
from dejavuu_build.quantize import dequantize_blocks, quantize_blocks
from dejavuu_core.errors import ModelError

WEIGHTS = hnp.arrays(
    np.float32,
    st.tuples(st.integers(1, 5), st.sampled_from([32, 64, 96])),
    elements=st.floats(-8, 8, width=32).filter(lambda x: x == 0 or abs(x) > 1e-3),
)


@settings(deadline=None, max_examples=60)
@given(WEIGHTS, st.sampled_from([4, 8]), st.sampled_from([16, 32]), st.booleans())
def test_error_is_at_most_one_step_of_the_plain_grid(
    weight: FloatArray, bits: int, block: int, symmetric: bool
) -> None:
    restored = dequantize_blocks(quantize_blocks(weight, bits, block, symmetric), bits)
    blocks = weight.reshape(-1, block)
    reach = np.maximum(blocks.max(-1), 0) - np.minimum(blocks.min(-1), 0)
    if symmetric:
        reach = 2 * np.abs(blocks).max(-1)
    # The plain grid rounds by half a step and moves its zero by half a step; the one chosen has
    # no larger squared error.
    bound = block * (reach / (2**bits - 1)) ** 2
    error = np.square(restored - weight).reshape(-1, block).sum(-1)
    assert (error <= bound * 1.01 + 1e-12).all()


@pytest.mark.parametrize("symmetric", [False, True])
def test_chosen_scale_is_near_the_best_of_a_brute_force_search(symmetric: bool) -> None:
    weight = np.random.default_rng(0).standard_normal((8, 32)).astype(np.float32)
    restored = dequantize_blocks(quantize_blocks(weight, 4, 32, symmetric), 4)
    zeros = [8] if symmetric else range(16)
    grids = [(s, z) for s in np.linspace(-0.6, 0.6, 601) if s for z in zeros]
    best = sum(
        min(np.square((np.clip(np.rint(row / s) + z, 0, 15) - z) * s - row).sum() for s, z in grids)
        for row in weight
    )
    assert np.square(restored - weight).sum() <= 1.25 * best


@pytest.mark.parametrize("bits", [4, 8])
def test_a_grid_is_kept_exactly(bits: int) -> None:
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 2**bits, (6, 3, 32))
    codes[..., 0], codes[..., 1] = 0, 2**bits - 1
    weight = ((codes - 5) * np.float32(0.25)).reshape(6, 96).astype(np.float32)
    quantized = quantize_blocks(weight, bits, 32, symmetric=False)
    np.testing.assert_allclose(dequantize_blocks(quantized, bits), weight, rtol=1e-6)


def test_odd_number_of_blocks_pads_the_zero_points() -> None:
    quantized = quantize_blocks(np.ones((2, 96), np.float32), 4, 32, symmetric=False)
    assert quantized.zero_points is not None
    assert quantized.zero_points.shape == (2, 2)
    assert quantized.data.shape == (2, 3, 16)


def test_zeros_stay_zeros() -> None:
    for symmetric in (False, True):
        quantized = quantize_blocks(np.zeros((2, 32), np.float32), 4, 32, symmetric)
        assert not dequantize_blocks(quantized, 4).any()


def test_what_cannot_be_quantised_is_refused() -> None:
    with pytest.raises(ModelError, match="width 48 has no blocks of 32"):
        quantize_blocks(np.ones((2, 48), np.float32), 4, 32, symmetric=False)
    with pytest.raises(ModelError, match="not a finite number"):
        quantize_blocks(np.full((2, 32), np.nan, np.float32), 4, 32, symmetric=False)
