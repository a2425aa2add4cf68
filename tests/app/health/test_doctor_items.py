"""What the doctor says of the items that programs keep."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from remora.app.health.doctor import diagnose
from remora.app.health.findings import Finding
from remora.app.memory import Memory
from remora.app.records.items import DATABASE, Items, Put
from remora.store.connection import Connection
from tests.helpers import environment


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A project without a model."""
    (tmp_path / "project").mkdir()
    with Memory.open(tmp_path / "project", environ=environment(tmp_path)) as opened:
        yield opened


def said(memory: Memory) -> list[Finding]:
    """Return what is said of items, in a process that has none of them open."""
    found = diagnose(memory.root, dict(memory._project.environ))
    return [finding for finding in found.findings if finding.what == "items"]


def put(memory: Memory, number: int) -> Path:
    """Store items and return their file."""
    items = Items(memory._project, lambda _value, _index: [])
    items.write([Put(("a",), str(n), {"text": "x" * 500}) for n in range(number)])
    items.close()
    return memory.home / DATABASE


def test_no_items_nothing_said(memory: Memory) -> None:
    """A project in which no program keeps any has no finding about them, and no file is made."""
    assert said(memory) == []
    assert not (memory.home / DATABASE).exists()


def test_a_sound_file(memory: Memory) -> None:
    """The items are counted and the file is measured; it is left as it was."""
    path = put(memory, 300)
    before = path.read_bytes()
    size = f"{len(before) / 1e6:.1f} MB"
    assert said(memory) == [Finding("ok", "items", f"sound; items: 300; {size}")]
    assert path.read_bytes() == before
    assert [file.name for file in memory.home.glob("items.db*")] == ["items.db"]


def test_items_in_use(memory: Memory) -> None:
    """A program that has the file open, with items that are still in the log beside it, is no trouble."""
    items = Items(memory._project, lambda _value, _index: [])
    items.write([Put(("a",), "k", {})])
    (found,) = said(memory)
    assert (found.level, found.detail.partition("; ")[0]) == ("ok", "sound")
    assert "items: 1;" in found.detail
    items.close()


@pytest.mark.parametrize("page", [1, 9])
def test_a_damaged_file(memory: Memory, page: int) -> None:
    """Pages that hold garbage are found; the advice keeps what is left of it, and other checks still run."""
    path = put(memory, 300)
    data = bytearray(path.read_bytes())
    data[page * 4_096 : (page + 1) * 4_096] = b"\x5a" * 4_096
    path.write_bytes(data)
    (found,) = said(memory)
    assert (found.level, found.kind) == ("error", "StoreCorrupt")
    assert str(path) in found.advice
    assert "keep it" in found.advice
    report = diagnose(memory.root, dict(memory._project.environ))
    assert [f.what for f in report.findings if f.level == "error"] == ["items"]


def test_a_reference_to_nothing(memory: Memory) -> None:
    """A vector whose item is gone is found."""
    path = put(memory, 1)
    other = sqlite3.connect(path)
    other.execute("INSERT INTO item_vectors VALUES (99, 0, 'm', x'00')")
    other.commit()
    other.close()
    (found,) = said(memory)
    assert (found.level, found.detail) == ("error", "foreign key broken in item_vectors")


def test_other_files_in_its_place(memory: Memory) -> None:
    """Text, another kind of database and one of a newer version are each an error of their own."""
    path = memory.home / DATABASE
    path.write_text("no database, just a long enough text" * 50)
    assert said(memory)[0].kind == "StoreCorrupt"
    path.unlink()
    Connection.open(path).close()
    (found,) = said(memory)
    assert "not one of Remora's items" in found.detail
    path.unlink()
    put(memory, 1)
    newer = sqlite3.connect(path)
    newer.execute("PRAGMA user_version = 99")
    newer.close()
    (found,) = said(memory)
    assert (found.level, found.kind) == ("error", "StoreTooNew")
    assert "Update Remora" in found.advice
