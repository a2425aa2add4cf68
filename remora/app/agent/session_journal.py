"""Write a session into the journal: a line in its day's note and an entry in the history.

A session is learned in its pauses too, so the same session is written several times. Its new line replaces
the previous one if that is of the same day and unchanged; a person's changes stay. The history is only
appended to: a session's entry is written when the session is over, at most once a day. A line in the
session's live file records the writes, as digests without the text.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from remora.app.records.journal import Journal
from remora.core.errors import RemoraError

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject
    from remora.disk.live import Head, Line
    from remora.store.session_reader import Told

NOTED = "noted"  # kind of the line in the live file that records the writes


def write_down(
    project: OpenProject, head: Head, learnt: int, lines: Sequence[Line], *, at: float, ended: bool
) -> Line | None:
    """Write a session into its day's note and, when it is over, into the history.

    Nothing is written if the journal is off.

    Args:
        project: the open project.
        head: the head of the session's live file.
        learnt: number of memories learned from the session.
        lines: the lines of the live file.
        at: time of the last moment of the session, in seconds since the epoch.
        ended: the session is over; otherwise it may continue.

    Returns:
        The line for the live file: `n` is the digest of the session's summary, `d` the day, `l` the digest of
            the line in the note and `h` that of the entry in the history, each only if it was written. None
            if nothing is new.
    """
    about = project.db.sessions.told(f"{head.host}:{head.session}")
    if about is None or not about.prompt or not project.settings.journal.enabled:
        return None
    day = f"{project.journal().moment(at):%Y-%m-%d}"
    mark = _digest(repr(about))
    before = [line for line in lines if line.get("k") == NOTED]
    today = [line for line in before if line.get("d") == day]
    found: Line = {"k": NOTED, "n": mark, "d": day}
    is_new = all(line.get("n") != mark for line in before)
    if is_new and (written := _note(project, about, at, today)):
        found["l"] = _digest(written.strip())
    told = [line["h"] for line in before if "h" in line and (line in today or line["h"] == mark)]
    if ended and not told:
        with suppress(RemoraError):
            Journal(project).add_history(_entry(head, about, learnt))
        found["h"] = mark
    return found if is_new or "h" in found else None


def _note(project: OpenProject, about: Told, at: float, today: Sequence[Line]) -> str:
    """Write the line of a session and return it; empty if a person changed or removed the previous one."""
    known = next((line["l"] for line in reversed(today) if "l" in line), "")
    instead_of, journal = "", Journal(project)
    with suppress(RemoraError):
        if known:
            noted = journal.day(project.journal().moment(at).date()).splitlines()
            instead_of = next((line for line in noted if _digest(line.strip()) == known), "")
            if not instead_of:
                return ""
        came_to = about.summary or f"{about.kind}, {about.outcome}"
        return journal.note(
            about.prompt, came_to, at=at, own_words=bool(about.summary), instead_of=instead_of
        )
    return ""


def _entry(head: Head, about: Told, learnt: int) -> str:
    """Return the entry of a session for the history."""
    came = f"; {learnt} {'memory' if learnt == 1 else 'memories'}" if learnt else ""
    what = f": {about.summary[:400]}" if about.summary else "."
    files = f" Files: {', '.join(about.edited[:8])}." if about.edited else ""
    entry = f"{head.host}, {about.kind}, {about.outcome}{came}. {about.prompt[:200]}{what}"
    return f"{' '.join(entry.split())}{files}"


def _digest(text: str) -> str:
    return f"{zlib.crc32(text.encode('utf-8', 'replace')):08x}"
