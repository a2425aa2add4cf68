"""Cache vectors by content for seven days, in front of any model.

The key is the SHA-256 of "text:model_id:dims" (section 8 of the retrieval specification), where the text is
the model's actual input, prefix included: the same words as a query and as a document may be two vectors.
Queries are looked up but not written, so that searching changes nothing.

A cache only saves time. Its errors are counted and otherwise ignored. Turns and notes pass it by: they are
many, never change, and have their vectors in the store.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

import numpy as np

from remora.core.clock import DAY_SECONDS, Clock
from remora.core.errors import InvalidInput
from remora.embeddings.vectors import from_blob, to_blob

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from remora.embeddings.embedder import Embedder

LIFETIME_DAYS = 7


class VectorCache(Protocol):
    """Storage of vectors between processes; the store implements it. Times are ms since the epoch."""

    def get_many(self, keys: Sequence[str], now_ms: int, /) -> Mapping[str, bytes]:
        """Return the blobs of keys that exist and have not expired."""
        ...

    def put_many(self, rows: Sequence[tuple[str, bytes, str, int, int]], /) -> None:
        """Store rows of (key, blob, model id, dims, expiry)."""
        ...


def cache_key(text: str, model_id: str, dims: int) -> str:
    """Return the key of a text under a model: 64 hexadecimal digits."""
    return hashlib.sha256(f"{text}:{model_id}:{dims}".encode("utf-8", "surrogatepass")).hexdigest()


class CachedEmbedder:
    """An embedder with a cache. It has the attributes of the wrapped embedder.

    Attributes:
        inner: the wrapped embedder, for texts whose vectors are stored for good.
        query_prefix, document_prefix: those of the wrapped embedder.
    """

    def __init__(self, inner: Embedder, cache: VectorCache, clock: Clock) -> None:
        self.inner = inner
        self.query_prefix = inner.query_prefix
        self.document_prefix = inner.document_prefix
        self._cache = cache
        self._clock = clock

    @property
    def model_id(self) -> str:
        """The wrapped embedder's model id."""
        return self.inner.model_id

    @property
    def dims(self) -> int:
        """The wrapped embedder's number of dimensions."""
        return self.inner.dims

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (n, dims) vectors; only texts missing from the cache reach the model, each once."""
        keys = [self._key(self.document_prefix, text) for text in texts]
        found = self._read(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if missing:
            fresh = self.inner.embed_documents(list(missing.values()))
            found.update(zip(missing, fresh, strict=True))
            self._write({key: found[key] for key in missing})
        if not keys:
            return np.zeros((0, self.dims), dtype=np.float32)
        return np.stack([found[key] for key in keys])

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the (dims,) vector of a query, from the cache if it is there."""
        key = self._key(self.query_prefix, text)
        found = self._read([key])
        return found[key] if key in found else self.inner.embed_query(text)

    def close(self) -> None:
        """Close the wrapped embedder."""
        close = getattr(self.inner, "close", None)
        if close is not None:
            close()

    def _key(self, prefix: str, text: str) -> str:
        return cache_key(prefix + text, self.model_id, self.dims)

    def _read(self, keys: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        now = int(self._clock.now() * 1000)
        try:
            blobs = self._cache.get_many(list(dict.fromkeys(keys)), now) if keys else {}
        except Exception:  # noqa: BLE001 a cache of any make must not stop the embedding
            return {}
        found: dict[str, NDArray[np.float32]] = {}
        for key, blob in blobs.items():
            with suppress(InvalidInput):
                found[key] = from_blob(blob, self.dims)
        return found

    def _write(self, vectors: Mapping[str, NDArray[np.float32]]) -> None:
        expires = int((self._clock.now() + LIFETIME_DAYS * DAY_SECONDS) * 1000)
        rows = [(key, to_blob(v), self.model_id, self.dims, expires) for key, v in vectors.items()]
        with suppress(Exception):  # as above: the vectors are good without it
            self._cache.put_many(rows)
