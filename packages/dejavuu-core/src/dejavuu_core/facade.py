"""The one-object way: load a model, generate, read the result."""

from collections.abc import Callable, Collection, Mapping
from contextlib import closing
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from dejavuu_core.contract import (
    Drafter,
    Exactness,
    Limit,
    Request,
    Step,
    Verifier,
)
from dejavuu_core.engine import Generation, decode
from dejavuu_core.errors import UsageError
from dejavuu_core.home import default_model
from dejavuu_core.prompt import Prompt, encode_prompt
from dejavuu_core.registry import load_drafter, load_verifier
from dejavuu_core.stats import Stats
from dejavuu_core.stop import Ends, FinishReason

__all__ = ["DejaVu", "Prompt", "Result"]

MOST_ROWS = 1024
"""Drafts have no limit of their own: the method's options and the backend set it."""


@dataclass(frozen=True, slots=True)
class Result:
    """What one generation wrote, and how."""

    text: str
    tokens: list[int]
    """The new ids; an id that ended the text is the last of them."""
    prompt_tokens: int
    finish_reason: FinishReason
    exactness: Exactness
    method: str
    backend: str
    stats: Stats

    def __str__(self) -> str:
        """Give the text."""
        return self.text

    def to_dict(self) -> dict[str, object]:
        """Give the result for JSON."""
        own = {field.name: getattr(self, field.name) for field in fields(self)}
        return own | {"stats": self.stats.to_dict()}


class DejaVu:
    """A loaded model and a method. Thread-safe: every call has a session of its own."""

    def __init__(self, verifier: Verifier, drafter: Drafter, *, backend: str, method: str) -> None:
        """Put a verifier and a drafter together; the names are for the result."""
        self.verifier = verifier
        self.drafter = drafter
        self.backend = backend
        self.method = method

    @classmethod
    def from_pretrained(
        cls,
        source: str | Path | None = None,
        *,
        backend: str = "ort",
        method: str = "pld",
        method_options: Mapping[str, object] | None = None,
        **backend_options: object,
    ) -> Self:
        """Load the model at ``source`` (None: the demo model) with a backend and a method.

        Raises :class:`UnknownNameError` for a backend or method that is not there,
        :class:`UsageError` for an option that it does not have, and :class:`ModelError` for a
        model that cannot be run.
        """
        drafter = load_drafter(method, **(method_options or {}))
        model = default_model() if source is None else Path(source)
        verifier = load_verifier(backend, model, **backend_options)
        return cls(verifier, drafter, backend=backend, method=method)

    def with_method(self, method: str, **options: object) -> Self:
        """Give another method on the same loaded model."""
        drafter = load_drafter(method, **options)
        return type(self)(self.verifier, drafter, backend=self.backend, method=method)

    def generate(
        self,
        prompt: Prompt,
        *,
        max_new_tokens: int = 128,
        stop_ids: Collection[int] = (),
        ignore_eos: bool = False,
        watch: Callable[[Step], None] | None = None,
    ) -> Result:
        """Write what follows ``prompt``, greedily, at most ``max_new_tokens`` tokens.

        The generation also ends at the model's end-of-sequence ids (not with ``ignore_eos``), at
        ``stop_ids`` and where the context is full. ``watch`` sees every step, also the prefill.
        Raises :class:`UsageError` for a prompt or a count that cannot be used.
        """
        request = Request(self.encode(prompt))
        eos_ids = () if ignore_eos else self.verifier.tokenizer.eos_ids
        ids = {*self._stop_ids(stop_ids), *eos_ids}
        capabilities = self.verifier.capabilities
        ends = Ends.of(
            ids,
            max_new_tokens=max_new_tokens,
            prompt_tokens=len(request.tokens),
            max_context=capabilities.max_context,
        )
        stats = Stats(self.drafter.sources)
        with closing(self.verifier.start(request, self.drafter.needs)) as session:
            drafting = self.drafter.start(request)
            generation = Generation(request, drafting, ends, capabilities, Limit(MOST_ROWS))
            try:
                for step in decode(generation, session):
                    stats.add(step)
                    if watch:
                        watch(step)
            finally:
                drafting.close(keep=generation.finish_reason is not None)
        return self._result(generation, stats)

    def encode(self, prompt: Prompt) -> NDArray[np.int32]:
        """Give the ids of a text, of a chat's messages, or ``prompt`` itself (int32[L]).

        Raises :class:`UsageError` for an empty text or what is none of the three.
        """
        vocab_size = self.verifier.capabilities.vocab_size
        return encode_prompt(prompt, self.verifier.tokenizer, vocab_size)

    def _stop_ids(self, ids: Collection[int]) -> list[int]:
        if not isinstance(ids, Collection) or isinstance(ids, str | bytes):
            raise UsageError(f"stop_ids is {ids!r}; give a list of token ids")
        return self.encode(list(ids)).tolist() if len(ids) else []

    def _result(self, generation: Generation, stats: Stats) -> Result:
        assert generation.finish_reason is not None, "decode returns at an end only"
        tokens = generation.written
        return Result(
            text=self.verifier.tokenizer.decode(tokens),
            tokens=tokens.tolist(),
            prompt_tokens=len(generation.request.tokens),
            finish_reason=generation.finish_reason,
            exactness=self.verifier.capabilities.exactness,
            method=self.method,
            backend=self.backend,
            stats=stats,
        )
