"""A memory may wait for review for several reasons; each is lifted by what set it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from remora.core.values import MemoryRecord
from remora.lifecycle.flags import flag_dependents, unflag_dependents, with_reason, without_reason
from remora.store.database import Database

Take = Callable[..., MemoryRecord]


def after(record: MemoryRecord, changes: dict[str, Any]) -> MemoryRecord:
    """Return the record with some changes."""
    return record._replace(**changes)


def test_one_reason_beside_the_other(take: Take) -> None:
    """Reasons are added once each, and lifting one leaves the others."""
    record = take("Tokens expire after 24 h")
    one = after(record, with_reason(record, "rests on aaaaaaaa, which was forgotten"))
    assert (one.needs_review, one.review_reason) == (True, "rests on aaaaaaaa, which was forgotten")
    assert with_reason(one, "rests on aaaaaaaa, which was forgotten") == {}
    two = after(one, with_reason(one, "its files are gone"))
    assert two.review_reason == "rests on aaaaaaaa, which was forgotten; its files are gone"
    left = after(two, without_reason(two, "rests on aaaaaaaa,"))
    assert (left.needs_review, left.review_reason) == (True, "its files are gone")
    free = after(left, without_reason(left, "its files are gone"))
    assert (free.needs_review, free.review_reason) == (False, None)
    assert without_reason(free, "its files are gone") == {}


def test_what_was_not_reviewed_before_stays_so(take: Take) -> None:
    """Lifting the last reason does not confirm a memory that nobody had looked at."""
    record = take("Fixed before: the cache forgot its key", needs_review=True)
    flagged = after(record, with_reason(record, "its files are gone"))
    assert flagged.review_reason == "not reviewed yet; its files are gone"
    back = after(flagged, without_reason(flagged, "its files are gone"))
    assert (back.needs_review, back.review_reason) == (True, None)


def test_dependents(db: Database, take: Take) -> None:
    """What rests on a memory is flagged, directly or not, but for its successor; and freed again."""
    root = take("Tokens are JSON web tokens")
    child = take("So tokens are large", derived_from=(root.id,))
    grandchild = take("So cookies overflow", derived_from=(child.id,))
    heir = take("Sessions hold opaque handles", derived_from=(root.id,))
    with db.connection.transaction():
        flag_dependents(db, root, "which was superseded", except_id=heir.id)
    reason = f"rests on {root.id[:8]}, which was superseded"
    found = db.memories.get_many([child.id, grandchild.id, heir.id])
    assert [found[m.id].review_reason for m in (child, grandchild, heir)] == [reason, reason, None]
    with db.connection.transaction():
        unflag_dependents(db, root)
    found = db.memories.get_many([child.id, grandchild.id])
    assert [(m.needs_review, m.review_reason) for m in found.values()] == [(False, None)] * 2
