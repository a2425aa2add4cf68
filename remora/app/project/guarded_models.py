"""Wrap models given by the caller: their exceptions and invalid answers become errors of Remora.

Every fallback of a search, a summary or the journal catches the errors of `core.errors`, and no other. A
caller's model raises the exceptions of its library; this module turns them into `ProviderError`. An
AssertionError passes, because fake models of tests raise it. So do exceptions that are no `Exception`:
KeyboardInterrupt, SystemExit and the cancellation of a task.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from remora.core.errors import ProviderBusy, ProviderError, RemoraError
from remora.core.secrets import redact
from remora.core.text import shorten, sound

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from remora.embeddings.embedder import Embedder
    from remora.llm.client import Completion, LanguageModel, Message, Reranker

R = TypeVar("R")
EXACT = 1e-4  # the squared length of a normalised float32 vector is nearer to 1
SHOWN = 300  # characters of an error; some libraries include the whole request


def asked(what: str, ask: Callable[[], R]) -> R:
    """Return the result of a call to a caller's object.

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
        raise ProviderError(_said(error), hint=f"Check the {what} given to Memory.open.") from error


def _said(error: Exception) -> str:
    try:
        message = str(error)
    except Exception:  # noqa: BLE001  the message itself may fail
        message = ""
    said = f"{type(error).__name__}: {message}".rstrip(": ")
    return shorten(redact(sound(said)).text, SHOWN)


def _useless(what: str, why: str) -> NoReturn:
    raise ProviderError(f"the {what} {why}", hint=f"Check the {what} given to Memory.open.")


class GuardedModel:
    """A language model given by the caller.

    Attributes:
        given: the caller's object.
    """

    def __init__(self, model: LanguageModel) -> None:
        self.given = model

    @property
    def model_id(self) -> str:
        """The model's name, or the name of its class if it has no text as a name."""
        try:
            named = asked("language model", lambda: self.given.model_id)
        except RemoraError:
            named = ""
        return named if isinstance(named, str) and named else type(self.given).__name__

    def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        temperature: float = 0.0,
        schema: Mapping[str, Any] | None = None,
        timeout: float | None = None,
    ) -> Completion:
        """Return the model's answer.

        Raises:
            ProviderError: the model failed, or its answer is no completion with a text.
        """
        how = {"max_tokens": max_tokens, "temperature": temperature, "schema": schema, "timeout": timeout}
        return asked("language model", lambda: _completion(self.given.complete(messages, **how)))  # type: ignore[arg-type]


def _completion(answer: Any) -> Completion:
    from remora.llm.client import Completion

    text, reason = getattr(answer, "text", None), getattr(answer, "finish_reason", "stop")
    if not isinstance(text, str):
        _useless("language model", f"answered with {type(answer).__name__}, not with a text")
    counts = (getattr(answer, name, 0) for name in ("input_tokens", "output_tokens"))
    read, written = (n if isinstance(n, int) else 0 for n in counts)
    return Completion(sound(text), reason if isinstance(reason, str) else "stop", read, written)


class GuardedEmbedder:
    """An embedding model given by the caller.

    Attributes:
        given: the caller's object.
    """

    def __init__(self, embedder: Embedder) -> None:
        self.given = embedder

    @property
    def model_id(self) -> str:
        """The model's name; ProviderError if it has none, since vectors are told apart by it."""
        return self._text("model_id") or _useless("embedder", "has no model_id")

    @property
    def dims(self) -> int:
        """The length of its vectors; ProviderError if that is not a positive integer."""
        dims = asked("embedder", lambda: self.given.dims)
        if isinstance(dims, bool) or not isinstance(dims, int) or dims < 1:
            _useless("embedder", f"has vectors of {dims!r:.60} numbers")
        return dims

    @property
    def query_prefix(self) -> str:
        """The text put before a query."""
        return self._text("query_prefix")

    @property
    def document_prefix(self) -> str:
        """The text put before a document."""
        return self._text("document_prefix")

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return an (n, dims) matrix, float32, each row of length 1 or 0.

        Raises:
            ProviderError: the model failed, or returned another number of vectors, another length, or no
                numbers.
        """
        return asked("embedder", lambda: self._rows(self.given.embed_documents(texts), len(texts)))

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return a (dims,) vector, float32, of length 1 or 0; errors as for `embed_documents`."""
        return asked("embedder", lambda: self._rows([self.given.embed_query(text)], 1)[0])

    def _rows(self, raw: Any, count: int) -> NDArray[np.float32]:
        from remora.embeddings.vectors import checked, finish

        dims = self.dims
        if not count:
            import numpy as np

            return np.zeros((0, dims), np.float32)
        rows = checked(raw, count=count, source="the embedder")
        if rows.shape[1] != dims:
            _useless("embedder", f"returned vectors of {rows.shape[1]} numbers where {dims} were expected")
        lengths = (rows * rows).sum(axis=1)
        if ((abs(lengths - 1.0) < EXACT) | (lengths == 0.0)).all():
            return rows.astype("float32")  # unchanged, to the last bit
        return finish(rows, dims)

    def _text(self, name: str) -> str:
        value = asked("embedder", lambda: getattr(self.given, name))
        if not isinstance(value, str):
            _useless("embedder", f"has a {name} that is {type(value).__name__}, not text")
        return value


class GuardedReranker:
    """A reranker given by the caller.

    Attributes:
        given: the caller's object.
    """

    def __init__(self, reranker: Reranker) -> None:
        self.given = reranker

    def rerank(self, query: str, documents: Sequence[str], *, timeout: float) -> list[float]:
        """Return the scores; the user of the scores checks that they are finite and complete.

        Raises:
            ProviderError: the reranker failed, or returned no list of numbers.
        """

        def scores() -> list[float]:
            return [float(score) for score in self.given.rerank(query, documents, timeout=timeout)]

        return asked("reranker", scores)
