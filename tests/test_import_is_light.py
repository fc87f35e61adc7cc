"""Importing a package brings only what it needs, even where everything is installed."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("package", "heavy"),
    [
        ("dejavuu_core", "torch transformers onnxruntime onnx tokenizers jinja2 gguf hypothesis"),
        ("dejavuu_core.testing", "torch transformers onnxruntime onnx tokenizers pytest"),
        ("dejavuu_ort", "torch transformers onnx onnx_ir gguf"),
        ("dejavuu_build.cli", "torch transformers"),
    ],
)
def test_import(package, heavy):
    code = f"import sys, {package}; print(*sorted(set({heavy.split()!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
