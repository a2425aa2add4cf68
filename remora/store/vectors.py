"""SQL for vectors: one table for all kinds of owners, and the cache of embeddings by content.

A vector belongs to an owner (memory, turn, note, chunk), a part of it (long texts have several) and a
model. Vectors of different models are never mixed: every read names one model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from remora.core.errors import StoreError
from remora.store.connection import Tables
from remora.store.float16 import half


class Vectors(Tables):
    """The embeddings of one database. Writers call inside a transaction."""

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
        """Store vectors as (owner id, part, little-endian float32), all parts of each owner at once.

        They replace the owner's vectors of this model, so a shortened text keeps no old part.

        Raises:
            StoreError: a blob does not have `dims` numbers; nothing was stored.
        """
        for owner, part, blob in rows:
            if len(blob) != 4 * dims:
                raise StoreError(
                    f"part {part} of {owner} has {len(blob)} bytes, not {4 * dims} ({dims} numbers)"
                )
        self._connection.execute_many(
            "DELETE FROM embeddings WHERE owner_kind = ? AND owner_id = ? AND model_id = ?",
            [(owner_kind, owner, model_id) for owner in dict.fromkeys(owner for owner, _, _ in rows)],
        )
        self._connection.execute_many(
            """INSERT OR REPLACE INTO embeddings
               (owner_kind, owner_id, part, model_id, dims, prefix, embedding, created_at)
               VALUES (?, ?, ?, ?, ?, ?, ?, ?)""",
            [(owner_kind, owner, part, model_id, dims, prefix, half(blob), at) for owner, part, blob in rows],
        )
        if owner_kind == "memory":
            self._connection.execute_many(
                "UPDATE memories SET embedding_model_id = ? WHERE id = ?",
                [(model_id, owner) for owner in dict.fromkeys(owner for owner, _, _ in rows)],
            )

    def since(self, owner_kind: str, model_id: str, after: int, limit: int) -> list[tuple[int, str, bytes]]:
        """Return (id, owner id, vector as float16) of rows with an id above `after`, in order."""
        sql = """SELECT id, owner_id, embedding FROM embeddings INDEXED BY idx_embeddings_model
                 WHERE model_id = ? AND owner_kind = ? AND id > ? ORDER BY id LIMIT ?"""
        return self._connection.rows(sql, (model_id, owner_kind, after, limit))

    def ids(self, owner_kind: str, model_id: str) -> list[int]:
        """Return the ids of all vectors of a kind and model, in order."""
        sql = "SELECT id FROM embeddings WHERE model_id = ? AND owner_kind = ? ORDER BY id"
        return self._connection.column(sql, (model_id, owner_kind))

    def count(self, owner_kind: str, model_id: str) -> int:
        """Return the number of vectors of a kind and model."""
        sql = "SELECT count(*) FROM embeddings WHERE model_id = ? AND owner_kind = ?"
        return int(self._connection.value(sql, (model_id, owner_kind)))

    def models(self) -> dict[tuple[str, str], tuple[int, int]]:
        """Return (owner kind, model) to (owners, dimensions)."""
        sql = """SELECT owner_kind, model_id, count(DISTINCT owner_id), max(dims) FROM embeddings
                 GROUP BY owner_kind, model_id ORDER BY 1, 2"""
        return {(kind, model): (owners, dims) for kind, model, owners, dims in self._connection.rows(sql)}

    def pending(self, limit: int) -> list[tuple[int, str, str]]:
        """Return (queue id, owner kind, owner id) of owners that wait for a vector, newest first."""
        sql = "SELECT id, owner_kind, owner_id FROM embedding_queue ORDER BY id DESC LIMIT ?"
        return self._connection.rows(sql, (limit,))

    def pending_count(self) -> int:
        """Return the number of owners that wait for a vector."""
        return int(self._connection.value("SELECT count(*) FROM embedding_queue"))

    def done(self, queue_ids: Sequence[int]) -> None:
        """Remove owners from the queue; an owner queued again meanwhile has a new id and stays."""
        self._connection.execute_many("DELETE FROM embedding_queue WHERE id = ?", [(i,) for i in queue_ids])

    def queue_all(self, model_id: str) -> None:
        """Queue every live memory, turn and note without a vector of a model, which is now in use."""
        for kind, owners in (
            ("memory", "SELECT id FROM memories WHERE deprecated = 0"),
            ("turn", "SELECT CAST(id AS TEXT) AS id FROM turns"),
            ("note", "SELECT CAST(id AS TEXT) AS id FROM notes"),
        ):
            self._connection.execute(
                f"""INSERT OR IGNORE INTO embedding_queue(owner_kind, owner_id)
                    SELECT ?1, o.id FROM ({owners}) o WHERE NOT EXISTS (
                      SELECT 1 FROM embeddings e
                      WHERE e.owner_kind = ?1 AND e.owner_id = o.id AND e.model_id = ?2)""",
                (kind, model_id),
            )

    def drop_other_models(self, model_id: str) -> int:
        """Delete the vectors of all other models and return how many."""
        return self._connection.execute("DELETE FROM embeddings WHERE model_id <> ?", (model_id,))


class EmbeddingCache(Tables):
    """Embeddings by content, kept seven days (section 8). Implements `embeddings.cache.VectorCache`."""

    def get_many(self, keys: Sequence[str], now_ms: int) -> Mapping[str, bytes]:
        """Return the blobs of keys that exist and have not expired."""
        sql = """SELECT key, embedding FROM embedding_cache
                 WHERE key IN (SELECT value FROM json_each(?)) AND expires_at > ?"""
        return dict(self._connection.rows(sql, (keys, now_ms)))

    def put_many(self, rows: Sequence[tuple[str, bytes, str, int, int]]) -> None:
        """Store (key, blob, model id, dims, expiry in ms) rows without fsync or wait: they can be rebuilt."""
        with self._connection.transaction(durable=False, wait=0.25):
            self._connection.execute_many(
                """INSERT OR REPLACE INTO embedding_cache(key, embedding, model_id, dims, expires_at)
                   VALUES (?, ?, ?, ?, ?)""",
                rows,
            )

    def evict(self, now_ms: int) -> int:
        """Delete expired rows and return how many; call inside a transaction."""
        return self._connection.execute("DELETE FROM embedding_cache WHERE expires_at < ?", (now_ms,))

    def clear(self) -> None:
        """Delete every vector; call inside a transaction."""
        self._connection.execute("DELETE FROM embedding_cache")

    def expired(self, now_ms: int) -> int:
        """Return the number of expired rows."""
        return int(
            self._connection.value("SELECT count(*) FROM embedding_cache WHERE expires_at < ?", (now_ms,))
        )
