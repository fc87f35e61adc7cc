"""What a caller may write as a prompt, and how it becomes token ids."""

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np
from numpy.typing import NDArray

from dejavuu_core.contract import Message, Request, Tokenizer
from dejavuu_core.errors import UsageError

__all__ = ["Prompt", "encode_prompt"]

Prompt = str | Sequence[int] | NDArray[np.integer] | Sequence[Message]
"""A plain text, token ids, or the messages of a chat."""


def encode_prompt(prompt: Prompt, tokenizer: Tokenizer, vocab_size: int) -> NDArray[np.int32]:
    """Give the ids of a text, of a chat's messages, or ``prompt`` itself (int32[L]).

    Raises :class:`UsageError` for an empty text, for what is none of the three, and for an id
    outside ``0 .. vocab_size - 1``.
    """
    if isinstance(prompt, str):
        return _checked(tokenizer.encode(_utf8(prompt)), vocab_size)
    if isinstance(prompt, bytes) or not isinstance(prompt, Sequence | np.ndarray):
        raise UsageError(
            f"a prompt of type {type(prompt).__name__} cannot be read; give a text, a list of "
            f"token ids, or a list of messages"
        )
    if len(prompt) and isinstance(prompt[0], Mapping):
        return _checked(tokenizer.encode_chat(_messages(prompt)), vocab_size)
    return _checked(prompt, vocab_size)


def _checked(ids: object, vocab_size: int) -> NDArray[np.int32]:
    return Request.of(ids, vocab_size=vocab_size).tokens  # type: ignore[arg-type]


def _utf8(text: str) -> str:
    """Give ``text`` where it can be written as UTF-8, as tokenizers want it."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        bad = text[error.start : error.end]
        raise UsageError(f"the text holds {bad!r}, which is no character; take it out") from None
    return text


def _messages(prompt: Sequence[object] | NDArray[np.integer]) -> list[Message]:
    """Check that every message has a role and a content, both texts."""
    messages: list[Message] = []
    for message in prompt:
        known = message if isinstance(message, Mapping) else {}
        role, content = known.get("role"), known.get("content")
        if not (isinstance(role, str) and isinstance(content, str)):
            raise UsageError(f"{message!r} is no message; give {{'role': ..., 'content': ...}}")
        _utf8(content)
        messages.append(cast("Message", message))  # whole: templates may know more keys
    return messages
