"""The code graph as a whole."""

from __future__ import annotations

import pytest

from remora.store.database import Database
from remora.store.overview import FileLink, Insight
from tests.store.made_graphs import add_file, add_links, definition, file, link
from tests.store.makers import add, record


@pytest.fixture
def code(db: Database) -> Database:
    """Three files in a row, each using the one before it, and one that was left out."""
    for number, path in enumerate(("lib/a.py", "lib/b.py", "tests/test_c.py"), 1):
        add_file(db, path, [definition(f"f{n}") for n in range(number)])
    with db.connection.transaction():
        db.graph.put_file(file("x.bin", kind="data", skipped="binary"), 1)
    add_links(
        db,
        "lib/b.py",
        link("lib/b.py", "lib/a.py", "imports", 0.9, 2),
        link("lib/b.py", "lib/a.py", "calls", 0.75),
        link("lib/b.py", "lib/a.py", "co_change"),
        link("lib/b.py:f0", "lib/a.py:f0", "calls", 0.75),
    )
    add_links(
        db,
        "tests/test_c.py",
        link("tests/test_c.py", "lib/b.py", "tests", 0.8),
        link("tests/test_c.py", "lib/a.py", "calls", 0.4),
    )
    return db


def test_files(code: Database) -> None:
    """Files of the graph come by path, without those that were left out."""
    files = code.overview.files()
    assert [(f.path, f.folder, f.name, f.module, f.test, f.lines) for f in files] == [
        ("lib/a.py", "lib", "a.py", "lib", False, 30),
        ("lib/b.py", "lib", "b.py", "lib", False, 30),
        ("tests/test_c.py", "tests", "test_c.py", "tests", True, 30),
    ]
    assert code.overview.symbols() == {"lib/a.py": 1, "lib/b.py": 2, "tests/test_c.py": 3}


def test_links(code: Database) -> None:
    """Edges of dependence between two files are one; guesses, symbols and stale ones do not count."""
    a, b, c = (f.id for f in code.overview.files())
    rounded = [link._replace(weight=round(link.weight, 6)) for link in code.overview.links()]
    assert rounded == [FileLink(b, a, 2.55, tests=False), FileLink(c, b, 0.8, tests=True)]
    with code.connection.transaction():
        code.graph.mark_stale(["lib/b.py"], 2)
    assert [link.from_id for link in code.overview.links()] == [c]
    assert code.overview.stale_files() == 1


def test_what_memories_speak_of(code: Database) -> None:
    """Files by name and by node, modules by name; forgotten memories say nothing."""
    add(
        code.memories,
        record("1", "A", related_files=("lib/a.py", "lib/**")),
        record("2", "B", target_node_id="lib/b.py:f0", impacted_node_ids=("lib/a.py", "gone.py")),
        record("3", "C", related_modules=("lib",)),
        record("4", "D", related_files=("lib/a.py",), related_modules=("lib",), deprecated=True),
    )
    assert code.overview.spoken_of() == [
        ("1", "lib/**"),
        ("1", "lib/a.py"),
        ("2", "lib/a.py"),
        ("2", "lib/b.py"),
    ]
    assert code.overview.spoken_modules() == [("3", "lib")]


def test_insights(db: Database) -> None:
    """A person's word comes first, then the more confident; tainted and forgotten ones are left out."""
    kind = {"type": "module_insight", "related_modules": ("lib",)}
    add(
        db.memories,
        record("1", "A", **kind, confidence=0.5),
        record("2", "B", **kind, confidence=0.9, related_files=("a.py",)),
        record("3", "C", **kind, confidence=0.1, user_verified=True),
        record("4", "D", **kind, deprecated=True),
        record("5", "E", type="gotcha"),
    )
    assert [i.memory_id for i in db.overview.insights()] == ["3", "2", "1"]
    assert db.overview.insights()[1] == Insight("2", "B", ("lib",), ("a.py",))
