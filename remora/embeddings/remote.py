"""Common parts of server embedders: prefixes, batches, retries, lengths, checks.

The number of dimensions of an unknown model is learned from its first answer; reading `dims` or `model_id`
before that costs one request with a short text. Once known it is fixed: an answer of another length is an
error, because vectors of two models must never share an id.

A text that is too long for a server is found by halving the batch and is then truncated alone, so that a
text's vector never depends on its batch.
"""

from __future__ import annotations

import hashlib
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from remora.core.config import EmbeddingSettings
from remora.core.errors import ProviderBusy, ProviderError
from remora.core.text import clean, sound
from remora.embeddings.known import known
from remora.embeddings.vectors import another_length, checked, finish
from remora.net.http import JsonClient, said_too_long, with_retries

if TYPE_CHECKING:
    from numpy.typing import NDArray

# No token of a byte-level vocabulary is shorter than a byte, so 8,000 bytes stay below the 8,191
# tokens that hosted models take, in every language. The shorter cuts are for models of 512 tokens.
CUTS = (8_000, 1_500, 500)
PROBE = "dimension probe"
# Seconds without a request after one that got no answer within its budget: a run over a thousand texts
# waits once for a server that is gone, and a server that is started again is found within a minute.
PAUSE = 60.0


class RemoteEmbedder(ABC):
    """An embedder behind a server; subclasses send one batch.

    Attributes:
        query_prefix: prepended to every query.
        document_prefix: prepended to every document.
    """

    def __init__(
        self,
        client: JsonClient,
        model: str,
        settings: EmbeddingSettings,
        *,
        name: str,
        batch: int,
        sleep: Callable[[float], None] = time.sleep,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Prepare an embedder; nothing is sent yet.

        Args:
            client: the server.
            model: its name there.
            settings: `dimensions` is requested of a truncatable model, a prefix replaces the model's usual
                one (that of documents becomes part of the model id), `timeout` counts for one request and
                the waiting between its attempts.
            name: the model id without dimensions, "provider:model".
            batch: texts in one request.
            sleep: waits.
            now: a monotonic clock.
        """
        facts = known(model)
        self._client = client
        self._model = model
        self._name = name
        self._asked = settings.dimensions
        self._cuttable = facts.cuttable
        self._native = facts.dims
        self._dims = self._fitting(self._native) if self._native else None
        self._batch = batch
        self._timeout = settings.timeout
        self._sleep = sleep
        self._now = now
        self._silent_until: float | None = None
        self.query_prefix = settings.query_prefix or facts.query_prefix
        self.document_prefix = settings.document_prefix or facts.document_prefix
        own = self.document_prefix != facts.document_prefix
        self._mark = "+" + hashlib.sha256(self.document_prefix.encode()).hexdigest()[:8] if own else ""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._name} at {self._client.host})"

    @property
    def dims(self) -> int:
        """Length of the vectors; asks the server once if unknown.

        Raises:
            ProviderError: the server was asked and failed.
        """
        if self._dims is None:
            self._embed([PROBE])
        assert self._dims is not None
        return self._dims

    @property
    def model_id(self) -> str:
        """Provider, model, dimensions and a mark for a custom document prefix; errors as `dims`.

        The query prefix is left out, because it does not change stored vectors.
        """
        return f"{self._name}:{self.dims}{self._mark}"

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the (n, dims) vectors of some texts, length 1; a blank text gives zeros.

        Raises:
            ProviderError: the server failed or returned no usable vectors.
            ModelMissing: the server does not have the model.
        """
        return self._rows(self.document_prefix, texts)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the (dims,) vector of a query; errors and blank texts as `embed_documents`."""
        row: NDArray[np.float32] = self._rows(self.query_prefix, [text])[0]
        return row

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _rows(self, prefix: str, texts: Sequence[str]) -> NDArray[np.float32]:
        places = [i for i, text in enumerate(texts) if clean(text[: CUTS[0]]).strip()]
        short = [cut_bytes(prefix + texts[i].replace("\x00", " "), CUTS[0]) for i in places]
        found = [self._embed(short[at : at + self._batch]) for at in range(0, len(short), self._batch)]
        rows = np.zeros((len(texts), self.dims), dtype=np.float32)
        if found:
            rows[places] = np.concatenate(found)
        return rows

    def _embed(self, texts: list[str]) -> NDArray[np.float32]:
        try:
            return self._finished(texts)
        except ProviderError as error:
            if not said_too_long(error):
                raise
            if len(texts) > 1:
                middle = len(texts) // 2
                return np.concatenate([self._embed(texts[:middle]), self._embed(texts[middle:])])
            cuts = (cut_bytes(texts[0], limit) for limit in CUTS)
            shorter = next((cut for cut in cuts if len(cut) < len(texts[0])), None)
            if shorter is None:
                raise
            return self._embed([shorter])

    def _finished(self, texts: list[str]) -> NDArray[np.float32]:
        source = f"{self._model} at {self._client.host}"
        raw = self._answer(texts)
        matrix = checked(raw, count=len(texts), source=source)
        length = matrix.shape[1]
        if self._dims is None:
            self._dims = self._fitting(length)
        if length > self._dims and not self._cuttable:
            raise another_length(length, self._dims, source=source)
        return finish(matrix, self._dims, source=source)

    def _answer(self, texts: list[str]) -> Sequence[Any]:
        if self._silent_until is not None and self._now() < self._silent_until:
            raise ProviderBusy(
                f"{self._model} at {self._client.host} did not answer recently",
                hint=f"The next attempt is {PAUSE:.0f} s after the last.",
            )
        try:
            raw = with_retries(
                lambda seconds: self._send(texts, seconds),
                budget=self._timeout,
                sleep=self._sleep,
                now=self._now,
            )
        except ProviderBusy as busy:
            if not busy.status:  # it did not answer; one that limits us did
                self._silent_until = self._now() + PAUSE
            raise
        self._silent_until = None
        return raw

    def _fitting(self, length: int) -> int:
        return min(length, self._asked) if self._cuttable else length

    @abstractmethod
    def _send(self, texts: list[str], seconds: float) -> Sequence[Any]:
        """Return one raw vector for each text, in order."""


def cut_bytes(text: str, limit: int) -> str:
    """Return the longest start of a text that has at most `limit` bytes as UTF-8.

    >>> cut_bytes("a日本", 5)
    'a日'
    """
    data = sound(text[:limit]).encode()
    return data[:limit].decode("utf-8", "ignore")
