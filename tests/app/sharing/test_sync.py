"""Two and three machines that exchange: what arrives, what is kept, what somebody has to decide."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from remora.app.memory import Memory
from remora.app.sharing.incoming import AHEAD_SECONDS
from remora.core.change import Change
from remora.core.clock import FixedClock
from remora.core.errors import Conflict, InvalidInput, NotFound, SourceError
from remora.core.values import MemoryRecord
from remora.interfaces.present import dumps
from tests.app.sharing.conftest import Machine, exchange, founder
from tests.helpers import texts

TEXT = "The gateway rejects tokens that are signed with RS256"
Two = tuple[Memory, Memory]
Same = tuple[Memory, Memory, MemoryRecord]


@pytest.fixture
def two(machine: Machine, shared: Path) -> Two:
    """Return the memories of two machines of one person."""
    one, other = founder(machine, shared, "one"), machine("other")
    other.sharing.join(one.sharing.invite())
    other.sharing.sync()
    exchange(one, other)
    return one, other


@pytest.fixture
def same(two: Two) -> Same:
    """Return the two, and a memory that both have."""
    one, other = two
    record = one.remember(TEXT)
    exchange(one, other)
    return one, other, record


def contents(memory: Memory) -> list[str]:
    """Return the live texts, in order."""
    return sorted(record.content for record in memory.list())


def test_nothing_is_sent_before_a_person_says_so(machine: Machine, shared: Path) -> None:
    """Beginning to share, and what a session's end does, send no memory; `sync` does."""
    memory = machine("one")
    memory.remember(TEXT)
    memory.sharing.init(f"folder:{shared}", me="Ann")
    memory.sharing.sync_when_due()
    assert TEXT not in everything_in(shared)
    assert memory.sharing.status().leaving.entries == 1
    memory.sharing.sync()
    assert TEXT in everything_in(shared)


def test_another_machine_has_the_same(two: Two) -> None:
    """What one machine learned the other has, with type, tags and files; changes follow both ways."""
    one, other = two
    record = one.remember(TEXT, type="decision", tags=["auth"], related_files=["src/auth.py"])
    one.pin(record.id)
    exchange(one, other)
    found = other.show(record.id)
    assert (found.content, found.type, found.tags) == (TEXT, "decision", ("auth",))
    assert (found.related_files, found.pinned, found.taint) == (("src/auth.py",), True, None)
    assert [hit.id for hit in other.search("tokens that the gateway rejects")] == [record.id]
    other.edit(record.id, content="Sign tokens with EdDSA")
    exchange(one, other)
    assert contents(one) == ["Sign tokens with EdDSA"]
    one.forget(record.id)
    exchange(one, other)
    assert contents(other) == []
    other.restore(record.id)
    exchange(one, other)
    assert contents(one) == ["Sign tokens with EdDSA"]


def test_what_both_learned_is_found_once(two: Two) -> None:
    """The same text of two machines stays two memories, and search shows one of them."""
    for memory in two:
        memory.remember(TEXT)
    exchange(*two)
    for memory in two:
        assert contents(memory) == [TEXT, TEXT]
        assert texts(memory.search("tokens of the gateway")) == [TEXT]


def test_changes_of_different_fields_meet(same: Same) -> None:
    """One edits the text while the other adds a tag: both hold, and nobody is asked."""
    one, other, record = same
    one.edit(record.id, content="Sign tokens with EdDSA")
    other.edit(record.id, tags=["auth", "security"])
    exchange(one, other)
    for memory in (one, other):
        found = memory.show(record.id)
        assert (found.content, found.tags) == ("Sign tokens with EdDSA", ("auth", "security"))
        assert memory.sharing.conflicts() == []


