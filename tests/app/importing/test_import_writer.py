"""What came over before stays as it is here, whatever the other system says by now; new things come."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from remora import Memory
from remora.app.importing.other_systems import MoveReport, digest
from remora.core.values import MemoryRecord
from tests.sources.others.looks import lines, write
from tests.sources.others.test_forge import memory as forge_memory

Files = dict[str, str | bytes]

TOPIC = "---\nname: tokens\ndescription: x\ntype: project\n---\n{}\n"
COFFEE = "---\ntitle: Coffee\npermalink: notes/coffee\n---\n\n# Coffee\n\n- [tip] {}\n- [tip] Grind it fine\n"


def claude(text: str) -> Files:
    """Return the auto memory of Claude Code with one topic."""
    return {"memory/MEMORY.md": "- [Tokens](tokens.md) signing\n", "memory/tokens.md": TOPIC.format(text)}


def index(text: str) -> Files:
    """Return the auto memory of Claude Code with notes in its index, below headings."""
    return {
        "memory/MEMORY.md": f"# Notes\n\n## Tests\n\n- {text}\n- Fixtures live in tests/data\n\n"
        "## Release\n\n- [Tokens](tokens.md)\n- Tag the commit before the upload\n",
        "memory/tokens.md": TOPIC.format("Tokens use ES256."),
    }


def graph(text: str) -> Files:
    """Return a file of the MCP memory server."""
    told = [text, "works at night"]
    ann = {"type": "entity", "name": "Ann", "entityType": "person", "observations": told}
    return {"memory.jsonl": lines([ann])}


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


CASES: dict[str, tuple[str, Callable[[str], Files], str, str]] = {
    "a topic file": ("claude-code", claude, "Tokens use ES256.", "Tokens use ES256, and expire after a day."),
    "a line below a heading": ("claude-code", index, "Run pytest with -q", "Run pytest with -q and -x first"),
    "an observation of a note": (
        "basic-memory",
        lambda text: {"notes/coffee.md": COFFEE.format(text)},
        "Rinse the filter first",
        "Rinse the filter first, with hot water",
    ),
    "an observation of a graph": (
        "mcp-memory",
        graph,
        "prefers short answers",
        "prefers short answers in Norwegian",
    ),
    "an external id": (
        "forge",
        lambda text: {**forge_memory("a", f"{text}\n")},
        "Use tabs in Makefiles.",
        "Use tabs in Makefiles and in Go.",
    ),
}


KEPT_IDS = ("a topic file", "an external id")  # the others are named by their words
WHY = "it was imported before; existing items are not changed"


@pytest.mark.parametrize("edited", ["", "edited", "forgotten"])
@pytest.mark.parametrize("name", KEPT_IDS)
def test_a_known_memory_stays(bare: Memory, tmp_path: Path, name: str, edited: str) -> None:
    """Its newer text there is reported once and not imported, also if it was edited or forgotten here."""
    system, files, text, grown = CASES[name]
    moved(bare, tmp_path, files(text), system)
    old = saying(bare, text)
    if edited == "edited":
        bare.edit(old.id, content=f"{old.content.removesuffix('.')}, as Ann said")
    elif edited:
        bare.forget(old.id)
    before = bare.show(old.id)
    count = len(bare.list(limit=1000))
    assert new(moved(bare, tmp_path, files(text), system)) == {}
    done = moved(bare, tmp_path, files(grown), system)
    assert ("memories" in new(done), done.updated) == (False, {})
    assert [one.why for one in done.skipped if one.what.startswith("memory ")] == [WHY]
    assert (bare.show(old.id).content, bare.show(old.id).deprecated) == (before.content, before.deprecated)
    assert len(bare.list(limit=1000)) == count
    again = moved(bare, tmp_path, files(grown), system)
    assert [one for one in again.skipped if one.what.startswith("memory ")] == []


@pytest.mark.parametrize("name", [name for name in CASES if name not in KEPT_IDS])
def test_a_changed_piece_is_a_memory_of_its_own(bare: Memory, tmp_path: Path, name: str) -> None:
    """A piece of a file is named by its words: with other words it is new, and the earlier one stays."""
    system, files, text, grown = CASES[name]
    moved(bare, tmp_path, files(text), system)
    old = saying(bare, text)
    bare.edit(old.id, content=f"{old.content.removesuffix('.')}, as Ann said")
    assert new(moved(bare, tmp_path, files(grown), system))["memories"] == 1
    assert bare.show(old.id).content.endswith("as Ann said")
    assert saying(bare, grown).id != old.id
    assert new(moved(bare, tmp_path, files(grown), system)) == {}


@pytest.mark.parametrize("changed", ["", "written", "renamed", "removed"])
def test_a_known_entry_stays(bare: Memory, tmp_path: Path, changed: str) -> None:
    """A note is not changed, nor does it come again; the report names its newer text once."""
    files: Files = {"notes/coffee.md": COFFEE.format("Rinse the filter first")}
    moved(bare, tmp_path, files, "basic-memory")
    if changed == "written":
        bare.entries.write("notes/coffee", "Tea is better.")
    elif changed == "renamed":
        bare.entries.rename("notes/coffee", "coffee")
    elif changed:
        bare.entries.remove("notes/coffee")
    before = [(e.name, e.content) for e in bare.entries.list()]
    assert moved(bare, tmp_path, files, "basic-memory").skipped == ()
    grown: Files = {"notes/coffee.md": COFFEE.format("Rinse the filter first") + "\nMore.\n"}
    done = moved(bare, tmp_path, grown, "basic-memory")
    assert new(done) == {}
    assert [(one.what, one.why) for one in done.skipped] == [("entry notes/coffee", WHY)]
    assert [(e.name, e.content) for e in bare.entries.list()] == before
    assert moved(bare, tmp_path, grown, "basic-memory").skipped == ()


def test_a_known_longterm_memory_stays(bare: Memory, tmp_path: Path) -> None:
    """It is appended once; what it says by now is reported once."""
    moved(bare, tmp_path, {"memory/MEMORY.md": "# Facts\n\n- Lives in Oslo\n- Has a parrot\n"}, "neoclaw")
    bare.journal.write(bare.journal.show().replace("- Has a parrot", ""))
    before = bare.journal.show()
    grown: Files = {"memory/MEMORY.md": "# Facts\n\n- Lives in Oslo\n- Has a parrot\n- Likes tea\n"}
    done = moved(bare, tmp_path, grown, "neoclaw")
    assert (new(done), [(one.what, one.why) for one in done.skipped]) == ({}, [("MEMORY.md", WHY)])
    assert bare.journal.show() == before
    assert moved(bare, tmp_path, grown, "neoclaw").skipped == ()


def test_what_the_user_taught_is_not_replaced(bare: Memory, tmp_path: Path) -> None:
    """Words that the user had said here, and that came over, too, stay the user's."""
    bare.remember("Use tabs in Makefiles.", source="user_taught", type="preference")
    for text in ("Use tabs in Makefiles.", "Use tabs in Makefiles and in Go."):
        moved(bare, tmp_path, {**forge_memory("a", f"{text}\n")}, "forge")
        assert [(m.content, m.source) for m in bare.list()] == [("Use tabs in Makefiles.", "user_taught")]


