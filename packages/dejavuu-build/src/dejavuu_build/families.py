"""The table of model families; everything that tells one from another is a column of it."""

from dataclasses import dataclass

from dejavuu_core.errors import ModelError

__all__ = ["FAMILIES", "Family", "family_of"]


@dataclass(frozen=True)
class Family:
    """One row of the table.

    Attributes:
        name: ``model_type`` of Hugging Face, and ``general.architecture`` of GGUF.
        architecture: Name of the class in Hugging Face's ``architectures``.
        qkv_bias: True where q, k and v have a bias.
        paired_rope: True where a GGUF file stores the rows of q and k for rotation of neighbouring
            pairs, so that they must be put back into half-rotation order.
    """

    name: str
    architecture: str
    qkv_bias: bool
    paired_rope: bool


FAMILIES = {
    family.name: family
    for family in (
        Family("llama", "LlamaForCausalLM", qkv_bias=False, paired_rope=True),
        Family("qwen2", "Qwen2ForCausalLM", qkv_bias=True, paired_rope=False),
    )
}


def family_of(name: str) -> Family:
    """Look a family up.

    Raises:
        ModelError: No family has that name.
    """
    try:
        return FAMILIES[name]
    except KeyError:
        known = ", ".join(sorted(FAMILIES))
        raise ModelError(
            f"The model's family is {name!r}, which cannot be built; use one of: {known}."
        ) from None
