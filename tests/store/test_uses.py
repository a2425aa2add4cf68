"""What memories were used for, by session, and what use does to trust."""

from __future__ import annotations

from typing import Any

import pytest

from remora.core.values import MemoryRecord, Taint
from remora.store.database import Database
from remora.store.injections import Injection
from remora.store.uses import CLEARED, Kind, Use
from tests.store.makers import AT, add, record, save


def use(db: Database, sessions: int, kind: Kind = "said", at: str = AT, first: int = 0) -> MemoryRecord:
    """Note one use of m-1 in each of so many sessions and return it."""
    with db.connection.transaction():
        for number in range(first, first + sessions):
            db.uses.add(f"claude-code:s-{number}", kind, {"m-1": 1}, at)
    (found,) = db.memories.get_many(["m-1"]).values()
    return found


def test_five_sessions_raise_confidence_once(db: Database):
    """The fifth adds 0.05, no later one more, nor many calls of one session; the change stands in the log."""
    add(db.memories, record("m-1", confidence=0.6))
    for _ in range(50):
        use(db, 1, "asked")
    found = use(db, 4)
    assert (found.confidence, found.access_count) == (0.6, 54)
    assert use(db, 1, first=4).confidence == pytest.approx(0.65)
    assert use(db, 20, first=5).confidence == pytest.approx(0.65)
    assert [(r.op, r.author) for r in db.revisions.of("m-1")][1:] == [("edit", "system:use")]


@pytest.mark.parametrize(("before", "after"), [(0.93, 0.95), (0.97, 0.97)])
def test_use_raises_confidence_to_95_at_most(db: Database, before: float, after: float):
    """Use alone never makes a memory surer than 0.95, and never less sure than it was."""
    add(db.memories, record("m-1", confidence=before))
    assert use(db, 7).confidence == pytest.approx(after)


HELPED = [(1, "helped"), (50, "said")]


@pytest.mark.parametrize(
    ("known", "uses", "confidence", "waits"),
    [
        ({}, [(30, "said")], 0.65, True),
        ({}, [(30, "said"), (1, "helped")], 0.65, False),
        ({}, [(1, "wrong"), (1, "helped"), (30, "said")], 0.6, True),
        ({"taint": Taint("web_fetch", 3)}, HELPED, 0.6, True),
        ({"review_reason": "rests on x, which was forgotten"}, HELPED, 0.6, True),
    ],
    ids=["without help", "with help", "called wrong", "from untrusted text", "for a reason"],
)
def test_what_ends_the_wait_for_a_review(
    db: Database, known: dict[str, Any], uses: list[tuple[int, Kind]], confidence: float, waits: bool
):
    """Ten sessions with help do, as the log says; what was called wrong gains nothing.

    What came from untrusted text, or rests on what changed, waits for a person, used or not.
    """
    add(db.memories, record("m-1", confidence=0.6, needs_review=True, **known))
    for sessions, kind in uses:
        found = use(db, sessions, kind)
    assert found.confidence == pytest.approx(confidence)
    assert found.needs_review is waits
    assert {name: getattr(found, name) for name in known} == known
    assert (db.revisions.of("m-1")[-1].why == CLEARED) is not waits


def test_looking_is_no_use(db: Database):
    """It keeps nothing from fading; nor does the last use go back with a clock. Both go with the memory."""
    add(db.memories, record("m-1"))
    found = use(db, 12, "looked", "2027-01-01T00:00:00.000Z")
    assert (found.access_count, found.last_accessed_at, found.confidence) == (0, AT, 0.8)
    assert db.uses.of("m-1") == {"looked": Use(12, 12, "2027-01-01T00:00:00.000Z")}
    later = "2026-05-01T00:00:00.000Z"
    assert use(db, 1, at=later).last_accessed_at == later
    assert use(db, 1, at="2026-04-01T00:00:00.000Z").last_accessed_at == later
    save(db, db.memories.delete, ["m-1"])
    assert db.uses.of("m-1") == {}


def test_what_was_said_is_noted_once(db: Database):
    """The count is that of the log of what was said, however often it is noted."""
    add(db.memories, record("m-1"), record("m-2", "other words"))
    said = Injection("claude-code:s", "", 1, AT, "before", "rule", "a.py", ("m-1", "q7"), "words", "why")
    later = said._replace(at="2026-06-01T00:00:00.000Z", text="again")
    for _ in range(3):
        with db.connection.transaction():
            db.injections.put([said, later])
            counts = db.uses.said_in("claude-code:s")
            db.uses.note("claude-code:s", "said", {i: n for i, (n, _) in counts.items()}, later.at)
    assert db.uses.of("m-1") == {"said": Use(2, 1, later.at)}
    assert db.uses.of("q7") == {}


def test_corrections_are_counted_by_memory_and_session(db: Database):
    """One of three is one of three, whatever was looked at besides."""
    add(db.memories, record("m-1"), record("m-2", "other words"))
    use(db, 2)
    use(db, 1, "wrong")
    use(db, 9, "looked")
    save(db, db.uses.add, "claude-code:s-0", "asked", {"m-2": 4}, AT)
    assert db.uses.corrections() == (1, 3)
    assert db.uses.wrong_in("claude-code:s-0") == 1
