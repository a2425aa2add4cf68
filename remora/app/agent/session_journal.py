"""Write a session that is over into the journal: a line in its day's note and an entry in the history.

A session that continues after its end is written again only on another day. A line in the session's live
file records the day.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from remora.app.project.open_project import OpenProject
from remora.app.records.journal import Journal
from remora.core import moments
from remora.core.errors import RemoraError
from remora.disk.live import Head, Line
from remora.store.session_reader import Told

NOTED = "noted"  # kind of the line in the live file that records the day, as `d`


def day_of(project: OpenProject, at: float) -> str:
    """Return the day of an instant (seconds since the epoch) in the journal's zone, as ISO 8601."""
    return f"{project.journal().moment(at):%Y-%m-%d}"


def due(project: OpenProject, head: Head, lines: Sequence[Line], at: float) -> Told | None:
    """Return what a session that is over came to; None if the journal has it or is off.

    Args:
        project: the open project.
        head: the head of the session's live file.
        lines: the lines of the live file.
        at: time of the last moment of the session, in seconds since the epoch.
    """
    about = project.db.sessions.told(f"{head.host}:{head.session}")
    if about is None or not about.prompt or not project.settings.journal.enabled:
        return None
    noted = [number for number, line in enumerate(lines) if line.get("k") == NOTED]
    if not noted:
        return about
    days = [lines[number].get("d") for number in noted]
    went_on = any(line.get("k") in (moments.PROMPT, moments.STOP) for line in lines[noted[-1] :])
    return about if went_on and day_of(project, at) not in days else None


def write_down(project: OpenProject, head: Head, about: Told, learnt: int, at: float) -> None:
    """Write a session into the note of its day and into the history.

    Args:
        project: the open project.
        head: the head of the session's live file.
        about: what the session came to.
        learnt: number of memories learned from it.
        at: time of its last moment, in seconds since the epoch.
    """
    journal = Journal(project)
    came_to = about.summary or f"{about.kind}, {about.outcome}"
    with suppress(RemoraError):
        journal.note(about.prompt, came_to, at=at, own_words=bool(about.summary))
    with suppress(RemoraError):
        journal.add_history(_entry(head, about, learnt))


def _entry(head: Head, about: Told, learnt: int) -> str:
    """Return the entry of a session for the history."""
    came = f"; {learnt} {'memory' if learnt == 1 else 'memories'}" if learnt else ""
    what = f": {about.summary[:400]}" if about.summary else "."
    files = f" Files: {', '.join(about.edited[:8])}." if about.edited else ""
    entry = f"{head.host}, {about.kind}, {about.outcome}{came}. {about.prompt[:200]}{what}"
    return f"{' '.join(entry.split())}{files}"
