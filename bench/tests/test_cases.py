import json

import pytest

from bench.prompts import demo_cases
from bench.specbench import SLICE, TASKS, load_cases, slice_cases
from dejavuu_core.errors import UsageError


@pytest.fixture
def full(tmp_path):
    categories = ["writing"] * 5 + ["coding"] * 5 + ["qa"] * 3 + ["rag"] * 40
    lines = [
        json.dumps({"question_id": n, "category": category, "turns": [f"q{n}", "again"]})
        for n, category in enumerate(categories)
    ]
    path = tmp_path / "question.jsonl"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_the_demo_has_its_prompts():
    assert [case.task for case in demo_cases()] == ["summarization", "coding", "extraction", "chat"]


def test_the_slice_has_two_of_each_task():
    tasks = [case.task for case in slice_cases()]
    assert sorted(tasks) == sorted([*TASKS, *TASKS])


def test_only_the_first_turn_is_asked(full):
    assert load_cases(full, None)[0].messages == ({"role": "user", "content": "q0"},)


def test_categories_of_mt_bench_are_one_task_and_are_spread_evenly(full):
    cases = load_cases(full, 4)
    assert [case.task for case in cases] == ["mt_bench"] * 4 + ["qa"] * 3 + ["rag"] * 4
    assert [case.name for case in cases if case.task == "rag"] == ["13", "23", "33", "43"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "line 1 of .* is no JSON"),
        ("[]", "line 1 of .* is not a JSON object"),
        ('{"question_id": 3, "category": "poetry", "turns": ["a"]}', "question 3 .*'poetry'"),
        ('{"question_id": 3, "category": "qa", "turns": []}', "question 3 "),
        ('{"question_id": 3, "category": "qa"}', "NoneType turns"),
    ],
)
def test_what_is_no_spec_bench_is_said(tmp_path, text, said):
    path = tmp_path / "bad.jsonl"
    path.write_text(text + "\n")
    with pytest.raises(UsageError, match=said):
        load_cases(path, 1)


def test_a_missing_file_and_a_bad_count_are_said(tmp_path):
    with pytest.raises(UsageError, match="there is no file"):
        load_cases(tmp_path / "none", 1)
    with pytest.raises(UsageError, match="--per-task is 0"):
        load_cases(SLICE, 0)
