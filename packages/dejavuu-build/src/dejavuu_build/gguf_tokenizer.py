"""The tokenizer that a GGUF file's metadata describes."""

from collections.abc import Sequence
from typing import Any

from tokenizers import AddedToken, Regex, Tokenizer, decoders, pre_tokenizers, processors
from tokenizers.models import BPE

from dejavuu_build.text_parts import TextParts, begins_with, end_ids
from dejavuu_core.errors import ModelError

__all__ = ["gguf_text_parts"]

_CONTROL, _USER_DEFINED = 3, 4  # of tokenizer.ggml.token_type
_QWEN2_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_LLAMA3_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def _split(pattern: str) -> pre_tokenizers.PreTokenizer:
    """Cut text by a pattern, then spell bytes."""
    return pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(pattern), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )


def _pre_tokenizer(name: str) -> pre_tokenizers.PreTokenizer:
    """The pre-tokenizer that ``tokenizer.ggml.pre`` names."""
    if name == "smollm":
        return pre_tokenizers.Sequence(
            [
                pre_tokenizers.Digits(individual_digits=True),
                pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
            ]
        )
    if name == "qwen2":
        return _split(_QWEN2_SPLIT)
    if name in ("llama-bpe", "llama3", "llama-v3"):
        return _split(_LLAMA3_SPLIT)
    raise ModelError(
        f"Pre-tokenizer {name!r} of the GGUF file is unknown; smollm, qwen2 and "
        "llama-bpe are known."
    )


def gguf_text_parts(metadata: dict[str, Any]) -> TextParts:
    """Build the tokenizer.

    Args:
        metadata: The file's metadata.

    Raises:
        ModelError: Not a byte-level BPE vocabulary, an unknown pre-tokenizer, or damaged lists.
    """
    model = metadata.get("tokenizer.ggml.model")
    if model != "gpt2":
        raise ModelError(f"Tokenizer model {model!r} of the GGUF file cannot be built; 'gpt2' can.")
    tokens: list[str] = _array(metadata, "tokens")
    tokenizer = _byte_level(tokens, metadata)

    def named(key: str) -> tuple[int, str] | None:
        token = metadata.get(f"tokenizer.ggml.{key}_token_id")
        if token is None:
            return None
        if token >= len(tokens):
            raise ModelError(f"The {key} token of the GGUF file is {token}, past its vocabulary.")
        return token, tokens[token]

    bos, eos = named("bos"), named("eos")
    if metadata.get("tokenizer.ggml.add_bos_token") and bos:
        _add_bos(tokenizer, bos)
    declared = {
        metadata[key]
        for key in (f"tokenizer.ggml.{kind}_token_id" for kind in ("eos", "eot", "eom"))
        if key in metadata
    }
    return TextParts(
        tokenizer_json=tokenizer.to_str(pretty=True),
        bos=bos,
        eos=eos,
        pad=named("padding"),
        add_bos=begins_with(tokenizer, bos[0] if bos else None),
        eos_ids=end_ids(tokenizer, declared),
        chat_template=metadata.get("tokenizer.chat_template"),
    )


def _byte_level(tokens: Sequence[str], metadata: dict[str, Any]) -> Tokenizer:
    merges = [_pair(merge) for merge in _array(metadata, "merges")]
    vocab = {token: index for index, token in enumerate(tokens)}
    try:
        tokenizer = Tokenizer(BPE(vocab, merges))
    except Exception as error:  # the library raises nothing narrower
        raise ModelError(f"The GGUF file's merges do not fit its vocabulary: {error}.") from None
    tokenizer.pre_tokenizer = _pre_tokenizer(metadata.get("tokenizer.ggml.pre", "default"))
    tokenizer.decoder = decoders.ByteLevel()
    kinds = metadata.get("tokenizer.ggml.token_type", [])
    control = [token for token, kind in zip(tokens, kinds, strict=False) if kind == _CONTROL]
    typed = [token for token, kind in zip(tokens, kinds, strict=False) if kind == _USER_DEFINED]
    tokenizer.add_special_tokens([AddedToken(t, normalized=False, special=True) for t in control])
    tokenizer.add_tokens([AddedToken(t, normalized=False, special=False) for t in typed])
    return tokenizer


def _array(metadata: dict[str, Any], key: str) -> list[str]:
    value = metadata.get(f"tokenizer.ggml.{key}")
    if not isinstance(value, list):
        raise ModelError(f"The GGUF file has no list 'tokenizer.ggml.{key}'.")
    return value


def _pair(merge: str) -> tuple[str, str]:
    left, _, right = merge.partition(" ")
    return left, right


def _add_bos(tokenizer: Tokenizer, bos: tuple[int, str]) -> None:
    token, spelling = bos
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{spelling} $A",
        pair=f"{spelling} $A {spelling}:1 $B:1",
        special_tokens=[(spelling, token)],
    )
