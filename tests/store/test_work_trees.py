"""What the files of other work trees hold, beside the graph's own."""

from __future__ import annotations

from remora.store.database import Database
from remora.store.work_trees import Content
from tests.store.made_graphs import add_file


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
