"""Tiny random models, for tests of this package and of those that run its graphs."""

import string
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save_file
from tokenizers import AddedToken, Tokenizer, decoders, pre_tokenizers
from tokenizers.models import BPE

from dejavuu_build.arrays import FloatArray
from dejavuu_build.families import Family, family_of
from dejavuu_build.json_file import write_json
from dejavuu_build.spec import DecoderSpec, Rope
from dejavuu_core.errors import UsageError

__all__ = ["SPECIAL_TOKENS", "write_tiny_checkpoint"]

SPECIAL_TOKENS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")  # ids 0, 1, 2
_CHAT_TEMPLATE = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] "
    "+ '<|im_end|>\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)


def write_tiny_checkpoint(
    folder: Path,
    *,
    family: str = "llama",
    seed: int = 0,
    vocab_size: int = 320,
    hidden: int = 32,
    intermediate: int = 64,
    layers: int = 2,
    heads: int = 4,
    kv_heads: int = 2,
    head_dim: int = 16,
    max_context: int = 512,
    tied: bool = True,
    rope_scaling: dict[str, Any] | None = None,
) -> Path:
    """Write a Hugging Face folder with random float32 weights; gives ``folder``.

    The same arguments give the same bytes. The tokenizer spells bytes; from 259 ids on it can
    spell all of them, below that the rarer ones become ``<|endoftext|>``.

    Args:
        folder: Made if it does not exist; files in it are replaced.
        family: Key of ``families.FAMILIES``.
        seed: Seed of the weights.
        vocab_size: Number of ids, at least 32.
        hidden: Width of the residual stream; a multiple of 32 for blocks of 32.
        intermediate: Width of the feed-forward part; a multiple of 32 likewise.
        layers: Number of blocks.
        heads: Query heads.
        kv_heads: Key and value heads; divides ``heads``.
        head_dim: Width of a head; a multiple of 16.
        max_context: Longest context in tokens.
        tied: True for one table as embedding and head.
        rope_scaling: ``rope_scaling`` of ``config.json``, or None.

    Raises:
        ModelError: An unknown family.
        UsageError: Fewer than 32 ids.
    """
    if vocab_size < 32:
        raise UsageError(f"A vocabulary of {vocab_size} is too small; give 32 at least.")
    spec = DecoderSpec(
        family=family,
        vocab_size=vocab_size,
        hidden_size=hidden,
        intermediate_size=intermediate,
        layers=layers,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        rms_eps=1e-5,
        rope=Rope(10000.0),
        max_context=max_context,
        tied=tied,
    )
    _write(folder, spec, seed, {} if rope_scaling is None else {"rope_scaling": rope_scaling})
    return folder


def _write(folder: Path, spec: DecoderSpec, seed: int, more: dict[str, Any]) -> None:
    row = family_of(spec.family)
    config = spec.hf_config(row.architecture) | {"bos_token_id": 1, "eos_token_id": 2} | more
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / "config.json", config)
    save_file(_weights(spec, row, seed), folder / "model.safetensors")
    _write_tokenizer(folder, spec.vocab_size, spec.max_context)


def _weights(spec: DecoderSpec, family: Family, seed: int) -> dict[str, FloatArray]:
    rng = np.random.default_rng(seed)
    hidden, inner, q, kv = spec.hidden_size, spec.intermediate_size, spec.q_size, spec.kv_size

    def matrix(rows: int, width: int) -> FloatArray:
        # A gain above one lets the blocks outweigh the token that was read, so that a random
        # model with a tied head does more than repeat it.
        return np.asarray(rng.standard_normal((rows, width)) * 2 / np.sqrt(width), np.float32)

    def vector(size: int, centre: float) -> FloatArray:
        return np.asarray(centre + 0.2 * rng.standard_normal(size), np.float32)

    weights = {"model.embed_tokens.weight": matrix(spec.vocab_size, hidden)}
    for i in range(spec.layers):
        layer = f"model.layers.{i}"
        for part, rows in (("q", q), ("k", kv), ("v", kv)):
            weights[f"{layer}.self_attn.{part}_proj.weight"] = matrix(rows, hidden)
            if family.qkv_bias:
                weights[f"{layer}.self_attn.{part}_proj.bias"] = vector(rows, 0)
        weights[f"{layer}.self_attn.o_proj.weight"] = matrix(hidden, q)
        weights[f"{layer}.mlp.gate_proj.weight"] = matrix(inner, hidden)
        weights[f"{layer}.mlp.up_proj.weight"] = matrix(inner, hidden)
        weights[f"{layer}.mlp.down_proj.weight"] = matrix(hidden, inner)
        weights[f"{layer}.input_layernorm.weight"] = vector(hidden, 1)
        weights[f"{layer}.post_attention_layernorm.weight"] = vector(hidden, 1)
    weights["model.norm.weight"] = vector(hidden, 1)
    if not spec.tied:
        weights["lm_head.weight"] = matrix(spec.vocab_size, hidden)
    return weights


def _write_tokenizer(folder: Path, vocab_size: int, max_context: int) -> None:
    tokenizer = Tokenizer(BPE(_vocabulary(vocab_size), [], unk_token=SPECIAL_TOKENS[0]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    tokenizer.decoder = decoders.ByteLevel()
    special = [AddedToken(token, normalized=False, special=True) for token in SPECIAL_TOKENS]
    tokenizer.add_special_tokens(special)
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": SPECIAL_TOKENS[1],
        "eos_token": SPECIAL_TOKENS[2],
        "pad_token": SPECIAL_TOKENS[0],
        "add_bos_token": False,
        "model_max_length": max_context,
        "chat_template": _CHAT_TEMPLATE,
    }
    write_json(folder / "tokenizer_config.json", settings)


def _vocabulary(size: int) -> dict[str, int]:
    """Special tokens, then byte spellings with common characters first, then fillers."""
    # Byte-level spelling writes a space as the first of these two and a line end as the second.
    common = "\u0120\u010a" + string.ascii_lowercase + string.ascii_uppercase + string.digits
    rest = sorted(set(pre_tokenizers.ByteLevel.alphabet()) - set(common))
    tokens = [*SPECIAL_TOKENS, *common, *rest]
    tokens += [f"<{i}>" for i in range(len(tokens), size)]
    return {token: i for i, token in enumerate(tokens[:size])}
