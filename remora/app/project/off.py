"""Off: for a project or for one session nothing is told to agents, noted or learned.

A file in the project's home or a line in the session's live file tells the hooks at the next event. Which
times and sessions these were is kept, so that a transcript that is read later teaches nothing of them.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from remora.core.clock import to_iso
from remora.disk.files import write_atomic
from remora.disk.live import OFF_FILE

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject
    from remora.core.events import Event

META = "off"  # meta key: spans of time, as [from, to], and sessions, as "host:id"


class Off(NamedTuple):
    """When and where Remora was off in a project.

    Attributes:
        spans: (from, to), ISO 8601 in UTC; the last one goes on if its end is empty.
        sessions: as "host:id".
    """

    spans: tuple[tuple[str, str], ...] = ()
    sessions: tuple[str, ...] = ()

    @property
    def since(self) -> str:
        """Since when the project is off; empty if it is on."""
        return self.spans[-1][0] if self.spans and not self.spans[-1][1] else ""

    def covers(self, event: Event, host: str) -> bool:
        """Return whether something happened while Remora was off; without a time it counts by its session."""
        if f"{host}:{event.session_id}" in self.sessions:
            return True
        at = event.at
        return at is not None and any(begun <= at and (not over or at < over) for begun, over in self.spans)


def off_in(project: OpenProject) -> Off:
    """Return when and where Remora was off in a project."""
    kept = project.db.meta.get(META) or {}
    return Off(tuple((a, b) for a, b in kept.get("spans", ())), tuple(kept.get("sessions", ())))


def switch(project: OpenProject, *, on: bool) -> Off:
    """Switch Remora on or off for a project; what is so already stays as it is."""
    known, now = off_in(project), to_iso(project.clock.now())
    spans = list(known.spans)
    if on and known.since:
        spans[-1] = (spans[-1][0], now)
    elif not on and not known.since:
        spans.append((now, ""))
    found = known._replace(spans=tuple(spans))
    mark = Path(project.location.home, OFF_FILE)
    if not on:
        write_atomic(mark, f"{found.since}\n")  # first: from here on nothing is noted
    keep(project, found)
    if on:
        mark.unlink(missing_ok=True)
    return found


def keep(project: OpenProject, found: Off) -> None:
    """Store when and where Remora was off."""
    with project.db.transaction():
        project.db.meta.set(META, {"spans": [list(span) for span in found.spans], "sessions": found.sessions})
