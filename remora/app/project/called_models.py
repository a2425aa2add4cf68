"""Call language models, embedders and rerankers: check their answers, and record the calls by purpose.

Every fallback of a search, a summary or the journal catches the errors of `core.errors`, and no other. A
caller's model raises the exceptions of its library; this module turns them into `ProviderError`. An
AssertionError passes, because fake models of tests raise it. So do exceptions that are no `Exception`:
KeyboardInterrupt, SystemExit and the cancellation of a task.

The ledger has the calls of language models, and of configured embedders and rerankers; the built-in model
costs nothing. Token counts are the provider's; if it reports none, they are estimated from the characters
and marked as estimated. The limit `llm.daily_tokens` stops background calls for the day; calls that a person
waits for continue.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from remora.core.clock import to_iso
from remora.core.errors import ProviderBusy, ProviderError, RemoraError, StoreError
from remora.core.secrets import redact
from remora.core.text import shorten, sound
from remora.core.tokens import ceil_chars_4
from remora.store.model_costs import EMBEDDINGS, OTHERS, RERANK

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from remora.core.clock import Clock
    from remora.embeddings.embedder import Embedder
    from remora.llm.client import Completion, LanguageModel, Message, Reranker
    from remora.store.database import Database

R = TypeVar("R")
UNASKED = ("describe", "synthesis", "learn", "e2e", "hyde")  # purposes of background calls
FLUSH_AT = 64  # calls kept in memory before they are written
CLOSING_PATIENCE = 1.0  # seconds to wait for another writer at the end
EXACT = 1e-4  # the squared length of a normalised float32 vector is nearer to 1
SHOWN = 300  # characters of an error; some libraries include the whole request


def asked(what: str, ask: Callable[[], R]) -> R:
    """Return the result of a call to a model.

    Raises:
        ProviderBusy: the call timed out or could not connect.
        ProviderError: the call raised another exception that is no error of Remora.
    """
    try:
        return ask()
    except (RemoraError, AssertionError):
        raise
    except (TimeoutError, ConnectionError) as error:
        raise ProviderBusy(_said(error), hint="Try again later.") from error
    except Exception as error:  # foreign code may raise any exception
        raise ProviderError(_said(error), hint=f"Check the {what}.") from error


def _said(error: Exception) -> str:
    said = f"{type(error).__name__}: {error}".rstrip(": ")
    return shorten(redact(sound(said)).text, SHOWN)


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


class CalledModel:
    """A language model whose calls are recorded and whose answers are checked.

    Args:
        model: the wrapped model.
        ledger: the ledger of its calls.
        purpose: the purpose of the calls.
        most: tokens a day above which background calls are refused; 0 for no limit.

    Attributes:
        calls: number of calls so far.
    """

    def __init__(self, model: LanguageModel, ledger: Ledger, purpose: str, most: int) -> None:
        self._model = model
        self._ledger = ledger
        self._purpose = purpose
        self._most = most
        self.calls = 0

    @property
    def model_id(self) -> str:
        """The model's name, or the name of its class if it has none."""
        try:
            return asked("language model", lambda: str(self._model.model_id))
        except RemoraError:
            return type(self._model).__name__

    def complete(self, messages: Sequence[Message], **how: Any) -> Completion:
        """Return the model's answer; arguments as in `LanguageModel`.

        Raises:
            Limited: the call is a background call and the daily limit is reached.
            ProviderError: the model failed, or its answer is no completion with a text.
        """
        if self._most and self._purpose in UNASKED and self._ledger.asked() >= self._most:
            raise Limited(
                f"{self._most:,} tokens were used today",
                hint="llm.daily_tokens is the limit; 0 turns it off.",
            )
        self.calls += 1
        given = [message.content for message in messages]
        with self._ledger.counted(self._purpose, self.model_id, given) as told:
            answer = asked("language model", lambda: _sound(self._model.complete(messages, **how)))
            if answer.input_tokens > 0 or answer.output_tokens > 0:
                told.update(read=answer.input_tokens, written=answer.output_tokens, estimated=False)
            else:
                told["written"] = ceil_chars_4(answer.text)
        return answer


def _sound(answer: Completion) -> Completion:
    return answer._replace(text=sound(answer.text))


class CalledEmbedder:
    """An embedder whose calls are recorded and whose vectors are checked."""

    def __init__(self, embedder: Embedder, ledger: Ledger) -> None:
        self._embedder = embedder
        self._ledger = ledger

    @property
    def model_id(self) -> str:
        """The model's name."""
        return asked("embedder", lambda: str(self._embedder.model_id))

    @property
    def dims(self) -> int:
        """The length of its vectors."""
        return asked("embedder", lambda: int(self._embedder.dims))

    @property
    def query_prefix(self) -> str:
        """The text put before a query."""
        return asked("embedder", lambda: str(self._embedder.query_prefix))

    @property
    def document_prefix(self) -> str:
        """The text put before a document."""
        return asked("embedder", lambda: str(self._embedder.document_prefix))

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return an (n, dims) matrix, float32, each row of length 1 or 0.

        Raises:
            ProviderError: the model failed, or returned another number of vectors, another length, or no
                numbers.
        """
        with self._ledger.counted(EMBEDDINGS, self.model_id, texts):
            return asked("embedder", lambda: self._rows(self._embedder.embed_documents(texts), len(texts)))

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return a (dims,) vector, float32, of length 1 or 0; errors as for `embed_documents`."""
        with self._ledger.counted(EMBEDDINGS, self.model_id, [text], at_once=False):
            return asked("embedder", lambda: self._rows([self._embedder.embed_query(text)], 1)[0])

    def _rows(self, raw: Any, count: int) -> NDArray[np.float32]:
        from remora.embeddings.vectors import another_length, checked, normalise

        dims = self.dims
        if not count:
            import numpy as np

            return np.zeros((0, dims), np.float32)
        rows = checked(raw, count=count, source="the embedder")
        if rows.shape[1] != dims:
            raise another_length(rows.shape[1], dims, source="the embedder")
        lengths = (rows * rows).sum(axis=1)
        if ((abs(lengths - 1.0) < EXACT) | (lengths == 0.0)).all():
            return rows.astype("float32")  # unchanged, to the last bit
        return normalise(rows)


class CalledReranker:
    """A reranker whose calls are recorded, under the given model id."""

    def __init__(self, reranker: Reranker, model_id: str, ledger: Ledger) -> None:
        self._reranker = reranker
        self._model_id = model_id
        self._ledger = ledger

    def rerank(self, query: str, documents: Sequence[str], *, timeout: float) -> list[float]:
        """Return the scores; the user of the scores checks that they are finite and complete.

        Raises:
            ProviderError: the reranker failed, or returned no list of numbers.
        """

        def scores() -> list[float]:
            return [float(score) for score in self._reranker.rerank(query, documents, timeout=timeout)]

        given = [text for document in documents for text in (query, document)]
        with self._ledger.counted(RERANK, self._model_id, given, at_once=False):
            return asked("reranker", scores)
