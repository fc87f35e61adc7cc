"""GGUF files as sources."""

import struct
from pathlib import Path

import numpy as np
import pytest
from gguf_files import interleave, rounded, write_gguf
from tokenizers import Tokenizer

from dejavuu_build.gguf_source import half_rotation
from dejavuu_build.gguf_tokenizer import gguf_text_parts
from dejavuu_build.rope import frequencies
from dejavuu_build.source import open_source
from dejavuu_build.tiny import write_tiny_checkpoint
from dejavuu_core.errors import ModelError

LLAMA3 = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 256,
}


def test_half_rotation_undoes_the_converter() -> None:
    rows = np.random.default_rng(0).standard_normal((4 * 16, 5)).astype(np.float32)
    assert np.array_equal(half_rotation(interleave(rows, 4), 4), rows)
    # Neighbours of the file turn together, so they must end up half a head apart.
    order = half_rotation(np.arange(8, dtype=np.float32), 1)
    assert order.tolist() == [0, 2, 4, 6, 1, 3, 5, 7]


@pytest.mark.parametrize("family", ["llama", "qwen2"])
@pytest.mark.parametrize("tied", [True, False])
def test_gguf_and_folder_are_the_same_model(tmp_path: Path, family: str, tied: bool) -> None:
    folder = write_tiny_checkpoint(tmp_path / "hf", family=family, tied=tied)
    truth, source = open_source(folder), open_source(write_gguf(folder, tmp_path / "m.gguf"))
    assert source.spec.tied == tied
    assert source.spec.family == family
    assert source.spec.rms_eps == pytest.approx(1e-5)
    for name in (
        "model.layers.1.self_attn.q_proj.weight",
        "model.layers.0.self_attn.k_proj.weight",
    ):
        heads = 4 if "q_proj" in name else 2
        expected = truth.tensor(name)
        if family == "llama":  # blocks run along rows, so the order of rows does not matter
            expected = half_rotation(rounded(interleave(expected, heads)), heads)
        else:
            expected = rounded(expected)
        assert np.array_equal(source.tensor(name), expected)
    for name in ("model.norm.weight", "model.layers.1.post_attention_layernorm.weight"):
        assert np.array_equal(source.tensor(name), truth.tensor(name))
    if family == "qwen2":
        name = "model.layers.0.self_attn.v_proj.bias"
        assert np.array_equal(source.tensor(name), truth.tensor(name))


def test_llama3_scaling_is_read_from_either_source(tmp_path: Path) -> None:
    folder = write_tiny_checkpoint(tmp_path / "hf", rope_scaling=LLAMA3)
    rope = open_source(folder).spec.rope
    assert rope.factors is not None
    path = write_gguf(folder, tmp_path / "m.gguf", factors=np.array(rope.factors, np.float32))
    from_gguf = open_source(path).spec.rope
    np.testing.assert_allclose(from_gguf.factors, rope.factors, rtol=1e-6)
    plain = 1 / 10000.0 ** (np.arange(0, 16, 2) / 16)
    turns = frequencies(rope, 16)
    wavelengths = 2 * np.pi / plain
    np.testing.assert_allclose(turns[wavelengths < 64], plain[wavelengths < 64], rtol=1e-6)
    np.testing.assert_allclose(turns[wavelengths > 256], plain[wavelengths > 256] / 8, rtol=1e-6)
    between = (wavelengths > 64) & (wavelengths < 256)
    assert between.any()
    assert (turns[between] < plain[between]).all()
    assert (turns[between] > plain[between] / 8).all()


def test_a_file_cut_short_anywhere_is_one_sentence(tmp_path: Path) -> None:
    whole = write_gguf(write_tiny_checkpoint(tmp_path / "hf"), tmp_path / "m.gguf").read_bytes()
    cut = tmp_path / "cut.gguf"
    for size in (6, 20, 200, 2000, len(whole) // 2, len(whole) - 40):
        cut.write_bytes(whole[:size])
        with pytest.raises(ModelError, match="cut short"):
            open_source(cut)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "does not start with 'GGUF'"),
        (b"PK\x03\x04 a zip", "does not start with 'GGUF'"),
        (b"GGUF" + struct.pack("<IQQ", 1, 0, 0), "version 1"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 0), "lacks the metadata key 'general.architecture'"),
        (b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 1) + b"k" + struct.pack("<I", 77), "type 77"),
        (b"GGUF" + struct.pack("<IQQQ", 3, 1, 0, 1) + b"t" + struct.pack("<I", 99), "99 axes"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=message):
        open_source(path)


def test_tokenizer_of_a_gguf_file(tmp_path: Path) -> None:
    folder = write_tiny_checkpoint(tmp_path / "hf")
    parts = open_source(write_gguf(folder, tmp_path / "m.gguf")).text_parts()
    tokenizer = Tokenizer.from_str(parts.tokenizer_json)
    assert parts.eos_ids == (0, 2)
    assert parts.bos == (1, "<|im_start|>")
    assert not parts.add_bos
    text = "<|im_start|>user\n x  12 \u00e9\U0001f642<|im_end|>"
    ids = tokenizer.encode(text).ids
    assert ids[0] == 1
    assert ids[-1] == 2
    assert tokenizer.decode(ids, skip_special_tokens=False) == text
    assert tokenizer.encode("abcd").ids == [318, 319]
    assert tokenizer.decode(ids) == "user\n x  12 \u00e9\U0001f642"


def _metadata(pre: str, **more: object) -> dict[str, object]:
    alphabet = [chr(c) for c in range(33, 127)] + ["\u0120", "\u010a", "12", "\u01201"]
    return {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": pre,
        "tokenizer.ggml.tokens": ["<|endoftext|>", *alphabet],
        "tokenizer.ggml.token_type": [3] + [1] * len(alphabet),
        "tokenizer.ggml.merges": ["1 2", "\u0120 1"],
        "tokenizer.ggml.eos_token_id": 0,
        "tokenizer.ggml.bos_token_id": 0,
        **more,
    }


@pytest.mark.parametrize(
    ("pre", "pieces"),
    [
        ("smollm", ["a", "\u0120", "1", "2"]),
        ("qwen2", ["a", "\u0120", "1", "2"]),
        ("llama-bpe", ["a", "\u0120", "12"]),
    ],
)
def test_pre_tokenizers_cut_digits_their_own_way(pre: str, pieces: list[str]) -> None:
    tokenizer = Tokenizer.from_str(gguf_text_parts(_metadata(pre)).tokenizer_json)
    assert tokenizer.encode("a 12").tokens == pieces


def test_bos_is_put_first_where_the_file_says_so() -> None:
    parts = gguf_text_parts(_metadata("qwen2", **{"tokenizer.ggml.add_bos_token": True}))
    assert parts.add_bos
    assert Tokenizer.from_str(parts.tokenizer_json).encode("a").ids[0] == 0


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        (_metadata("gpt-9"), "Pre-tokenizer 'gpt-9'"),
        ({"tokenizer.ggml.model": "llama"}, "Tokenizer model 'llama'"),
        ({"tokenizer.ggml.model": "gpt2"}, "no list 'tokenizer.ggml.tokens'"),
        (_metadata("qwen2", **{"tokenizer.ggml.merges": ["x yz"]}), "merges do not fit"),
        (_metadata("qwen2", **{"tokenizer.ggml.bos_token_id": 999}), "bos token .* is 999"),
    ],
)
def test_unknown_tokenizers_are_refused(metadata: dict[str, object], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        gguf_text_parts(metadata)