@pytest.mark.parametrize(
    ("keep", "left"),
    [
        ("mine", ["text of one"]),
        ("theirs", ["text of other"]),
        ("both", ["text of one", "text of other"]),
        ("a third text", ["a third text"]),
    ],
)
def test_two_texts_wait_for_a_decision(same: Same, keep: str, left: list[str]) -> None:
    """Two texts written at a time stand on both machines until somebody decides, and then one way on both."""
    one, other, record = same
    one.edit(record.id, content="text of one")
    other.edit(record.id, content="text of other")
    exchange(one, other)
    for memory in (one, other):
        (contested,) = memory.sharing.conflicts()
        # Oldest first; both may be of the same millisecond.
        assert {version.content for version in contested.versions} == {"text of one", "text of other"}
    one.sharing.decide(record.id, keep)
    exchange(one, other)
    for memory in (one, other):
        assert (memory.sharing.conflicts(), contents(memory)) == ([], left)
        with pytest.raises(NotFound, match="has no conflict"):
            memory.sharing.decide(record.id, "mine")


def test_what_is_taken_back_leaves_the_others(same: Same) -> None:
    """A memory that is made personal again leaves search on the other machine and stays on this one.

    Who forgets while another edits has to decide; until then the text is found.
    """
    one, other, record = same
    one.sharing.share([record.id], "personal")
    exchange(one, other)
    assert (contents(one), contents(other)) == ([TEXT], [])
    one.sharing.share([record.id], "project")
    exchange(one, other)
    assert contents(other) == [TEXT]
    one.forget(record.id)
    other.edit(record.id, content="Sign tokens with EdDSA")
    exchange(one, other)
    assert contents(one) == contents(other) == ["Sign tokens with EdDSA"]
    one.sharing.decide(record.id, "mine")
    exchange(one, other)
    assert contents(one) == contents(other) == []


def test_what_is_erased_is_erased_everywhere(two: Two, shared: Path, tmp_path: Path) -> None:
    """Erasing leaves no byte of the text on either machine nor in the log."""
    one, other = two
    record = one.remember("the launch code is walrus seventeen")
    exchange(one, other)
    one.edit(record.id, content="the launch code is walrus eighteen")
    exchange(one, other)
    one.erase([record.id])
    exchange(one, other)
    assert "walrus" not in everything_in(shared)
    for memory in two:
        with pytest.raises(NotFound):
            memory.show(record.id)
        memory.maintain()
    assert "walrus" not in everything_in(tmp_path)


def everything_in(folder: Path) -> str:
    """Return the bytes of every file below a folder as text."""
    return "".join(p.read_bytes().decode("latin-1") for p in sorted(folder.rglob("*")) if p.is_file())


def test_a_log_that_is_away_stops_nothing(two: Two, shared: Path) -> None:
    """With the log away every verb works, `status` says since when, and nothing is lost."""
    one, other = two
    shared.rename(shared.with_name("away"))
    record = one.remember(TEXT)
    with pytest.raises(SourceError, match="does not exist"):
        one.sharing.sync()
    assert one.sharing.sync_when_due() is None
    assert one.sharing.status().problem
    assert one.sharing.status().since
    assert "offline" in one.status().sharing
    shared.with_name("away").rename(shared)
    exchange(one, other)
    assert other.show(record.id).content == TEXT
    assert one.sharing.status().problem == ""
    shutil.rmtree(shared)  # it loses everything: every machine sends its own part again
    shared.mkdir()
    exchange(one, other)
    other.edit(record.id, content="Sign tokens with EdDSA")
    exchange(one, other)
    assert contents(one) == ["Sign tokens with EdDSA"]


def test_a_copied_data_folder_is_noticed(two: Two, machine: Machine, tmp_path: Path) -> None:
    """A copy of a machine's data writes under an id of its own, and no text of either is lost."""
    one, other = two
    before = one.remember("before the copy was made")
    one.sharing.sync()
    one.close()
    shutil.copytree(tmp_path / "one" / "data", tmp_path / "one" / "copy")
    one, copy = machine("one"), machine("one", data="copy")
    first, second = one.remember("said on the original alone"), copy.remember("said on the copy alone")
    one.sharing.sync()
    assert copy.sharing.sync().renewed
    exchange(one, copy, other)
    for memory in (one, copy, other):
        assert {memory.show(r.id).content for r in (before, first, second)} == {
            "before the copy was made",
            "said on the original alone",
            "said on the copy alone",
        }
    assert len({m.sharing._project.db.meta.get("share")["device"] for m in (one, copy, other)}) == 3


