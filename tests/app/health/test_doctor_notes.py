"""What the doctor says of the journal and the entry store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from remora.app.health.doctor import examine
from remora.app.memory import Memory
from tests.helpers import environment


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A project without a model."""
    (tmp_path / "project").mkdir()
    with Memory.open(tmp_path / "project", environ=environment(tmp_path)) as opened:
        yield opened


def said(memory: Memory) -> list[tuple[str, str, str]]:
    """Return level, thing and detail of what is said of written files."""
    things = ("written", "notes", "journal")
    return [(f.level, f.what, f.detail) for f in examine(memory._project).findings if f.what in things]


def test_nothing_written_nothing_said(memory: Memory) -> None:
    """A project without journal and notes has no finding about them."""
    assert said(memory) == []


def test_all_well(memory: Memory) -> None:
    """Sound files are one finding with their numbers."""
    memory.entries.add("deploy", "never on Fridays")
    memory.journal.write("Uses tabs.")
    assert said(memory) == [("ok", "written", "notes and archives: 1; MEMORY.md: 10 bytes")]


def test_what_needs_a_hand(memory: Memory) -> None:
    """Bytes that are no text, a memory that is too long, and a consolidation that did not end."""
    memory.journal.write("x" * 9_000)
    (memory.journal.folder / ".pending").mkdir()
    (memory.journal.folder / ".pending" / "a.json").write_text("{}")
    assert said(memory) == [
        ("note", "journal", "MEMORY.md has 9,000 bytes; the limit is 8,192"),
        ("warning", "journal", "unfinished consolidations: 1"),
    ]
    (memory.journal.folder / "MEMORY.md").write_bytes(b"caf\xe9")
    assert said(memory)[0] == ("warning", "journal", "MEMORY.md is not UTF-8 from byte 3 on")


def test_a_damaged_entry_store_is_an_error(memory: Memory) -> None:
    """A file of notes that cannot be read is said with what to do."""
    memory.entries.add("deploy", "never on Fridays")
    path = memory.journal.folder / "entries.mem"
    path.write_bytes(path.read_bytes()[:40])
    level, what, detail = said(memory)[0]
    assert (level, what) == ("error", "notes")
    assert "entries.mem" in detail
