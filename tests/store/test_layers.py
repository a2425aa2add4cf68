"""The upper layers of the code graph in the database."""

from __future__ import annotations

import pytest

from remora.store.database import Database
from remora.store.layers import Known, KnownNode, UpperEdge
from tests.store.made_graphs import add_file, add_links, definition, knowledge, link
from tests.store.makers import add, record


@pytest.fixture
def code(db: Database) -> Database:
    """Two files with a definition each; one calls the other."""
    for path in ("m/a.py", "m/b.py"):
        add_file(db, path, [definition("f")._replace(signature="def f()", doc="Do it.\nMore.")])
    add_links(db, "m/a.py")
    add_links(db, "m/b.py", link("m/b.py:f", "m/a.py:f"))
    return db


def place(db: Database, modules: dict[str, list[str]]) -> None:
    """Set the modules."""
    with db.connection.transaction():
        db.layers.place_modules(modules, 5)


def describe(db: Database, name: str, paths: list[str], *edges: UpperEdge) -> int:
    """Set what is said of a module."""
    with db.connection.transaction():
        return db.layers.describe_module(name, paths, edges, {"purpose": "p", "digest": "d"}, 6)


def test_outline(code: Database) -> None:
    """Definitions come with signature, first line of doc and how much uses them."""
    rows = code.layers.outline(["m/a.py"])
    assert [tuple(row) for row in rows] == [("m/a.py", "m/a.py:f", "function", "def f()", "Do it.", 1, 1)]
    assert code.layers.shapes() == [
        ("m/a.py", "m/a.py:f", "function", "def f()"),
        ("m/b.py", "m/b.py:f", "function", "def f()"),
    ]


def test_modules_are_placed(code: Database) -> None:
    """Nodes are made, kept with what was said of them, and go when they are no longer named."""
    place(code, {"m": ["m/a.py"], "n": ["m/b.py"]})
    assert describe(code, "m", ["m/a.py"]) == 0
    place(code, {"m": ["m/a.py", "m/b.py"]})
    assert {name: dict(node.metadata) for name, node in code.layers.modules().items()} == {
        "m": {"purpose": "p", "digest": "d"}
    }
    held = code.layers.edges_at(["module:m/"], ("defines",))
    assert [edge.to_key for edge in held] == ["m/a.py", "m/b.py"]


def test_edges_are_replaced(code: Database) -> None:
    """What is said anew takes the place of what started in the module; unknown ends are not written."""
    place(code, {"m": ["m/a.py"], "n": ["m/b.py"]})
    first = UpperEdge("m/a.py:f", "m/b.py:f", "flows_to", 0.5, 0.6)
    other = UpperEdge("m/b.py", "module:n/", "is_entrypoint_for", 1.0, 0.5)
    gone = UpperEdge("m/a.py", "gone.py", "flows_to")
    assert describe(code, "m", ["m/a.py"], first, gone) == 1
    assert describe(code, "n", ["m/b.py"], other) == 1
    assert code.layers.edges_at(["m/a.py:f"], ("flows_to",)) == [first]
    assert describe(code, "m", ["m/a.py"]) == 0
    assert code.layers.edges_at(["m/a.py:f"], ("flows_to",)) == []
    assert code.layers.edges_at(["module:n/"], ("is_entrypoint_for",)) == [other]


def test_reading_a_file_again_keeps_them(code: Database) -> None:
    """The nodes of layer 1 are replaced without touching what lies above; that goes with the files."""
    place(code, {"m": ["m/a.py", "m/b.py"]})
    edge = UpperEdge("m/a.py:f", "m/b.py:f", "flows_to")
    describe(code, "m", ["m/a.py", "m/b.py"], edge)
    with code.connection.transaction():
        code.graph.mark_stale(["m/a.py"], 7)
    assert code.layers.edges_at(["m/a.py:f"], ("flows_to",)) == []
    add_file(code, "m/a.py", [definition("f", 3, 4)])
    add_links(code, "m/a.py")
    assert code.layers.edges_at(["m/a.py:f"], ("flows_to",)) == [edge]
    assert list(code.layers.modules()) == ["m"]
    with code.connection.transaction():
        assert code.layers.drop_empty_modules() == 0
        for path in ("m/a.py", "m/b.py"):
            code.graph.delete_file(path)
        assert code.layers.drop_empty_modules() == 1
    assert list(code.layers.modules()) == []
    assert code.layers.edges_at(["m/a.py:f"], ("flows_to",)) == []


def test_known_memories(db: Database) -> None:
    """Live patterns and decisions that name something are known, by id."""
    add(
        db.memories,
        record("1", "A", type="pattern", related_files=("a.py",)),
        record("2", "B", type="decision", target_node_id="a.py:f", impacted_node_ids=("b.py",)),
        record("3", "C", type="pattern"),
        record("4", "D", type="gotcha", related_files=("a.py",)),
        record("5", "E", type="pattern", related_files=("a.py",), deprecated=True),
    )
    assert db.layers.known() == [
        Known("1", "pattern", "A", 0.8, ("a.py",), None, ()),
        Known("2", "decision", "B", 0.8, (), "a.py:f", ("b.py",)),
    ]


def test_knowledge_is_replaced(code: Database) -> None:
    """Nodes and edges of before go, those to unknown keys are dropped; the code below stays."""
    one, two = KnownNode("memory:1", "pattern", "A", 0.8), KnownNode("memory:2", "decision", "B", 0.9)
    edges = [
        UpperEdge("m/a.py", "memory:1", "applies_pattern", 1.0, 0.8),
        UpperEdge("memory:2", "m/b.py", "documents", 0.5, 0.9),
        UpperEdge("memory:2", "m/b.py:f", "documents", 1.0, 0.9),
    ]
    newest = code.layers.newest()
    with code.connection.transaction():
        code.layers.replace_knowledge([one, two], [*edges, edges[0]._replace(from_key="gone.py")], 5)
    assert knowledge(code) == ({one, two}, set(edges))
    asked = ["m/a.py", "m/a.py:f", "memory:1", "gone.py"]
    assert code.layers.existing(asked) == {"m/a.py", "m/a.py:f"}
    assert code.layers.paths() == ["m/a.py", "m/b.py"]
    again = one._replace(label="C")
    with code.connection.transaction():
        code.layers.replace_knowledge([again], edges[:1], 6)
    assert knowledge(code) == ({again}, set(edges[:1]))
    assert code.layers.newest() == newest
