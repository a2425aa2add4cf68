"""Vectors by owner, part and model; the queue of what waits for one; the cache by content."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import pytest

from remora.core.errors import StoreBusy, StoreError
from remora.store.connection import Connection
from remora.store.database import Database
from tests.store.makers import AT, add, message, record, save

A, B = "onnx:a:2", "onnx:b:2"


def blob(*numbers: float) -> bytes:
    """Return numbers as a stored vector."""
    return np.asarray(numbers, "<f4").tobytes()


def half(*numbers: float) -> bytes:
    """Return numbers as they are kept."""
    return np.asarray(numbers, "<f2").tobytes()


def put(
    db: Database, *rows: tuple[str, int, bytes], kind: str = "memory", model: str = A, dims: int = 2
) -> None:
    """Store vectors in a transaction of their own."""
    save(db, db.vectors.put, kind, rows, model_id=model, dims=dims, prefix="passage: ", at=AT)


def stored(db: Database, kind: str = "memory", model: str = A) -> list[tuple[str, int, bytes]]:
    """Return (owner, part, blob) of every vector of a kind and model, in order of their ids."""
    sql = "SELECT owner_id, part, embedding FROM embeddings WHERE owner_kind = ? AND model_id = ? ORDER BY id"
    return db.connection.rows(sql, (kind, model))


def waiting(db: Database) -> list[tuple[str, str]]:
    """Return (kind, owner) of what waits for a vector, newest first."""
    return [(kind, owner) for _, kind, owner in db.vectors.pending(99)]


# Rows


def test_put_and_read(db: Database):
    """Vectors come back as they went in, in steps, with what made them, and a memory notes its model.

    One that has not the number of dimensions it claims is refused, with the whole call.
    """
    add(db.memories, record("m-1"))
    with pytest.raises(StoreError, match="m-2"):
        put(db, ("m-1", 0, blob(1, 0)), ("m-2", 0, blob(1, 0, 0)))
    assert stored(db) == []
    put(db, ("m-1", 0, blob(1, 0)), ("m-1", 1, blob(0, 1)), ("m-2", 0, blob(0, 1)))
    assert stored(db) == [("m-1", 0, half(1, 0)), ("m-1", 1, half(0, 1)), ("m-2", 0, half(0, 1))]
    rows = [(1, "m-1", half(1, 0)), (2, "m-1", half(0, 1)), (3, "m-2", half(0, 1))]
    assert db.vectors.since("memory", A, 0, 9) == rows
    assert db.vectors.since("memory", A, 0, 2) == rows[:2]
    assert db.vectors.since("memory", A, 2, 99) == rows[2:]
    assert (db.vectors.ids("memory", A), db.vectors.count("memory", A)) == ([1, 2, 3], 3)
    assert db.connection.row("SELECT dims, prefix, created_at FROM embeddings") == (2, "passage: ", AT)
    (found,) = db.memories.get_many(["m-1"]).values()
    assert found.embedding_model_id == A


def test_new_vectors_replace_an_owners_old_ones(db: Database):
    """All parts of an owner are replaced at once, under ids that were never used before."""
    put(db, ("m-1", 0, blob(1, 0)), ("m-1", 1, blob(1, 0)), ("m-1", 2, blob(1, 0)), ("m-2", 0, blob(1, 1)))
    put(db, ("m-1", 0, blob(0, 1)))
    assert stored(db) == [("m-2", 0, half(1, 1)), ("m-1", 0, half(0, 1))]
    assert db.vectors.ids("memory", A) == [4, 5]


def test_models_and_kinds_stay_apart(db: Database):
    """Vectors of one model or kind are never read, counted or replaced as those of another."""
    put(db, ("1", 0, blob(1, 0)))
    put(db, ("1", 0, blob(0, 1)), model=B)
    put(db, ("1", 0, blob(1, 1)), ("2", 0, blob(1, 1)), kind="turn")
    assert stored(db) == [("1", 0, half(1, 0))]
    assert stored(db, model=B) == [("1", 0, half(0, 1))]
    assert len(stored(db, "turn")) == 2
    assert db.vectors.models() == {("memory", A): (1, 2), ("memory", B): (1, 2), ("turn", A): (2, 2)}
    with db.connection.transaction():
        assert db.vectors.drop_other_models(B) == 3
    assert db.vectors.models() == {("memory", B): (1, 2)}


def test_vectors_go_with_their_owners(db: Database):
    """New texts are queued, newest first; a deleted one takes its vectors and its place along."""
    add(db.memories, record("m-1"), record("m-2", "other"))
    (turn,) = save(db, db.turns.add, "s", "s.jsonl", [message(1, "hello")], 5, AT)
    assert waiting(db) == [("turn", str(turn)), ("memory", "m-2"), ("memory", "m-1")]
    assert db.vectors.pending_count() == 3
    assert [owner for _, _, owner in db.vectors.pending(1)] == [str(turn)]
    put(db, ("m-1", 0, blob(1, 0)), ("m-1", 1, blob(1, 0)))
    put(db, (str(turn), 0, blob(1, 0)), kind="turn")
    save(db, db.memories.delete, ["m-1", "m-2"])
    assert (stored(db), len(stored(db, "turn"))) == ([], 1)
    assert waiting(db) == [("turn", str(turn))]
    save(db, db.turns.forget_session, "s")
    assert (stored(db, "turn"), waiting(db)) == ([], [])


# The queue


@pytest.mark.parametrize(
    ("changes", "queued"),
    [
        ({"content": "new words"}, True),
        ({"related_files": ("b.py",)}, True),
        ({"related_modules": ("auth",)}, True),
        ({"type": "decision"}, True),
        ({"content": "Tokens expire after 24 h", "type": "gotcha"}, False),
        ({"tags": ("x",), "confidence": 0.3, "pinned": True, "access_count": 9}, False),
        ({"deprecated": True}, False),
    ],
)
def test_what_is_embedded_again(db: Database, changes: dict[str, Any], queued: bool):
    """A change of what is embedded drops the vectors and queues the memory; any other change does neither."""
    add(db.memories, record("m-1", related_files=("a.py",)))
    put(db, ("m-1", 0, blob(1, 0)))
    put(db, ("m-1", 0, blob(1, 0)), model=B)
    save(db, db.vectors.done, [i for i, _, _ in db.vectors.pending(99)])
    save(db, db.memories.update, "m-1", changes)
    assert waiting(db) == ([("memory", "m-1")] if queued else [])
    assert len(stored(db)) == len(stored(db, model=B)) == (0 if queued else 1)


def test_done_spares_what_was_queued_again(db: Database):
    """Work that ended takes off the queue what it took on; what changed or came back meanwhile waits."""
    add(db.memories, record("m-1"), record("m-2", "other"), record("m-3", "gone", deprecated=True))
    taken = [i for i, _, _ in db.vectors.pending(9)]
    with db.connection.transaction():
        db.memories.update("m-1", {"content": "changed meanwhile"})
        db.memories.update("m-3", {"deprecated": False})
    save(db, db.vectors.done, taken)
    assert waiting(db) == [("memory", "m-3"), ("memory", "m-1")]
    assert db.vectors.pending(1)[0][0] not in taken


# The cache


def cached(db: Database, now: int, *names: str) -> dict[str, bytes]:
    """Return what the cache holds of some keys."""
    return dict(db.cache.get_many(names, now))


def test_cache_keeps_until_expiry(db: Database):
    """A row is found until its time has come and then evicted; a newer one takes the place of an older."""
    db.cache.put_many([("k1", blob(1, 0), A, 2, 1_000), ("k2", blob(0, 1), A, 2, 500)])
    db.cache.put_many([("k2", blob(1, 1), A, 2, 2_000)])
    db.cache.put_many([])
    assert cached(db, 999, "k1", "k2", "k3") == {"k1": blob(1, 0), "k2": blob(1, 1)}
    assert cached(db, 1_000, "k1", "k2") == {"k2": blob(1, 1)}
    assert cached(db, 0) == {}
    assert db.cache.expired(1_500) == 1
    with db.connection.transaction():
        assert db.cache.evict(1_500) == 1
    assert db.cache.expired(1_500) == 0
    assert set(cached(db, 0, "k1", "k2")) == {"k2"}


def test_cache_does_not_wait_for_a_writer(db: Database):
    """While another process writes, storing in the cache gives up soon instead of holding up a search."""
    other = Connection.open(db.connection.path)
    with contextlib.ExitStack() as stack:
        stack.callback(other.close)
        stack.enter_context(other.transaction())
        with pytest.raises(StoreBusy):
            db.cache.put_many([("k1", blob(1, 0), A, 2, 1_000)])
    db.cache.put_many([("k1", blob(1, 0), A, 2, 1_000)])
    assert cached(db, 0, "k1") == {"k1": blob(1, 0)}
