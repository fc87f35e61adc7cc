"""Make the tiny decoder folders beside this file; needs ``onnx`` (see PROVENANCE.md)."""

import hashlib
import json
from pathlib import Path

import numpy as np
import onnx
import tokenizers
from numpy.typing import NDArray
from onnx import TensorProto, helper

VOCAB, HIDDEN, LAYERS, HEADS, KV, DIM, MLP, CONTEXT = 300, 64, 2, 4, 2, 16, 96, 512
QKV = (HEADS + 2 * KV) * DIM
FLOAT, INT32, INT64 = TensorProto.FLOAT, TensorProto.INT32, TensorProto.INT64
_RENAMED = {"attention_bias": "bias", "seqlens_k": "seqlens", "total_sequence_length": "total"}
TEMPLATE = (
    "{%- for message in messages %}\n"
    "{{- '<|' + message.role + '|>' + message.content + '\n' }}\n"
    "{%- endfor %}\n"
    "{%- if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"
)


class Maker:
    """Collects the nodes and weights of one graph."""

    def __init__(self, seed: int) -> None:
        """Start with nothing but a seeded source of weights."""
        self.random = np.random.default_rng(seed)
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []

    def constant(self, name: str, value: NDArray[np.generic]) -> str:
        """Keep ``value`` under ``name``."""
        self.weights.append(onnx.numpy_helper.from_array(value, name))
        return name

    def weight(self, name: str, *shape: int) -> str:
        """Keep a random float32 weight of ``shape``, scaled by its first axis."""
        values = self.random.standard_normal(shape) * (2.0 / np.sqrt(shape[0]))
        return self.constant(name, values.astype(np.float32))

    def node(self, op: str, inputs: list[str], output: str, domain: str = "", **attrs: int) -> str:
        """Add one node with one output."""
        self.nodes.append(helper.make_node(op, inputs, [output], domain=domain, **attrs))
        return output

    def norm(self, x: str, name: str) -> str:
        """Add an RMS norm."""
        scale = self.constant(f"{name}.scale", np.ones(HIDDEN, np.float32))
        return self.node("SimplifiedLayerNormalization", [x, scale], name, axis=-1)

    def attention(self, x: str, layer: int, spare: bool) -> str:
        """Add the attention of ``layer``, with the last row once more where ``spare``."""
        at = f"l{layer}"
        qkv = self.node("MatMul", [x, self.weight(f"{at}.qkv", HIDDEN, QKV)], f"{at}.rows")
        if spare:
            last = self.node("Slice", [qkv, "minus1", "far", "axis1"], f"{at}.last")
            qkv = self.node("Concat", [qkv, last], f"{at}.rows1", axis=1)
        past = [f"past_key_values.{layer}.key", f"past_key_values.{layer}.value"]
        lengths = ["seqlens", "total", "cos", "sin", "positions", "bias"]
        self.nodes.append(
            helper.make_node(
                "GroupQueryAttention",
                [qkv, "", "", *past, *lengths],
                [f"{at}.att", f"present.{layer}.key", f"present.{layer}.value"],
                domain="com.microsoft",
                num_heads=HEADS,
                kv_num_heads=KV,
                do_rotary=1,
            )
        )
        out = f"{at}.att"
        if spare:
            out = self.node("Slice", [out, "zero1", "minus1", "axis1"], f"{at}.cut")
        return self.node("MatMul", [out, self.weight(f"{at}.o", HEADS * DIM, HIDDEN)], f"{at}.o_")

    def mlp(self, x: str, layer: int) -> str:
        """Add the gated MLP of ``layer``."""
        at = f"l{layer}"
        gate = self.node("MatMul", [x, self.weight(f"{at}.gate", HIDDEN, MLP)], f"{at}.g")
        up = self.node("MatMul", [x, self.weight(f"{at}.up", HIDDEN, MLP)], f"{at}.u")
        soft = self.node("Sigmoid", [gate], f"{at}.s")
        both = self.node("Mul", [self.node("Mul", [gate, soft], f"{at}.gs"), up], f"{at}.gu")
        return self.node("MatMul", [both, self.weight(f"{at}.down", MLP, HIDDEN)], f"{at}.d")


