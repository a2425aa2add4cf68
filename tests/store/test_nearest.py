"""The index in memory answers as a search of every row would, whoever wrote the rows."""

from __future__ import annotations

import random
from collections.abc import Collection
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from remora.store import nearest
from remora.store.connection import Connection
from remora.store.database import Database
from remora.store.nearest import NearestIndex
from remora.store.vectors import Vectors
from tests.store.makers import AT, save, unit

MODEL = "fake:a:8"
DIMS = 8
Owned = dict[str, list[NDArray[np.float32]]]


def put(vectors: Vectors, owners: Owned, model: str = MODEL, kind: str = "memory") -> None:
    """Store the parts of some owners."""
    with vectors._connection.transaction(durable=False):
        rows = [(owner, n, part.tobytes()) for owner, parts in owners.items() for n, part in enumerate(parts)]
        vectors.put(kind, rows, model_id=model, dims=DIMS, prefix="", at=AT)


def drop(connection: Connection, *owners: str) -> None:
    """Delete the vectors of some owners."""
    with connection.transaction(durable=False):
        connection.execute_many("DELETE FROM embeddings WHERE owner_id = ?", [(o,) for o in owners])


def vector(rng: random.Random) -> NDArray[np.float32]:
    """Return a random vector of length 1, in numbers that are kept as they are."""
    return unit([rng.gauss(0, 1) for _ in range(DIMS)]).astype("<f2").astype(np.float32)


def brute(
    owners: Owned, query: NDArray[np.float32], k: int, allowed: Collection[str] | None = None
) -> list[tuple[str, float]]:
    """Return the k best by going through all rows: the mean of the best part and of the parts' mean."""
    scored = []
    for owner, parts in owners.items():
        if allowed is None or owner in allowed:
            cosines = [float(part @ query) for part in parts]
            scored.append((owner, (max(cosines) + sum(cosines) / len(cosines)) / 2))
    return sorted(scored, key=lambda s: (-s[1], s[0]))[:k]


