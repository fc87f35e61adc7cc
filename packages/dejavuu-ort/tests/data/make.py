"""Make the tiny decoder folders beside this file; needs ``dejavuu-build`` (see PROVENANCE.md)."""

import hashlib
import json
import shutil
import tempfile
from pathlib import Path

import numpy as np
import onnx
from onnx import helper, numpy_helper

from dejavuu_build.build import BuildOptions, build_folder
from dejavuu_build.precision import Precision
from dejavuu_build.tiny import write_tiny_checkpoint

HERE = Path(__file__).parent


def loosen(folder: Path) -> None:
    """Take the spare row out of the attention again, as exporters make their graphs."""
    path = folder / "decoder.onnx"
    model = onnx.load(path, load_external_data=False)
    nodes = {node.op_type: node for node in reversed(model.graph.node)}
    counted = nodes["Range"].input[1]
    plus_one = next(node for node in model.graph.node if counted in node.output)
    plus_one.op_type = "Identity"  # rows, not rows + 1
    del plus_one.input[1:]
    attention = [n for n in model.graph.node if n.op_type == "GroupQueryAttention"]
    for node in attention:
        node.input[5:7] = ["loose.seqlens", "loose.total"]
    _set(model, "slice_ends", np.array([1 << 40], np.int64))
    _set(model, "loose.one", np.array([1], np.int32))
    cuts = [
        helper.make_node("Sub", ["seqlens_k", "loose.one"], ["loose.seqlens"]),
        helper.make_node("Sub", ["total_sequence_length", "loose.one"], ["loose.total"]),
    ]
    for at, node in enumerate(cuts):
        model.graph.node.insert(at, node)
    del model.graph.value_info[:]  # the shapes in between are others now
    path.write_bytes(model.SerializeToString())
    _list_again(folder, path.name)


def _set(model: onnx.ModelProto, name: str, value: np.ndarray) -> None:
    for tensor in model.graph.initializer:
        if tensor.name == name:
            tensor.CopyFrom(numpy_helper.from_array(value, name))
            return
    model.graph.initializer.append(numpy_helper.from_array(value, name))


def _list_again(folder: Path, name: str) -> None:
    raw = (folder / name).read_bytes()
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["files"][name] = {"bytes": len(raw), "sha256": hashlib.sha256(raw).hexdigest()}
    manifest["spare_row"] = False
    path.write_text(json.dumps(manifest, indent=2) + "\n")


def main() -> None:
    """Make all three folders anew."""
    with tempfile.TemporaryDirectory() as name:
        source = write_tiny_checkpoint(Path(name) / "tiny", seed=3)
        fp32 = BuildOptions(Precision("fp32"), hidden_layer=1, force=True)
        build_folder(source, HERE / "tiny", fp32)
        build_folder(source, HERE / "int4", BuildOptions(Precision("int4"), force=True))
    shutil.rmtree(HERE / "loose", ignore_errors=True)
    shutil.copytree(HERE / "tiny", HERE / "loose")
    loosen(HERE / "loose")


if __name__ == "__main__":
    main()
