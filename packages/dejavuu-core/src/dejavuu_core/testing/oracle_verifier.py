"""The oracle as a verifier: the reference of what a session owes."""

from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

from dejavuu_core.contract import (
    Capabilities,
    Draft,
    Message,
    Needs,
    Request,
    Rows,
    Session,
)
from dejavuu_core.errors import ClosedError, UnsupportedError, UsageError
from dejavuu_core.testing.oracle import Array, Oracle, OracleWeights
from dejavuu_core.tree import depths, visible

__all__ = ["OracleTokenizer", "OracleVerifier"]

_NO_TOKENS = np.empty(0, dtype=np.int32)


class OracleTokenizer:
    """One id a character: its code point modulo the vocabulary."""

    def __init__(self, vocab: int, eos_ids: tuple[int, ...]) -> None:
        """Set the number of ids and those that end a text."""
        self._vocab = vocab
        self.eos_ids = eos_ids

    def encode(self, text: str) -> NDArray[np.int32]:
        """Give int32[len(text)]."""
        return np.asarray([ord(character) % self._vocab for character in text], dtype=np.int32)

    def encode_chat(self, messages: Sequence[Message]) -> NDArray[np.int32]:
        """Give the ids of all contents, one after the other."""
        return self.encode("\n".join(message["content"] for message in messages))

    def decode(self, tokens: Sequence[int] | NDArray[np.int32]) -> str:
        """Give the ids as numbers with blanks between them."""
        return " ".join(str(token) for token in tokens)


class OracleVerifier:
    """A model of random weights; its float64 logits differ by rounding only, so ``argmax``."""

    def __init__(
        self,
        oracle: Oracle,
        *,
        eos_ids: tuple[int, ...] = (),
        tree: bool = True,
        max_context: int = 512,
        max_rows: int = 64,
    ) -> None:
        """Wrap ``oracle``; ``tree=False`` gives a model that verifies chains only."""
        self.oracle = oracle
        self.tokenizer = OracleTokenizer(oracle.vocab, eos_ids)
        self.capabilities = Capabilities(
            vocab_size=oracle.vocab,
            max_context=max_context,
            max_rows=max_rows,
            exactness="argmax",
            tree=tree,
            hidden_size=oracle.width,
        )

    @classmethod
    def from_pretrained(
        cls,
        source: object = None,
        *,
        seed: int = 0,
        eos_ids: tuple[int, ...] = (),
        tree: bool = True,
        max_context: int = 512,
        max_rows: int = 64,
    ) -> Self:
        """Draw a model of 50 ids from ``seed``; ``source`` is not looked at."""
        oracle = Oracle(OracleWeights.random(seed=seed))
        return cls(oracle, eos_ids=eos_ids, tree=tree, max_context=max_context, max_rows=max_rows)

    def start(self, request: Request, needs: Needs) -> Session:
        """Give an empty session."""
        return _OracleSession(self, needs)

    def verify_many(self, pairs: Sequence[tuple[Session, Draft]]) -> list[Rows]:
        """Verify one by one."""
        return [session.verify(draft) for session, draft in pairs]


class _OracleSession:
    def __init__(self, verifier: OracleVerifier, needs: Needs) -> None:
        oracle = verifier.oracle
        self._verifier, self._needs = verifier, needs
        self._cache = np.empty((oracle.layers, 2, 0, oracle.width))
        self._fresh: Array | None = None
        self._anchor: int | None = None
        self._closed = False

    @property
    def length(self) -> int:
        return int(self._cache.shape[2])

    def prefill(self, tokens: NDArray[np.int32]) -> Rows:
        self._require_open()
        if not len(tokens):
            raise UsageError("nothing to read; give at least the anchor")
        rows = self._run(tokens[:-1], Draft.chain(tokens[1:-1])) if len(tokens) > 1 else None
        if self._fresh is not None:
            self._cache = np.concatenate([self._cache, self._fresh], axis=2)
        self._fresh, self._anchor = None, int(tokens[-1])
        return rows if rows and self._needs.prompt_rows else _OracleRows.none(self._verifier)

    def verify(self, draft: Draft) -> Rows:
        self._require_open()
        if self._anchor is None:
            raise ClosedError("the session has no anchor; prefill it first")
        if not (self._verifier.capabilities.tree or draft.is_chain):
            raise UnsupportedError("this model verifies chains only; propose a draft of width 1")
        return self._run(np.concatenate([[self._anchor], draft.tokens]).astype(np.int32), draft)

    def commit(self, path: NDArray[np.int32], token: int) -> None:
        self._require_open()
        if self._fresh is None:
            raise ClosedError("nothing was verified since the last commit")
        kept = self._fresh[:, :, np.concatenate([[0], path]).astype(np.intp)]
        self._cache = np.concatenate([self._cache, kept], axis=2)
        self._fresh, self._anchor = None, token

    def rewind(self, length: int) -> None:
        self._require_open()
        if not 0 <= length <= self.length:
            raise UsageError(f"cannot rewind to {length}; {self.length} tokens are cached")
        self._cache = self._cache[:, :, :length]
        self._fresh = self._anchor = None

    def fork(self) -> Session:
        self._require_open()
        other = _OracleSession(self._verifier, self._needs)
        other._cache, other._anchor = self._cache.copy(), self._anchor
        return other

    def close(self) -> None:
        self._closed = True

    def _require_open(self) -> None:
        if self._closed:
            raise ClosedError("the session is closed; start a new one")

    def _run(self, tokens: NDArray[np.int32], draft: Draft) -> "_OracleRows":
        cached = self.length
        bias = np.zeros((len(tokens), cached + len(tokens)))
        bias[:, cached:][~visible(draft)] = -np.inf
        positions = (cached + depths(draft)).astype(np.int32)
        logits, hidden, self._fresh = self._verifier.oracle.forward(
            tokens, positions, bias, self._cache
        )
        return _OracleRows(logits, hidden)


class _OracleRows:
    def __init__(self, logits: Array, hidden: Array) -> None:
        self._logits, self._hidden = logits, hidden

    @classmethod
    def none(cls, verifier: OracleVerifier) -> "_OracleRows":
        return cls(np.empty((0, verifier.oracle.vocab)), np.empty((0, verifier.oracle.width)))

    def __len__(self) -> int:
        return len(self._logits)

    def argmax(self) -> NDArray[np.int32]:
        return np.asarray(self._logits.argmax(axis=1), dtype=np.int32)

    def topk(self, k: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        ids = np.argsort(-self._logits, axis=1, kind="stable")[:, :k]
        peak = self._logits.max(axis=1, keepdims=True)
        total = np.log(np.exp(self._logits - peak).sum(axis=1, keepdims=True)) + peak
        logprobs = np.take_along_axis(self._logits - total, ids, axis=1)
        return ids.astype(np.int32), logprobs.astype(np.float32)

    def logits(self, row: int) -> NDArray[np.float32]:
        return np.asarray(self._logits[row], dtype=np.float32)

    def hidden(self) -> NDArray[np.float32]:
        return np.asarray(self._hidden, dtype=np.float32)
