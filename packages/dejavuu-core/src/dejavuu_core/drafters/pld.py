"""Prompt lookup decoding: copy what followed the last few tokens where they stood before."""

from collections.abc import Iterator
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dejavuu_core.checks import flag, whole
from dejavuu_core.contract import Draft, Drafting, Limit, Method, Needs, Request, Step
from dejavuu_core.errors import UsageError

__all__ = ["PromptLookup"]

_EMPTY = Draft.empty()


class PromptLookup:
    """PLD as published by A. Saxena (2023), github.com/apoorvumang/prompt-lookup-decoding.

    The longest suffix of the text of at most ``max_ngram`` tokens that stood earlier is looked
    up; the ``num_pred`` tokens behind its earliest place are the draft. A place with fewer tokens
    behind it is passed over, for the next place and then for a shorter suffix. Options beyond
    the published method: ``occurrence="last"`` takes the most recent place; ``partial=True``
    allows a continuation that the end of the text cuts short (as transformers does);
    ``min_ngram`` sets the shortest suffix (vLLM's default is 5).

    A row limit below ``num_pred`` cuts the draft, not the search: what is proposed is the
    beginning of what the published method proposes.
    """

    method = Method(
        summary="copies what followed the last 3, 2 or 1 tokens at their earliest place",
        paper="Saxena 2023, prompt-lookup-decoding",
    )
    needs = Needs()
    sources = ("context",)

    def __init__(
        self,
        *,
        max_ngram: int = 3,
        min_ngram: int = 1,
        num_pred: int = 10,
        occurrence: Literal["first", "last"] = "first",
        partial: bool = False,
    ) -> None:
        """Set the options; lengths are tokens.

        Raises :class:`UsageError` where they contradict each other.
        """
        self.max_ngram = whole("max_ngram", max_ngram, least=1)
        self.min_ngram = whole("min_ngram", min_ngram, least=1)
        self.num_pred = whole("num_pred", num_pred, least=1)
        self.partial = flag("partial", partial)
        if self.min_ngram > self.max_ngram:
            raise UsageError(
                f"min_ngram is {min_ngram} and max_ngram {max_ngram}; give a min_ngram of at "
                f"most max_ngram"
            )
        if occurrence not in ("first", "last"):
            raise UsageError(f"occurrence is {occurrence!r}; give 'first' or 'last'")
        self.occurrence = occurrence

    def start(self, request: Request) -> Drafting:
        """Begin a request; nothing is indexed, so nothing is built."""
        return _Lookup(self, request)


class _Lookup:
    def __init__(self, options: PromptLookup, request: Request) -> None:
        self._options = options
        self._banned = _banned_before(request)

    def propose(self, context: NDArray[np.int32], limit: Limit) -> Draft:
        if limit.rows < 1:
            return _EMPTY
        options, length = self._options, len(context)
        for ngram, places in self._matches(context):
            for at in self._ordered(places):
                end = min(at + 1 + options.num_pred, length)
                if self._may_copy(at + 1 - ngram, end):
                    return Draft.chain(context[at + 1 : min(end, at + 1 + limit.rows)])
        return _EMPTY

    def _matches(self, context: NDArray[np.int32]) -> Iterator[tuple[int, NDArray[np.intp]]]:
        """Where the last n tokens stood before, by their last position; longest n first."""
        options, length = self._options, len(context)
        behind = 1 if options.partial else options.num_pred
        places = np.flatnonzero(context[: max(length - behind, 0)] == context[-1])
        by_ngram = [places]
        for back in range(1, min(options.max_ngram, length)):
            places = places[places >= back]
            places = places[context[places - back] == context[-1 - back]]
            by_ngram.append(places)
        for ngram in range(len(by_ngram), options.min_ngram - 1, -1):
            places = by_ngram[ngram - 1]
            # The published scan also asks that the copied text start before the suffix does.
            yield ngram, places if options.partial else places[places < length - ngram - 1]

    def observe(self, step: Step) -> None:
        pass

    def close(self, keep: bool = True) -> None:
        pass

    def _ordered(self, places: NDArray[np.intp]) -> list[int]:
        chosen = places if self._options.occurrence == "first" else places[::-1]
        # All places may be copied from unless the request says otherwise: the first one wins.
        return [int(at) for at in (chosen[:1] if self._banned is None else chosen)]

    def _may_copy(self, start: int, end: int) -> bool:
        if self._banned is None:
            return True
        last = len(self._banned) - 1
        return bool(self._banned[min(end, last)] == self._banned[min(start, last)])


def _banned_before(request: Request) -> NDArray[np.intp] | None:
    """Number of prompt tokens before each position that must not be copied; None: none at all."""
    if request.draftable is None or request.draftable.all():
        return None
    return np.concatenate([[0], np.cumsum(~request.draftable)])
