"""Summarise a run of `learn`: the memories that served in its sessions, and those learned from them.

The learned memories are those that the run recorded. The memories that served come from the caller, if a
program saw its agent use them; otherwise they are the session's injections, with the actions that followed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from remora.core.citation import short_name
from remora.core.errors import Conflict
from remora.core.text import shorten
from remora.core.values import Used

if TYPE_CHECKING:
    from remora.app.learning.promotion import Learnt
    from remora.app.project.open_project import OpenProject
    from remora.core.values import MemoryRecord
    from remora.store.database import Database

TITLE = 80  # characters
MOST_SAID = 500  # injections read of each session
MOST_SESSIONS = 20  # sessions of one run whose injections are listed
RECENT = 500  # newest sessions that are searched for those of a run


class Remembered(NamedTuple):
    """A memory that served, with its text; `times` is its number of injections."""

    memory_id: str
    type: str
    text: str
    how: str = ""
    ok: bool | None = None
    times: int = 1


class SessionSummary(NamedTuple):
    """The summary of one run of `learn`.

    Attributes:
        run: its number; 0 if nothing was learned yet.
        title: the request of the session; for several sessions, their number.
        outcome: the outcome of a single session; empty for several.
        sessions: their ids, "host:session", oldest first.
        remembered: the memories that served in them.
        learned: the memories stored or changed that still exist.
        wrong: the largest number of memories that a person called wrong in one of the sessions.
    """

    run: int
    title: str
    outcome: str
    sessions: tuple[str, ...]
    remembered: tuple[Remembered, ...]
    learned: tuple[Learnt, ...]
    wrong: int = 0


def summary(
    project: OpenProject,
    run: int | None = None,
    *,
    session_id: str | None = None,
    used: Sequence[Used] | None = None,
) -> SessionSummary:
    """Return the summary of a run; see `Memory.session_summary`."""
    from remora.app.learning.learn import (
        learned,  # imports the observer, which callers of `Used` do not need
    )

    db = project.db
    number = db.sessions.last_run() if run is None else run
    if session_id is None:
        found = learned(project, run)
        ids = {name for one in found for name in _sessions_of(one.memory)}
        rows = [row for row in db.sessions.sessions(RECENT) if _name(row.id) in ids]
    else:
        rows = db.sessions.rows(_named(db, session_id))
        every = learned(project, run, ever=run is None)
        found = [one for row in rows for one in every if _name(row.id) in _sessions_of(one.memory)]
    rows.sort(key=lambda row: (row.started_at or "", row.id))
    sessions = tuple(row.id for row in rows[-MOST_SESSIONS:])
    prompt = rows[0].prompt.strip().partition("\n")[0] if len(rows) == 1 else ""
    several = f"{len(rows)} sessions" if len(rows) > 1 else "one session" if rows else ""
    title = shorten(prompt, TITLE) or several
    told = _said(db, sessions) if used is None else list(used)
    remembered = _remembered(project, told)
    outcome = rows[0].outcome if len(rows) == 1 else ""
    wrong = (sum(s.db.uses.wrong_in(one) for s in project.stores()) for one in sessions)
    return SessionSummary(number, title, outcome, sessions, remembered, tuple(found), max(wrong, default=0))


def _named(db: Database, name: str) -> list[str]:
    """Return the session ids that match a name or its beginning; empty if none does."""
    found = db.sessions.named(name, 5)
    if len(found) > 1:
        ids = ", ".join(found)
        raise Conflict(f"{name!r} matches several ids: {ids}", hint="Give more characters of the id.")
    return found


def _name(session: str) -> str:
    return session.partition(":")[2]


def _sessions_of(record: MemoryRecord) -> tuple[str | None, ...]:
    return (record.session_id, *record.provenance_session_ids)


def _said(db: Database, sessions: Sequence[str]) -> list[Used]:
    """Return the injections of some sessions, in order, with the actions that followed."""
    found: list[Used] = []
    for session in sessions:
        said = db.injections.latest(MOST_SAID, session)[::-1]
        found += [Used(i, one.followed or one.why) for one in said for i in one.memory_ids]
    return found


def _remembered(project: OpenProject, told: Sequence[Used]) -> tuple[Remembered, ...]:
    """Return the memories that served, each once, with the last entry about each."""
    last = {one.memory_id: one for one in told}
    records = {
        i: record for store in project.stores() for i, record in store.db.memories.get_many(last).items()
    }
    return tuple(
        Remembered(
            i,
            records[i].type,
            short_name(records[i].citation_text, records[i].content),
            one.how,
            one.ok,
            sum(other.memory_id == i for other in told),
        )
        for i, one in last.items()
        if i in records
    )
