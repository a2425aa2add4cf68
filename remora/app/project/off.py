"""Switch Remora off for a project or a session: it injects, records and learns nothing.

A file in the project's home, with the time, switches the hooks off at the next event; a line in a session's
live file does the same for that session. The times and sessions are stored, so that a transcript read later
teaches nothing of them.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from remora.core.clock import to_iso
from remora.disk.files import write_atomic
from remora.disk.live import OFF_FILE

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject

META = "off"  # meta key: past spans of time, as [from, to], and sessions, by the host's id


class Off(NamedTuple):
    """The times and sessions for which Remora was off in a project.

    Attributes:
        since: start of the present span, ISO 8601 in UTC; empty if the project is on.
        spans: past spans, as (from, to).
        sessions: ids of sessions, by the host's id.
    """

    since: str = ""
    spans: tuple[tuple[str, str], ...] = ()
    sessions: frozenset[str] = frozenset()

    def covers(self, session: str, at: str | None) -> bool:
        """Return whether Remora was off for a session at a time; for None, whether it ever was."""
        if session in self.sessions:
            return True
        if at is None:
            return bool(self.since or self.spans)
        return bool(self.since and at >= self.since) or any(begun <= at < over for begun, over in self.spans)


def off_in(project: OpenProject) -> Off:
    """Return the times and sessions for which Remora was off."""
    kept = project.db.meta.get(META) or {}
    spans = tuple((begun, over) for begun, over in kept.get("spans", ()))
    return Off(_since(project), spans, frozenset(kept.get("sessions", ())))


def switch(project: OpenProject, *, on: bool) -> Off:
    """Switch Remora on or off for a project; no effect if it is so already."""
    since, now = _since(project), to_iso(project.clock.now())
    if on and since:
        _keep(project, (since, now), None)
        _mark(project).unlink(missing_ok=True)  # last: storing a span twice does no harm
    elif not on and not since:
        write_atomic(_mark(project), f"{now}\n")
    return off_in(project)


def never_learn(project: OpenProject, session: str) -> None:
    """Store that a session, by the host's id, must not be learned from."""
    _keep(project, None, session)


def _keep(project: OpenProject, span: tuple[str, str] | None, session: str | None) -> None:
    with project.db.transaction():
        kept = project.db.meta.get(META) or {}
        spans = [*kept.get("spans", ()), *([list(span)] if span else ())]
        sessions = sorted({*kept.get("sessions", ()), *([session] if session else ())})
        project.db.meta.set(META, {"spans": spans, "sessions": sessions})


def _since(project: OpenProject) -> str:
    try:
        return _mark(project).read_text("utf-8").strip() or to_iso(0.0)
    except OSError:
        return ""


def _mark(project: OpenProject) -> Path:
    return Path(project.location.home, OFF_FILE)
