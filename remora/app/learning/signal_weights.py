"""What each signal for files counts here: ask the project's own past again, and keep what fits it.

The newest sessions are asked by what was said first in them, each with what was known when it began, and held
against the files that they edited. That is bounded in number and in time, runs after sessions were learned,
and writes one value: the weights with what they were told from. `predict_files` reads it. Commits are not
asked by their messages: those tell what was done, in the words of the code, and weights that fit them misled
where people ask for something.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from remora.core import weights
from remora.core.clock import to_iso
from remora.core.weights import Fitted, Task
from remora.retrieval.files import WEIGHTS, Before, evidence, named

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject
    from remora.store.database import Database
    from remora.store.session_reader import Worked

SESSIONS = 40  # the newest that are asked again
SECONDS = 3.0  # after which no further one is
AGAIN = 3  # sessions that were learned since, from which it is worth another look


class Asked(NamedTuple):
    """A session of the past, what the signals said of it, and what it came to touch."""

    session: Worked
    task: Task


def weigh_when_due(project: OpenProject) -> Fitted | None:
    """Weigh where some sessions were learned since the last time; None where that is not due."""
    db = project.db
    kept = db.meta.get(WEIGHTS)
    new = db.sessions.count() - (kept or {}).get("known", 0)
    return weigh(project) if kept is None or not 0 <= new < AGAIN else None


def weigh(project: OpenProject, seconds: float = SECONDS) -> Fitted | None:
    """Find the weights that a project's past asks for, and keep them; None where that is too little to tell.

    Args:
        project: the open project, which can be written.
        seconds: after which the sessions that were asked have to do.
    """
    db = project.db
    asked = replay(db, seconds)
    found = weights.fit([one.task for one in asked]) if asked else None
    if found is None:
        return None
    changed = {name: value for name, value in found.weights.items() if value != weights.SHIPPED[name]}
    kept = {
        "weights": changed,
        "sessions": len(asked),
        "recall": found.recall,
        "shipped": found.shipped,
        "floor": found.floor,
        "floor_recall": found.floor_recall,
        "known": db.sessions.count(),
        "at": to_iso(project.clock.now()),
    }
    with db.connection.transaction(durable=False):
        db.meta.set(WEIGHTS, kept)
    return found


def replay(db: Database, seconds: float) -> list[Asked]:
    """Return the newest sessions with what the signals said of each, the first of them first.

    None are returned where fewer than `weights.FEWEST` could be asked.
    """
    until = time.monotonic() + seconds
    found: list[Asked] = []
    past = db.sessions.worked(SESSIONS)
    for session in past if len(past) >= weights.FEWEST else ():
        if time.monotonic() > until:
            break
        touched = frozenset(db.file_prediction.today(session.edited).values())
        if touched and any(sign.isalnum() for sign in session.asked):
            before = Before(session.started, db.commits.clock_at(session.started))
            signals = evidence(db, session.asked, tests=True, before=before).signals
            found.append(Asked(session, Task(signals, named(db, session.asked), touched)))
    return found[::-1] if len(found) >= weights.FEWEST else []
