"""What came over before stays as it is here, whatever the other system says by now; new things come."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from remora import Memory
from remora.app.importing.other_systems import MoveReport
from remora.core.values import MemoryRecord
from tests.sources.others.looks import Files, lines, write
from tests.sources.others.test_forge import memory as forge_memory
from tests.sources.others.test_mcp_memory import entity

TOPIC = "---\nname: tokens\ndescription: x\ntype: project\n---\n{}\n"
COFFEE = "---\ntitle: Coffee\npermalink: notes/coffee\n---\n\n# Coffee\n\n- [tip] {}\n- [tip] Grind it fine\n"
LISTS = "- [Tokens](tokens.md) signing\n"
NOTES = "# Notes\n\n## Tests\n\n- {}\n- Fixtures live in tests/data\n\n## Release\n\n- [Tokens](tokens.md)\n"


def coffee(text: str) -> Files:
    """Return a note of basic-memory with two observations."""
    return {"notes/coffee.md": COFFEE.format(text)}


def facts(*more: str) -> Files:
    """Return a long-term memory of neoclaw."""
    return {"memory/MEMORY.md": "".join(f"- {fact}\n" for fact in ("Lives in Oslo", *more))}


def moved(memory: Memory, root: Path, there: Files, system: str) -> MoveReport:
    """Write what the other system has by now, and move it in."""
    return memory.move_in(write(root / "elsewhere" / system, there), system)


def new(report: MoveReport) -> dict[str, int]:
    """Return what is new."""
    return {kind: n for kind, n in report.new.items() if n}


def saying(memory: Memory, words: str) -> MemoryRecord:
    """Return the only memory that says something."""
    (found,) = [m for m in memory.list(limit=1000) if words in m.content]
    return found


TEXT = "Rinse the filter first"
GROWN = "Rinse the filter first, with hot water"
KEPT_IDS: dict[str, Callable[[str], Files]] = {
    "forge": lambda text: forge_memory("a", text),
    "claude-code": lambda text: {"memory/MEMORY.md": LISTS, "memory/tokens.md": TOPIC.format(text)},
}
NAMED_BY_WORDS: dict[str, Callable[[str], Files]] = {
    "basic-memory": coffee,
    "mcp-memory": lambda text: {"memory.jsonl": lines([entity("Ann", "person", text, "works at night")])},
    "claude-code": lambda text: {"memory/MEMORY.md": NOTES.format(text), "memory/tokens.md": TOPIC},
}


@pytest.mark.parametrize("edited", ["", "edited", "forgotten"])
@pytest.mark.parametrize("system", KEPT_IDS)
def test_a_known_memory_stays(bare: Memory, tmp_path: Path, system: str, edited: str) -> None:
    """Its newer text there is not imported, also if it was edited or forgotten here."""
    files = KEPT_IDS[system]
    moved(bare, tmp_path, files(TEXT), system)
    old = saying(bare, TEXT)
    if edited == "edited":
        bare.edit(old.id, content=f"{old.content}, as Ann said")
    elif edited:
        bare.forget(old.id)
    before = bare.show(old.id)
    count = len(bare.list(limit=1000))
    assert new(moved(bare, tmp_path, files(TEXT), system)) == {}
    done = moved(bare, tmp_path, files(GROWN), system)
    assert ("memories" in new(done), done.updated) == (False, {})
    assert (bare.show(old.id).content, bare.show(old.id).deprecated) == (before.content, before.deprecated)
    assert len(bare.list(limit=1000)) == count


@pytest.mark.parametrize("system", NAMED_BY_WORDS)
def test_a_changed_piece_is_a_memory_of_its_own(bare: Memory, tmp_path: Path, system: str) -> None:
    """A piece of a file is named by its words: with other words it is new, and the earlier one stays."""
    files = NAMED_BY_WORDS[system]
    moved(bare, tmp_path, files(TEXT), system)
    old = saying(bare, TEXT)
    bare.edit(old.id, content=f"{old.content}, as Ann said")
    assert new(moved(bare, tmp_path, files(GROWN), system))["memories"] == 1
    assert bare.show(old.id).content.endswith("as Ann said")
    assert saying(bare, GROWN).id != old.id
    assert new(moved(bare, tmp_path, files(GROWN), system)) == {}


@pytest.mark.parametrize("changed", ["", "written", "renamed", "removed"])
def test_a_known_entry_stays(bare: Memory, tmp_path: Path, changed: str) -> None:
    """A note is not changed, nor does it come again."""
    files = coffee(TEXT)
    moved(bare, tmp_path, files, "basic-memory")
    if changed == "written":
        bare.entries.write("notes/coffee", "Tea is better.")
    elif changed == "renamed":
        bare.entries.rename("notes/coffee", "coffee")
    elif changed:
        bare.entries.remove("notes/coffee")
    before = [(e.name, e.content) for e in bare.entries.list()]
    assert moved(bare, tmp_path, files, "basic-memory").skipped == ()
    grown: Files = {name: f"{text!s}\nMore.\n" for name, text in files.items()}
    assert new(moved(bare, tmp_path, grown, "basic-memory")) == {}
    assert [(e.name, e.content) for e in bare.entries.list()] == before


def test_a_known_longterm_memory_stays(bare: Memory, tmp_path: Path) -> None:
    """It is appended once; what it says by now is not."""
    moved(bare, tmp_path, facts("Has a parrot"), "neoclaw")
    bare.journal.write(bare.journal.show().replace("- Has a parrot", ""))
    before = bare.journal.show()
    assert new(moved(bare, tmp_path, facts("Has a parrot", "Likes tea"), "neoclaw")) == {}
    assert bare.journal.show() == before


def test_what_the_user_taught_is_not_replaced(bare: Memory, tmp_path: Path) -> None:
    """Words that the user had said here, and that came over, too, stay the user's."""
    bare.remember("Use tabs in Makefiles.", source="user_taught", type="preference")
    for text in ("Use tabs in Makefiles.", "Use tabs in Makefiles and in Go."):
        moved(bare, tmp_path, forge_memory("a", f"{text}\n"), "forge")
        assert [(m.content, m.source) for m in bare.list()] == [("Use tabs in Makefiles.", "user_taught")]


def test_a_history_that_grew(bare: Memory, tmp_path: Path) -> None:
    """Its new entries come over; one that was taken out here does not come again."""
    first, second = (f"\n## 2026-02-2{n}T14:30:00.000Z\nThey chose plan {n}.\n" for n in (1, 2))
    moved(bare, tmp_path, {"memory/HISTORY.md": first}, "neoclaw")
    for path in bare.journal.folder.glob("HISTORY*.md"):
        path.write_text("", "utf-8")
    assert new(moved(bare, tmp_path, {"memory/HISTORY.md": first + second}, "neoclaw")) == {"history": 1}
    assert [entry.text for entry in bare.journal.history()] == ["They chose plan 2."]
