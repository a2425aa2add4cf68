"""Fit the weights of the signals for file prediction to the project's own past sessions.

The first prompts of the newest sessions are replayed, each with the knowledge at its start, and the
prediction is compared with the files that the session edited. The replay is bounded in number and time, runs
after sessions were learned, and writes one value: the weights with the figures of the fit. `predict_files`
reads it. Commit messages are not replayed: they describe the change in the words of the code, and weights
fitted to them were misleading for prompts.
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

SESSIONS = 40  # newest sessions that are replayed
SECONDS = 3.0  # time limit of the replay
AGAIN = 3  # newly learned sessions after which the weights are fitted again


class Asked(NamedTuple):
    """A past session, the signals for its prompt, and the files that it edited."""

    session: Worked
    task: Task


def weigh_when_due(project: OpenProject) -> Fitted | None:
    """Fit the weights if AGAIN sessions were learned since the last time; None if not due."""
    db = project.db
    kept = db.meta.get(WEIGHTS)
    new = db.sessions.count() - (kept or {}).get("known", 0)
    return weigh(project) if kept is None or not 0 <= new < AGAIN else None


def weigh(project: OpenProject, seconds: float = SECONDS) -> Fitted | None:
    """Fit the weights to a project's past and store them; None if there are too few sessions.

    Args:
        project: the open project, writable.
        seconds: time limit of the replay.
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
    """Return the newest sessions with the signals of each, oldest first.

    None are returned if fewer than `weights.FEWEST` could be replayed.
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
