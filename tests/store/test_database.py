"""One open database with all its families of tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from remora.core.errors import StoreReadOnly
from remora.core.values import Filters
from remora.store.database import Database
from tests.store.makers import add, database, files_of, message, record, save


def test_what_one_opening_wrote_a_reader_finds(tmp_path: Path):
    """Everything lies in one file; every way of reading works on a read-only opening and leaves it be."""
    with database(tmp_path / "memory.db") as writer:
        add(writer.memories, record("m-1", related_files=("src/**",)))
        save(writer, writer.turns.add, "s", "s.jsonl", [message(1, "hello"), message(2, "you")], 5, "now")
        save(writer, writer.meta.set, "a", [1, 2])
        writer.close()
    before = files_of(tmp_path)
    assert list(before) == ["memory.db"]
    db = Database(tmp_path / "memory.db", realm="user", project_id="p2", read_only=True)
    found = db.memories.find(Filters(files=("src/a.py",)))
    assert [(m.id, m.realm, m.project_id) for m in found] == [("m-1", "user", "p1")]
    assert [m.id for m in db.memories.on_files(["src/a.py"], Filters(), 5)] == ["m-1"]
    assert db.fulltext.memories(["tokens"], Filters(), 5)[0][0] == "m-1"
    assert len(db.fulltext.turn_windows(["hello"], 5)) == 2
    assert db.fulltext.term_stats("memories", ["tokens"]).holding == {"tokens": 1}
    assert len(db.nearest("memory", "m")) == 0
    assert db.cache.get_many(["k"], 0) == {}
    assert db.meta.get("a") == [1, 2]
    assert db.vectors.pending_count() == 3
    with pytest.raises(StoreReadOnly):
        add(db.memories, record("m-2", "other"))
    db.close()
    assert files_of(tmp_path) == before
