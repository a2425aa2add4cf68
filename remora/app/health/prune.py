"""Forget what has expired, delete what was forgotten long ago, in every database of an open project."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

from remora.lifecycle.prune import PrunePlan, apply, plan

if TYPE_CHECKING:
    from remora.app.project.open_project import Parts


def prune(parts: Parts, *, dry_run: bool) -> PrunePlan:
    """Return what was or would be forgotten and deleted; see `Memory.prune`."""
    if not dry_run:
        parts.accesses.flush(wait=None)
    used = parts.accesses.waiting
    whole = PrunePlan((), (), 0)
    for room in parts.rooms():
        with nullcontext() if dry_run else room.space.db.transaction():
            wanted = plan(room.space, parts.clock)
            wanted = wanted._replace(forget=tuple(m for m in wanted.forget if m.id not in used))
            if not dry_run:
                apply(room.space, parts.clock, wanted)
        if wanted.delete and not dry_run:
            room.space.db.scrub()
        whole = PrunePlan(
            whole.forget + wanted.forget,
            whole.delete + wanted.delete,
            whole.cache_rows + wanted.cache_rows,
        )
    return whole
