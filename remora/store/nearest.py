"""Exact nearest neighbours by cosine: all vectors of one kind and model in one matrix.

Why a matrix and no index structure: the product of a 100,000 x 384 float32 matrix with a vector
takes 4 to 15 ms on two cores and never misses a neighbour, while an HNSW graph over the same rows
takes most of a minute to build and must be kept, repaired and matched to deletions. The `latency`
benchmark prints the raw product beside the search.

BLAS splits a product among threads. While another process uses one of the cores, all threads wait for
the one that was descheduled: 8 ms instead of half a millisecond. So up to LARGE rows the product is
computed row by row in this thread, which costs next to nothing more.

The matrix follows the table: rows with higher ids are appended, and if the counts differ, deleted rows are
masked. Ids are never reused, so no other change is possible.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

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
        self._size = 0
        self._ids: NDArray[np.int64] = np.zeros(0, np.int64)
        self._owner_of: NDArray[np.int64] = np.zeros(0, np.int64)
        self._live: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self._matrix = np.zeros((0, 0), np.float32)
        self._owners: list[str] = []
        self._owner_index: dict[str, int] = {}
        self._rows_of: dict[int, list[int]] = {}
        self._has_parts = False

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
            if not self._size or k <= 0 or query.shape[0] != self._matrix.shape[1]:
                return []
            scores = _product(self._matrix[: self._size], query)
            usable: NDArray[np.bool_] | slice = self._live[: self._size]
            if allowed is not None:
                wanted = np.zeros(len(self._owners), bool)
                wanted[[self._owner_index[o] for o in allowed if o in self._owner_index]] = True
                usable = self._live[: self._size] & wanted[self._owner_of[: self._size]]
            elif self._live[: self._size].all():
                usable = slice(None)  # as nearly always: nothing is masked, and nothing need be copied
            if self._has_parts:
                scores, there = self._by_owner(scores, usable)
                owners = np.flatnonzero(there)
                scores = scores[owners]
            else:
                owners = self._owner_of[: self._size][usable]
                scores = scores[usable]
            return self._best(owners, scores, k)

    def cosines(self, query: NDArray[np.float32], owner_ids: Sequence[str]) -> dict[str, float]:
        """Return the cosine of each of some owners to a query, as in `search`."""
        found: dict[str, float] = {}
        with self._lock:
            self._follow()
            if not self._size or query.shape[0] != self._matrix.shape[1]:
                return found
            rows: list[int] = []
            spans: list[tuple[str, int, int]] = []
            for owner_id in owner_ids:
                live = [
                    r for r in self._rows_of.get(self._owner_index.get(owner_id, -1), ()) if self._live[r]
                ]
                if live:
                    spans.append((owner_id, len(rows), len(rows) + len(live)))
                    rows += live
            scores = _product(self._matrix[rows], query).tolist()
        for owner_id, start, end in spans:
            own = scores[start:end]
            found[owner_id] = (max(own) + sum(own) / len(own)) / 2
        return found

    def vectors_of(self, owner_ids: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """Return the vectors of some owners, shape (parts, dims); owners without vectors are absent."""
        with self._lock:
            self._follow()
            found = {}
            for owner_id in owner_ids:
                rows = self._rows_of.get(self._owner_index.get(owner_id, -1), [])
                live = [r for r in rows if self._live[r]]
                if live:
                    found[owner_id] = self._matrix[live]
            return found

    def _by_owner(
        self, scores: NDArray[np.float32], usable: NDArray[np.bool_] | slice
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Return one score per owner, and which owners have any."""
        owner_of, scores = self._owner_of[: self._size][usable], scores[usable]
        count = len(self._owners)
        best = np.full(count, -2.0, np.float32)
        np.maximum.at(best, owner_of, scores)
        number = np.bincount(owner_of, minlength=count)
        there = number > 0
        mean = np.bincount(owner_of, weights=scores, minlength=count) / np.maximum(number, 1)
        return ((best + mean) / 2).astype(np.float32), there

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
            last = int(self._ids[self._size - 1]) if self._size else 0
            rows = self._vectors.since(self._kind, self._model, last, _BATCH)
            if rows:
                self._append(rows)
            if len(rows) < _BATCH:
                break
        if self._vectors.count(self._kind, self._model) != int(self._live[: self._size].sum()):
            there = np.asarray(self._vectors.ids(self._kind, self._model), np.int64)
            self._live[: self._size] = np.isin(self._ids[: self._size], there)
        self._seen, self._unsure = state, writing

    def _append(self, fresh: list[tuple[int, str, bytes]]) -> None:
        block = np.frombuffer(b"".join(r[2] for r in fresh), dtype="<f2").reshape(len(fresh), -1)
        need = self._size + len(fresh)
        if need > len(self._ids):
            room = max(need, min(2 * len(self._ids), len(self._ids) + 4 * _BATCH))
            self._ids = _grown(self._ids, room)
            self._owner_of = _grown(self._owner_of, room)
            self._live = _grown(self._live, room)
            matrix = np.zeros((room, block.shape[1]), np.float32)
            if self._size:
                matrix[: self._size] = self._matrix[: self._size]
            self._matrix = matrix
        for offset, (row_id, owner_id, _) in enumerate(fresh):
            index = self._owner_index.setdefault(owner_id, len(self._owners))
            if index == len(self._owners):
                self._owners.append(owner_id)
            rows = self._rows_of.setdefault(index, [])
            self._has_parts = self._has_parts or bool(rows)
            rows.append(self._size + offset)
            self._ids[self._size + offset] = row_id
            self._owner_of[self._size + offset] = index
        self._matrix[self._size : need] = block
        self._live[self._size : need] = True
        self._size = need


def _product(matrix: NDArray[np.float32], query: NDArray[np.float32]) -> NDArray[np.float32]:
    found: NDArray[np.float32] = np.vecdot(matrix, query) if len(matrix) < LARGE else matrix @ query
    return found


def _grown(array: NDArray[Any], room: int) -> NDArray[Any]:
    grown: NDArray[Any] = np.zeros(room, array.dtype)
    grown[: len(array)] = array
    return grown
