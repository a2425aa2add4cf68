"""Parts of files in the database: which keep their ids, how words find them, who waits for a vector."""

from __future__ import annotations

from collections.abc import Sequence

from remora.core.code import Chunk
from remora.store.chunks import ChunkRow
from remora.store.database import Database
from tests.store.made_graphs import add_file
from tests.store.makers import save


def part(name: str, start: int, text: str, kind: str = "function") -> Chunk:
    """Return a part of two lines."""
    return Chunk(kind, name, start, start + 1, text, f"File: a.py | function: {name}", f"About {name}.")


def parts_of(db: Database, path: str) -> list[ChunkRow]:
    """Return the parts of a file, by line."""
    sql = """SELECT c.id FROM code_chunks c JOIN graph_files f ON f.id = c.file_id
             WHERE f.path = ? ORDER BY c.start_line, c.id"""
    ids = db.connection.column(sql, (path,))
    rows = db.chunks.get_many(ids)
    return [rows[i] for i in ids]


def put(db: Database, chunks: Sequence[Chunk], path: str = "a.py", priority: float = 0.0) -> dict[str, int]:
    """Write the parts of a file; returns their ids by name."""
    add_file(db, path)
    file_id = db.connection.value("SELECT id FROM graph_files WHERE path = ?", (path,))
    save(db, db.chunks.put, file_id, path, chunks, priority)
    return {c.name: c.id for c in parts_of(db, path)}


def embed(db: Database, *ids: int) -> None:
    """Give parts a vector and take them off the queue."""
    with db.connection.transaction():
        for i in ids:
            db.connection.execute(
                """INSERT INTO embeddings(owner_kind, owner_id, model_id, dims, embedding, created_at)
                   VALUES ('chunk', ?, 'm', 1, x'00', '')""",
                (str(i),),
            )
        db.chunks.done(ids)


def left(db: Database) -> list[int]:
    """Return how many rows hang on parts: words, vectors, and places in the queue."""
    tables = ("code_chunks", "code_chunks_fts_docsize", "embeddings", "code_chunk_queue")
    return [db.connection.value(f"SELECT count(*) FROM {table}") for table in tables]


def test_parts_are_read_back_as_written(db: Database):
    """A part comes back with its file, by id and by file."""
    ids = put(db, [part("f", 1, "def f(): pass"), part("g", 4, "def g(): pass")])
    row = db.chunks.get_many([ids["f"], 99])[ids["f"]]
    assert row == (ids["f"], "a.py", False, "f", 1, 2, "def f(): pass")
    assert db.chunks.paths_of([ids["g"], 99]) == {ids["g"]: "a.py"}
    assert (db.chunks.count(), db.chunks.any()) == (2, True)


def test_parts_that_moved_keep_their_vectors(db: Database):
    """When lines are inserted above, the same texts keep ids, words and vectors, and get new lines."""
    before = put(db, [part("f", 1, "def f(): one"), part("g", 4, "def g(): two")])
    embed(db, *before.values())
    moved = [part("f", 11, "def f(): one"), part("g", 14, "def g(): two")]
    after = put(db, [part("new", 1, "def new(): three"), *moved])
    assert (after["f"], after["g"]) == (before["f"], before["g"])
    lines = [(c.name, c.start_line, c.end_line) for c in parts_of(db, "a.py")]
    assert lines == [("new", 1, 2), ("f", 11, 12), ("g", 14, 15)]
    assert [c.name for c in db.chunks.pending(9)] == ["new"]
    assert left(db) == [3, 3, 2, 1]
    assert db.connection.check() == []


def test_changed_part_is_a_new_one(db: Database):
    """A text, name or doc that differs is a new part under a new id; what hung on the old one is gone."""
    before = put(db, [part("f", 1, "def f(): alpha"), part("g", 4, "def g(): beta")])
    embed(db, *before.values())
    after = put(db, [part("f", 1, "def f(): gamma"), part("g", 4, "def g(): beta")._replace(doc="Else.")])
    assert min(after.values()) > max(before.values())  # an index in memory may still hold an old id
    assert left(db) == [2, 2, 0, 2]
    assert db.chunks.search(["alpha"], 5) == []
    assert [i for i, _ in db.chunks.search(["gamma"], 5)] == [after["f"]]
    put(db, [])
    assert min(put(db, [part("h", 1, "two")]).values()) > max(after.values())
    assert db.connection.check() == []


