"""Pieces of written files: which keep their ids, how words find them, who waits for a vector."""

from __future__ import annotations

from remora.store.database import Database
from remora.store.notes import Written
from tests.store.makers import save

MEMORY = Written("longterm", "", 3, 4, None, "The project uses Spring Boot 4")
NOTE = Written("note", "deploy", None, None, "2026-02-07T14:15:00Z", "Never on Fridays")
ARCHIVE = Written(
    "archive", "cli-1-1", None, None, "2026-02-07T14:15:00Z", "They spoke of deploys on Fridays"
)


def put(db: Database, path: str, *pieces: Written, seen: str = "1") -> dict[str, int]:
    """Write the pieces of a file; returns all ids there are by text."""
    save(db, db.notes.put, path, seen, pieces)
    rows = db.connection.rows("SELECT content, id FROM notes")
    return dict(rows)


def waiting(db: Database) -> list[str]:
    """Return the ids of notes that wait for a vector."""
    return sorted(owner for _, kind, owner in db.vectors.pending(100) if kind == "note")


def test_words_find_pieces_of_the_wanted_kinds(db: Database) -> None:
    """A search names its kinds; the name of an entry is found like its text."""
    assert not db.notes.any()
    ids = put(db, "entries.mem", NOTE, ARCHIVE)
    note, archive = ids[NOTE.content], ids[ARCHIVE.content]
    found = db.notes.search(["fridays"], ("note", "archive"), 10)
    assert {i for i, _ in found} == {note, archive}
    assert all(score > 0 for _, score in found)
    assert [i for i, _ in db.notes.search(["deploy"], ("note",), 10)] == [note]
    assert db.notes.search(["nothing"], ("note",), 10) == []
    assert db.notes.search([], ("note",), 10) == []
    assert db.notes.any()
    assert db.notes.ids_of(("archive",)) == {archive}
    assert db.notes.ids_of(("archive", "note"), [note, 99]) == {note}


def test_new_pieces_wait_for_vectors_and_gone_ones_leave_none(db: Database) -> None:
    """A piece that only moved keeps its id; the queue, the words and the vectors follow the pieces."""
    ids = put(db, "entries.mem", NOTE, ARCHIVE)
    gone = str(ids[ARCHIVE.content])
    assert waiting(db) == sorted(str(i) for i in ids.values())
    save(db, db.vectors.put, "note", [(gone, 0, b"\0\0\x80?")], model_id="m", dims=1, prefix="", at="")
    after = put(db, "entries.mem", MEMORY, NOTE._replace(start_line=9, end_line=10))
    assert after[NOTE.content] == ids[NOTE.content]
    row = db.notes.get_many([after[NOTE.content]])[after[NOTE.content]]
    assert (row.start_line, row.end_line) == (9, 10)
    assert after[MEMORY.content] > max(ids.values())
    assert waiting(db) == sorted(str(i) for i in after.values())
    assert db.vectors.count("note", "m") == 0
    assert (db.notes.files(), db.notes.counts()) == ({"entries.mem": "1"}, {"longterm": 1, "note": 1})
    save(db, db.notes.forget, "entries.mem")
    assert (db.notes.files(), db.notes.counts(), waiting(db)) == ({}, {}, [])
    assert db.connection.check() == []


def test_only_what_is_not_stored_yet_is_cleaned(db: Database) -> None:
    """What is stored went through it before; a new piece goes through it and may turn out to be known."""
    asked: list[str] = []

    def clean(piece: Written) -> Written:
        asked.append(piece.content)
        return piece._replace(content=piece.content.replace("hunter2", "***"))

    pieces = [MEMORY, MEMORY._replace(content="the password is hunter2")]
    for _ in range(2):
        save(db, db.notes.put, "MEMORY.md", "1", pieces, clean)
    assert asked == [MEMORY.content, "the password is hunter2", "the password is hunter2"]
    rows = db.connection.rows("SELECT id, content FROM notes ORDER BY id")
    assert list(rows) == [(1, MEMORY.content), (2, "the password is ***")]
