"""Structures over token ids. No policy lives here."""

from dejavuu_core.retrieval.buffer import TokenBuffer

__all__ = ["TokenBuffer"]