def agree(index: NearestIndex, owners: Owned, rng: random.Random, k: int = 10) -> None:
    """Compare the index with the search of all rows, for all owners and for some of them."""
    query = vector(rng)
    for allowed in (None, set(rng.sample(sorted(owners), len(owners) // 2)), set(), {"nobody"}):
        expected = brute(owners, query, k, allowed)
        found = index.search(query, k, allowed)
        assert [n.owner_id for n in found] == [owner for owner, _ in expected]
        assert [n.cosine for n in found] == pytest.approx([score for _, score in expected], abs=1e-5)
    every = dict(brute(owners, query, len(owners)))
    assert index.cosines(query, [*owners, "nobody"]) == pytest.approx(every, abs=1e-5)


@pytest.mark.parametrize("parts", [1, 4])
def test_search_equals_brute_force(db: Database, parts: int):
    """The best owners and their cosines are those of a search of every row, parts pooled."""
    rng = random.Random(parts)
    owners = {f"m-{n:03}": [vector(rng) for _ in range(rng.randint(1, parts))] for n in range(120)}
    put(db.vectors, owners)
    for k in (1, 7, 120, 500):
        agree(db.nearest("memory", MODEL), owners, rng, k)


@pytest.mark.parametrize("parts", [1, 3])
def test_index_follows_every_change(tmp_path: Path, parts: int):
    """New, replaced and deleted vectors count at once, whether this or another connection wrote them."""
    rng = random.Random(parts)
    databases = [Database(tmp_path / "memory.db", realm="project", project_id="p1") for _ in range(2)]
    index = databases[0].nearest("memory", MODEL)
    owners: Owned = {}
    for _ in range(25):
        writer = rng.choice(databases)
        if owners and rng.random() < 0.4:
            gone = rng.sample(sorted(owners), min(len(owners), rng.randint(1, 4)))
            drop(writer.connection, *gone)
            for owner in gone:
                del owners[owner]
        else:
            fresh = {
                f"m-{rng.randint(0, 40):02}": [vector(rng) for _ in range(rng.randint(1, parts))]
                for _ in range(rng.randint(1, 6))
            }
            put(writer.vectors, fresh)
            owners |= fresh
        if rng.random() < 0.7:
            agree(index, owners, rng)
    agree(index, owners, rng)
    for one in databases:
        one.close()


@pytest.mark.parametrize("number", [100, 101])
def test_table_larger_than_a_step(db: Database, monkeypatch, number: int):
    """A table is read whole though it is read in steps, also when it ends with a step."""
    monkeypatch.setattr(nearest, "_BATCH", 100)
    matrix = np.tile(np.array([1, 0], "<f4"), (number, 1))
    matrix[0], matrix[-1] = (0, 1), (0, -1)
    rows = [(f"m-{n:03}", 0, matrix[n].tobytes()) for n in range(number)]
    save(db, db.vectors.put, "note", rows, model_id=MODEL, dims=2, prefix="", at=AT)
    index = db.nearest("note", MODEL)
    assert len(index.search(matrix[0], 999)) == number
    assert index.search(matrix[-1], 1)[0].owner_id == f"m-{number - 1:03}"
    assert index.search(matrix[0], 1)[0].owner_id == "m-000"


def test_ties_are_broken_by_id(db: Database):
    """Owners equally near come in the order of their ids, whatever order they were stored in."""
    names = [f"m-{n:02}" for n in range(30)]
    shuffled = names[:]
    random.Random(2).shuffle(shuffled)
    same = unit([1.0] * DIMS)
    put(db.vectors, {name: [same] for name in shuffled})
    for k in (1, 29, 30, 31):
        assert [n.owner_id for n in db.nearest("memory", MODEL).search(same, k)] == names[:k]


def test_other_models_are_never_mixed_in(db: Database):
    """Vectors of another model and of other kinds are never compared, even of the same size."""
    same = unit([1.0] * DIMS)
    put(db.vectors, {"m-1": [same]})
    put(db.vectors, {"m-1": [-same], "m-2": [same]}, model="fake:b:8")
    put(db.vectors, {"t": [same]}, kind="turn")
    assert [n.owner_id for n in db.nearest("memory", MODEL).search(same, 9)] == ["m-1"]
    assert [n.owner_id for n in db.nearest("memory", "fake:b:8").search(same, 9)] == ["m-2", "m-1"]
    assert [n.owner_id for n in db.nearest("turn", MODEL).search(same, 9)] == ["t"]
    assert db.nearest("memory", "fake:c:8").search(same, 9) == []
    assert db.nearest("memory", MODEL) is db.nearest("memory", MODEL)


def test_nothing_to_find(db: Database):
    """An empty table, a k of 0, a query of another size and owners that are not there give nothing."""
    query = unit([1.0] * DIMS)
    index = db.nearest("memory", MODEL)
    assert (index.search(query, 5), index.cosines(query, ["m-1"]), index.vectors_of(["m-1"])) == ([], {}, {})
    put(db.vectors, {"m-1": [query]})
    assert index.search(query, 0) == index.search(query, -1) == []
    for other in (unit([1.0] * (DIMS - 1)), unit([1.0] * (2 * DIMS))):
        assert index.search(other, 5) == []
        assert index.cosines(other, ["m-1"]) == {}
    drop(db.connection, "m-1")
    assert index.search(query, 5) == []


def test_vectors_of_owners(db: Database):
    """The parts of an owner come back as rows, those that were replaced do not."""
    rng = random.Random(3)
    old, new = [vector(rng) for _ in range(3)], [vector(rng) for _ in range(2)]
    put(db.vectors, {"m-1": old})
    index = db.nearest("memory", MODEL)
    assert np.array_equal(index.vectors_of(["m-1", "m-2"])["m-1"], np.stack(old))
    put(db.vectors, {"m-1": new})
    found = index.vectors_of(["m-1", "m-2"])
    assert list(found) == ["m-1"]
    assert np.array_equal(found["m-1"], np.stack(new))


@pytest.mark.parametrize("seen_between", [False, True])
def test_undone_vectors_leave_no_trace(db: Database, seen_between: bool):
    """A search inside a transaction sees its vectors; undone, they are gone, though their ids come again."""
    x, y = unit([1, 0, 0, 0, 0, 0, 0, 0]), unit([0, 1, 0, 0, 0, 0, 0, 0])
    put(db.vectors, {"m-1": [x]})
    index = db.nearest("memory", MODEL)
    if seen_between:
        assert index.search(x, 5) == [("m-1", 1.0)]
    with pytest.raises(InterruptedError), db.connection.transaction():  # noqa: PT012
        db.vectors.put("memory", [("m-2", 0, y.tobytes())], model_id=MODEL, dims=DIMS, prefix="", at=AT)
        assert index.search(y, 5) == [("m-2", 1.0), ("m-1", 0.0)]
        raise InterruptedError
    if seen_between:
        assert index.search(y, 5) == [("m-1", 0.0)]
    put(db.vectors, {"m-3": [x]})
    assert [n.owner_id for n in index.search(y, 5)] == ["m-1", "m-3"]
    assert index.cosines(y, ["m-2"]) == {}
