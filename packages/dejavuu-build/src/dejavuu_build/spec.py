"""What a decoder is made of, whatever file its weights came from."""

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Rope:
    """Rotary positions: pair ``j`` turns by ``position * theta**(-2j/d) / factors[j]`` radians.

    Attributes:
        theta: Base of the geometric row of frequencies.
        factors: One divisor for each of the ``head_dim / 2`` pairs, or None for all ones.
    """

    theta: float
    factors: tuple[float, ...] | None = None


@dataclass(frozen=True)
class DecoderSpec:
    """Hyper-parameters of one Llama-like decoder.

    Attributes:
        family: Key of ``families.FAMILIES``.
        vocab_size: Rows of the embedding table.
        hidden_size: Width of the residual stream.
        intermediate_size: Width between the two halves of a feed-forward block.
        layers: Number of blocks.
        heads: Query heads.
        kv_heads: Key and value heads; divides ``heads``.
        head_dim: Width of one head; even.
        rms_eps: Added to the mean square in every norm.
        rope: Rotary positions.
        max_context: Longest context, in tokens, that the model was trained for.
        tied: True where the head is the embedding table.
    """

    family: str
    vocab_size: int
    hidden_size: int
    intermediate_size: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    rms_eps: float
    rope: Rope
    max_context: int
    tied: bool

    @property
    def q_size(self) -> int:
        """Width of all query heads together."""
        return self.heads * self.head_dim

    @property
    def kv_size(self) -> int:
        """Width of all key heads together."""
        return self.kv_heads * self.head_dim

    def hf_config(self, architecture: str) -> dict[str, Any]:
        """The spec in the words of a Hugging Face ``config.json``."""
        rope = asdict(self.rope)
        return {
            "architectures": [architecture],
            "model_type": self.family,
            "vocab_size": self.vocab_size,
            "hidden_size": self.hidden_size,
            "intermediate_size": self.intermediate_size,
            "num_hidden_layers": self.layers,
            "num_attention_heads": self.heads,
            "num_key_value_heads": self.kv_heads,
            "head_dim": self.head_dim,
            "hidden_act": "silu",
            "rms_norm_eps": self.rms_eps,
            "rope_theta": rope["theta"],
            "rope_factors": rope["factors"],
            "max_position_embeddings": self.max_context,
            "tie_word_embeddings": self.tied,
        }
