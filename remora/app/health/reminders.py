"""Reminders of problems that a person can fix in seconds, given with answers.

They concern a user's database that cannot be opened, a database shipped with the repository, ignored
settings, and memories without a vector.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from remora.app.project.homes import notice
from remora.app.project.locate import SETTINGS_FILE, ignored_settings

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject


def reminders(project: OpenProject, *, vectors: bool = False) -> tuple[str, ...]:
    """Return a sentence for each problem.

    Args:
        project: the open project.
        vectors: also count memories without a vector, which loads the embedding model.
    """
    stores = project.stores()
    found = [project.user_trouble] if project.user_trouble else []
    found += filter(None, [notice(project.location.foreign)])
    found += [f"{SETTINGS_FILE}: {line}" for line in ignored_settings(project.location.root)]
    waiting = sum(store.db.vectors.pending_count() for store in stores) if vectors else 0
    if waiting and not project.trouble and project.embedder() is not None:
        one, many = "memory", f"{waiting:,} memories"
        if stores[0].db.turns.count():
            one, many = "memory or turn", f"{waiting:,} memories and turns"
        found.append(
            f"1 {one} has no vector yet; `remora reindex` computes it"
            if waiting == 1
            else f"{many} have no vector yet; `remora reindex` computes them"
        )
    return tuple(found)
