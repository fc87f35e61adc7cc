"""Drafters whose guesses a test decides."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from dejavuu_core.contract import Draft, Drafting, Limit, Method, Needs, Request, Step

__all__ = ["Guess", "ScriptedDrafter", "clairvoyant", "second_child"]

Guess = Callable[[NDArray[np.int32], Limit], Draft]


class ScriptedDrafter:
    """A drafter that proposes what ``guess(context, limit)`` says, and records what it saw."""

    method = Method(summary="proposes what a test says", paper="", branches=True)
    needs = Needs()
    sources = ("script",)

    def __init__(self, guess: Guess) -> None:
        """Take the guess."""
        self.guess = guess
        self.learnt: list[int] = []
        """All tokens that it was shown."""
        self.kept: list[bool] = []
        """What each ``close`` said."""

    def start(self, request: Request) -> Drafting:
        """Begin a request."""
        return _Scripted(self)


class _Scripted:
    def __init__(self, drafter: ScriptedDrafter) -> None:
        self._drafter = drafter

    def propose(self, context: NDArray[np.int32], limit: Limit) -> Draft:
        return self._drafter.guess(context, limit)

    def observe(self, step: Step) -> None:
        self._drafter.learnt += step.emitted.tolist()

    def close(self, keep: bool = True) -> None:
        self._drafter.kept.append(keep)


def clairvoyant(truth: Sequence[int], prompt_length: int, wrong_after: int | None = None) -> Guess:
    """Guess the true continuation, and from ``wrong_after`` drafted tokens on a wrong one.

    ``truth`` is what plain decoding writes behind a prompt of ``prompt_length`` tokens.
    """

    def guess(context: NDArray[np.int32], limit: Limit) -> Draft:
        at = len(context) - prompt_length
        tokens = list(truth[at : at + limit.rows])
        if wrong_after is not None:
            tokens[wrong_after:] = [_wrong(token) for token in tokens[wrong_after:]]
        return Draft.chain(tokens)

    return guess


def second_child(truth: Sequence[int], prompt_length: int) -> Guess:
    """Guess a tree whose first child is wrong everywhere and whose second child is right."""

    def guess(context: NDArray[np.int32], limit: Limit) -> Draft:
        at = len(context) - prompt_length
        tokens: list[int] = []
        parents: list[int] = []
        parent = -1
        for token in truth[at : at + limit.rows // 2]:
            tokens += [_wrong(token), token]
            parents += [parent, parent]
            parent = len(tokens) - 1
        return Draft.tree(tokens, parents)

    return guess


def _wrong(token: int) -> int:
    return token - 1 if token else 1
