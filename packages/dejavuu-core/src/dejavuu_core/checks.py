"""Checks of what a caller gives: each says the value and the way out."""

from operator import index

from dejavuu_core.errors import UsageError

__all__ = ["flag", "whole"]


def whole(name: str, value: object, *, least: int) -> int:
    """Give ``value`` as an int of at least ``least``; a bool is no number here.

    Raises :class:`UsageError` for anything else.
    """
    try:
        number = None if isinstance(value, bool) else index(value)  # type: ignore[arg-type]
    except TypeError:
        number = None
    if number is None or number < least:
        raise UsageError(f"{name} is {value!r}; give a whole number of at least {least}")
    return number


def flag(name: str, value: object) -> bool:
    """Give ``value`` where it is a bool.

    Raises :class:`UsageError` for anything else: many a word for no is true to Python.
    """
    if not isinstance(value, bool):
        raise UsageError(f"{name} is {value!r}; give true or false")
    return value
