"""Round-to-nearest quantisation in blocks, in the layout of ONNX Runtime's ``MatMulNBits``."""

from dataclasses import dataclass

import numpy as np

from dejavuu_build.arrays import ByteArray, FloatArray
from dejavuu_core.errors import ModelError

__all__ = ["Quantized", "dequantize_blocks", "quantize_blocks"]

# Shrinking a block's range trades a few clipped values for a finer grid; the factor of least
# squared error is kept for each block. Twice as many lower that error by less than one percent.
_SHRINK = {4: (1.06, 1.0, 0.94, 0.88, 0.82, 0.76), 8: (1.0,)}
_CHUNK_VALUES = 1 << 19  # values worked on at once: temporaries stay inside the cache


@dataclass(frozen=True)
class Quantized:
    """A matrix ``[N, K]`` in blocks of ``block`` neighbours along K.

    Attributes:
        data: uint8 ``[N, K / block, block * bits / 8]``; with 4 bits the low half comes first.
        scales: float32 ``[N, K / block]``.
        zero_points: uint8 ``[N, ceil(K / block * bits / 8)]``, packed like ``data``; None means
            the middle of the range, ``2 ** (bits - 1)``.
    """

    data: ByteArray
    scales: FloatArray
    zero_points: ByteArray | None


def quantize_blocks(weight: FloatArray, bits: int, block: int, symmetric: bool) -> Quantized:
    """Quantise a matrix.

    Args:
        weight: float32 ``[N, K]``; K is a multiple of ``block``.
        bits: 4 or 8.
        block: Values that share one scale.
        symmetric: True for no zero points.

    Raises:
        ModelError: K is not a multiple of ``block``, or a weight is not finite.
    """
    rows, width = weight.shape
    if width % block:
        raise ModelError(
            f"A matrix of width {width} has no blocks of {block}; use a smaller block."
        )
    codes = np.empty((rows, width // block, block * bits // 8), np.uint8)
    scales = np.empty(codes.shape[:2], np.float32)
    zeros = np.empty(codes.shape[:2], np.uint8)
    step = max(1, _CHUNK_VALUES // width)
    for at in range(0, rows, step):
        part = slice(at, min(at + step, rows))
        blocks = weight[part].reshape(-1, width // block, block)
        if not np.isfinite(blocks).all():
            raise ModelError("A weight is not a finite number; the source is damaged.")
        code, scales[part], zeros[part] = _best_grid(blocks, bits, symmetric)
        codes[part] = _pack(code) if bits == 4 else code
    if symmetric:
        return Quantized(codes, scales, None)
    return Quantized(codes, scales, _pack(zeros) if bits == 4 else zeros)


def dequantize_blocks(quantized: Quantized, bits: int) -> FloatArray:
    """Return the float32 ``[N, K]`` matrix that the blocks stand for."""
    rows, count = quantized.scales.shape
    codes = _unpack(quantized.data) if bits == 4 else quantized.data
    if quantized.zero_points is None:
        zeros = np.full((rows, count), 1 << (bits - 1), np.uint8)
    else:
        zeros = quantized.zero_points if bits == 8 else _unpack(quantized.zero_points)[:, :count]
    steps = codes.astype(np.float32) - zeros[..., None].astype(np.float32)
    return (steps * quantized.scales[..., None]).reshape(rows, -1)


def _best_grid(
    blocks: FloatArray, bits: int, symmetric: bool
) -> tuple[ByteArray, FloatArray, ByteArray]:
    """Codes, scales and zero points with the least squared error over the shrink factors."""
    best: tuple[FloatArray, FloatArray, FloatArray] | None = None
    least = np.empty(0, np.float32)
    for shrink in _SHRINK[bits]:
        code, scale, zero = _grid(blocks, bits, symmetric, np.float32(shrink))
        steps = code - zero[..., None]
        scale = _refit(blocks, steps, scale)
        error = np.square(blocks - steps * scale[..., None]).sum(-1)
        if best is None:
            best, least = (code, scale, zero), error
            continue
        better = error < least
        least = np.where(better, error, least)
        best[0][better], best[1][better], best[2][better] = (
            code[better],
            scale[better],
            zero[better],
        )
    if best is None:
        raise AssertionError("the table of shrink factors is never empty")
    return best[0].astype(np.uint8), best[1], best[2].astype(np.uint8)


def _grid(
    blocks: FloatArray, bits: int, symmetric: bool, shrink: np.float32
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Codes, scales and zero points (all float32) for ranges shrunk by one factor."""
    top = np.float32((1 << bits) - 1)
    if symmetric:
        middle = np.float32(1 << (bits - 1))
        # The range reaches one step further below the middle than above it, so the value of
        # largest magnitude is put below; a negative scale does that where it is positive.
        extreme = np.take_along_axis(blocks, np.abs(blocks).argmax(-1)[..., None], -1)[..., 0]
        scale = -extreme * shrink / middle
        zero = np.full_like(scale, middle)
    else:
        low = np.minimum(blocks.min(-1), 0) * shrink
        high = np.maximum(blocks.max(-1), 0) * shrink
        scale = (high - low) / top
        zero = np.zeros_like(scale)
        np.divide(-low, scale, out=zero, where=scale != 0)
        zero = np.clip(np.rint(zero), 0, top)
    scale = np.where(scale == 0, np.float32(1), scale)
    code = np.clip(np.rint(blocks / scale[..., None]) + zero[..., None], 0, top)
    return code, scale, zero


def _refit(blocks: FloatArray, steps: FloatArray, scale: FloatArray) -> FloatArray:
    """The scale of least squared error for given steps; ``scale`` where all steps are zero."""
    power = np.square(steps).sum(-1)
    fitted = scale.copy()
    np.divide((blocks * steps).sum(-1), power, out=fitted, where=power > 0)
    return fitted


def _pack(codes: ByteArray) -> ByteArray:
    """Two 4-bit codes a byte along the last axis, the first in the low half."""
    if codes.shape[-1] % 2:
        codes = np.concatenate([codes, np.zeros_like(codes[..., :1])], -1)
    return codes[..., ::2] | (codes[..., 1::2] << np.uint8(4))


def _unpack(packed: ByteArray) -> ByteArray:
    return np.stack([packed & np.uint8(15), packed >> np.uint8(4)], -1).reshape(
        *packed.shape[:-1], -1
    )
