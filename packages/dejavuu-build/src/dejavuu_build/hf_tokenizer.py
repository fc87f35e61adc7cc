"""The tokenizer of a Hugging Face folder."""

from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from dejavuu_build.json_file import read_json
from dejavuu_build.text_parts import TextParts, begins_with, end_ids
from dejavuu_core.errors import ModelError

__all__ = ["hf_text_parts"]


def hf_text_parts(folder: Path) -> TextParts:
    """Read ``tokenizer.json`` and the files beside it.

    Raises:
        ModelError: ``tokenizer.json`` is missing or damaged.
    """
    path = folder / "tokenizer.json"
    read_json(path)  # a clear error where the file is missing or not JSON
    text = path.read_text(encoding="utf-8")
    tokenizer = _load(path, text)
    config = _optional(folder / "tokenizer_config.json")

    def named(key: str) -> tuple[int, str] | None:
        token = config.get(key)
        spelling = token.get("content") if isinstance(token, dict) else token
        if not isinstance(spelling, str):
            return None
        index = tokenizer.token_to_id(spelling)
        return None if index is None else (index, spelling)

    bos, eos = named("bos_token"), named("eos_token")
    declared = _declared_ends(folder) | ({eos[0]} if eos else set())
    return TextParts(
        tokenizer_json=text,
        bos=bos,
        eos=eos,
        pad=named("pad_token"),
        add_bos=begins_with(tokenizer, bos[0] if bos else None),
        eos_ids=end_ids(tokenizer, declared),
        chat_template=_chat_template(folder, config),
    )


def _load(path: Path, text: str) -> Tokenizer:
    try:
        return Tokenizer.from_str(text)
    except Exception as error:  # the library raises nothing narrower
        raise ModelError(f"{str(path)!r} is not a tokenizer: {error}.") from None


def _optional(path: Path) -> dict[str, Any]:
    return read_json(path) if path.is_file() else {}


def _declared_ends(folder: Path) -> set[int]:
    declared: set[int] = set()
    for name in ("config.json", "generation_config.json"):
        value = _optional(folder / name).get("eos_token_id")
        declared.update(value if isinstance(value, list) else [] if value is None else [value])
    return declared


def _chat_template(folder: Path, config: dict[str, Any]) -> str | None:
    beside = folder / "chat_template.jinja"
    if beside.is_file():
        return beside.read_text(encoding="utf-8")
    template = config.get("chat_template")
    if isinstance(template, list):  # several, by name
        return next((t["template"] for t in template if t.get("name") == "default"), None)
    return template if isinstance(template, str) else None
