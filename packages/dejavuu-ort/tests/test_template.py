"""Chat templates as they are published, and what they may not do."""

from datetime import datetime

import pytest

from dejavuu_core.contract import Message
from dejavuu_core.errors import UsageError
from dejavuu_ort.template import ChatTemplate

HI = [Message(role="user", content="hi")]


def render(source: str, messages: list[Message] | None = None) -> str:
    """Render ``source`` with one special token."""
    return ChatTemplate(source, {"bos_token": "<s>"}).render(HI if messages is None else messages)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("{{ bos_token }}{{ messages[0].content }}", "<s>hi"),
        ("{{ messages[0]['role'] | upper }}", "USER"),
        ("  {% if add_generation_prompt %}\nA{% endif %}", "A"),
        ("{% for m in messages %}{% break %}x{% endfor %}-", "-"),
        ("{{ {'ü': '<&>'} | tojson }}", '{"ü": "<&>"}'),
        ("{{ [1, 2] | tojson(indent=1) }}", "[\n 1,\n 2\n]"),
        ("{% generation %}kept{% endgeneration %}", "kept"),
        ("{{ missing }}.", "."),
    ],
)
def test_what_templates_use_works(source: str, text: str) -> None:
    assert render(source) == text


def test_the_date_can_be_asked_for() -> None:
    assert render("{{ strftime_now('%Y') }}") == str(datetime.now().year)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("{{ raise_exception('no system role') }}", "rejects these messages: no system role"),
        ("{{ messages.append(1) }}", "rejects these messages: .*append"),
        ("{{ ''.__class__.__mro__ }}", "rejects these messages: .*unsafe"),
        ("{{ messages[0].content + 1 }}", "rejects these messages"),
        ("{% if %}", "cannot be compiled"),
    ],
)
def test_what_goes_wrong_inside_is_one_sentence(source: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        render(source)
