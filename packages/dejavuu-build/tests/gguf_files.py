"""Writes a tiny GGUF file the way llama.cpp's converter would."""

from pathlib import Path

import gguf
import numpy as np

from dejavuu_build.arrays import FloatArray
from dejavuu_build.gguf_source import _INNER, _OUTER
from dejavuu_build.json_file import read_json
from dejavuu_build.source import open_source


def interleave(rows: FloatArray, heads: int) -> FloatArray:
    """llama.cpp's permutation of q and k, word for word."""
    return (
        rows.reshape(heads, 2, rows.shape[0] // heads // 2, *rows.shape[1:])
        .swapaxes(1, 2)
        .reshape(rows.shape)
    )


def write_gguf(
    checkpoint: Path, path: Path, *, factors: FloatArray | None = None, pre: str = "smollm"
) -> Path:
    """Convert a Hugging Face folder; matrices become Q8_0, vectors stay float32."""
    source = open_source(checkpoint)
    spec = source.spec
    writer = gguf.GGUFWriter(path, spec.family)
    writer.add_context_length(spec.max_context)
    writer.add_embedding_length(spec.hidden_size)
    writer.add_block_count(spec.layers)
    writer.add_feed_forward_length(spec.intermediate_size)
    writer.add_head_count(spec.heads)
    writer.add_head_count_kv(spec.kv_heads)
    writer.add_key_length(spec.head_dim)
    writer.add_layer_norm_rms_eps(spec.rms_eps)
    writer.add_rope_freq_base(spec.rope.theta)
    _add_tokenizer(writer, checkpoint, pre)
    for name, ggml_name in _names(source).items():
        array = source.tensor(name)
        if spec.family == "llama" and ".q_proj." in name:
            array = interleave(array, spec.heads)
        if spec.family == "llama" and ".k_proj." in name:
            array = interleave(array, spec.kv_heads)
        if array.ndim == 2:
            kind = gguf.GGMLQuantizationType.Q8_0
            writer.add_tensor(ggml_name, gguf.quants.quantize(array, kind), raw_dtype=kind)
        else:
            writer.add_tensor(ggml_name, array)
    if factors is not None:
        writer.add_tensor("rope_freqs.weight", factors)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _add_tokenizer(writer: gguf.GGUFWriter, checkpoint: Path, pre: str) -> None:
    vocab = read_json(checkpoint / "tokenizer.json")["model"]["vocab"]
    tokens = sorted(vocab, key=vocab.__getitem__)
    tokens[-2:] = ["ab", "cd"]  # the fillers make room for two merged tokens
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(pre)
    writer.add_token_list(tokens)
    writer.add_token_types([3, 3, 3] + [1] * (len(tokens) - 4) + [4])
    writer.add_token_merges(["a b", "c d"])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_chat_template("{{ messages }}")


def _names(source: object) -> dict[str, str]:
    spec = source.spec  # type: ignore[attr-defined]
    names = dict(_OUTER)
    if spec.tied:
        del names["lm_head.weight"]
    for i in range(spec.layers):
        for part, ggml in _INNER.items():
            names[f"model.layers.{i}.{part}.weight"] = f"blk.{i}.{ggml}.weight"
            if spec.family == "qwen2" and part[-6:] in ("q_proj", "k_proj", "v_proj"):
                names[f"model.layers.{i}.{part}.bias"] = f"blk.{i}.{ggml}.bias"
    return names


def rounded(array: FloatArray) -> FloatArray:
    """What Q8_0 makes of a matrix."""
    kind = gguf.GGMLQuantizationType.Q8_0
    return np.asarray(gguf.quants.dequantize(gguf.quants.quantize(array, kind), kind), np.float32)
