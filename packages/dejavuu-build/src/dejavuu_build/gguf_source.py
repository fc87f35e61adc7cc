"""A GGUF file as a source of weights."""

from pathlib import Path
from typing import Any

from dejavuu_build.arrays import FloatArray
from dejavuu_build.families import family_of
from dejavuu_build.gguf_file import GGUFFile
from dejavuu_build.gguf_tokenizer import gguf_text_parts
from dejavuu_build.spec import DecoderSpec, Rope
from dejavuu_build.tensor_shapes import check_shape
from dejavuu_build.text_parts import TextParts
from dejavuu_core.errors import ModelError

__all__ = ["GGUFSource", "half_rotation"]

_OUTER = {
    "model.embed_tokens.weight": "token_embd.weight",
    "model.norm.weight": "output_norm.weight",
    "lm_head.weight": "output.weight",
}
_INNER = {
    "input_layernorm": "attn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}


def half_rotation(rows: FloatArray, heads: int) -> FloatArray:
    """Undo the order that llama.cpp's converter gives the rows of q and k.

    There, rows ``2j`` and ``2j + 1`` of a head turn together; here rows ``j`` and ``j + d/2`` do.

    Args:
        rows: ``[heads * d, ...]`` float32 in the order of the file.
        heads: Number of heads.

    Returns:
        A new array of the same shape.
    """
    paired = rows.reshape(heads, -1, 2, *rows.shape[1:])
    return paired.swapaxes(1, 2).reshape(rows.shape)


class GGUFSource:
    """See ``source.Source``; tensors are dequantised one at a time."""

    def __init__(self, path: Path) -> None:
        """Read the header and the hyper-parameters.

        Raises:
            ModelError: Not a GGUF file, damaged, or of a family or variant that cannot be built.
        """
        self.files: tuple[Path, ...] = (path,)
        self._file = GGUFFile(path)
        self._family = family_of(str(self._key("general.architecture")))
        self.spec = self._read_spec()

    def _key(self, key: str) -> Any:  # noqa: ANN401  the key decides
        try:
            return self._file.metadata[key]
        except KeyError:
            raise ModelError(f"{str(self._file.path)!r} lacks the metadata key {key!r}.") from None

    def _read_spec(self) -> DecoderSpec:
        meta, arch = self._file.metadata, self._family.name
        embedding = self._file.tensors.get("token_embd.weight")
        if embedding is None:
            raise ModelError(f"{str(self._file.path)!r} has no tensor 'token_embd.weight'.")
        heads = int(self._key(f"{arch}.attention.head_count"))
        hidden = int(self._key(f"{arch}.embedding_length"))
        head_dim = int(meta.get(f"{arch}.attention.key_length", hidden // heads))
        if int(meta.get(f"{arch}.rope.dimension_count", head_dim)) != head_dim:
            raise ModelError(
                f"{str(self._file.path)!r} rotates part of a head only; that is not built."
            )
        return DecoderSpec(
            family=arch,
            vocab_size=embedding.shape[0],
            hidden_size=hidden,
            intermediate_size=int(self._key(f"{arch}.feed_forward_length")),
            layers=int(self._key(f"{arch}.block_count")),
            heads=heads,
            kv_heads=int(meta.get(f"{arch}.attention.head_count_kv", heads)),
            head_dim=head_dim,
            rms_eps=float(self._key(f"{arch}.attention.layer_norm_rms_epsilon")),
            rope=self._read_rope(arch, head_dim),
            max_context=int(self._key(f"{arch}.context_length")),
            tied="output.weight" not in self._file.tensors,
        )

    def _read_rope(self, arch: str, head_dim: int) -> Rope:
        meta = self._file.metadata
        theta = float(meta.get(f"{arch}.rope.freq_base", 10000.0))
        scaling = meta.get(f"{arch}.rope.scaling.type", "none")
        if scaling == "linear":
            factor = float(self._key(f"{arch}.rope.scaling.factor"))
            return Rope(theta, (factor,) * (head_dim // 2))
        if scaling != "none":
            raise ModelError(f"Rope scaling {scaling!r} cannot be built; 'linear' and 'none' can.")
        if "rope_freqs.weight" in self._file.tensors:  # how Llama 3's scaling is stored
            return Rope(theta, tuple(self._file.tensor("rope_freqs.weight").tolist()))
        return Rope(theta)

    def tensor(self, name: str) -> FloatArray:
        """See ``Source.tensor``."""
        array = self._file.tensor(_gguf_name(name))
        check_shape(name, array.shape, self.spec)
        if self._family.paired_rope and ".q_proj." in name:
            return half_rotation(array, self.spec.heads)
        if self._family.paired_rope and ".k_proj." in name:
            return half_rotation(array, self.spec.kv_heads)
        return array

    def text_parts(self) -> TextParts:
        """See ``Source.text_parts``."""
        return gguf_text_parts(self._file.metadata)


def _gguf_name(name: str) -> str:
    if name in _OUTER:
        return _OUTER[name]
    layer, _, rest = name.removeprefix("model.layers.").partition(".")
    part, _, leaf = rest.rpartition(".")
    return f"blk.{layer}.{_INNER[part]}.{leaf}"