def test_a_clock_that_runs_ahead_is_held_back(machine: Machine, shared: Path) -> None:
    """What comes from the future is kept and not shown until its time has come."""
    clock = FixedClock("2026-01-01T00:00:00Z")
    one = founder(machine, shared, "one", clock)
    other = machine("other", FixedClock("2026-01-02T00:00:00Z"))
    other.sharing.join(one.sharing.invite())
    record = other.remember(TEXT)
    other.sharing.sync()
    done = one.sharing.sync()
    assert (contents(one), done.held > 0) == ([], True)
    clock.advance(seconds=86_400 - AHEAD_SECONDS + 60)
    exchange(one, other)
    assert one.show(record.id).content == TEXT


def test_a_clock_that_is_set_back_takes_nothing_away(machine: Machine, shared: Path) -> None:
    """What counted goes on to count, and a change made then comes after what it changes."""
    clock = FixedClock("2026-01-02T00:00:00Z")
    one = founder(machine, shared, "one", FixedClock("2026-01-02T00:00:00Z"))
    other = machine("other", clock)
    other.sharing.join(one.sharing.invite())
    record = one.remember(TEXT)
    exchange(one, other)
    clock.advance(days=-1)
    one.edit(record.id, tags=["gateway"])
    exchange(one, other)
    other.edit(record.id, content=f"{TEXT} today")
    clock.advance(days=1)
    exchange(one, other)
    assert (contents(one), one.sharing.conflicts()) == ([f"{TEXT} today"], other.sharing.conflicts())
    assert all(r.parents for r in one.history(record.id) if r.op == "edit")


def test_what_a_newer_version_writes_is_kept_and_not_shown(same: Same) -> None:
    """An operation that this version does not know changes nothing and is counted; uses add up."""
    one, other, record = same
    later = Change("levitate")  # type: ignore[arg-type]  # what no version knows yet
    one._project.db.revisions.write(record.id, later, {"content": "from the future"})
    with other._project.db.transaction():
        other._project.db.uses.add("cc:1", "said", {record.id: 2}, "2030-01-01T00:00:00.000Z")
    exchange(one, other)
    assert contents(other) == [TEXT]
    assert other.sharing.status().ignored[0].reason == "it takes a newer version of Remora"
    assert one.show(record.id).last_accessed_at == "2030-01-01T00:00:00.000Z"


def test_what_is_no_address(machine: Machine, shared: Path) -> None:
    """An unknown address, an invitation that is none, a password in an address; and sharing begins once."""
    memory = machine("one")
    with pytest.raises(InvalidInput, match="not the address"):
        memory.sharing.init("ftp://there", me="Ann")
    with pytest.raises(InvalidInput, match="invitation"):
        memory.sharing.join("remora-invitation:AAAA")
    with pytest.raises(InvalidInput, match="password"):
        memory.sharing.init("postgresql://ann:secret@host/db", me="Ann")
    with pytest.raises(NotFound, match="not shared"):
        memory.sharing.sync()
    assert memory.sharing.status().address == ""
    memory.sharing.init(f"folder:{shared}", me="Ann")
    with pytest.raises(Conflict, match="already"):
        memory.sharing.init(f"folder:{shared}")
    with pytest.raises(Conflict, match="already"):
        memory.sharing.join("anything")


def test_leaving_takes_what_others_shared(same: Same) -> None:
    """Who leaves keeps their own memories; the log and its key are gone from the machine."""
    one, other, _ = same
    other.sharing.leave()
    assert contents(other) == [TEXT]  # it is the same person's
    assert other.sharing.status().address == ""
    exchange(one)
    assert dumps(other.show(other.list()[0].id)._asdict())
