from bench.table import HEAD, lines_of, quartiles


def row(name, task, method, tokens, seconds, *, differs=None):
    steps = tokens if method == "baseline" else tokens // 2
    return {
        "name": name,
        "task": task,
        "method": method,
        "new_tokens": tokens,
        "steps": steps,
        "drafted": 2 * (tokens - steps),
        "accepted": tokens - steps,
        "decode_s": seconds,
        "tokens_per_s": tokens / seconds,
        "loop_share": 0.5,
        "first_difference": differs,
    }


ROWS = [
    row("1", "qa", "baseline", 10, 1.0),
    row("1", "qa", "pld", 10, 0.5),
    row("2", "qa", "baseline", 10, 1.0),
    row("2", "qa", "pld", 10, 1.0),
    row("3", "rag", "baseline", 60, 2.0),
    row("3", "rag", "pld", 60, 1.0, differs=7),
]


def cells(task, method):
    lines = lines_of(ROWS, ["baseline", "pld"])
    line = next(line for line in lines if line[:2] == [task, method])
    return dict(zip(HEAD, line, strict=True))


def test_a_task_has_the_median_of_its_prompts():
    assert cells("qa", "pld")["speed-up"] == "1.50"
    assert cells("qa", "pld")["quartiles"] == "1.25-1.75"


def test_all_tasks_have_all_tokens_over_all_seconds():
    assert cells("all", "pld")["speed-up"] == f"{(80 / 2.5) / (80 / 4):.2f}"
    assert cells("all", "baseline")["speed-up"] == "1.00"


def test_the_other_columns():
    found = cells("all", "pld")
    assert (found["MAT"], found["accepted"], found["rows/step"]) == ("2.00", "50%", "3.0")
    assert (found["identical"], found["in loops"], found["prompts"]) == ("2/3", "50%", "3")
    assert cells("all", "baseline")["accepted"] == "-"


def test_quartiles_of_one_value():
    assert quartiles([2.0]) == (2.0, 2.0, 2.0)
