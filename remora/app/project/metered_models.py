"""Record every model call by purpose in a ledger, limit the tokens of background calls.

It covers language models, and embedders and rerankers behind a server; the built-in model costs nothing.
Token counts are the provider's; if it reports none, they are estimated from the characters and marked as
estimated. The limit `llm.daily_tokens` stops background calls for the day; calls that a person waits for
continue.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from remora.core.clock import to_iso
from remora.core.errors import ProviderError, StoreError
from remora.core.tokens import ceil_chars_4
from remora.store.model_costs import EMBEDDINGS, OTHERS, RERANK

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from remora.core.clock import Clock
    from remora.embeddings.embedder import Embedder
    from remora.llm.client import Completion, LanguageModel, Message, Reranker
    from remora.store.database import Database

UNASKED = ("describe", "synthesis", "learn", "e2e", "hyde")  # purposes of background calls
FLUSH_AT = 64  # calls kept in memory before they are written
CLOSING_PATIENCE = 1.0  # seconds to wait for another writer at the end


class Limited(ProviderError):
    """The daily token limit is reached."""


class Call(NamedTuple):
    """One call: day, purpose, model, tokens in and out, seconds, whether tokens are estimated, and failed."""

    day: str
    purpose: str
    model: str
    read: int
    written: int
    seconds: float
    estimated: bool
    failed: bool


class Ledger:
    """The calls of one open project.

    The ledger never fails or delays a call: rows that a busy disk refuses are kept for the next flush.

    Args:
        db: opens the project's database; None if nothing can be written.
        clock: gives the current day.
    """

    def __init__(self, db: Callable[[], Database] | None, clock: Clock) -> None:
        self._db = db
        self._clock = clock
        self._pending: list[Call] = []

    @property
    def day(self) -> str:
        """Today, ISO 8601."""
        return to_iso(self._clock.now())[:10]

    def asked(self) -> int:
        """Return the tokens used by language models today."""
        told = sum(c.read + c.written for c in self._pending if c.day == self.day and c.purpose not in OTHERS)
        try:
            return told + (self._db().model_costs.tokens_of(self.day) if self._db is not None else 0)
        except StoreError:
            return told

    def note(self, call: Call, *, at_once: bool = True) -> None:
        """Record a call; a call of a search is written with later ones, since reading writes nothing."""
        if self._db is None:
            return
        self._pending.append(call)
        if at_once or len(self._pending) >= FLUSH_AT:
            self.flush(wait=0.0)

    def flush(self, *, wait: float = CLOSING_PATIENCE) -> None:
        """Write the recorded calls, waiting at most `wait` seconds for another writer."""
        if self._db is None or not self._pending:
            return
        calls, self._pending = self._pending, []
        try:
            db = self._db()
            with db.connection.transaction(durable=False, wait=wait):
                for call in calls:
                    db.model_costs.add(*call[:6], estimated=call.estimated, failed=call.failed)
        except StoreError:
            self._pending = [*calls, *self._pending]

    @contextmanager
    def counted(
        self, purpose: str, model: str, given: Sequence[str], *, at_once: bool = True
    ) -> Iterator[dict[str, Any]]:
        """Record the call in the context, with tokens estimated from the given texts.

        The context replaces fields of the `Call` by those that it puts into the dict.
        """
        day, began, failed = self.day, time.monotonic(), True
        told: dict[str, Any] = {}
        try:
            yield told
            failed = False
        finally:
            read = sum(map(ceil_chars_4, given))
            took = time.monotonic() - began
            call = Call(day, purpose, model, read, 0, took, estimated=True, failed=failed)
            self.note(call._replace(**told), at_once=at_once)


class MeteredModel:
    """A language model whose calls are recorded in a ledger.

    Args:
        model: the wrapped model.
        ledger: the ledger of its calls.
        purpose: the purpose of the calls.
        most: tokens a day above which background calls are refused; 0 for no limit.
    """

    def __init__(self, model: LanguageModel, ledger: Ledger, purpose: str, most: int) -> None:
        self._model = model
        self._ledger = ledger
        self._purpose = purpose
        self._most = most

    @property
    def model_id(self) -> str:
        """Provider and model."""
        return self._model.model_id

    def complete(self, messages: Sequence[Message], **how: Any) -> Completion:
        """Return the model's answer; arguments as in `LanguageModel`.

        Raises:
            Limited: the call is a background call and the daily limit is reached.
        """
        if self._most and self._purpose in UNASKED and self._ledger.asked() >= self._most:
            raise Limited(
                f"{self._most:,} tokens were used today",
                hint="llm.daily_tokens is the limit; 0 turns it off.",
            )
        given = [message.content for message in messages]
        with self._ledger.counted(self._purpose, self.model_id, given) as told:
            answer = self._model.complete(messages, **how)
            if answer.input_tokens > 0 or answer.output_tokens > 0:
                told.update(read=answer.input_tokens, written=answer.output_tokens, estimated=False)
            else:
                told["written"] = ceil_chars_4(answer.text)
        return answer


class MeteredEmbedder:
    """An embedder behind a server whose calls are recorded in a ledger, with the embedder's attributes."""

    def __init__(self, embedder: Embedder, ledger: Ledger) -> None:
        self._embedder = embedder
        self._ledger = ledger
        self.query_prefix = embedder.query_prefix
        self.document_prefix = embedder.document_prefix

    @property
    def model_id(self) -> str:
        """The model id of the wrapped embedder."""
        return self._embedder.model_id

    @property
    def dims(self) -> int:
        """Length of the vectors."""
        return self._embedder.dims

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (n, dims) vectors; see `Embedder`."""
        with self._ledger.counted(EMBEDDINGS, self.model_id, texts):
            return self._embedder.embed_documents(texts)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return a (dims,) vector; see `Embedder`."""
        with self._ledger.counted(EMBEDDINGS, self.model_id, [text], at_once=False):
            return self._embedder.embed_query(text)


class MeteredReranker:
    """A reranker behind a server whose calls are recorded in a ledger."""

    def __init__(self, reranker: Reranker, model_id: str, ledger: Ledger) -> None:
        self._reranker = reranker
        self._model_id = model_id
        self._ledger = ledger

    def rerank(self, query: str, documents: Sequence[str], *, timeout: float) -> list[float]:
        """Return one score for each document; see `Reranker`."""
        given = [text for document in documents for text in (query, document)]
        with self._ledger.counted(RERANK, self._model_id, given, at_once=False):
            return self._reranker.rerank(query, documents, timeout=timeout)
