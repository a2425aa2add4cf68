"""Section 18: forgetting what is not used, deleting what was forgotten long ago."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from remora.core.clock import FixedClock, to_iso
from remora.core.values import MemoryRecord
from remora.lifecycle import prune
from remora.lifecycle.upkeep import Upkeep
from remora.store.database import Database

Take = Callable[..., MemoryRecord]


def run(db: Database, clock: FixedClock) -> prune.PrunePlan:
    """Plan and apply."""
    wanted = prune.plan(db, clock)
    prune.apply(db, clock, wanted)
    return wanted


@pytest.mark.parametrize(("kind", "days"), [("work_state", 7), ("task_calibration", 180)])
def test_three_half_lives(db: Database, take: Take, clock: FixedClock, kind: str, days: int) -> None:
    """What was unused for more than three half-lives of its type is forgotten, and deleted 30 days later."""
    record = take("Tokens expire after 24 h", type=kind)
    used = take("Cookies are small", type=kind)
    clock.advance(days=3 * days)
    with db.connection.transaction():
        db.uses.add("claude-code:s-1", "said", {used.id: 1}, to_iso(clock.now()))
    assert prune.plan(db, clock).forget == ()
    clock.advance(days=0.01)
    first = run(db, clock)
    assert ([m.id for m in first.forget], first.delete) == ([record.id], ())
    gone = db.memories.get(record.id)
    assert gone is not None
    assert (gone.deprecated, gone.deprecated_at) == (True, to_iso(clock.now()))
    assert run(db, clock).empty
    clock.advance(days=30.01)
    assert [m.id for m in run(db, clock).delete] == [record.id]


def test_what_never_expires(db: Database, take: Take, clock: FixedClock) -> None:
    """Decisions, pinned and verified memories and those with no half-life are kept for ever."""
    take("We use PostgreSQL", type="decision")
    take("Tokens expire after 24 h", type="gotcha", pinned=True)
    take("Cookies are small", type="gotcha", user_verified=True)
    take("Queues are long", type="gotcha", decay_half_life_days=0)
    clock.advance(days=36_500)
    assert prune.plan(db, clock).empty


def test_thirty_days_of_grace(db: Database, take: Take, upkeep: Upkeep, clock: FixedClock) -> None:
    """What was forgotten is deleted with its index rows when 30 days are over, not before."""
    record = take("Tokens expire after 24 h", related_files=("a.py",))
    upkeep.forget(record.id)
    clock.advance(days=30)
    assert run(db, clock).delete == ()
    clock.advance(days=0.01)
    assert [m.id for m in run(db, clock).delete] == [record.id]
    assert db.memories.get(record.id) is None
    for table in ("memories_fts", "memory_files", "embedding_queue"):
        assert db.connection.value(f"SELECT count(*) FROM {table}") == 0


def test_verified_and_pinned_are_never_deleted(
    db: Database, take: Take, upkeep: Upkeep, clock: FixedClock
) -> None:
    """A forgotten memory that a person had verified stays restorable; so does a pinned one."""
    first = take("Tokens expire after 24 h", user_verified=True)
    second = take("Cookies are small", pinned=True)
    upkeep.forget(first.id)
    with db.connection.transaction():
        db.memories.update(second.id, {"deprecated": True, "deprecated_at": to_iso(clock.now())})
    clock.advance(days=1_000)
    assert run(db, clock).delete == ()
    assert not upkeep.restore(first.id).deprecated


def test_the_cache_is_evicted(db: Database, clock: FixedClock) -> None:
    """Cached embeddings go when they have expired."""
    now = int(clock.now() * 1000)
    db.cache.put_many([("old", b"0", "m", 1, now - 1), ("new", b"0", "m", 1, now + 1)])
    assert run(db, clock).cache_rows == 1
    assert db.connection.rows("SELECT key FROM embedding_cache") == [("new",)]


def test_a_plan_changes_nothing(db: Database, take: Take, upkeep: Upkeep, clock: FixedClock) -> None:
    """Planning reads only, even where there is everything to do; a clock that was wrong deletes nothing."""
    take("Tokens expire after 24 h", type="work_state")
    upkeep.forget(take("Cookies are small").id)
    clock.advance(days=500)
    before = db.connection.rows("SELECT * FROM memories")
    wanted = prune.plan(db, clock)
    assert (len(wanted.forget), len(wanted.delete)) == (1, 1)
    assert db.connection.rows("SELECT * FROM memories") == before
    clock.advance(days=-4_000)
    assert prune.plan(db, clock).empty


def test_pruning_flags_what_was_derived(db: Database, take: Take, clock: FixedClock) -> None:
    """What rests on a memory that faded is flagged, with the reason."""
    parent = take("The old gateway drops long headers", type="gotcha")
    child = take("Keep headers short", type="decision", derived_from=(parent.id,))
    clock.advance(days=181)
    run(db, clock)
    found = db.memories.get(child.id)
    assert found is not None
    assert found.review_reason == f"rests on {parent.id[:8]}, which faded and was pruned"
