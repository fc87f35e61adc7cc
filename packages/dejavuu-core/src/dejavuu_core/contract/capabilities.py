"""What a loaded model can do, as declared data: nobody probes with ``hasattr``."""

from dataclasses import dataclass
from typing import Literal

__all__ = ["Capabilities", "Exactness"]

Exactness = Literal["bitwise", "argmax", "approximate"]
"""How a row's logits depend on the rows that ran beside it.

``bitwise``: not at all. ``argmax``: by rounding, but the choice stays the same under a measured
margin. ``approximate``: they may choose otherwise, and the result says so.
"""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What one loaded model can do on this machine.

    ``exactness`` is measured, never assumed, and holds for every row count up to ``max_rows``.
    """

    vocab_size: int
    """Ids run from 0 to ``vocab_size - 1``."""
    max_context: int
    """Most tokens of prompt and output together."""
    max_rows: int
    """Most rows of one verify, the anchor included."""
    exactness: Exactness
    """Of chains; a branch that is not the spine is at best ``argmax``."""
    tree: bool = False
    """True where a draft may branch."""
    hidden_size: int = 0
    """Width of the hidden rows, 0 where the model gives none."""
