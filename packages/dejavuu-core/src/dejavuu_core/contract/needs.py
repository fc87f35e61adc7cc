"""What a drafter asks of a verifier: agreed before the first forward."""

from dataclasses import dataclass

__all__ = ["Needs"]


@dataclass(frozen=True, slots=True)
class Needs:
    """What a drafter wants to see of the verified rows; each costs time, so ask for little."""

    topk: int = 0
    """How many of the likeliest ids of every row."""
    prompt_rows: bool = False
    """True where the rows of the prompt are wanted too."""
    hidden: bool = False
    """True where the hidden rows are wanted."""
