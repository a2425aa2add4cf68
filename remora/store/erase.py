"""Delete for good: rows, what indexes and the log of what was said hold of them, and the bytes themselves.

`memories` takes the rows away; `Database.scrub` afterwards overwrites what earlier rows left in free pages
and in the write-ahead log. A later deletion of sessions, or of a whole project, uses the same two steps.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import TYPE_CHECKING

from remora.core.values import quote_id

if TYPE_CHECKING:
    from remora.store.database import Database


def memories(db: Database, ids: Collection[str]) -> None:
    """Delete memories with their vectors, triggers and index rows; call inside a transaction.

    That they were said, and when, stays in the log of what was said; the words do not.
    """
    if not ids:
        return
    _said(db, ids)
    listed = json.dumps(list(ids))
    db.connection.execute(
        "UPDATE learned SET text = '' WHERE memory_id IN (SELECT value FROM json_each(?))", (listed,)
    )
    db.memories.delete(list(ids))


def quote(db: Database, note_id: int) -> None:
    """Delete what a person said once, with its vector, triggers and index rows; call inside a transaction."""
    _said(db, [quote_id(note_id)])
    db.notes.remove(note_id)


def _said(db: Database, ids: Collection[str]) -> None:
    db.connection.execute(
        """UPDATE injections SET text = '', about = '' WHERE id IN (
             SELECT injection_id FROM injected_memories
             WHERE memory_id IN (SELECT value FROM json_each(?)))""",
        (json.dumps(list(ids)),),
    )
