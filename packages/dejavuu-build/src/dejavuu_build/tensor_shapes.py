"""The shape that every tensor of a decoder must have."""

from dejavuu_build.spec import DecoderSpec
from dejavuu_core.errors import ModelError

__all__ = ["check_shape"]


def check_shape(name: str, shape: tuple[int, ...], spec: DecoderSpec) -> None:
    """Compare a tensor's shape with what the spec asks for.

    Args:
        name: Hugging Face name, such as ``model.layers.0.mlp.up_proj.weight``.
        shape: The shape found.
        spec: The decoder.

    Raises:
        ModelError: They differ.
    """
    expected = _expected(name, spec)
    if shape != expected:
        raise ModelError(
            f"Tensor {name!r} has shape {list(shape)} where the configuration asks for "
            f"{list(expected)}; the weights do not belong to it."
        )


def _expected(name: str, spec: DecoderSpec) -> tuple[int, ...]:
    part, leaf = name.split(".")[-2:]
    hidden, inner = spec.hidden_size, spec.intermediate_size
    matrices = {
        "embed_tokens": (spec.vocab_size, hidden),
        "lm_head": (spec.vocab_size, hidden),
        "q_proj": (spec.q_size, hidden),
        "k_proj": (spec.kv_size, hidden),
        "v_proj": (spec.kv_size, hidden),
        "o_proj": (hidden, spec.q_size),
        "gate_proj": (inner, hidden),
        "up_proj": (inner, hidden),
        "down_proj": (hidden, inner),
    }
    if part not in matrices:
        return (hidden,)  # a norm
    return matrices[part][:1] if leaf == "bias" else matrices[part]
