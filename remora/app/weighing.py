"""What each signal for files counts here: ask the project's own past again, and keep what fits it.

The newest sessions are asked by what was said first in them, each with what was known when it began, and held
against the files that they edited. Where there are few of them, commits are asked by their messages. It is
bounded in number and in time, runs after what was learnt, and writes one value: the weights with what they
were told from. `predict_files` reads it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from remora.core import weights
from remora.core.clock import to_iso
from remora.core.weights import Fitted, Task
from remora.retrieval.files import WEIGHTS, Before, evidence, named

if TYPE_CHECKING:
    from remora.app.wiring import Parts
    from remora.store.space import Space

SESSIONS, COMMITS = 40, 40  # the newest that are asked again
SECONDS = 2.0  # after which no further one is


class Asked(NamedTuple):
    """A task of the past: "session" or "commit", its text, when it began, and what it touched."""

    kind: str
    text: str
    before: Before
    touched: frozenset[str]


def weigh(parts: Parts, seconds: float = SECONDS) -> Fitted | None:
    """Find the weights that a project's past asks for, and keep them; None where that is too little to tell.

    Args:
        parts: the open memory; one that is only read keeps what it has.
        seconds: after which the tasks that were asked have to do.
    """
    if parts.read_only:
        return None
    space = parts.room("project").space
    asked, tasks = replay(space, seconds)
    found = weights.fit(tasks) if len(tasks) >= weights.FEWEST else None
    kept = None
    if found is not None:
        changed = {name: found.weights.get(name, 0.0) for name in weights.SIGNALS}
        kept = {
            "weights": {name: value for name, value in changed.items() if value != weights.SHIPPED[name]},
            "sessions": sum(one.kind == "session" for one in asked),
            "commits": sum(one.kind == "commit" for one in asked),
            "recall": found.recall,
            "shipped": found.shipped,
            "floor": found.floor,
            "floor_recall": found.floor_recall,
            "at": to_iso(parts.clock.now()),
        }
    if kept is not None or space.meta.get(WEIGHTS) is not None:
        with space.db.transaction(durable=False):
            space.meta.set(WEIGHTS, kept)
    return found


def replay(space: Space, seconds: float) -> tuple[list[Asked], list[Task]]:
    """Return the tasks of the past that were asked, and what the signals said of each, oldest first."""
    until = time.monotonic() + seconds
    found: list[tuple[Asked, Task]] = []
    for one in _past(space):
        if one.kind == "commit" and sum(other.kind == "session" for other, _ in found) >= weights.FEWEST:
            break
        if time.monotonic() > until:
            break
        signals = evidence(space, one.text, tests=True, before=one.before).signals
        found.append((one, Task(signals, named(space, one.text), one.touched)))
    found.sort(key=lambda pair: pair[0].before.at)
    return [one for one, _ in found], [task for _, task in found]


def _past(space: Space) -> Iterator[Asked]:
    """Yield the tasks of the past that came to touch files which are there today, the newest first."""
    for session in space.observed.worked(SESSIONS):
        touched = frozenset(space.leads.today(session.edited).values())
        if touched and any(sign.isalnum() for sign in session.asked):
            before = Before(session.started, space.commits.clock_at(session.started))
            yield Asked("session", session.asked, before, touched)
    for commit in space.commits.newest(COMMITS):
        touched = frozenset(space.leads.today(commit.files).values())
        if touched and any(sign.isalnum() for sign in commit.subject):
            text = f"{commit.subject}\n\n{commit.body}"
            yield Asked("commit", text, Before(commit.date, commit.clock), touched)
