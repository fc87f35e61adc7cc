"""ONNX decoders as dejavuu verifiers: onnxruntime and numpy, no torch."""

from dejavuu_ort.verifier import OrtVerifier

__all__ = ["OrtVerifier", "__version__"]

__version__ = "0.1.0"
