"""The ends of a generation, decided token by token as if there were no drafts."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from dejavuu_core.checks import whole
from dejavuu_core.errors import UsageError

__all__ = ["Ends", "FinishReason"]

FinishReason = Literal["stop", "length", "context"]
"""``stop``: an end-of-sequence or stop id; ``length``: ``max_new_tokens``; ``context``: full."""


@dataclass(frozen=True, slots=True)
class Ends:
    """Where one generation ends: at an id, or after a number of tokens."""

    ids: frozenset[int]
    """End-of-sequence and stop ids; the one that ends the text is emitted, and last."""
    most: int
    """Most new tokens."""
    full: FinishReason
    """Why ``most`` is what it is: asked for (``length``) or all that fits (``context``)."""

    @classmethod
    def of(
        cls, ids: Collection[int], *, max_new_tokens: int, prompt_tokens: int, max_context: int
    ) -> "Ends":
        """Give the ends of a request; all counts are tokens.

        Raises :class:`UsageError` where ``max_new_tokens`` is no number from 1 on, or where the
        prompt leaves no room in the context.
        """
        wanted = whole("max_new_tokens", max_new_tokens, least=1)
        room = max_context - prompt_tokens
        if room < 1:
            raise UsageError(
                f"the prompt has {prompt_tokens} tokens and the model's context ends at "
                f"{max_context}; shorten it to at most {max_context - 1}"
            )
        fits = wanted <= room
        return cls(frozenset(ids), min(wanted, room), "length" if fits else "context")

    def cut(self, emitted: list[int], already: int) -> tuple[list[int], FinishReason | None]:
        """Cut ``emitted`` at the first end; ``already`` tokens were written before.

        Gives what remains and why the generation ends there, None where it goes on.
        """
        room = self.most - already
        for count, token in enumerate(emitted[:room], start=1):
            if token in self.ids:
                return emitted[:count], "stop"
        if len(emitted) >= room:
            return emitted[:room], self.full
        return emitted, None
