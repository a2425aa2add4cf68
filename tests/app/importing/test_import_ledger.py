"""What was extended in another system since it came over is updated here, unless somebody changed it here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from remora import Memory
from remora.app.importing.import_ledger import Origins
from remora.app.importing.other_systems import MoveReport
from remora.core.values import MemoryRecord
from tests.sources.others.looks import lines, write
from tests.sources.others.test_crabtalk_file import body
from tests.sources.others.test_crabtalk_file import entry as crab_entry
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


def numbers(report: MoveReport) -> tuple[dict[str, int], dict[str, int]]:
    """Return what is new and what was updated."""
    return (
        {kind: n for kind, n in report.new.items() if n},
        {kind: n for kind, n in report.updated.items() if n},
    )


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


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> Any:
    """Return a system, its files with a text, the text and what it grew to."""
    return CASES[request.param]


def test_a_grown_memory_is_updated(bare: Memory, tmp_path: Path, case: Any) -> None:
    """It stays the memory that it was, with its newer text, and the report says so."""
    system, files, text, grown = case
    moved(bare, tmp_path, files(text), system)
    before = {m.id for m in bare.list(limit=1000)}
    old = saying(bare, text)
    bare.pin(old.id)
    new, updated = numbers(moved(bare, tmp_path, files(grown), system))
    assert "memories" not in new
    assert updated["memories"] == 1
    assert {m.id for m in bare.list(limit=1000)} == before
    assert saying(bare, grown).id == old.id
    assert bare.show(old.id).pinned
    assert numbers(moved(bare, tmp_path, files(grown), system)) == ({}, {})
    back = moved(bare, tmp_path, files(text), system)
    assert (numbers(back)[0], numbers(back)[1]["memories"]) == ({}, 1)
    assert saying(bare, text).content.endswith(text)


def test_what_was_edited_here_stays(bare: Memory, tmp_path: Path, case: Any) -> None:
    """A person's words are not replaced; the report says once what was left there, and why."""
    system, files, text, grown = case
    moved(bare, tmp_path, files(text), system)
    old = saying(bare, text)
    mine = f"{old.content.removesuffix('.')}, as Ann said"
    bare.edit(old.id, content=mine)
    count = len(bare.list(limit=1000))
    done = moved(bare, tmp_path, files(grown), system)
    assert ("memories" in numbers(done)[0], "memories" in numbers(done)[1]) == (False, False)
    assert [one.why for one in done.skipped if one.what.startswith("memory ")] == [
        "it was edited here; the newer text was not imported"
    ]
    assert bare.show(old.id).content == mine
    assert len(bare.list(limit=1000)) == count
    again = moved(bare, tmp_path, files(grown), system)
    assert [one for one in again.skipped if one.what.startswith("memory ")] == []


@pytest.mark.parametrize("name", ["a line below a heading", "an external id"])
def test_what_was_forgotten_here_stays_so(bare: Memory, tmp_path: Path, name: str) -> None:
    """A forgotten memory does not come back because its text has grown."""
    system, files, text, grown = CASES[name]
    moved(bare, tmp_path, files(text), system)
    old = saying(bare, text)
    bare.forget(old.id)
    count = len(bare.list(limit=1000))
    done = moved(bare, tmp_path, files(grown), system)
    assert ("memories" in numbers(done)[0], "memories" in numbers(done)[1]) == (False, False)
    assert bare.show(old.id).deprecated
    assert len(bare.list(limit=1000)) == count


def test_other_pieces_are_memories_of_their_own(bare: Memory, tmp_path: Path) -> None:
    """A line that is new takes nothing's place: neither of one that is there nor of one unlike it."""
    moved(bare, tmp_path, index("Run pytest with -q"), "claude-code")
    there = index("Run pytest with -q\n- Run pytest with -q and -x in a hurry")
    assert numbers(moved(bare, tmp_path, there, "claude-code")) == ({"memories": 1}, {})
    there["memory/MEMORY.md"] = str(there["memory/MEMORY.md"]).replace("- Fixtures live in tests/data\n", "")
    there["memory/MEMORY.md"] = f"{there['memory/MEMORY.md']!s}- Ask before you publish the data\n"
    assert numbers(moved(bare, tmp_path, there, "claude-code")) == ({"memories": 1}, {})
    assert saying(bare, "Fixtures live")


