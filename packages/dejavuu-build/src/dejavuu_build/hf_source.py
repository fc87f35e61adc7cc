"""A local Hugging Face folder as a source of weights."""

import json
from pathlib import Path
from typing import Any

import ml_dtypes  # noqa: F401  numpy learns bfloat16 from it
import numpy as np
from safetensors import SafetensorError, safe_open

from dejavuu_build.arrays import FloatArray
from dejavuu_build.families import Family, family_of
from dejavuu_build.hf_tokenizer import hf_text_parts
from dejavuu_build.json_file import read_json
from dejavuu_build.rope import rope_from_config
from dejavuu_build.spec import DecoderSpec
from dejavuu_build.tensor_shapes import check_shape
from dejavuu_build.text_parts import TextParts
from dejavuu_core.errors import ModelError

__all__ = ["HFSource"]


class HFSource:
    """See ``source.Source``; tensors are read one at a time."""

    def __init__(self, folder: Path) -> None:
        """Read ``config.json`` and the headers of the weight files.

        Raises:
            ModelError: A file is missing or damaged, or the model cannot be built.
        """
        self._folder = folder
        config = read_json(folder / "config.json")
        self.spec = _read_spec(config, family_of(str(config.get("model_type"))))
        self._place = _places(folder)
        shards = sorted(set(self._place.values()))
        self.files = (folder / "config.json", *shards)

    def tensor(self, name: str) -> FloatArray:
        """See ``Source.tensor``."""
        shard = self._place.get(name)
        if shard is None:
            raise ModelError(f"{str(self._folder)!r} has no tensor {name!r}.")
        with safe_open(shard, "numpy") as file:
            array = file.get_tensor(name)
        if array.dtype.name not in ("float32", "float16", "bfloat16"):
            raise ModelError(
                f"Tensor {name!r} has type {array.dtype.name}; only float32, float16 and bfloat16 "
                "can be built."
            )
        check_shape(name, array.shape, self.spec)
        return np.asarray(array, np.float32)

    def text_parts(self) -> TextParts:
        """See ``Source.text_parts``."""
        return hf_text_parts(self._folder)


def _places(folder: Path) -> dict[str, Path]:
    """The file of every tensor."""
    index = folder / "model.safetensors.index.json"
    if index.is_file():
        shards = sorted(set(read_json(index).get("weight_map", {}).values()))
    else:
        shards = ["model.safetensors"]
    places: dict[str, Path] = {}
    for shard in shards:
        path = folder / shard
        if Path(shard).name != shard or not path.is_file():
            raise ModelError(f"{str(folder)!r} lacks the weight file {shard!r}.")
        try:
            with safe_open(path, "numpy") as file:
                places.update(dict.fromkeys(file.keys(), path))
        except SafetensorError as error:
            raise ModelError(
                f"{str(path)!r} is cut short or damaged ({error}); fetch it again."
            ) from None
    return places


def _read_spec(config: dict[str, Any], family: Family) -> DecoderSpec:
    _refuse_variants(config)
    try:
        heads, hidden = int(config["num_attention_heads"]), int(config["hidden_size"])
        head_dim = int(config.get("head_dim") or hidden // heads)
        return DecoderSpec(
            family=family.name,
            vocab_size=int(config["vocab_size"]),
            hidden_size=hidden,
            intermediate_size=int(config["intermediate_size"]),
            layers=int(config["num_hidden_layers"]),
            heads=heads,
            kv_heads=int(config.get("num_key_value_heads") or heads),
            head_dim=head_dim,
            rms_eps=float(config.get("rms_norm_eps", 1e-6)),
            rope=rope_from_config(config, head_dim),
            max_context=int(config["max_position_embeddings"]),
            tied=bool(config.get("tie_word_embeddings", False)),
        )
    except KeyError as error:
        raise ModelError(f"config.json lacks the key {error}.") from None


def _refuse_variants(config: dict[str, Any]) -> None:
    """Raise where the configuration asks for something that the graph would leave out."""
    asked = {
        "attention_bias": config.get("attention_bias", False),
        "mlp_bias": config.get("mlp_bias", False),
        "use_sliding_window": config.get("use_sliding_window", False),
        "quantization_config": config.get("quantization_config", False),
    }
    for key, value in asked.items():
        if value:
            raise ModelError(f"config.json has {key} = {json.dumps(value)}, which cannot be built.")
    if config.get("hidden_act", "silu") != "silu":
        raise ModelError(f"Activation {config['hidden_act']!r} cannot be built; 'silu' can.")
