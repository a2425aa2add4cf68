"""SQL for vectors: one table for every kind of owner, and the cache of embeddings by content.

A vector belongs to an owner (memory, turn, note, chunk), a part of it (long texts have several) and
a model. Rows of different models never meet: every read names one model.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from remora.store.connection import Database


class VectorRow(NamedTuple):
    """One stored vector: little-endian float32, L2-normalised, `dims` numbers."""

    id: int
    owner_id: str
    part: int
    embedding: bytes


class Vectors:
    """The embeddings of one database. Writers call inside a transaction."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def put(
        self,
        owner_kind: str,
        rows: Sequence[tuple[str, int, bytes]],
        *,
        model_id: str,
        dims: int,
        prefix: str,
        at: str,
    ) -> None:
        """Store vectors as (owner id, part, blob), replacing those of the same owner, part and model."""
        self._db.execute_many(
            """INSERT OR REPLACE INTO embeddings
               (owner_kind, owner_id, part, model_id, dims, prefix, embedding, created_at)
               VALUES (?, ?, ?, ?, ?, ?, ?, ?)""",
            [(owner_kind, owner, part, model_id, dims, prefix, blob, at) for owner, part, blob in rows],
        )
        if owner_kind == "memory":
            self._db.execute_many(
                "UPDATE memories SET embedding_model_id = ? WHERE id = ?",
                [(model_id, owner) for owner, _, _ in rows],
            )

    def since(self, owner_kind: str, model_id: str, after: int, limit: int) -> list[VectorRow]:
        """Return vectors with an id above `after`, in order."""
        sql = """SELECT id, owner_id, part, embedding FROM embeddings INDEXED BY idx_embeddings_model
                 WHERE model_id = ? AND owner_kind = ? AND id > ? ORDER BY id LIMIT ?"""
        return [VectorRow(*r) for r in self._db.rows(sql, (model_id, owner_kind, after, limit))]

    def ids(self, owner_kind: str, model_id: str) -> list[int]:
        """Return the ids of all vectors of a kind and model, in order."""
        sql = "SELECT id FROM embeddings WHERE model_id = ? AND owner_kind = ? ORDER BY id"
        return [r[0] for r in self._db.rows(sql, (model_id, owner_kind))]

    def count(self, owner_kind: str, model_id: str) -> int:
        """Return how many vectors there are of a kind and model."""
        sql = "SELECT count(*) FROM embeddings WHERE model_id = ? AND owner_kind = ?"
        return int(self._db.value(sql, (model_id, owner_kind)))

    def models(self) -> dict[tuple[str, str], tuple[int, int]]:
        """Return (owner kind, model) to (owners, dimensions)."""
        sql = """SELECT owner_kind, model_id, count(DISTINCT owner_id), max(dims) FROM embeddings
                 GROUP BY owner_kind, model_id ORDER BY 1, 2"""
        return {(kind, model): (owners, dims) for kind, model, owners, dims in self._db.rows(sql)}

    def pending_memories(self, model_id: str, limit: int) -> list[str]:
        """Return ids of live memories without a vector of this model, newest first."""
        sql = """SELECT m.id FROM memories m WHERE m.deprecated = 0 AND NOT EXISTS (
                   SELECT 1 FROM embeddings e WHERE e.owner_kind = 'memory' AND e.owner_id = m.id
                   AND e.model_id = ?) ORDER BY m.seq DESC LIMIT ?"""
        return [r[0] for r in self._db.rows(sql, (model_id, limit))]

    def pending_turns(self, model_id: str, limit: int) -> list[int]:
        """Return row ids of turns without a vector of this model, newest first."""
        sql = """SELECT t.id FROM turns t WHERE NOT EXISTS (
                   SELECT 1 FROM embeddings e WHERE e.owner_kind = 'turn' AND e.owner_id = CAST(t.id AS TEXT)
                   AND e.model_id = ?) ORDER BY t.id DESC LIMIT ?"""
        return [r[0] for r in self._db.rows(sql, (model_id, limit))]

    def pending_count(self, model_id: str) -> int:
        """Return how many live memories and turns have no vector of this model."""
        memories = self._db.value(
            """SELECT count(*) FROM memories m WHERE m.deprecated = 0 AND NOT EXISTS (
                 SELECT 1 FROM embeddings e WHERE e.owner_kind = 'memory' AND e.owner_id = m.id
                 AND e.model_id = ?)""",
            (model_id,),
        )
        turns = self._db.value(
            """SELECT count(*) FROM turns t WHERE NOT EXISTS (
                 SELECT 1 FROM embeddings e WHERE e.owner_kind = 'turn' AND e.owner_id = CAST(t.id AS TEXT)
                 AND e.model_id = ?)""",
            (model_id,),
        )
        return int(memories) + int(turns)

    def drop_other_models(self, model_id: str) -> int:
        """Delete vectors of all other models and return how many went."""
        return self._db.execute("DELETE FROM embeddings WHERE model_id <> ?", (model_id,))


class EmbeddingCache:
    """Embeddings by content, for seven days (section 8). Fits `embeddings.cache.VectorCache`."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def get_many(self, keys: Sequence[str], now_ms: int) -> Mapping[str, bytes]:
        """Return the blobs of the keys that are there and have not expired."""
        sql = """SELECT key, embedding FROM embedding_cache
                 WHERE key IN (SELECT value FROM json_each(?)) AND expires_at > ?"""
        return dict(self._db.rows(sql, (json.dumps(list(keys)), now_ms)))

    def put_many(self, rows: Sequence[tuple[str, bytes, str, int, int]]) -> None:
        """Store (key, blob, model id, dims, expiry in ms) rows; they can be made again, so no fsync."""
        with self._db.transaction(durable=False):
            self._db.execute_many(
                """INSERT OR REPLACE INTO embedding_cache(key, embedding, model_id, dims, expires_at)
                   VALUES (?, ?, ?, ?, ?)""",
                rows,
            )

    def evict(self, now_ms: int) -> int:
        """Delete what has expired and return how many rows went; call inside a transaction."""
        return self._db.execute("DELETE FROM embedding_cache WHERE expires_at < ?", (now_ms,))

    def expired(self, now_ms: int) -> int:
        """Return how many rows have expired."""
        return int(self._db.value("SELECT count(*) FROM embedding_cache WHERE expires_at < ?", (now_ms,)))
