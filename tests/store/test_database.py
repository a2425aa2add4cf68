"""One open database with all its families of tables, and the smallest of them: facts, and work trees."""

from __future__ import annotations

from pathlib import Path

import pytest

from remora.core.errors import StoreReadOnly
from remora.core.values import Filters
from remora.store.database import Database
from remora.store.work_trees import Content
from tests.store.made_graphs import add_file
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
    assert db.nearest("memory", "m").vectors_of(["m-1"]) == {}
    assert db.cache.get_many(["k"], 0) == {}
    assert db.meta.get("a") == [1, 2]
    assert db.vectors.pending_count() == 3
    with pytest.raises(StoreReadOnly):
        add(db.memories, record("m-2", "other"))
    db.close()
    assert files_of(tmp_path) == before


def test_small_facts_are_kept_as_json(db: Database):
    """A value is what was last set, of any JSON kind; one never set is the default; no sign is special."""
    assert db.meta.get("a", 7) == 7
    value = {"é": [1, 2.5, None, True], "'": "日"}
    with db.connection.transaction():
        for key in ("branch.a", "branch.b", "branch", "brancz", "b%"):
            db.meta.set(key, key.upper())
        db.meta.set("a", value)
        db.meta.set("none", None)
    assert (db.meta.get("a", 7), db.meta.get("none", 7)) == (value, None)
    assert db.meta.starting("branch.") == {"branch.a": "BRANCH.A", "branch.b": "BRANCH.B"}
    assert db.meta.starting("%") == {}


def test_each_tree_has_its_own_contents(db: Database):
    """A row is of one file in one tree; it stays when the file is read again, and goes with it."""
    add_file(db, "a.py")
    add_file(db, "b.py")
    one, two = Content(10, 1, "x"), Content(10, 2, "y")
    with db.connection.transaction():
        db.work_trees.put("/one", {"a.py": one, "nowhere.py": one})
        db.work_trees.put("/two", {"a.py": one, "b.py": two})
        db.work_trees.put("/two", {"a.py": two})
    add_file(db, "a.py")
    assert db.work_trees.contents("/one", ["a.py", "b.py", "nowhere.py"]) == {"a.py": one}
    assert db.work_trees.contents("/two", ["a.py", "b.py"]) == {"a.py": two, "b.py": two}
    with db.connection.transaction():
        db.work_trees.forget("/one")
        db.graph.delete_file("a.py")
    assert db.work_trees.contents("/one", ["a.py"]) == {}
    assert db.work_trees.contents("/two", ["a.py", "b.py"]) == {"b.py": two}
    assert db.connection.value("SELECT count(*) FROM graph_tree_files") == 1
