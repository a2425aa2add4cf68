"""What the journal is told of a session: a line in its day's note, and an entry in the history.

A session is learned in its pauses, too, so the same one comes here several times. Its line then takes the
place of the line before, where that is of the same day and still as it was written; a person's changes stay.
The history is only ever appended to: it gets its entry when the session is over, and one for a day at most.
What was noted is told by a line in the session's live file, without its words.
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

NOTED = "noted"  # kind of the line that says what was written into the journal


def write_down(
    project: OpenProject, head: Head, learnt: int, lines: Sequence[Line], *, at: float, ended: bool
) -> Line | None:
    """Note a session in its day's file and, when it is over, in the history.

    A journal that is off takes nothing.

    Args:
        project: the open project.
        head: whose session it is.
        learnt: how many memories came of it.
        lines: of the live file.
        at: when anything last happened in the session, in seconds since the epoch.
        ended: the session is over; otherwise it may go on.

    Returns:
        The line for the live file: `n` says what the session came to, `d` on which day, `l` which line the
        note has and `h` what is in the history, each where it was written. None where nothing is new.
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
    """Write a session's line and return it; empty where a person changed or removed the one before."""
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
    """Return a session's entry of the history."""
    came = f"; {learnt} {'memory' if learnt == 1 else 'memories'}" if learnt else ""
    what = f": {about.summary[:400]}" if about.summary else "."
    files = f" Files: {', '.join(about.edited[:8])}." if about.edited else ""
    entry = f"{head.host}, {about.kind}, {about.outcome}{came}. {about.prompt[:200]}{what}"
    return f"{' '.join(entry.split())}{files}"


def _digest(text: str) -> str:
    return f"{zlib.crc32(text.encode('utf-8', 'replace')):08x}"
