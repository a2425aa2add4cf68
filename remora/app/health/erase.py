"""Erase memories at a person's word: to the byte, whatever protects them from forgetting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from remora.core.clock import to_iso
from remora.lifecycle.prune import keep_forgotten
from remora.store import erase

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject


def erase_memories(project: OpenProject, ids: Sequence[str]) -> int:
    """Delete memories with everything that the database holds of their words; returns how many.

    A digest stays of the ids that their makers gave them, so that they are not learned again.
    """
    project.must_be_writable()
    now = to_iso(project.clock.now())
    gone = 0
    for store in project.stores():
        found = store.db.memories.get_many(ids)
        if not found:
            continue
        with store.db.transaction():
            for record in found.values():
                if record.external_id is not None:
                    keep_forgotten(store.db, record.external_id, now)
            erase.memories(store.db, list(found))
        store.db.connection.scrub()
        gone += len(found)
    return gone
