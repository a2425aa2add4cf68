"""Exact nearest neighbours by cosine: all vectors of one kind and model in one matrix.

Why a matrix and no index structure: the product of a 100,000 x 384 float32 matrix with a vector
takes 4 to 15 ms on two cores and never misses a neighbour, while an HNSW graph over the same rows
takes most of a minute to build and must be kept, repaired and matched to deletions. The `latency`
benchmark prints the raw product beside the search.

BLAS splits a product among threads. While another process uses one of the cores, all threads wait for
the one that was descheduled: 8 ms instead of half a millisecond. So up to LARGE rows the product is
computed row by row in this thread, which costs next to nothing more.

The matrix follows the table: rows with higher ids are appended, and if the counts differ, deleted rows are
left out. Ids are never reused, so no other change is possible.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from remora.store.connection import Connection
from remora.store.vectors import Vectors

_BATCH = 20_000  # rows read at a time: 30 MB of 384 floats
LARGE = 30_000  # rows from which several threads are worth the risk


class Neighbour(NamedTuple):
    """An owner and its cosine to the query, -1..1.

    A long text has several parts. Its cosine is the mean of the best part's cosine and the average of all
    parts: the best part alone favours texts with many parts, the average alone drowns one good line.
    """

    owner_id: str
    cosine: float


class NearestIndex:
    """The vectors of one owner kind and model, in memory."""

    def __init__(self, connection: Connection, vectors: Vectors, owner_kind: str, model_id: str) -> None:
        self._connection = connection
        self._vectors = vectors
        self._kind = owner_kind
        self._model = model_id
        self._lock = threading.Lock()
        self._forget()

    def _forget(self) -> None:
        self._seen: tuple[int, int] | None = None
        self._unsure = False
        self._ids: NDArray[np.int64] = np.zeros(0, np.int64)
        self._owner_of: NDArray[np.int64] = np.zeros(0, np.int64)
        self._matrix = np.zeros((0, 0), np.float32)
        self._owners: list[str] = []
        self._owner_index: dict[str, int] = {}
        self._rows_of: dict[int, list[int]] = {}

    def search(
        self,
        query: NDArray[np.float32],
        k: int,
        allowed: Collection[str] | None = None,
    ) -> list[Neighbour]:
        """Return the k owners nearest to a query vector, best first, ties by owner id.

        Args:
            query: shape (dims,), L2-normalised.
            k: how many owners.
            allowed: only these owner ids; None for all.
        """
        with self._lock:
            self._follow()
            if not len(self._ids) or k <= 0 or query.shape[0] != self._matrix.shape[1]:
                return []
            rows: list[int] | slice = slice(None)
            if allowed is not None:
                rows = sorted(row for owner in set(allowed) for row in self._rows(owner))
            owners, scores = self._owner_of[rows], _product(self._matrix[rows], query)
            if len(self._rows_of) < len(self._ids):
                owners, scores = self._by_owner(owners, scores)
            return self._best(owners, scores, k)

    def cosines(self, query: NDArray[np.float32], owner_ids: Sequence[str]) -> dict[str, float]:
        """Return the cosine of each of some owners to a query, as in `search`."""
        return dict(self.search(query, len(owner_ids), owner_ids))

    def vectors_of(self, owner_ids: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """Return the vectors of some owners, shape (parts, dims); owners without vectors are absent."""
        with self._lock:
            self._follow()
            return {o: self._matrix[rows] for o in owner_ids if (rows := self._rows(o))}

    def _rows(self, owner_id: str) -> list[int]:
        return self._rows_of.get(self._owner_index.get(owner_id, -1), [])

    def _by_owner(
        self, owners: NDArray[np.int64], scores: NDArray[np.float32]
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return each owner once, with one score for all of its parts."""
        count = len(self._owners)
        best = np.full(count, -2.0, np.float32)
        np.maximum.at(best, owners, scores)
        number = np.bincount(owners, minlength=count)
        mean = np.bincount(owners, weights=scores, minlength=count) / np.maximum(number, 1)
        there = np.flatnonzero(number)
        return there, ((best + mean) / 2).astype(np.float32)[there]

    def _best(self, owners: NDArray[np.int64], scores: NDArray[np.float32], k: int) -> list[Neighbour]:
        if len(scores) > k:
            # Rows as good as the k-th stay in, so that ties are broken by id and not by position.
            worst = np.partition(scores, len(scores) - k)[len(scores) - k]
            keep = scores >= worst
            owners, scores = owners[keep], scores[keep]
        named = [Neighbour(self._owners[o], float(s)) for o, s in zip(owners, scores, strict=True)]
        return sorted(named, key=lambda n: (-n.cosine, n.owner_id))[:k]

    def _follow(self) -> None:
        """Update the matrix from the table.

        An open transaction may be rolled back and its ids reused, so rows read inside one are read again.
        """
        writing = self._connection.writing()
        if writing or self._unsure:
            self._forget()
        state = self._connection.version()
        if state == self._seen:
            return
        while True:
            last = int(self._ids[-1]) if len(self._ids) else 0
            rows = self._vectors.since(self._kind, self._model, last, _BATCH)
            if rows:
                self._append(rows)
            if len(rows) < _BATCH:
                break
        if self._vectors.count(self._kind, self._model) != len(self._ids):
            kept = np.isin(self._ids, self._vectors.ids(self._kind, self._model))
            self._ids, self._matrix = self._ids[kept], self._matrix[kept]
            self._owner_of = self._owner_of[kept]
            self._rows_of = {}
            self._note_rows(0)
        self._seen, self._unsure = state, writing

    def _append(self, fresh: list[tuple[int, str, bytes]]) -> None:
        block = np.frombuffer(b"".join(r[2] for r in fresh), dtype="<f2").reshape(len(fresh), -1)
        owners = []
        for _, owner_id, _ in fresh:
            owners.append(self._owner_index.setdefault(owner_id, len(self._owners)))
            if owners[-1] == len(self._owners):
                self._owners.append(owner_id)
        known = len(self._ids)
        matrix = self._matrix if known else self._matrix.reshape(0, block.shape[1])
        self._matrix = np.concatenate([matrix, block.astype(np.float32)])
        self._ids = np.concatenate([self._ids, np.array([r[0] for r in fresh], np.int64)])
        self._owner_of = np.concatenate([self._owner_of, np.array(owners, np.int64)])
        self._note_rows(known)

    def _note_rows(self, start: int) -> None:
        """Note the rows from one on with their owners."""
        for row, owner in enumerate(self._owner_of[start:].tolist(), start):
            self._rows_of.setdefault(owner, []).append(row)


def _product(matrix: NDArray[np.float32], query: NDArray[np.float32]) -> NDArray[np.float32]:
    found: NDArray[np.float32] = np.vecdot(matrix, query) if len(matrix) < LARGE else matrix @ query
    return found