def graph(spare: bool, seed: int = 0) -> onnx.ModelProto:
    """Give the decoder; without ``spare`` it is what exporters usually make."""
    make = Maker(seed)
    for name, value in (("minus1", -1), ("zero1", 0), ("axis1", 1), ("far", 1 << 40)):
        make.constant(name, np.array([value], np.int64))
    angle = np.arange(CONTEXT)[:, None] / (10000 ** (np.arange(DIM // 2) / (DIM // 2)))
    make.constant("cos", np.cos(angle).astype(np.float32))
    make.constant("sin", np.sin(angle).astype(np.float32))
    embed = make.weight("embed", VOCAB, HIDDEN)
    x = make.node("Gather", [embed, "input_ids"], "x0")
    _positions(make, spare)
    for layer in range(LAYERS):
        normed = make.norm(x, f"l{layer}.n1")
        x = make.node("Add", [x, make.attention(normed, layer, spare)], f"l{layer}.a")
        x = make.node("Add", [x, make.mlp(make.norm(x, f"l{layer}.n2"), layer)], f"l{layer}.x")
    make.constant("flat", np.array([-1, HIDDEN], np.int64))
    hidden = make.node("Reshape", [make.norm(x, "final"), "flat"], "hidden_states")
    asked = make.node("Gather", [hidden, "logits_rows"], "asked", axis=0)
    make.node("MatMul", [asked, make.weight("head", HIDDEN, VOCAB)], "logits")
    return _model(make)


def _positions(make: Maker, spare: bool) -> None:
    if spare:
        last = make.node("Slice", ["position_ids", "minus1", "far", "axis1"], "last_position")
        make.node("Concat", ["position_ids", last], "positions", axis=1)
        for whole, name in _RENAMED.items():
            make.node("Identity", [whole], name)
        return
    make.node("Identity", ["position_ids"], "positions")
    # the contract's inputs count the spare row, so this graph cuts it off again
    make.constant("axes23", np.array([2, 3], np.int64))
    make.constant("zero2", np.array([0, 0], np.int64))
    make.constant("minus2", np.array([-1, -1], np.int64))
    make.node("Slice", ["attention_bias", "zero2", "minus2", "axes23"], "bias")
    make.constant("one32", np.array([1], np.int32))
    make.node("Sub", ["seqlens_k", "one32"], "seqlens")
    make.node("Sub", ["total_sequence_length", "one32"], "total")


def _model(make: Maker) -> onnx.ModelProto:
    info = helper.make_tensor_value_info
    cache = [1, KV, "capacity", DIM]
    parts = [(i, part) for i in range(LAYERS) for part in ("key", "value")]
    inputs = [
        info("input_ids", INT64, [1, "rows"]),
        info("position_ids", INT64, [1, "rows"]),
        info("attention_bias", FLOAT, [1, 1, "rows1", "total1"]),
        info("seqlens_k", INT32, [1]),
        info("total_sequence_length", INT32, [1]),
        info("logits_rows", INT64, ["k"]),
        *(info(f"past_key_values.{i}.{part}", FLOAT, cache) for i, part in parts),
    ]
    outputs = [
        info("logits", FLOAT, ["k", VOCAB]),
        info("hidden_states", FLOAT, ["rows", HIDDEN]),
        *(info(f"present.{i}.{part}", FLOAT, cache) for i, part in parts),
    ]
    made = helper.make_graph(make.nodes, "tiny", inputs, outputs, make.weights)
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(made, opset_imports=opsets, ir_version=10)


def tokenizer() -> tokenizers.Tokenizer:
    """Give a byte-level tokenizer: 256 bytes and a few special ids."""
    alphabet = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    ids = {letter: at for at, letter in enumerate(alphabet)}
    made = tokenizers.Tokenizer(tokenizers.models.BPE(vocab=ids, merges=[]))
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = tokenizers.decoders.ByteLevel()
    made.add_special_tokens(["<s>", "</s>", "<|user|>", "<|assistant|>", "<|system|>"])
    return made


def write(folder: Path, spare: bool) -> None:
    """Write one decoder folder with its manifest."""
    folder.mkdir(exist_ok=True)
    model = graph(spare)
    data = folder / "decoder.onnx.data"
    data.unlink(missing_ok=True)
    onnx.save(model, folder / "decoder.onnx", save_as_external_data=True, location=data.name)
    data.chmod(0o644)
    tokenizer().save(str(folder / "tokenizer.json"))
    config = {"chat_template": TEMPLATE, "bos_token": "<s>", "eos_token": "</s>"}
    (folder / "tokenizer_config.json").write_text(json.dumps(config, indent=1) + "\n")
    names = ("decoder.onnx", "decoder.onnx.data", "tokenizer.json", "tokenizer_config.json")
    files = {}
    for name in names:
        raw = (folder / name).read_bytes()
        files[name] = {"bytes": len(raw), "sha256": hashlib.sha256(raw).hexdigest()}
    manifest = {
        "format": "dejavuu-decoder",
        "format_version": 1,
        "vocab_size": VOCAB,
        "hidden_size": HIDDEN,
        "layers": LAYERS,
        "heads": HEADS,
        "kv_heads": KV,
        "head_dim": DIM,
        "max_context": CONTEXT,
        "precision": "fp32",
        "hidden_layer": LAYERS,
        "graph": "decoder.onnx",
        "eos_token_ids": [257],
        "bos_token_id": 256,
        "add_bos": True,
        "files": files,
    }
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")


if __name__ == "__main__":
    here = Path(__file__).parent
    write(here / "tiny", spare=True)
    write(here / "loose", spare=False)
