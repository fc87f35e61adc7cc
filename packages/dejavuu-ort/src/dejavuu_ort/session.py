"""One request's state in an ONNX decoder: how many tokens are cached, and the anchor."""

import numpy as np
from numpy.typing import NDArray

from dejavuu_core.contract import Draft, Needs, Rows, Session
from dejavuu_core.errors import ClosedError, DraftError, UsageError
from dejavuu_ort.cache import KvCache
from dejavuu_ort.feeds import Feeds, Output
from dejavuu_ort.graph import Graph
from dejavuu_ort.rows import LiveRows, PromptRows

__all__ = ["OrtSession"]


class OrtSession(Session):
    """A session is a cache and a length; whatever lies behind the length is forgotten.

    Every method checks its arguments before it touches anything: after one of our errors the
    session is as it was.
    """

    def __init__(self, graph: Graph, needs: Needs) -> None:
        """Start with nothing cached."""
        manifest = graph.manifest
        # one slot more than tokens fit, for the spare row of the attention
        most = manifest.max_context + 1
        cache = KvCache(manifest.layers, manifest.kv_heads, manifest.head_dim, most)
        self._set_up(graph, needs, cache)

    def _set_up(self, graph: Graph, needs: Needs, cache: KvCache) -> None:
        self._graph, self._needs = graph, needs
        self._length = 0
        self._anchor: int | None = None
        self._pending: Draft | None = None  # verified and not yet committed
        self._rows: LiveRows | None = None
        self._cache = cache
        self._feeds: Feeds | None = Feeds(graph, cache, hidden=needs.hidden)
        self._tree_feeds: Feeds | None = None  # made with the first branch

    @property
    def length(self) -> int:
        """Number of cached tokens; the anchor is not among them."""
        return self._length

    @property
    def cache(self) -> KvCache:
        """The cache itself, for the probe."""
        return self._cache

    def prefill(self, tokens: NDArray[np.int32]) -> Rows:
        """Read ``tokens`` (int32[m], m >= 1) behind what is cached: the last becomes the anchor.

        An older anchor that was not committed is replaced. Raises :class:`ClosedError` after
        ``close``, and :class:`UsageError` for no tokens, for an id outside the vocabulary and for
        more than the context holds.
        """
        feeds = self._open()
        if len(tokens) == 0:
            raise UsageError("prefill got no tokens; give at least the anchor")
        if tokens.min() < 0 or tokens.max() >= self._graph.manifest.vocab_size:
            raise UsageError(self._foreign(self._outside(tokens)))
        self._check_room(len(tokens))
        rows = self._read(feeds, tokens[:-1])
        self._length += len(tokens) - 1
        self._anchor, self._pending = int(tokens[-1]), None
        return rows

    def verify(self, draft: Draft) -> Rows:
        """Run the anchor and ``draft`` in one forward; gives ``n + 1`` rows, caches nothing yet.

        Raises :class:`ClosedError` after ``close`` or without an anchor, :class:`DraftError` for
        too many rows or an id outside the vocabulary, and :class:`UsageError` where the rows
        would run over the end of the context.
        """
        feeds = self._open()
        if self._anchor is None:
            raise ClosedError("this session has no anchor; call prefill first")
        rows = len(draft) + 1
        self._check_draft(draft, rows)
        branches = None if draft.is_chain else draft
        if branches is not None:
            feeds = self._branching()
        self._forget_rows()
        feeds.ids[0, 0] = self._anchor
        feeds.ids[0, 1:rows] = draft.tokens
        output = self._run(feeds, rows, self._length, rows, branches)
        self._pending = draft
        self._rows = LiveRows(output)
        return self._rows

    def commit(self, path: NDArray[np.int32], token: int) -> None:
        """Keep the anchor and the rows ``path`` (int32[a], by depth) of the last verify.

        ``token`` becomes the next anchor. The spine stays where it is, another branch is moved.
        Raises :class:`ClosedError` after ``close``, and :class:`UsageError` without a verify, for
        a path that is none of the draft's and for a token outside the vocabulary.
        """
        self._open()
        if self._pending is None:
            raise UsageError("there is nothing to commit; call verify first")
        if not 0 <= token < self._graph.manifest.vocab_size:
            raise UsageError(self._foreign(token))
        rows = path.tolist()
        kept = len(rows)
        _check_path(rows, self._pending)
        if kept and rows[-1] != kept:  # not the spine
            self._cache.move(self._length, path)
        self._length += 1 + kept
        self._anchor = int(token)
        self._pending = None

    def rewind(self, length: int) -> None:
        """Keep the first ``length`` cached tokens and forget the rest and the anchor.

        Raises :class:`ClosedError` after ``close``, and :class:`UsageError` where ``length`` is
        negative or more than is cached.
        """
        self._open()
        if not 0 <= length <= self._length:
            raise UsageError(
                f"cannot rewind to {length} tokens of {self._length}; give 0 to {self._length}"
            )
        self._length = length
        self._anchor = self._pending = None

    def fork(self) -> "OrtSession":
        """Give a second session in the same state; only the slots in use are copied.

        Raises :class:`ClosedError` after ``close``.
        """
        self._open()
        pending = 0 if self._pending is None else len(self._pending) + 1
        other = object.__new__(OrtSession)
        other._set_up(self._graph, self._needs, self._cache.copy(self._length + pending))
        other._length, other._anchor = self._length, self._anchor
        other._pending = self._pending
        return other

    def close(self) -> None:
        """Give the cache back. May be called again."""
        if self._feeds is None:
            return
        self._feeds = self._tree_feeds = None
        del self._cache
        self._length = 0
        self._anchor = self._pending = None

    def _read(self, feeds: Feeds, tokens: NDArray[np.int32]) -> Rows:
        """Run ``tokens`` in chunks; gives their rows where they are wanted."""
        wanted, topk = self._needs.prompt_rows, self._needs.topk
        self._forget_rows()
        pieces = [PromptRows.keep(self._no_output(), topk)]
        start = self._length
        # more rows at a time than a verify has were measured and are no faster
        for at in range(0, len(tokens), self._graph.max_rows):
            chunk = tokens[at : at + self._graph.max_rows]
            feeds.ids[0, : len(chunk)] = chunk
            output = self._run(feeds, len(chunk), start, len(chunk) if wanted else 0, None)
            if wanted:
                pieces.append(PromptRows.keep(output, topk))
            start += len(chunk)
        return PromptRows.join(pieces)

    def _run(
        self, feeds: Feeds, rows: int, start: int, asked: int, branches: Draft | None
    ) -> Output:
        self._pending = None
        if self._cache.reserve(start + rows + 1, used=start):
            for bound in (self._feeds, self._tree_feeds):
                if bound is not None:
                    bound.bind_cache(self._cache)
        return feeds.run(rows, start, asked=asked, branches=branches)

    def _no_output(self) -> Output:
        manifest = self._graph.manifest
        hidden = np.empty((0, manifest.hidden_size), np.float32) if self._needs.hidden else None
        return Output(np.empty((0, manifest.vocab_size), np.float32), hidden)

    def _forget_rows(self) -> None:
        if self._rows is not None:
            self._rows.expire()
            self._rows = None

    def _branching(self) -> Feeds:
        if self._tree_feeds is None:
            hidden = self._needs.hidden
            self._tree_feeds = Feeds(self._graph, self._cache, hidden=hidden, branches=True)
        return self._tree_feeds

    def _open(self) -> Feeds:
        if self._feeds is None:
            raise ClosedError("this session is closed; start another one")
        return self._feeds

    def _check_draft(self, draft: Draft, rows: int) -> None:
        most = self._graph.max_rows
        if rows > most:
            raise DraftError(
                f"a draft of {rows - 1} rows and the anchor are more than the {most} rows of one "
                f"verify; draft at most {most - 1} or load the model with a larger max_rows"
            )
        ids = draft.tokens.tolist()  # so few that a list is faster than numpy's machinery
        if ids and not 0 <= min(ids) <= max(ids) < self._graph.manifest.vocab_size:
            raise DraftError(self._foreign(self._outside(draft.tokens)))
        self._check_room(rows)

    def _outside(self, tokens: NDArray[np.int32]) -> int:
        """Give the first id outside the vocabulary."""
        vocab = self._graph.manifest.vocab_size
        return int(tokens[(tokens < 0) | (tokens >= vocab)][0])

    def _foreign(self, token: int) -> str:
        last = self._graph.manifest.vocab_size - 1
        return f"token id {token} is outside the model's vocabulary; ids run from 0 to {last}"

    def _check_room(self, rows: int) -> None:
        most = self._graph.manifest.max_context
        if self._length + rows > most:
            raise UsageError(
                f"{rows} more tokens behind {self._length} run over the model's context of {most}; "
                f"give fewer"
            )


def _check_path(path: list[int], draft: Draft) -> None:
    """Each row of ``path`` must hang from the one before it."""
    at, parents = 0, draft.parents.tolist()
    for row in path:
        if not 1 <= row <= len(parents) or parents[row - 1] + 1 != at:
            raise UsageError(
                f"the path {path} is not one of the draft: row {row} does not hang from row {at}"
            )
        at = row
