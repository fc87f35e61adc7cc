"""The loop: whatever is drafted, what is written, learnt and counted is what plain decoding is."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dejavuu_core import DejaVu
from dejavuu_core.contract import Draft, Limit, Request
from dejavuu_core.engine import Generation, decode
from dejavuu_core.errors import DraftError
from dejavuu_core.registry import load_drafter
from dejavuu_core.stop import Ends
from dejavuu_core.testing import OracleVerifier, ScriptedDrafter, clairvoyant, second_child

NO_LIMIT = Limit(1024)
PROMPT = [5, 9, 5, 9, 5, 9, 7, 1, 5, 9]


def written(verifier, drafter, *, most=40, ids=(), limit=NO_LIMIT, prompt=PROMPT):
    """Run one generation; gives all its steps and the generation."""
    request = Request.of(prompt, vocab_size=50)
    ends = Ends.of(ids, max_new_tokens=most, prompt_tokens=len(prompt), max_context=512)
    session = verifier.start(request, drafter.needs)
    generation = Generation(request, drafter.start(request), ends, verifier.capabilities, limit)
    return list(decode(generation, session)), generation, session


def plain(verifier, **options):
    return written(verifier, load_drafter("baseline"), **options)[1].written.tolist()


@pytest.mark.parametrize("wrong_after", [0, 1, 3, None])
def test_chain_writes_what_plain_decoding_writes(verifier, wrong_after):
    truth = plain(verifier, most=60)
    drafter = ScriptedDrafter(clairvoyant(truth, len(PROMPT), wrong_after))
    steps, generation, _ = written(verifier, drafter, limit=Limit(7))
    assert generation.written.tolist() == truth[:40]
    assert drafter.learnt == truth[:40]
    expected = 8 if wrong_after is None else wrong_after + 1
    assert all(len(step.emitted) == expected for step in steps[1:-2])


def test_tree_follows_the_child_that_is_right(verifier):
    truth = plain(verifier, most=60)
    drafter = ScriptedDrafter(second_child(truth, len(PROMPT)))
    steps, generation, _ = written(verifier, drafter, limit=Limit(8, width=2))
    assert generation.written.tolist() == truth[:40]
    assert len(steps[1].emitted) == 5


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_any_tree_at_all_writes_what_plain_decoding_writes(seed):
    verifier = OracleVerifier.from_pretrained(seed=1)
    truth = plain(verifier, most=40)
    rng = np.random.default_rng(seed)

    def guess(context, limit):
        n = int(rng.integers(0, limit.rows + 1))
        at = len(context) - len(PROMPT)
        parents = [int(rng.integers(-1, i)) if i else -1 for i in range(n)]
        likely = [truth[min(at + i, len(truth) - 1)] for i in range(n)]
        tokens = [t if rng.random() < 0.6 else int(rng.integers(0, 50)) for t in likely]
        return Draft.tree(tokens, parents)

    _, generation, _ = written(verifier, ScriptedDrafter(guess), limit=Limit(9, width=50))
    assert generation.written.tolist() == truth


def test_the_cache_holds_exactly_what_was_written(verifier):
    truth = plain(verifier)
    drafter = ScriptedDrafter(second_child(truth, len(PROMPT)))
    _, generation, session = written(verifier, drafter, most=20, limit=Limit(8, width=2))
    assert session.length == len(PROMPT) + 19
    fresh = verifier.start(generation.request, drafter.needs)
    fresh.prefill(np.asarray(PROMPT + truth[:20], dtype=np.int32))
    np.testing.assert_allclose(
        session.verify(Draft.empty()).logits(0), fresh.verify(Draft.empty()).logits(0), atol=1e-6
    )


def test_a_stop_inside_an_accepted_run_cuts_everything_there(verifier):
    truth = plain(verifier)
    stop = next(t for i, t in enumerate(truth) if i >= 3 and t not in truth[:i])
    end = truth.index(stop) + 1
    drafter = ScriptedDrafter(clairvoyant(truth, len(PROMPT)))
    steps, generation, session = written(verifier, drafter, ids={stop}, limit=Limit(30))
    assert generation.finish_reason == "stop"
    assert generation.written.tolist() == truth[:end]
    assert drafter.learnt == truth[:end]
    assert sum(len(step.accepted) for step in steps) == end
    assert session.length == len(PROMPT) + end - 1


@pytest.mark.parametrize("most", [1, 2, 3, 7, 8, 9])
def test_exactly_as_many_tokens_as_asked_for(verifier, most):
    truth = plain(verifier)
    drafter = ScriptedDrafter(clairvoyant(truth, len(PROMPT)))
    steps, generation, _ = written(verifier, drafter, most=most, limit=Limit(8))
    assert generation.written.tolist() == truth[:most]
    assert generation.finish_reason == "length"
    assert all(len(step.draft) < most for step in steps)


def test_the_context_ends_a_generation():
    verifier = OracleVerifier.from_pretrained(seed=1)
    ends = Ends.of((), max_new_tokens=100, prompt_tokens=10, max_context=25)
    request = Request.of(PROMPT, vocab_size=50)
    drafter = load_drafter("pld", partial=True)
    session = verifier.start(request, drafter.needs)
    state = Generation(request, drafter.start(request), ends, verifier.capabilities, Limit(9))
    list(decode(state, session))
    assert (len(state.written), state.finish_reason) == (15, "context")


def test_prompt_of_one_token(verifier):
    drafter = load_drafter("pld")
    assert written(verifier, drafter, prompt=[3])[1].written.tolist() == plain(verifier, prompt=[3])


@pytest.mark.parametrize(
    ("draft", "complaint"),
    [
        (Draft.chain([1, 2, 3, 4]), "4 rows where 3 were allowed"),
        (Draft.tree([1, 2], [-1, -1]), "2 children of one row where 1"),
        (Draft.chain([50]), "id 50, outside the vocabulary"),
        (Draft.chain([-1]), "id -1, outside the vocabulary"),
    ],
)
def test_a_drafter_that_breaks_the_contract_is_named(verifier, draft, complaint):
    drafter = ScriptedDrafter(lambda context, limit: draft)
    with pytest.raises(DraftError, match=complaint):
        written(verifier, drafter, limit=Limit(3))


def test_the_context_cannot_be_changed(verifier):
    def guess(context, limit):
        context[0] = 1
        return Draft.empty()

    with pytest.raises(ValueError, match="read-only"):
        written(verifier, ScriptedDrafter(guess))


def test_a_row_limit_of_the_backend_is_kept():
    verifier = OracleVerifier.from_pretrained(seed=1, max_rows=4)
    truth = plain(verifier)
    drafter = ScriptedDrafter(clairvoyant(truth, len(PROMPT)))
    steps, _, _ = written(verifier, drafter)
    assert max(len(step.draft) for step in steps) == 3


def test_a_failing_generation_is_not_kept(verifier):
    drafter = ScriptedDrafter(lambda context, limit: Draft.chain([99]))
    model = DejaVu(verifier, drafter, backend="oracle", method="script")
    with pytest.raises(DraftError):
        model.generate(PROMPT)
    assert drafter.kept == [False]
