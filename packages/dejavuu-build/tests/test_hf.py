"""Hugging Face folders as sources."""

import json
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from dejavuu_build.source import open_source
from dejavuu_build.tiny import write_tiny_checkpoint
from dejavuu_core.errors import ModelError


def edit(path: Path, **changes: Any) -> None:
    config = json.loads(path.read_text())
    config.update(changes)
    path.write_text(json.dumps(config))


def test_shards_and_half_precision(tmp_path: Path) -> None:
    folder = write_tiny_checkpoint(tmp_path / "m", tied=False)
    weights = load_file(folder / "model.safetensors")
    names = sorted(weights)
    half = {n: weights[n].astype(ml_dtypes.bfloat16) for n in names[::2]}
    other = {n: weights[n].astype(np.float16) for n in names[1::2]}
    save_file(half, folder / "a.safetensors")
    save_file(other, folder / "b.safetensors")
    (folder / "model.safetensors").unlink()
    places = dict.fromkeys(half, "a.safetensors") | dict.fromkeys(other, "b.safetensors")
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": places}))
    source = open_source(folder)
    assert [path.name for path in source.files] == ["config.json", "a.safetensors", "b.safetensors"]
    for name in names:
        array = source.tensor(name)
        assert array.dtype == np.float32
        np.testing.assert_allclose(array, weights[name], rtol=1e-2, atol=1e-3)
    (folder / "b.safetensors").unlink()
    with pytest.raises(ModelError, match=r"lacks the weight file 'b\.safetensors'"):
        open_source(folder)


def test_index_cannot_point_outside(tmp_path: Path) -> None:
    folder = write_tiny_checkpoint(tmp_path / "m")
    index = {"weight_map": {"x": "../m/model.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(ModelError, match="lacks the weight file"):
        open_source(folder)


@pytest.mark.parametrize("size", [0, 5, 300, -100])
def test_truncated_safetensors(tmp_path: Path, size: int) -> None:
    folder = write_tiny_checkpoint(tmp_path / "m")
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(ModelError, match="cut short or damaged"):
        open_source(folder)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model_type": "bert"}, "family is 'bert'"),
        ({"mlp_bias": True}, "mlp_bias = true"),
        ({"use_sliding_window": True}, "use_sliding_window = true"),
        ({"hidden_act": "gelu"}, "Activation 'gelu'"),
        ({"rope_scaling": {"rope_type": "yarn", "factor": 2}}, "'yarn'"),
    ],
)
def test_variants_that_are_not_built(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    folder = write_tiny_checkpoint(tmp_path / "m")
    edit(folder / "config.json", **changes)
    with pytest.raises(ModelError, match=message):
        open_source(folder)


def test_missing_pieces_are_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no file or folder"):
        open_source(tmp_path / "nothing")
    folder = write_tiny_checkpoint(tmp_path / "m")
    source = open_source(folder)
    with pytest.raises(ModelError, match=r"no tensor 'lm_head\.weight'"):
        source.tensor("lm_head.weight")
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(ModelError, match="is not a tokenizer"):
        source.text_parts()
    (folder / "tokenizer.json").unlink()
    with pytest.raises(ModelError, match="There is no file"):
        source.text_parts()
    edit(folder / "config.json", hidden_size=64)
    with pytest.raises(ModelError, match=r"has shape \[320, 32\] where .* \[320, 64\]"):
        open_source(folder).tensor("model.embed_tokens.weight")
    (folder / "config.json").write_text('{"model_type": "llama"}')
    with pytest.raises(ModelError, match="lacks the key 'num_attention_heads'"):
        open_source(folder)
    (folder / "config.json").write_text("[1]")
    with pytest.raises(ModelError, match="no JSON object"):
        open_source(folder)
    (folder / "config.json").write_text("{")
    with pytest.raises(ModelError, match="is not JSON"):
        open_source(folder)


def test_end_ids_come_from_every_file(tmp_path: Path) -> None:
    folder = write_tiny_checkpoint(tmp_path / "m")
    (folder / "generation_config.json").write_text('{"eos_token_id": [2, 7]}')
    parts = open_source(folder).text_parts()
    assert parts.eos_ids == (0, 2, 7)
    assert parts.chat_template is not None
    assert "<|im_start|>" in parts.chat_template
    (folder / "chat_template.jinja").write_text("beside")
    assert open_source(folder).text_parts().chat_template == "beside"
    (folder / "chat_template.jinja").unlink()
    named = [{"name": "tools", "template": "a"}, {"name": "default", "template": "b"}]
    edit(folder / "tokenizer_config.json", chat_template=named, eos_token={"content": "<|im_end|>"})
    parts = open_source(folder).text_parts()
    assert parts.chat_template == "b"
    assert parts.eos == (2, "<|im_end|>")


@pytest.mark.parametrize("key", ["rope_scaling", "rope_parameters"])
def test_linear_scaling_and_the_newer_key(tmp_path: Path, key: str) -> None:
    folder = write_tiny_checkpoint(tmp_path / "m")
    edit(folder / "config.json", **{key: {"rope_type": "linear", "factor": 4, "rope_theta": 5000}})
    rope = open_source(folder).spec.rope
    assert rope.theta == 5000
    assert rope.factors == (4.0,) * 8
