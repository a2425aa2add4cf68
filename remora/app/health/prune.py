"""Forget expired memories and delete long-forgotten ones in every database of an open project."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

from remora.lifecycle.prune import PrunePlan, apply, plan

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject


def prune(project: OpenProject, *, dry_run: bool) -> PrunePlan:
    """Return the memories that were forgotten and deleted, or would be in a dry run; see `Memory.prune`."""
    if not dry_run:
        project.accesses.flush(wait=None)
    used = project.accesses.waiting
    whole = PrunePlan((), (), 0)
    for store in project.stores():
        with nullcontext() if dry_run else store.db.transaction():
            wanted = plan(store.db, project.clock)
            wanted = wanted._replace(forget=tuple(m for m in wanted.forget if m.id not in used))
            if not dry_run:
                apply(store.db, project.clock, wanted)
        if wanted.delete and not dry_run:
            store.db.connection.scrub()
        whole = PrunePlan(
            whole.forget + wanted.forget,
            whole.delete + wanted.delete,
            whole.cache_rows + wanted.cache_rows,
        )
    return whole
