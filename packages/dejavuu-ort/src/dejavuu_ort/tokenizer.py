"""The model's own tokenizer, read from its folder."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import tokenizers
from numpy.typing import NDArray

from dejavuu_core.contract import Message, Tokenizer
from dejavuu_core.errors import ModelError, UsageError
from dejavuu_ort.manifest import Manifest, read_json
from dejavuu_ort.template import ChatTemplate

__all__ = ["OrtTokenizer"]


class OrtTokenizer(Tokenizer):
    """A ``tokenizer.json`` with the chat template beside it. Thread-safe."""

    def __init__(self, manifest: Manifest) -> None:
        """Read the tokenizer in the folder of ``manifest``.

        Raises :class:`ModelError` where a file is missing or damaged.
        """
        self._folder = manifest.folder
        self._tokenizer = _read(manifest.folder / "tokenizer.json")
        self._eos = manifest.eos_token_ids
        bos = [manifest.bos_token_id] if manifest.bos_token_id is not None else []
        self._before = bos if manifest.add_bos else []
        self._template = _template(manifest.folder)

    @property
    def eos_ids(self) -> tuple[int, ...]:
        """All ids that end a generation; may be empty."""
        return self._eos

    def encode(self, text: str) -> NDArray[np.int32]:
        """Give int32[L], behind the beginning-of-text id where the model wants one."""
        return np.array(self._before + self._ids(text), dtype=np.int32)

    def encode_chat(self, messages: Sequence[Message]) -> NDArray[np.int32]:
        """Give int32[L] of the chat template, ready for the assistant's answer.

        The template itself writes the beginning-of-text token where the model wants one.
        Raises :class:`UsageError` where there is no template or it rejects the messages.
        """
        if self._template is None:
            raise UsageError(
                f"the model {self._folder.name!r} has no chat template; give it a plain text"
            )
        return np.array(self._ids(self._template.render(messages)), dtype=np.int32)

    def decode(self, tokens: Sequence[int] | NDArray[np.int32]) -> str:
        """Give the text of ``tokens`` without special tokens."""
        ids = np.asarray(tokens, dtype=np.int32).tolist()
        return str(self._tokenizer.decode(ids, skip_special_tokens=True))

    def _ids(self, text: str) -> list[int]:
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids)


def _read(path: Path) -> tokenizers.Tokenizer:
    if not path.is_file():
        raise ModelError(
            f"the model folder {str(path.parent)!r} has no {path.name}; build the folder again"
        )
    try:
        tokenizer = tokenizers.Tokenizer.from_file(str(path))
    except Exception as error:  # tokenizers raises no narrower type
        raise ModelError(
            f"{str(path)!r} is not a tokenizer ({error}); build the folder again"
        ) from error
    tokenizer.no_truncation()  # saved training settings; a prompt is never cut in silence
    tokenizer.no_padding()
    return tokenizer


def _template(folder: Path) -> ChatTemplate | None:
    path = folder / "tokenizer_config.json"
    config = read_json(path, "build the folder again") if path.is_file() else {}
    own = folder / "chat_template.jinja"
    source = own.read_text(encoding="utf-8") if own.is_file() else _source(config)
    return None if source is None else ChatTemplate(source, _special(config))


def _source(config: Mapping[str, object]) -> str | None:
    """Give the template of the config, the one named ``default`` of several."""
    found = config.get("chat_template")
    if isinstance(found, list):
        named = {item.get("name"): item.get("template") for item in found if isinstance(item, dict)}
        found = named.get("default")
    return found if isinstance(found, str) else None


def _special(config: Mapping[str, object]) -> dict[str, str]:
    special = {}
    for name in ("bos_token", "eos_token", "unk_token", "pad_token"):
        token = config.get(name)
        text = token.get("content") if isinstance(token, dict) else token
        if isinstance(text, str):
            special[name] = text
    return special
