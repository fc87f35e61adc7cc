"""The guessing side: one drafter a method and process, one drafting a request."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dejavuu_core.contract.draft import Draft
from dejavuu_core.contract.needs import Needs
from dejavuu_core.contract.request import Request
from dejavuu_core.contract.step import Step

__all__ = ["Drafter", "Drafting", "Limit", "Method"]


@dataclass(frozen=True, slots=True)
class Limit:
    """How much may be proposed in this step; whoever drives the engine sets it."""

    rows: int
    """Most rows, the anchor not counted; 0 allows the empty draft only."""
    width: int = 1
    """Most children of one row; 1 asks for a chain."""


@dataclass(frozen=True, slots=True)
class Method:
    """What a drafter is, for tables."""

    summary: str
    """One line."""
    paper: str
    """Where the method was published, or an empty text."""
    branches: bool = False
    """True where the method can propose more than a chain."""
    history: bool = False
    """True where it remembers earlier requests."""


class Drafting(Protocol):
    """The drafter's side of one request."""

    def propose(self, context: NDArray[np.int32], limit: Limit) -> Draft:
        """Guess what follows ``context`` (int32[L], read-only, the anchor last).

        At most ``limit.rows`` rows and ``limit.width`` children each, ids inside the vocabulary.
        Changes nothing that a second call with the same context could see.
        """
        ...

    def observe(self, step: Step) -> None:
        """Learn from what was really written: the only way to learn, called after every cut."""
        ...

    def close(self, keep: bool = True) -> None:
        """End the request; with ``keep`` the finished text may go to history. May be repeated."""
        ...


class Drafter(Protocol):
    """One method in one process: thread-safe, owner of history and calibration."""

    @property
    def method(self) -> Method:
        """What this is."""
        ...

    @property
    def needs(self) -> Needs:
        """What it wants to see of the rows."""
        ...

    @property
    def sources(self) -> tuple[str, ...]:
        """Names that ``Draft.sources`` points into."""
        ...

    def start(self, request: Request) -> Drafting:
        """Begin one request; requests may run at the same time and never see each other's text."""
        ...
