"""A person says what is wrong with a memory: the five choices, what each does, and how it is counted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from remora.app.memory import Memory
from remora.core.errors import InvalidInput, NotFound
from remora.core.values import MemoryRecord
from tests.app.conftest import Opens


@pytest.fixture
def memory(opens: Opens) -> Iterator[Memory]:
    """The memory of an empty project that a person opened."""
    with opens(actor="person") as memory:
        yield memory


@pytest.fixture
def relay(memory: Memory) -> MemoryRecord:
    """A memory, with another that rests on it."""
    one = memory.remember("The relay listens on port 7070", type="gotcha", related_files=["relay.py"])
    memory.remember("Clients reach the relay through the proxy", derived_from=[one.id])
    return one


def kinds(memory: Memory, memory_id: str) -> set[str]:
    """Return what was counted for a memory."""
    return set(memory.why(memory_id).uses)


def test_wrong_puts_the_right_one_in_its_place(memory: Memory, relay: MemoryRecord) -> None:
    """It is the person's, surest of all; what rests on the old one waits for a look."""
    done = memory.wrong(relay.id, right="The relay listens on port 7071")
    assert done.new is not None
    assert (done.new.source, done.new.confidence) == ("user_taught", 1.0)
    assert done.new.related_files == ("relay.py",)
    assert memory.show(relay.id).superseded_by == done.new.id
    assert [memory.show(i).needs_review for i in done.flagged] == [True]
    assert kinds(memory, relay.id) == {"wrong"}


def test_outdated_takes_it_out_of_search(memory: Memory, relay: MemoryRecord) -> None:
    """It is stale from now on, and the log says why; one narrowed keeps its text and confidence."""
    done = memory.wrong(relay.id, "narrow", modules=["relay"], files=["relay/tcp.py"]).memory
    assert (done.related_files, done.related_modules) == (("relay/tcp.py",), ("relay",))
    assert done.confidence == relay.confidence
    memory.wrong(relay.id, "outdated")
    gone = memory.show(relay.id)
    assert gone.deprecated
    assert gone.stale_at is not None
    assert memory.history(relay.id)[-1].why == "out of date"
    assert not memory.restore(relay.id).deprecated


def test_silent_is_found_and_never_said(memory: Memory, relay: MemoryRecord) -> None:
    """It is no correction, only of no help; an edit lets it speak again."""
    memory.wrong(relay.id, "silent")
    assert memory.search("relay port")[0].id == relay.id
    assert kinds(memory, relay.id) == {"unhelpful"}
    assert memory.show(relay.id).silent
    assert not memory.edit(relay.id, silent=False).silent


def test_silence_holds_at_every_moment(memory: Memory) -> None:
    """At the act that it forbids, and in the brief of a session."""
    one = memory.remember("Never push to main", source="user_taught")
    with memory.loop("s-1") as loop:
        assert "push" in loop.brief()
    with memory.loop("s-2") as loop:
        assert "push" in loop.before("Bash", {"command": "git push origin main"})
    memory.wrong(one.id, "silent")
    with memory.loop("s-3") as loop:
        assert "push" not in loop.brief()
        assert loop.before("Bash", {"command": "git push origin main"}) == ""


def test_erase_leaves_nothing(memory: Memory, relay: MemoryRecord) -> None:
    """Also of a verified and pinned memory, its history and its uses."""
    memory.verify(relay.id)
    memory.pin(relay.id)
    memory.wrong(relay.id, "erase")
    with pytest.raises(NotFound):
        memory.show(relay.id)
    assert not any(one.fields for one in memory.history(relay.id))
    memory._project.db.connection.close()
    assert b"listen" not in (memory.home / "memory.db").read_bytes()


def test_a_correction_counts_once_a_session(memory: Memory, relay: MemoryRecord) -> None:
    """Three of one day are three memories; the same one twice is one."""
    others = [memory.remember(f"The {name} queue is slow at noon") for name in ("red", "blue")]
    memory.wrong(relay.id, "narrow", files=["relay.py"])
    memory.wrong(relay.id, "narrow", files=["relay.py", "a.py"])
    assert [memory.wrong(o.id, "outdated").in_session for o in others] == [2, 3]
    assert memory.stats().corrections == 1.0


UNFIT: list[tuple[str, dict[str, Any]]] = [
    ("false", {}),
    ("wrong", {}),
    ("narrow", {}),
    ("outdated", {"files": ["a.py"]}),
    ("silent", {"right": "Something else holds"}),
    ("wrong", {"right": "The relay is fine", "branch": "main"}),
]


def test_what_does_not_fit_is_refused(memory: Memory, relay: MemoryRecord) -> None:
    """And nothing is counted or changed."""
    for choice, given in UNFIT:
        with pytest.raises(InvalidInput):
            memory.wrong(relay.id, choice, **given)
    assert kinds(memory, relay.id) == set()
    assert len(memory.history(relay.id)) == 1
