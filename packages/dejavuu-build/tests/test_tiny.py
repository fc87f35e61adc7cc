"""Tiny checkpoints."""

from pathlib import Path

import pytest
from tokenizers import Tokenizer

from dejavuu_build.digest import sha256_of
from dejavuu_build.source import open_source
from dejavuu_build.tiny import write_tiny_checkpoint
from dejavuu_core.errors import ModelError, UsageError


def test_the_seed_decides(tmp_path: Path) -> None:
    folders = [write_tiny_checkpoint(tmp_path / str(i), seed=i // 2) for i in range(3)]
    hashes = [sha256_of(folder / "model.safetensors") for folder in folders]
    assert hashes[0] == hashes[1] != hashes[2]


@pytest.mark.parametrize("size", [32, 64, 259, 320])
def test_the_tokenizer_spells_what_it_can(tmp_path: Path, size: int) -> None:
    folder = write_tiny_checkpoint(tmp_path, vocab_size=size)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    assert tokenizer.get_vocab_size() == size == open_source(folder).spec.vocab_size
    text = "<|im_start|>some words<|im_end|>" if size < 259 else "<|im_start|>W\u00f6rter, 42!\n"
    ids = tokenizer.encode(text).ids
    assert max(ids) < size
    assert tokenizer.decode(ids, skip_special_tokens=False) == text


def test_what_cannot_be_made_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="vocabulary of 31"):
        write_tiny_checkpoint(tmp_path, vocab_size=31)
    with pytest.raises(ModelError, match="'gpt2'"):
        write_tiny_checkpoint(tmp_path, family="gpt2")
    assert not list(tmp_path.iterdir())
