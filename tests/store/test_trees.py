"""What the files of other work trees hold, beside the graph's own."""

from __future__ import annotations

from remora.store.space import Space
from remora.store.trees import Content
from tests.store.made_graphs import add_file


def test_each_tree_has_its_own_contents(space: Space):
    """A row is of one file in one tree; a file that the graph does not know has none."""
    add_file(space, "a.py")
    add_file(space, "b.py")
    one, two = Content(10, 1, "x"), Content(10, 2, "y")
    with space.db.transaction():
        space.trees.put("/one", {"a.py": one, "nowhere.py": one})
        space.trees.put("/two", {"a.py": one, "b.py": two})
        space.trees.put("/two", {"a.py": two})
    assert space.trees.contents("/one", ["a.py", "b.py", "nowhere.py"]) == {"a.py": one}
    assert space.trees.contents("/two", ["a.py", "b.py"]) == {"a.py": two, "b.py": two}
    assert space.trees.contents("/two", ["b.py"]) == {"b.py": two}
    with space.db.transaction():
        space.trees.forget("/one")
    assert space.trees.contents("/one", ["a.py"]) == {}


def test_contents_go_with_their_file(space: Space):
    """What left the graph is known in no tree; what is read again keeps its rows."""
    add_file(space, "a.py")
    content = Content(10, 1, "x")
    with space.db.transaction():
        space.trees.put("/one", {"a.py": content})
    add_file(space, "a.py")
    assert space.trees.contents("/one", ["a.py"]) == {"a.py": content}
    with space.db.transaction():
        space.graph.delete_file("a.py")
    assert space.db.value("SELECT count(*) FROM graph_tree_files") == 0
