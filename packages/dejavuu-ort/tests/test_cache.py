"""The cache buffer: growing and moving keep what is in use."""

import numpy as np

from dejavuu_ort.cache import KvCache


def filled(slots: int, most: int = 1000) -> KvCache:
    """Give a cache whose slot ``i`` holds the number ``i`` everywhere."""
    cache = KvCache(layers=2, kv_heads=3, head_dim=4, most=most)
    cache.reserve(slots, used=0)
    cache.slots(0, slots)[:] = np.arange(slots)[:, None]
    return cache


def held(cache: KvCache, slots: int) -> list[int]:
    """Give the numbers in the first slots, the same in all layers and heads."""
    view = cache.slots(0, slots)
    assert (view == view[:1, :, :1, :, :1]).all()
    return [int(number) for number in view[0, 0, 0, :, 0]]


def test_it_doubles_keeps_the_used_part_and_stops_at_the_most() -> None:
    cache = filled(200)
    assert not cache.reserve(256, used=200)
    assert cache.reserve(257, used=150)
    assert cache.capacity == 512
    assert held(cache, 151) == [*range(150), 0]
    assert cache.reserve(600, used=150)
    assert cache.capacity == 1000


def test_a_small_context_takes_no_more_than_it_needs() -> None:
    assert KvCache(1, 1, 8, most=33).capacity == 33


def test_rows_of_a_branch_move_side_by_side() -> None:
    cache = filled(20)
    cache.move(10, np.array([2, 3, 7], np.int32))
    assert held(cache, 15) == [*range(11), 12, 13, 17, 14]


def test_a_copy_is_its_own() -> None:
    cache = filled(20)
    other = cache.copy(10)
    cache.slots(0, 20)[:] = -1
    assert held(other, 11) == [*range(10), 0]


def test_the_values_are_views_key_before_value() -> None:
    cache = filled(20)
    values = cache.values()
    cache.slots(3, 4)[1] = 77
    assert len(values) == 4
    assert values[1].numpy()[0, 0, 3, 0] == 77
    assert values[0].numpy()[0, 0, 3, 0] == 3