def test_same_text_twice_is_two_parts(db: Database):
    """Equal parts of one file stay as many as they are, and the first ones keep their ids."""
    same = part("f", 1, "pass")
    put(db, [same, same._replace(start_line=5, end_line=6)])
    first = [c.id for c in parts_of(db, "a.py")]
    put(db, [same, same._replace(start_line=7, end_line=8), same._replace(start_line=9, end_line=9)])
    rows = parts_of(db, "a.py")
    assert [c.start_line for c in rows] == [1, 7, 9]
    assert [c.id for c in rows[:2]] == first
    put(db, [same])
    assert [c.id for c in parts_of(db, "a.py")] == first[:1]
    assert left(db) == [1, 1, 0, 1]


def test_deleted_file_takes_its_parts_along(db: Database):
    """With a file go its parts, their words, vectors and places in the queue; others stay."""
    ids = put(db, [part("f", 1, "def f(): one"), part("g", 4, "def g(): two")])
    put(db, [part("h", 1, "def h(): one")], "b.py")
    embed(db, ids["f"])
    save(db, db.graph.delete_file, "a.py")
    assert left(db) == [1, 1, 0, 1]
    assert [c.path for c in db.chunks.get_many(list(range(9))).values()] == ["b.py"]
    assert db.connection.check() == []
    save(db, db.graph.clear)
    assert left(db) == [0, 0, 0, 0]
    assert db.connection.check() == []


def test_words_find_names_in_parts(db: Database):
    """Parts are found by words of text, doc and path, and by the parts of joined names; best first."""
    ids = put(
        db,
        [
            part("parseHTTPHeader", 1, "def parseHTTPHeader(raw_line): return raw_line"),
            part("other", 9, "def other(): parse"),
        ],
        "net/wire_format.py",
    )
    assert [i for i, _ in db.chunks.search(["header"], 5)] == [ids["parseHTTPHeader"]]
    assert {i for i, _ in db.chunks.search(["wire"], 5)} == set(ids.values())
    found = db.chunks.search(["parsehttpheader", "parse"], 5)
    assert [i for i, _ in found] == [ids["parseHTTPHeader"], ids["other"]]
    assert found[0][1] > found[1][1] > 0
    assert db.chunks.search(["parsehttpheader", "parse"], 1) == found[:1]
    assert db.chunks.search([], 5) == []


def test_ranked_tells_code_from_tests(db: Database):
    """The best parts of code and of tests are ranked apart, by the words of their texts alone."""
    put(db, [part("alpha", 1, "beta gamma gamma"), part("f", 4, "gamma")], "a.py")
    put(db, [part("test_f", 1, "gamma")], "test_a.py")
    own, tests = db.chunks.ranked(["gamma", "alpha"], 5)
    assert [(path, name) for path, name, _ in own] == [("a.py", "alpha"), ("a.py", "f")]
    assert [(path, name) for path, name, _ in tests] == [("test_a.py", "test_f")]
    assert [len(found) for found in db.chunks.ranked(["gamma"], 1)] == [1, 1]
    assert db.chunks.ranked([], 5) == ([], [])


def test_parts_of_busy_files_get_their_vectors_first(db: Database):
    """The queue is ordered by how busy a file is, then by age; a new model has all that it lacks queued."""
    calm = put(db, [part("f", 1, "one")], "calm.py", 0.1)
    busy = put(db, [part("g", 1, "two"), part("h", 4, "three")], "busy.py", 0.9)
    assert [c.name for c in db.chunks.pending(9)] == ["g", "h", "f"]
    assert [c.name for c in db.chunks.pending(1)] == ["g"]
    embed(db, *busy.values())
    assert [c.id for c in db.chunks.pending(9)] == [calm["f"]]
    embed(db, *calm.values())
    for model, waiting in (("m", 0), ("other", 3)):
        save(db, db.chunks.queue_all, model)
        assert db.chunks.pending_count() == waiting
