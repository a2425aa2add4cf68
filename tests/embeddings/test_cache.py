"""Vectors by content: hits, misses, seven days, and a cache that fails."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from remora.core.clock import FixedClock
from remora.core.errors import StoreBusy
from remora.embeddings.cache import CachedEmbedder, cache_key
from tests.helpers import FakeEmbedder


class Watched(FakeEmbedder):
    """A fake model that notes what it is asked, and whether it was closed."""

    def __init__(self) -> None:
        super().__init__("words:8", 8)
        self.query_prefix = "q: "
        self.queries: list[str] = []
        self.closed = False

    def embed_query(self, text: str):
        """Return the vector of a query, and note it."""
        self.queries.append(text)
        return super().embed_query(self.query_prefix + text)

    def close(self) -> None:
        """Note that it was closed."""
        self.closed = True


class Shelf:
    """A cache in memory, with the store's rule for expiry."""

    def __init__(self) -> None:
        self.rows: dict[str, tuple[bytes, str, int, int]] = {}

    def get_many(self, keys: Sequence[str], now_ms: int) -> Mapping[str, bytes]:
        """Return what is there and has not expired."""
        return {k: self.rows[k][0] for k in keys if k in self.rows and self.rows[k][3] > now_ms}

    def put_many(self, rows: Sequence[tuple[str, bytes, str, int, int]]) -> None:
        """Store rows."""
        self.rows.update({key: (blob, model, dims, until) for key, blob, model, dims, until in rows})


class Broken:
    """A cache on a disk that went away."""

    def get_many(self, keys: Sequence[str], now_ms: int) -> Mapping[str, bytes]:
        """Fail."""
        raise StoreBusy("database is locked")

    def put_many(self, rows: Sequence[tuple[str, bytes, str, int, int]]) -> None:
        """Fail in a way that nobody planned."""
        raise OSError("disk I/O error")


def test_known_texts_do_not_reach_the_model():
    """Only what is missing is computed, each text once, in order; else it is as what it wraps."""
    inner, shelf = Watched(), Shelf()
    cached = CachedEmbedder(inner, shelf, FixedClock())
    first = cached.embed_documents(["a", "b", "a"])
    second = cached.embed_documents(["c", "b", "a"])
    assert cached.embed_documents([]).shape == (0, 8)
    assert inner.documents == ["a", "b", "c"]
    np.testing.assert_array_equal(first[0], first[2])
    np.testing.assert_array_equal(second[1:], first[[1, 0]])
    assert [row[1:3] for row in shelf.rows.values()] == [("words:8", 8)] * 3
    assert hashlib.sha256(b"a:words:8:8").hexdigest() in shelf.rows
    assert (cached.model_id, cached.dims) == ("words:8", 8)
    assert (cached.query_prefix, cached.document_prefix) == ("q: ", "")
    cached.close()
    assert inner.closed


def test_vectors_expire_after_seven_days():
    """A day before they are used, a day after they are made again."""
    clock, inner = FixedClock(), Watched()
    cached = CachedEmbedder(inner, Shelf(), clock)
    cached.embed_documents(["a"])
    clock.advance(days=6)
    cached.embed_documents(["a"])
    assert len(inner.documents) == 1
    clock.advance(days=2)
    cached.embed_documents(["a"])
    assert len(inner.documents) == 2


def test_queries_read_the_cache_and_never_write_it():
    """Searching changes nothing; a query with a prefix is another text than the same document."""
    inner, shelf = Watched(), Shelf()
    cached = CachedEmbedder(inner, shelf, FixedClock())
    cached.embed_documents(["a"])
    before = dict(shelf.rows)
    found = cached.embed_query("a")
    assert shelf.rows == before
    assert inner.queries == ["a"]
    np.testing.assert_array_equal(found, Watched().embed_query("a"))
    cached.embed_documents(["q: b"])
    cached.embed_query("b")
    assert inner.queries == ["a"]


def test_a_failing_cache_never_fails_the_embedding():
    """Reading and writing fail, and the vectors are right."""
    cached = CachedEmbedder(Watched(), Broken(), FixedClock())
    found = cached.embed_documents(["a", "b"])
    np.testing.assert_array_equal(found, Watched().embed_documents(["a", "b"]))
    assert cached.embed_query("a").shape == (8,)


@pytest.mark.parametrize("blob", [b"", b"\x00" * 31, b"\x00\x00\xc0\x7f" * 8])
def test_a_damaged_row_is_made_again(blob):
    """Bytes of a wrong length or with NaN are as if they were not there."""
    inner, shelf = Watched(), Shelf()
    key = cache_key("a", "words:8", 8)
    shelf.rows[key] = (blob, "words:8", 8, 1 << 62)
    cached = CachedEmbedder(inner, shelf, FixedClock())
    assert np.isfinite(cached.embed_documents(["a"])).all()
    assert inner.documents == ["a"]
    assert len(shelf.rows[key][0]) == 32
