"""Methods that override one another: by name along sure bases, and what is none."""

from __future__ import annotations

import pytest

from remora.core.code import GUESS
from remora.store.database import Database
from remora.store.overrides import Overridden
from tests.store.made_graphs import add_file, add_links, definition, file, link


@pytest.fixture
def db(db: Database) -> Database:
    """The database of three classes, each below the one before, all with the methods that are asked about."""
    names = ("run", "__init__", "__own", "__len__", "C.deep")
    for path, name in (("a.py", "A"), ("b.py", "B"), ("c.py", "C")):
        kept = names if name != "B" else names[1:]
        members = [definition(f"{name}.{n}", 2, 2, "method") for n in kept]
        add_file(db, path, [definition(name, 1, 9, "class"), *members, definition("run", 11)])
    add_links(db, "b.py", link("b.py:B", "a.py:A", "inherits"))
    add_links(db, "c.py", link("c.py:C", "b.py:B", "inherits"))
    return db


def below(db: Database, *keys: str) -> set[tuple[str, str, str]]:
    """Return (method, relation, overridden) of what overrides some methods."""
    ids = db.graph.keys(keys)
    edges = db.overrides.of({i: key for key, i in ids.items()})
    nodes = db.graph.brief({i for e in edges for i in (e.from_id, e.to_id)})
    return {(nodes[e.from_id].key, e.type, nodes[e.to_id].key) for e in edges}


def above(db: Database, *keys: str) -> list[tuple[str, str]]:
    """Return (overridden method, its class's name) of what methods override."""
    ids = db.graph.keys(keys)
    found: list[Overridden] = db.overrides.by({i: key for key, i in ids.items()})
    nodes = db.graph.brief({one.id for one in found})
    return [(nodes[one.id].key, one.name) for one in found]


@pytest.mark.parametrize("name", ["A.__init__", "A.__own", "run", "A", "A.C.deep"])
def test_what_overrides_nothing(db: Database, name: str):
    """A constructor, a private name, a function, a class and what a nested class has are not overridden."""
    assert below(db, f"a.py:{name}") == set()
    assert above(db, f"c.py:{name.replace('A', 'C', 1)}") == []


def test_private_methods_are_nobody_elses(db: Database):
    """Where the source says private, a name that is the same is another method."""
    hidden = definition("D.run", 2, 2, "method")._replace(signature="private void run()")
    with db.connection.transaction():
        db.graph.put_file(file("d.java", language="java"), 1)
        db.graph.put_nodes(file("d.java", language="java"), [definition("D", 1, 9, "class"), hidden], 1)
    add_links(db, "c.py", link("c.py:C", "d.java:D", "inherits"))
    assert below(db, "d.java:D.run") == set()


def test_bases_that_are_a_guess_or_a_circle(db: Database):
    """Only sure bases make an override, also past one without the method; a circle of bases ends."""
    assert below(db, "a.py:A.__len__") == {("b.py:B.__len__", "overrides", "a.py:A.__len__")}
    assert above(db, "c.py:C.__len__") == [("a.py:A.__len__", "A"), ("b.py:B.__len__", "B")]
    add_links(db, "a.py", link("a.py:A", "c.py:C", "inherits"))
    assert below(db, "a.py:A.run") == {("c.py:C.run", "overrides", "a.py:A.run")}
    assert ("a.py:A.run", "A") in above(db, "c.py:C.run")
    a, b, c = (db.graph.keys([key])[key] for key in ("a.py:A", "b.py:B", "c.py:C"))
    assert db.overrides.bases([b]) == {b: {a, b, c}}
    add_links(db, "b.py", link("b.py:B", "a.py:A", "inherits", GUESS))
    assert below(db, "a.py:A.run") == set()
    assert above(db, "c.py:C.run") == []
