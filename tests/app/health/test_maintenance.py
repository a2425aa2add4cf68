"""The daily maintenance: what it forgets by itself, what it leaves to a person, and that it runs once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from remora.app.memory import Memory
from remora.core.clock import FixedClock
from tests.app.talks import at_once
from tests.helpers import environment
from tests.store.makers import there

Open = Callable[[], Memory]


@pytest.fixture
def opened(tmp_path: Path, folder: Path, clock: FixedClock) -> Open:
    """A function that opens the memory of one project."""
    return lambda: Memory.open(folder, environ=environment(tmp_path), clock=clock, actor="person")


@pytest.fixture
def memory(opened: Open) -> Iterator[Memory]:
    """The memory of the project."""
    with opened() as memory:
        yield memory


def filled(memory: Memory, lasting: int, fading: int) -> list[str]:
    """Store memories that last and that expire after 180 days; return the ids of the latter."""
    for number in range(lasting):
        memory.remember(f"Service {number} listens on port {8000 + number}", type="decision")
    said = "Queue q{0} is slow at {0} o'clock"
    return [memory.remember(said.format(number), type="gotcha").id for number in range(fading)]


def forgotten(memory: Memory) -> tuple[str, ...]:
    """Run the maintenance, which is due; return what it forgot."""
    return there(memory.maintain()).forgotten


def test_what_expired_is_forgotten_and_told(memory: Memory, clock: FixedClock) -> None:
    """Exactly that, once a day; the report and the status say so, and it can be restored."""
    fading = filled(memory, 40, 3)
    assert memory.maintain() is None
    for _ in range(9):
        clock.advance(days=20)
        memory.maintain()
    clock.advance(days=20)
    done = there(memory.maintain())
    assert sorted(done.forgotten) == sorted(fading)
    assert memory.maintain() is None
    assert memory.maintenance()[0] == done
    assert memory.status().maintenance == done
    assert memory.history(fading[0])[-1].author == "system:prune"
    memory.restore(fading[0])


def test_what_is_said_stays(memory: Memory, clock: FixedClock) -> None:
    """A lesson that is said at its file every ten days is still said on day 210."""
    text = "Close the pool before the fork in relay.py, or it hangs"
    one = memory.remember(text, type="gotcha", related_files=["relay.py"], source="user_taught")
    (memory.root / "relay.py").write_text("x = 1\n")
    for number in range(22):
        clock.advance(days=10)
        with memory.loop(f"s-{number}") as loop:
            told = loop.before("Edit", {"file_path": "relay.py", "old_string": "x", "new_string": "y"})
            assert "fork" in told, number
        memory.maintain()
    assert memory.prune(dry_run=True).empty
    uses = memory.why(one.id).uses
    assert (uses["said"].sessions, memory.show(one.id).access_count) == (22, 22)
    assert memory.show(one.id).confidence == 1.0


def test_a_clock_that_jumps_forgets_nothing(memory: Memory, clock: FixedClock) -> None:
    """Three years ahead it asks instead, as with more than fifty and more than a tenth; a person decides."""
    filled(memory, 2, 8)
    clock.advance(days=2)
    memory.maintain()
    clock.advance(days=3 * 365)
    done = there(memory.maintain())
    assert (done.forgotten, done.deleted, done.waiting) == ((), 0, 8)
    assert len(memory.list()) == 10
    memory.prune()
    assert len(memory.list()) == 2
    filled(memory, 5, 60)
    for _ in range(12):
        clock.advance(days=20)
        last = memory.maintain()
    done = there(last)
    assert (done.forgotten, done.waiting) == ((), 60)


def test_two_at_once_are_one_run(opened: Open, clock: FixedClock) -> None:
    """Whoever comes second leaves; one report is there."""
    with opened() as memory:
        filled(memory, 20, 1)
    clock.advance(days=2)
    found = []

    def run() -> None:
        with opened() as memory:
            found.append(memory.maintain())

    at_once(*[run] * 4)
    assert sum(one is not None for one in found) == 1
    with opened() as memory:
        assert len(memory.maintenance()) == 1


def test_ten_looks_of_a_person_leave_the_review(opened: Open) -> None:
    """Searching clears no flag and raises no trust."""
    with opened() as memory:
        one = memory.remember("Queue q1 is slow at noon", type="gotcha", needs_review=True)
    for _ in range(10):
        with opened() as memory:
            assert memory.search("slow queue")[0].id == one.id
    with opened() as memory:
        after = memory.show(one.id)
        assert (after.needs_review, after.access_count, after.confidence) == (True, 0, one.confidence)
        assert memory.why(one.id).uses["looked"].times == 10
