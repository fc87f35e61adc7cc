import numpy as np
import pytest

from bench.difference import first_bit_difference, first_difference
from bench.loops import loop_share
from bench.measure import rotated


@pytest.mark.parametrize(
    ("one", "other", "at"),
    [([], [], None), ([1, 2], [1, 2], None), ([1, 2], [1, 3], 1), ([1], [1, 2], 1), ([], [4], 0)],
)
def test_first_difference(one, other, at):
    assert first_difference(one, other) == at


def test_bits_are_compared_and_not_values():
    row = np.asarray([1.0, 0.0, np.nan], np.float32)
    assert first_bit_difference(row, row.copy()) is None
    assert first_bit_difference(row, np.asarray([1.0, -0.0, np.nan], np.float32)) == 1
    assert first_bit_difference(row, np.nextafter(row, 2)) == 0


def test_nothing_and_varied_text_have_no_loop():
    assert loop_share([]) == 0
    assert loop_share([5]) == 0
    assert loop_share(range(100)) == 0


def test_twice_is_no_loop_and_three_times_is():
    block = [1, 2, 3, 4]
    assert loop_share(block * 2) == 0
    assert loop_share(block * 3) == pytest.approx(8 / 12)


def test_a_loop_behind_other_text_counts_its_repetitions():
    assert loop_share([*range(50), *[7, 8, 9] * 10]) == pytest.approx(27 / 80)


def test_the_longest_period():
    assert loop_share([*range(32)] * 3) > 0
    assert loop_share([*range(33)] * 3) == 0


def test_methods_take_turns():
    names = ["a", "b", "c"]
    assert [rotated(names, turn)[0] for turn in range(4)] == ["a", "b", "c", "a"]
    assert sorted(rotated(names, 2)) == names
