"""Review flags: the reasons why a memory waits for a person's review.

A memory may derive from several others and name files, so it can have several reasons at a time. Each reason
is removed by its own cause only. A memory that was unreviewed before its first reason keeps that as a reason
of its own, and returns to that state when the others are gone.

A memory that Remora itself retired, without a person forgetting it, keeps the cause as a reason too: it may
be restored when it is learned again.
"""

from __future__ import annotations

from typing import Any

from remora.core.change import Change
from remora.core.values import MemoryRecord
from remora.store.database import Database

UNREVIEWED = "not reviewed yet"
RETIRED = "gone from the files it was read from"
BRANCH_GONE = "learnt on a branch that was deleted unmerged:"  # the branch's name follows
FADED = "faded unused and was pruned"
SPOKEN_AGAINST = "more sessions speak against it"
OVERTURNED = "a later statement says otherwise:"  # the start of that memory's id follows
RETIREMENTS = (RETIRED, BRANCH_GONE, FADED, SPOKEN_AGAINST, OVERTURNED)
_BETWEEN = "; "


def rests_on(memory_id: str) -> str:
    """Return the prefix of a reason that refers to another memory."""
    return f"rests on {memory_id[:8]},"


def overturned_by(memory_id: str) -> str:
    """Return the reason of a memory that a later one contradicts."""
    return f"{OVERTURNED} {memory_id[:8]}"


def with_reason(record: MemoryRecord, reason: str) -> dict[str, Any]:
    """Return the changes that add a reason to a memory; empty if it has the reason."""
    known = _reasons(record) or ([UNREVIEWED] if record.needs_review else [])
    if reason in known:
        return {}
    return {"needs_review": True, "review_reason": _BETWEEN.join([*known, reason])}


def without_reason(record: MemoryRecord, *starts: str) -> dict[str, Any]:
    """Return the changes that remove the reasons with one of some prefixes; empty if there are none."""
    known = _reasons(record)
    kept = [reason for reason in known if not reason.startswith(starts)]
    if kept == known:
        return {}
    if kept in ([], [UNREVIEWED]):
        return {"needs_review": bool(kept), "review_reason": None}
    return {"needs_review": True, "review_reason": _BETWEEN.join(kept)}


def retired_for(record: MemoryRecord) -> str:
    """Return the reason why Remora retired a memory; empty if it is live, or a person forgot it."""
    if not record.deprecated or record.superseded_by is not None:
        return ""
    return next((reason for reason in _reasons(record) if reason.startswith(RETIREMENTS)), "")


def flag_dependents(db: Database, record: MemoryRecord, what: str, *, except_id: str = "") -> None:
    """Flag the memories derived from a memory, directly or through others; call inside a transaction.

    Args:
        db: its database.
        record: the memory that was removed.
        what: the cause, such as "which was forgotten".
        except_id: id of a memory that replaces it.
    """
    why = f"rests on {record.id[:8]}, {what}"
    for dependent in _dependents(db, record.id):
        changes = with_reason(dependent, why)
        if changes and dependent.id != except_id:
            db.memories.update(dependent.id, changes, change=Change("flag", why))


def unflag_dependents(db: Database, record: MemoryRecord) -> None:
    """Remove the flags caused by the absence of a memory that is restored; call inside a transaction."""
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
