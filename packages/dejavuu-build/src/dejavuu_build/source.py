"""Where weights come from, behind one interface."""

from pathlib import Path
from typing import Protocol

from dejavuu_build.arrays import FloatArray
from dejavuu_build.spec import DecoderSpec
from dejavuu_build.text_parts import TextParts
from dejavuu_core.errors import ModelError

__all__ = ["Source", "open_source"]


class Source(Protocol):
    """Weights and vocabulary of one model.

    Attributes:
        spec: The model's hyper-parameters.
        files: The files read, in a fixed order.
    """

    spec: DecoderSpec
    files: tuple[Path, ...]

    def tensor(self, name: str) -> FloatArray:
        """Read one tensor by its Hugging Face name, as float32 (``[out, in]`` for a matrix).

        Raises:
            ModelError: It is missing, has another shape than the spec asks for, or is damaged.
        """

    def text_parts(self) -> TextParts:
        """Read the tokenizer and what belongs to it."""


def open_source(path: Path) -> Source:
    """Open a GGUF file or a local Hugging Face folder.

    Raises:
        ModelError: There is nothing at ``path``, or it is neither of the two, or is damaged.
    """
    # Both readers import this module's neighbours, and only one of them is needed.
    from dejavuu_build.gguf_source import GGUFSource
    from dejavuu_build.hf_source import HFSource

    if (path / "decoder.onnx").is_file():
        raise ModelError(f"{str(path)!r} is a built folder already; give what it was built from.")
    if path.is_dir():
        if not (path / "config.json").is_file():
            raise ModelError(
                f"{str(path)!r} has no config.json; give a Hugging Face folder or a GGUF file."
            )
        return HFSource(path)
    if path.is_file():
        return GGUFSource(path)
    raise ModelError(f"There is no file or folder {str(path)!r}; give a GGUF file or a HF folder.")
