"""Flags for review: why a memory waits for a person's look, one reason beside the other.

A memory may rest on several others and speak of files besides, so it can have several reasons at a
time. Each is lifted by what set it and by nothing else. A memory that nobody had looked at before its
first reason came keeps that as a reason of its own, and is back where it was when the others are gone.

A memory that we took out of search of our own accord, and not because somebody forgot it, keeps why as a
reason, too: it may come back when it is learned again.
"""

from __future__ import annotations

from typing import Any

from remora.core.change import Change
from remora.core.values import MemoryRecord
from remora.store.database import Database

UNREVIEWED = "not reviewed yet"
RETIRED = "gone from the files it was read from"
BRANCH_GONE = "learnt on a branch that was deleted unmerged:"  # as stores have it; the branch's name follows
TAKEN_UP = "taken up and done by session"  # the session's name follows
FADED = "faded unused and was pruned"
SPOKEN_AGAINST = "more sessions speak against it"
OVERTURNED = "the user said otherwise later:"  # the start of that memory's id follows
FORMER = "of a kind that is learnt no more"
RETIREMENTS = (RETIRED, BRANCH_GONE, TAKEN_UP, FADED, SPOKEN_AGAINST, OVERTURNED, FORMER)
_BETWEEN = "; "


def rests_on(memory_id: str) -> str:
    """Return how a reason begins that comes from another memory."""
    return f"rests on {memory_id[:8]},"


def overturned_by(memory_id: str) -> str:
    """Return the reason of what a later memory took back."""
    return f"{OVERTURNED} {memory_id[:8]}"


def with_reason(record: MemoryRecord, reason: str) -> dict[str, Any]:
    """Return the changes that flag a memory for one more reason; none when it has it already."""
    known = _reasons(record) or ([UNREVIEWED] if record.needs_review else [])
    if reason in known:
        return {}
    return {"needs_review": True, "review_reason": _BETWEEN.join([*known, reason])}


def without_reason(record: MemoryRecord, *starts: str) -> dict[str, Any]:
    """Return the changes that lift the reasons that begin with one of some words; none when none does."""
    known = _reasons(record)
    kept = [reason for reason in known if not reason.startswith(starts)]
    if kept == known:
        return {}
    if kept in ([], [UNREVIEWED]):
        return {"needs_review": bool(kept), "review_reason": None}
    return {"needs_review": True, "review_reason": _BETWEEN.join(kept)}


def retired_for(record: MemoryRecord) -> str:
    """Return why we took a memory out of search; empty where it is there, or somebody put it away."""
    if not record.deprecated or record.superseded_by is not None:
        return ""
    return next((reason for reason in _reasons(record) if reason.startswith(RETIREMENTS)), "")


def flag_dependents(db: Database, record: MemoryRecord, what: str, *, except_id: str = "") -> None:
    """Flag what was derived from a memory, directly or through others; call inside a transaction.

    Args:
        db: its database.
        record: the memory that is gone.
        what: what became of it, such as "which was forgotten".
        except_id: a memory that took its place.
    """
    why = f"rests on {record.id[:8]}, {what}"
    for dependent in _dependents(db, record.id):
        changes = with_reason(dependent, why)
        if changes and dependent.id != except_id:
            db.memories.update(dependent.id, changes, change=Change("flag", why))


def unflag_dependents(db: Database, record: MemoryRecord) -> None:
    """Lift the flags that a memory's going has set, now that it is back; call inside a transaction."""
    for dependent in _dependents(db, record.id):
        changes = without_reason(dependent, rests_on(record.id))
        if changes:
            why = f"{record.id[:8]} is back"
            db.memories.update(dependent.id, changes, change=Change("resolve", why))


def _dependents(db: Database, memory_id: str) -> list[MemoryRecord]:
    ids = db.memories.dependents(memory_id)
    found = db.memories.get_many(ids)
    return [found[i] for i in ids]


def _reasons(record: MemoryRecord) -> list[str]:
    return record.review_reason.split(_BETWEEN) if record.review_reason else []
