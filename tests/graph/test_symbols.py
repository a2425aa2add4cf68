"""Symbols read from the database answer exactly as those in memory do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remora.core.code import Outline
from remora.graph import symbols as module
from remora.graph.packed import pack_outline
from remora.graph.symbols import StoredSymbols
from remora.store.database import Database
from tests.graph.memory_symbols import MemorySymbols
from tests.store.made_graphs import definition, file

OUTLINES = {
    "app/a.py": Outline(
        "python", definitions=(definition("run", 9, 9), definition("A", 1, 5), definition("A.run", 2, 3))
    ),
    "app/a.py.py": Outline("python", definitions=(definition("run"),)),
    "app/told.ts": Outline(
        "typescript",
        definitions=(
            definition("told", 1, 9, "test")._replace(sentence=True),
            definition("told.told", 2, 3),
        ),
    ),
    "app/b.go": Outline("go", "p", definitions=(definition("run"), definition("run#2", 4, 5))),
    "b.go": Outline("go", "p"),
    "Order.java": Outline("java", "com.acme.model"),
    "Tax.php": Outline("php", "Acme\\Service"),
    "read.md": None,
}


def write(db: Database, outlines: dict[str, Outline | None]) -> None:
    """Write files with what they offer."""
    with db.connection.transaction(durable=False):
        for path, outline in outlines.items():
            packed = pack_outline(outline) if outline else None
            new = file(path, package=outline.package if outline else "", outline=packed)
            db.graph.put_file(new, 1)
            db.graph.put_nodes(new, outline.definitions if outline else (), 1)


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    """A project database with a few files."""
    found = Database(tmp_path / "memory.db", realm="project", project_id="p1")
    write(found, OUTLINES)
    yield found
    found.close()


def test_answers_are_those_of_symbols_in_memory(db: Database, monkeypatch: pytest.MonkeyPatch):
    """Every question has the same answer from the database, however little is held of it, as from memory."""
    monkeypatch.setattr(module, "KEPT", 2)
    stored, memory = StoredSymbols(db.graph), MemorySymbols(OUTLINES)
    for path in (*OUTLINES, "app", "a.py", ""):
        assert stored.exists(path) == memory.exists(path)
        assert stored.outline(path) == memory.outline(path)
    for folder in ("", "app", "nowhere"):
        assert list(stored.in_folder(folder)) == list(memory.in_folder(folder))
    for suffix in ("b.go", "app/b.go", "p/b.go", "go"):
        assert list(stored.ending(suffix)) == list(memory.ending(suffix))
    for package in ("p", "q", ""):
        assert list(stored.package(package)) == list(memory.package(package))
    for package in ("com", "com.acme", "com.acme.model", "com.ac", "model", "Acme", "Acme\\Service", "p", ""):
        for sign in (".", "\\"):
            assert stored.packages_in(package, sign) == memory.packages_in(package, sign)
    for name in ("run", "A", "none", "told"):
        for limit in (1, 2, 3, 4, 10):
            assert list(stored.named(name, limit)) == list(memory.named(name, limit))


NAMES = st.sampled_from(("run", "A", "A.run", "B.run", "run#2"))
PATHS = st.sampled_from(("a.py", "a.py.b", "a/b.py", "a", "Z.py", "ä.py"))
FILES = st.dictionaries(
    PATHS, st.lists(st.tuples(NAMES, st.integers(1, 3)), unique_by=lambda d: d[0], max_size=4)
)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(files=FILES, limit=st.integers(1, 6))
def test_names_come_in_the_same_order_from_both(
    db: Database, files: dict[str, list[tuple[str, int]]], limit: int
):
    """Which definitions a limit keeps does not depend on where they are read from."""
    outlines: dict[str, Outline | None] = {
        path: Outline("python", definitions=tuple(definition(name, at, at) for name, at in own))
        for path, own in files.items()
    }
    with db.connection.transaction(durable=False):
        db.graph.clear()
    write(db, outlines)
    stored, memory = StoredSymbols(db.graph), MemorySymbols(outlines)
    assert list(stored.named("run", limit)) == list(memory.named("run", limit))


def test_files_that_were_left_out_do_not_exist(db: Database):
    """A file that is not read offers nothing and is not there."""
    with db.connection.transaction():
        db.graph.put_file(file("app/big.py", skipped="too large"), 1)
    stored = StoredSymbols(db.graph)
    assert not stored.exists("app/big.py")
    assert stored.outline("app/big.py") is None
    assert "app/big.py" not in stored.in_folder("app")
