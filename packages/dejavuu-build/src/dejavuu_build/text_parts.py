"""The tokenizer of a model and the ids that begin and end a text."""

from dataclasses import dataclass
from typing import Any

from tokenizers import Tokenizer

__all__ = ["END_TOKENS", "TextParts", "begins_with", "end_ids"]

# Tokens that end a generation wherever a vocabulary has them as special tokens: files name one end
# token, while chat models stop at the end of a turn and at the end of a document.
END_TOKENS = ("<|endoftext|>", "<|im_end|>", "<|end_of_text|>", "<|eot_id|>", "<|eom_id|>", "</s>")


@dataclass(frozen=True)
class TextParts:
    """Everything about text that a built folder holds.

    Attributes:
        tokenizer_json: Text of ``tokenizer.json``.
        bos: First token of a text, id and spelling, or None.
        eos: The declared end token, id and spelling, or None.
        pad: Padding token, id and spelling, or None.
        add_bos: True where encoding with special tokens puts ``bos`` first.
        eos_ids: Sorted ids that end a generation.
        chat_template: Jinja source, or None.
    """

    tokenizer_json: str
    bos: tuple[int, str] | None
    eos: tuple[int, str] | None
    pad: tuple[int, str] | None
    add_bos: bool
    eos_ids: tuple[int, ...]
    chat_template: str | None

    def tokenizer_config(self, max_context: int) -> dict[str, Any]:
        """The parts in the words of a Hugging Face ``tokenizer_config.json``."""
        return {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "bos_token": self.bos[1] if self.bos else None,
            "eos_token": self.eos[1] if self.eos else None,
            "pad_token": self.pad[1] if self.pad else None,
            "add_bos_token": self.add_bos,
            "clean_up_tokenization_spaces": False,
            "model_max_length": max_context,
            "chat_template": self.chat_template,
        }

    def generation_config(self) -> dict[str, Any]:
        """The parts in the words of a Hugging Face ``generation_config.json``."""
        return {
            "bos_token_id": self.bos[0] if self.bos else None,
            "eos_token_id": list(self.eos_ids),
            "pad_token_id": self.pad[0] if self.pad else None,
        }


def end_ids(tokenizer: Tokenizer, declared: set[int]) -> tuple[int, ...]:
    """Sorted ids that end a generation: the declared ones and the special ``END_TOKENS``."""
    added = tokenizer.get_added_tokens_decoder()
    named = {i for i, token in added.items() if token.special and token.content in END_TOKENS}
    return tuple(sorted(declared | named))


def begins_with(tokenizer: Tokenizer, token: int | None) -> bool:
    """Say whether an encoded text starts with ``token``, by encoding one."""
    return token is not None and tokenizer.encode("a").ids[:1] == [token]
