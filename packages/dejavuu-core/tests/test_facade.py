"""The one-object way."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from dejavuu_core import DejaVu
from dejavuu_core.errors import UsageError
from dejavuu_core.registry import load_drafter
from dejavuu_core.testing import Oracle, OracleVerifier, OracleWeights


@pytest.fixture
def model(verifier):
    return DejaVu(verifier, load_drafter("pld", num_pred=4), backend="oracle", method="pld")


def test_equal_to_plain_decoding(model):
    plain = model.with_method("baseline").generate("abcabcabc", max_new_tokens=80)
    fast = model.generate("abcabcabc", max_new_tokens=80)
    assert fast.tokens == plain.tokens
    assert (plain.stats.mat, plain.stats.drafted) == (1.0, 0)
    assert fast.stats.steps + fast.stats.accepted == 80


def test_the_result_names_everything(model):
    result = model.generate([1, 2, 3], max_new_tokens=5)
    data = json.loads(json.dumps(result.to_dict()))
    assert str(result) == data["text"]
    assert len(data["tokens"]) == data["stats"]["new_tokens"] == 5
    assert (data["prompt_tokens"], data["finish_reason"]) == (3, "length")
    assert (data["method"], data["backend"], data["exactness"]) == ("pld", "oracle", "argmax")
    assert {"steps", "mat", "acceptance_rate", "decode_s", "sources"} <= set(data["stats"])


def test_texts_ids_and_messages_are_prompts(model):
    by_text = model.generate("ab", max_new_tokens=3).tokens
    assert model.generate([97 % 50, 98 % 50], max_new_tokens=3).tokens == by_text
    messages = [{"role": "user", "content": "ab"}]
    assert model.generate(messages, max_new_tokens=3).tokens == by_text


def test_the_models_own_ends_and_the_callers():
    def model(eos):
        verifier = OracleVerifier(Oracle(OracleWeights.random(seed=1)), eos_ids=eos)
        return DejaVu(verifier, load_drafter("pld"), backend="oracle", method="pld")

    free = model(()).generate([1, 2], max_new_tokens=30).tokens
    end = free[7]
    cut = free[: free.index(end) + 1]
    assert model((end,)).generate([1, 2], max_new_tokens=30).tokens == cut
    assert model((end,)).generate([1, 2], max_new_tokens=30, ignore_eos=True).tokens == free
    stopped = model(()).generate([1, 2], max_new_tokens=30, stop_ids=[end])
    assert (stopped.tokens, stopped.finish_reason) == (cut, "stop")


@pytest.mark.parametrize(
    ("prompt", "complaint"),
    [
        ("", "empty"),
        ([], "empty"),
        ([77], "token id 77"),
        ([[1], [2]], "flat list"),
        ([[1], [2, 3]], "flat list"),
        ([1.5], "whole numbers"),
        ([True], "whole numbers"),
        (None, "of type NoneType"),
        (5, "of type int"),
        ({"role": "user", "content": "x"}, "of type dict .* list of messages"),
        (b"x", "of type bytes"),
        ([{"role": "user"}], "is no message"),
        ([{"role": "user", "content": "x"}, "y"], "'y' is no message"),
        ("a\udcff", "no character"),
    ],
)
def test_bad_prompts(model, prompt, complaint):
    with pytest.raises(UsageError, match=complaint):
        model.generate(prompt)


@pytest.mark.parametrize("most", [None, "5", 2.0, 0, -1, True, float("nan")])
def test_bad_counts(model, most):
    with pytest.raises(UsageError, match=r"max_new_tokens is .*; give a whole number"):
        model.generate([1, 2], max_new_tokens=most)


@pytest.mark.parametrize("ids", ["ab", ["2"], [None], [-1], [10**9], None, 2, [[1]], b"a"])
def test_bad_stop_ids(model, ids):
    with pytest.raises(UsageError):
        model.generate([1, 2], stop_ids=ids)


def test_names_are_texts():
    for options in ({"method": None}, {"method": 5}, {"backend": None}):
        with pytest.raises(UsageError, match="give a text"):
            DejaVu.from_pretrained("x", **options)


def test_steps_can_be_watched(model):
    seen = []
    result = model.generate([1, 2, 3], max_new_tokens=9, watch=seen.append)
    assert seen[0].prefill
    assert [token for step in seen for token in step.emitted.tolist()] == result.tokens


def test_many_threads_on_one_model(model):
    prompts = [[i, i + 1, i, i + 1, i] for i in range(24)]
    serial = [model.generate(p, max_new_tokens=20).tokens for p in prompts]
    with ThreadPoolExecutor(8) as pool:
        parallel = list(pool.map(lambda p: model.generate(p, max_new_tokens=20).tokens, prompts))
    assert parallel == serial
