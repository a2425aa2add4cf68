"""One open database with all its families of tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from remora.core.errors import StoreReadOnly
from remora.core.values import Filters
from remora.store.database import Database
from tests.store.makers import add, files_of, message, record


def test_what_one_opening_wrote_the_next_one_reads(tmp_path: Path):
    """Everything lies in one file, which a later opening finds whole."""
    with_rows = Database(tmp_path / "memory.db", realm="project", project_id="p1")
    add(with_rows.memories, record("m-1"))
    with with_rows.connection.transaction():
        with_rows.turns.add("s", "s.jsonl", [message(1, "hello there")], 5, "now")
        with_rows.meta.set("a", [1, 2])
    with_rows.close()
    with_rows.close()
    assert list(files_of(tmp_path)) == ["memory.db"]
    again = Database(tmp_path / "memory.db", realm="user", project_id="p2")
    assert [(m.id, m.realm, m.project_id) for m in again.memories.find(Filters())] == [("m-1", "user", "p1")]
    assert [i for i, _ in again.fulltext.turns(["hello"], 5)] == [1]
    assert again.meta.get("a") == [1, 2]
    assert again.vectors.pending_count() == 2
    again.close()


def test_reading_needs_no_writing(tmp_path: Path):
    """Every way of reading works on a read-only opening and leaves the file as it was."""
    writer = Database(tmp_path / "memory.db", realm="project", project_id="p1")
    add(writer.memories, record("m-1", related_files=("src/**",)))
    with writer.connection.transaction():
        writer.turns.add("s", "s.jsonl", [message(1, "hello"), message(2, "you")], 5, "now")
    writer.close()
    before = files_of(tmp_path)
    db = Database(tmp_path / "memory.db", realm="project", project_id="p1", read_only=True)
    assert [m.id for m in db.memories.find(Filters(files=("src/a.py",)))] == ["m-1"]
    assert [m.id for m in db.memories.on_files(["src/a.py"], Filters(), 5)] == ["m-1"]
    assert db.fulltext.memories(["tokens"], Filters(), 5)[0][0] == "m-1"
    assert len(db.fulltext.turn_windows(["hello"], 5)) == 2
    assert db.fulltext.term_stats("memories", ["tokens"]).holding == {"tokens": 1}
    assert len(db.nearest("memory", "m")) == 0
    assert db.cache.get_many(["k"], 0) == {}
    assert db.history.counts() == (0, 0)
    assert db.vectors.pending_count() == 3
    with pytest.raises(StoreReadOnly):
        add(db.memories, record("m-2", "other"))
    db.close()
    assert files_of(tmp_path) == before
