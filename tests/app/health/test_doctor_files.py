"""What the doctor says of the files beside the database: items, notes and the journal."""

from __future__ import annotations

from pathlib import Path

import pytest

from remora.app.health.doctor import diagnose, examine
from remora.app.health.findings import Finding
from remora.app.memory import Memory
from remora.app.records.items import DATABASE, Items, Put
from remora.store.connection import Connection
from tests.store.makers import damage, sql


def said(bare: Memory) -> list[Finding]:
    """Return what is said of items, in a process that has none of them open."""
    found = diagnose(bare.root, dict(bare._project.environ))
    return [finding for finding in found.findings if finding.what == "items"]


def put(bare: Memory, number: int) -> Path:
    """Store items and return their file."""
    items = Items(bare._project, lambda _value, _index: [])
    items.write([Put(("a",), str(n), {"text": "x" * 500}) for n in range(number)])
    items.close()
    return bare.home / DATABASE


def test_a_sound_file(bare: Memory) -> None:
    """The items are counted and the file is measured; it is left as it was, and none is made."""
    assert (said(bare), written(bare)) == ([], [])
    assert not (bare.home / DATABASE).exists()
    path = put(bare, 300)
    before = path.read_bytes()
    size = f"{len(before) / 1e6:.1f} MB"
    assert said(bare) == [Finding("ok", "items", f"sound; items: 300; {size}")]
    assert path.read_bytes() == before
    assert [file.name for file in bare.home.glob("items.db*")] == ["items.db"]
    items = Items(bare._project, lambda _value, _index: [])
    items.write([Put(("a",), "k", {})])  # which is still in the log beside it
    (found,) = said(bare)
    assert (found.level, found.detail.split("; ")[:2]) == ("ok", ["sound", "items: 301"])
    items.close()


@pytest.mark.parametrize("page", [1, 9])
def test_a_damaged_file(bare: Memory, page: int) -> None:
    """Pages that hold garbage are found; the advice keeps what is left of it, and other checks still run."""
    path = put(bare, 300)
    damage(path, page)
    (found,) = said(bare)
    assert (found.level, found.kind) == ("error", "StoreCorrupt")
    assert str(path) in found.advice
    assert "keep it" in found.advice
    report = diagnose(bare.root, dict(bare._project.environ))
    assert [f.what for f in report.findings if f.level == "error"] == ["items"]


def test_other_files_in_its_place(bare: Memory) -> None:
    """Text, another kind of database, a lost item and a newer version are each an error of their own."""
    path = bare.home / DATABASE
    path.write_text("no database, just a long enough text" * 50)
    assert said(bare)[0].kind == "StoreCorrupt"
    path.unlink()
    Connection.open(path).close()
    (found,) = said(bare)
    assert "not Remora's file of this name" in found.detail
    path.unlink()
    put(bare, 1)
    sql(path, "PRAGMA foreign_keys = OFF", "INSERT INTO item_vectors VALUES (99, 0, 'm', x'00')")
    (found,) = said(bare)
    assert (found.level, found.detail) == ("error", "foreign key broken in item_vectors")
    sql(path, "PRAGMA user_version = 99")
    (found,) = said(bare)
    assert (found.level, found.kind) == ("error", "StoreTooNew")
    assert "Update Remora" in found.advice


def written(bare: Memory) -> list[tuple[str, str, str]]:
    """Return level, subject and detail of the findings on written files."""
    things = ("notes", "journal")
    return [(f.level, f.what, f.detail) for f in examine(bare._project).findings if f.what in things]


def test_a_damaged_entry_store_is_an_error(bare: Memory) -> None:
    """Sound files are one finding with their numbers; notes that cannot be read are said with advice."""
    bare.entries.add("deploy", "never on Fridays")
    bare.journal.write("Uses tabs.")
    assert written(bare) == [("ok", "notes", "notes and archives: 1")]
    path = bare.journal.folder / "entries.mem"
    path.write_bytes(path.read_bytes()[:40])
    level, what, detail = written(bare)[0]
    assert (level, what) == ("error", "notes")
    assert "entries.mem" in detail


def test_what_needs_a_hand(bare: Memory) -> None:
    """Bytes that are no text, and a consolidation that did not end."""
    bare.journal.write("Uses tabs.")
    (bare.journal.folder / ".pending").mkdir()
    (bare.journal.folder / ".pending" / "a.json").write_text("{}")
    (bare.journal.folder / "MEMORY.md").write_bytes(b"caf\xe9")
    assert written(bare) == [
        ("ok", "notes", "notes and archives: 0"),
        ("warning", "journal", "MEMORY.md is not UTF-8 from byte 3 on"),
        ("warning", "journal", "unfinished consolidations: 1"),
    ]
