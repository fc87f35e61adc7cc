"""Plain decoding: nothing is ever drafted. The measure of all methods."""

import numpy as np
from numpy.typing import NDArray

from dejavuu_core.contract import Draft, Drafting, Limit, Method, Needs, Request, Step

__all__ = ["Baseline"]

_EMPTY = Draft.empty()


class Baseline:
    """The drafter that never drafts."""

    method = Method(summary="plain decoding, one token a forward", paper="")
    needs = Needs()
    sources = ("baseline",)

    def start(self, request: Request) -> Drafting:
        """Begin a request."""
        return _Nothing()


class _Nothing:
    def propose(self, context: NDArray[np.int32], limit: Limit) -> Draft:
        return _EMPTY

    def observe(self, step: Step) -> None:
        pass

    def close(self, keep: bool = True) -> None:
        pass