def test_what_an_older_version_imported_stays(bare: Memory, tmp_path: Path) -> None:
    """Its records are other ones: a mapping by items, and the lines of the long-term memory."""
    name, line = (digest(of) for of in ("entry:notes/coffee", "longterm\n- Lives in Oslo"))
    bare._project.db.meta.set("moved-last:basic-memory", {name: ["a", "b"]})
    bare._project.db.meta.set("moved:neoclaw", [line])
    files: Files = {"notes/coffee.md": "---\ntitle: Coffee\npermalink: notes/coffee\n---\n\n# Coffee\n"}
    assert new(moved(bare, tmp_path, files, "basic-memory")) == {}
    same = moved(bare, tmp_path, {"memory/MEMORY.md": "- Lives in Oslo\n"}, "neoclaw")
    assert (new(same), same.skipped) == ({}, ())
    more = moved(bare, tmp_path, {"memory/MEMORY.md": "- Lives in Oslo\n- Sings\n"}, "neoclaw")
    assert (new(more), len(more.skipped)) == ({}, 1)
    assert bare.entries.list() == []


def test_a_history_that_grew(bare: Memory, tmp_path: Path) -> None:
    """Its new entries come over; one that was taken out here does not come again."""
    first, second = (f"\n## 2026-02-2{n}T14:30:00.000Z\nThey chose plan {n}.\n" for n in (1, 2))
    moved(bare, tmp_path, {"memory/HISTORY.md": first}, "neoclaw")
    for path in bare.journal.folder.glob("HISTORY*.md"):
        path.write_text("", "utf-8")
    assert new(moved(bare, tmp_path, {"memory/HISTORY.md": first + second}, "neoclaw")) == {"history": 1}
    assert [entry.text for entry in bare.journal.history()] == ["They chose plan 2."]