@pytest.mark.parametrize("edited", [False, True])
def test_a_topic_that_is_cut_by_now(bare: Memory, tmp_path: Path, edited: bool) -> None:
    """The memory of a whole file makes way for those of its pieces; one that was edited here stays."""
    text = "- Tokens use ES256.\n"
    long = text + "".join(
        f"- Service number {n} keeps its own key in the vault of team {n}.\n" for n in range(90)
    )
    moved(bare, tmp_path, claude(text), "claude-code")
    whole = saying(bare, "ES256")
    if edited:
        bare.edit(whole.id, content="Tokens use ES256 or better.")
    new, updated = numbers(moved(bare, tmp_path, claude(long), "claude-code"))
    assert new["memories"] > 50
    assert updated == ({} if edited else {"memories": 1})
    assert bare.show(whole.id).deprecated is not edited
    bare.restore(whole.id)
    long += "- And one more rule of it.\n"
    assert numbers(moved(bare, tmp_path, claude(long), "claude-code")) == ({"memories": 1}, {})
    assert not bare.show(whole.id).deprecated


def test_a_grown_entry_is_updated(bare: Memory, tmp_path: Path) -> None:
    """A note gets its newer text under the name it has here; one that was renamed here, too."""
    path = tmp_path / "elsewhere" / "crabtalk"

    def there(text: str) -> MoveReport:
        return bare.move_in(write(path, {"memory.crmem": body(crab_entry(1, "deploy", text, ("release",)))}))

    bare.entries.add("deploy", "Ours.")
    there("Roll out in steps.")
    assert numbers(there("Roll out in steps. Then wait.")) == ({}, {"entries": 1})
    name = "deploy (from crabtalk)"
    assert bare.entries.show(name).content == "Roll out in steps. Then wait."
    bare.entries.rename(name, "rollout")
    assert numbers(there("Roll out in steps. Then wait for an hour.")) == ({}, {"entries": 1})
    assert bare.entries.show("rollout").content == "Roll out in steps. Then wait for an hour."
    assert numbers(there("Roll out in steps.")) == ({}, {"entries": 1})
    assert [e.content for e in bare.entries.list()] == ["Ours.", "Roll out in steps."]


@pytest.mark.parametrize("removed", [False, True])
def test_an_entry_that_was_changed_here_stays(bare: Memory, tmp_path: Path, removed: bool) -> None:
    """A note that somebody wrote anew or removed here is left alone, and the report says so once."""
    files: Files = {"notes/coffee.md": COFFEE.format("Rinse the filter first")}
    moved(bare, tmp_path, files, "basic-memory")
    if removed:
        bare.entries.remove("notes/coffee")
    else:
        bare.entries.write("notes/coffee", "Tea is better.")
    grown: Files = {"notes/coffee.md": COFFEE.format("Rinse the filter first") + "\nMore.\n"}
    done = moved(bare, tmp_path, grown, "basic-memory")
    assert numbers(done) == ({}, {})
    assert [one.what for one in done.skipped] == ["entry notes/coffee"]
    assert [e.content for e in bare.entries.list()] == ([] if removed else ["Tea is better."])
    assert moved(bare, tmp_path, grown, "basic-memory").skipped == ()


def test_what_the_user_taught_is_not_replaced(bare: Memory, tmp_path: Path) -> None:
    """Words that the user had said here, and that came over, too, stay the user's."""
    mine = bare.remember("Use tabs in Makefiles.", source="user_taught", type="preference")
    moved(bare, tmp_path, {**forge_memory("a", "Use tabs in Makefiles.\n")}, "forge")
    assert len(bare.list()) == 1
    moved(bare, tmp_path, {**forge_memory("a", "Use tabs in Makefiles and in Go.\n")}, "forge")
    assert bare.show(mine.id).content == "Use tabs in Makefiles."


def test_origins_are_digests() -> None:
    """Neither a name nor a text stands in what is noted; what cannot be read counts as nothing."""
    origins = Origins(None)
    origins.note("entry:deploy", "Roll out.", "Roll out.")
    assert "deploy" not in str(origins.as_json())
    again = Origins(origins.as_json())
    assert again.is_last("entry:deploy", "Roll out.")
    assert not again.is_last("entry:deploy", "Roll out!")
    assert again.untouched("entry:deploy", "Roll out.")
    assert not again.untouched("entry:deploy", "Rolled out.")
    assert not Origins(["odd"]).has("entry:deploy")
