"""Text to ids and back, with and without the beginning-of-text id."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ort_helpers import DATA

from dejavuu_core.contract import Message
from dejavuu_core.errors import ModelError, UsageError
from dejavuu_ort.manifest import Manifest
from dejavuu_ort.tokenizer import OrtTokenizer

TINY = OrtTokenizer(Manifest.read(DATA / "tiny"))


def config(folder: Path, **changes: object) -> OrtTokenizer:
    """Give the tokenizer in ``folder`` with another ``tokenizer_config.json``."""
    manifest = Manifest.read(folder)
    path = folder / "tokenizer_config.json"
    raw = json.loads(path.read_text())
    path.write_text(json.dumps({**raw, **changes}))
    return OrtTokenizer(manifest)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_a_text_comes_back_as_it_was(text: str) -> None:
    ids = TINY.encode(text)
    assert ids.dtype == np.int32
    assert TINY.decode(ids) == text


def test_the_first_id_is_added_where_the_manifest_says_so() -> None:
    manifest = Manifest.read(DATA / "tiny")
    with_bos = OrtTokenizer(replace(manifest, add_bos=True))
    assert with_bos.encode("hi").tolist() == [1, *TINY.encode("hi").tolist()]
    assert OrtTokenizer(replace(manifest, add_bos=True, bos_token_id=None)).encode("").size == 0
    assert with_bos.eos_ids == (0, 2)


def test_a_chat_is_the_template_and_never_gets_a_second_first_id() -> None:
    with_bos = OrtTokenizer(replace(Manifest.read(DATA / "tiny"), add_bos=True))
    ids = with_bos.encode_chat([Message(role="user", content="hi")])
    assert ids.dtype == np.int32
    plain = TINY.encode("<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n")
    assert ids.tolist() == plain.tolist()
    assert ids.tolist().count(1) == 2
    assert TINY.decode(ids) == "user\nhi\nassistant\n"


def test_without_a_template_a_chat_is_refused(model_folder: Path) -> None:
    with pytest.raises(UsageError, match="'model' has no chat template; give it a plain text"):
        config(model_folder, chat_template=None).encode_chat([])


def test_of_several_templates_the_default_is_taken(model_folder: Path) -> None:
    several = [{"name": "tool", "template": "no"}, {"name": "default", "template": "yes"}]
    tokenizer = config(model_folder, chat_template=several)
    assert tokenizer.decode(tokenizer.encode_chat([])) == "yes"


def test_a_template_file_goes_first_and_sees_the_special_tokens(model_folder: Path) -> None:
    (model_folder / "chat_template.jinja").write_text("[{{ eos_token }}{{ pad_token }}]")
    tokenizer = config(model_folder, eos_token={"content": "E"}, pad_token="P")
    assert tokenizer.decode(tokenizer.encode_chat([])) == "[EP]"


def test_saved_truncation_does_not_cut_a_prompt(model_folder: Path) -> None:
    path = model_folder / "tokenizer.json"
    raw = json.loads(path.read_text())
    cut = {"direction": "Right", "max_length": 2, "strategy": "LongestFirst", "stride": 0}
    path.write_text(json.dumps({**raw, "truncation": cut}))
    manifest = replace(Manifest.read(DATA / "tiny"), folder=model_folder)
    assert OrtTokenizer(manifest).decode(OrtTokenizer(manifest).encode("longer")) == "longer"


def test_a_missing_or_damaged_tokenizer_is_named(model_folder: Path) -> None:
    manifest = Manifest.read(model_folder)
    (model_folder / "tokenizer.json").write_text("{}")
    with pytest.raises(ModelError, match=r"tokenizer\.json' is not a tokenizer"):
        OrtTokenizer(manifest)
    (model_folder / "tokenizer.json").unlink()
    with pytest.raises(ModelError, match=r"has no tokenizer\.json"):
        OrtTokenizer(manifest)
