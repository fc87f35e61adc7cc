"""Text to ids and back, as far as the engine needs it."""

from collections.abc import Sequence
from typing import Protocol, TypedDict

import numpy as np
from numpy.typing import NDArray

__all__ = ["Message", "Tokenizer"]


class Message(TypedDict):
    """One turn of a chat."""

    role: str
    content: str


class Tokenizer(Protocol):
    """The model's own tokenizer."""

    @property
    def eos_ids(self) -> tuple[int, ...]:
        """All ids that end a generation; may be empty."""
        ...

    def encode(self, text: str) -> NDArray[np.int32]:
        """Give int32[L], with the special tokens that the model wants before a plain text."""
        ...

    def encode_chat(self, messages: Sequence[Message]) -> NDArray[np.int32]:
        """Give int32[L] of the chat template, ready for the assistant's answer.

        Raises :class:`UsageError` where the model has no chat template or rejects the messages.
        """
        ...

    def decode(self, tokens: Sequence[int] | NDArray[np.int32]) -> str:
        """Give the text of ``tokens`` without special tokens."""
        ...
