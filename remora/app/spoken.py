"""What was said to agents, and what would be said now: the log, one memory's reasons, a project's state.

What is over stands in the database with what followed; what goes on stands in the live files of its sessions.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from remora.app.finished import injections_of, is_over, live_sessions
from remora.app.starting import brief_of
from remora.core import moments
from remora.core.clock import to_iso
from remora.disk.live import IDLE, LEARNT, live_file
from remora.injection import render
from remora.injection.brief import as_note

if TYPE_CHECKING:
    from remora.app.memory import Memory
    from remora.app.wiring import Parts
    from remora.core.values import MemoryRecord
    from remora.store.cues import Cue
    from remora.store.injections import Injection

RECENT = 3_600  # seconds
MAX_RECORDED = 2_000  # characters
SHOWN = 20  # times that a memory was said, told in `why`


class Why(NamedTuple):
    """Where a memory comes from, what it would be said at, and when it was.

    Attributes:
        memory: the record, with its origins and its trust.
        cues: commands, names, errors and searches at which it would be said, besides its files.
        said: when it was put in front of an agent, newest first.
        children: memories that rest on it.
    """

    memory: MemoryRecord
    cues: tuple[Cue, ...]
    said: tuple[Injection, ...]
    children: tuple[str, ...]


class Session(NamedTuple):
    """A session whose live file is there.

    Attributes:
        id: "host:session".
        at: when anything last happened, ISO 8601.
        steps: tool calls that are over.
        said: how often anything was said.
        over: it ended, and waits to be taken in.
    """

    id: str
    at: str
    steps: int
    said: int
    over: bool


class Status(NamedTuple):
    """What a project has, and what a session that began now would be told.

    Attributes:
        memories: live ones of the project.
        review: how many wait for a person.
        sessions: that go on or wait to be taken in, the last one first.
        learnt: sessions that were learnt.
        brief: what would be said at the start; empty for nothing.
        ids: memories in it.
    """

    root: str
    home: str
    memories: int
    review: int
    learnt: int
    sessions: tuple[Session, ...]
    brief: str
    ids: tuple[str, ...]


def tell_session(memory: Memory, memory_id: str) -> bool:
    """Note in the live file of the session that goes on what an agent recorded; see `Memory.tell_session`.

    Whoever serves an agent's tools is rarely told its session. Where the environment does not name it, the
    only one in this project that did anything within the hour is meant; of several nobody is told.
    """
    parts = memory._parts
    record = memory.show(memory_id)
    line = render.line(as_note(record)).removeprefix("- ")
    own = parts.environ.get("CLAUDE_CODE_SESSION_ID", "")
    now = time.time()
    going = [
        head
        for head, lines in live_sessions(parts.environ, str(parts.project.home))
        if lines
        and lines[-1].get("k") not in (LEARNT, moments.END)
        and now - float(lines[-1].get("at", 0)) / 1000 <= RECENT
    ]
    meant = [head for head in going if head.session == own] or going
    if len(meant) != 1:
        return False
    with suppress(OSError), live_file(meant[0].host, meant[0].session, parts.environ) as live:
        live.add({"k": "recorded", "x": line[:MAX_RECORDED], "at": int(now * 1000)})
        return True
    return False


def log(parts: Parts, limit: int, session_id: str | None) -> list[Injection]:
    """Return what was said to agents, newest first: of sessions that are over and of those that go on."""
    home = str(parts.project.home)
    fresh = [one for head, lines in live_sessions(parts.environ, home) for one in injections_of(head, lines)]
    stored = parts.room("project").space.injections.latest(limit, session_id)
    known = {(one.session_id, one.at, one.text) for one in stored}
    wanted = [
        one
        for one in fresh
        if (
            session_id is None
            or one.session_id in (session_id, f"{one.session_id.partition(':')[0]}:{session_id}")
        )
        and (one.session_id, one.at, one.text) not in known
    ]
    return sorted((*stored, *wanted), key=lambda one: one.at, reverse=True)[:limit]


def why(memory: Memory, memory_id: str) -> Why:
    """Return where a memory comes from and when it was said; see `Memory.why`."""
    parts = memory._parts
    record = memory.show(memory_id)
    space = next(room.space for room in parts.rooms() if room.space.realm == record.realm)
    stored = parts.room("project").space.injections.of(record.id, SHOWN)
    fresh = [one for one in log(parts, 10 * SHOWN, None) if record.id in one.memory_ids and one not in stored]
    said = tuple(sorted((*stored, *fresh), key=lambda one: one.at, reverse=True)[:SHOWN])
    return Why(record, tuple(space.cues.of(record.id)), said, tuple(space.memories.dependents(record.id)))


def status(memory: Memory) -> Status:
    """Return what a project has and what would be said now; see `Memory.status`."""
    parts = memory._parts
    space = parts.room("project").space
    counts = space.memories.counts()
    said = brief_of(memory)
    return Status(
        str(parts.project.root),
        str(parts.project.home),
        counts["live"],
        counts["needs_review"],
        space.observed.count(),
        tuple(_sessions(parts)),
        said.text,
        said.ids,
    )


def _sessions(parts: Parts) -> list[Session]:
    found = []
    for head, lines in live_sessions(parts.environ, str(parts.project.home)):
        if not lines or lines[-1].get("k") == LEARNT:
            continue
        steps = sum(line.get("k") in (moments.AFTER, moments.FAILED) for line in lines)
        said = sum(isinstance(line.get("said"), list) for line in lines)
        over = is_over(lines, IDLE, 0.0)
        at = to_iso(float(lines[-1].get("at", 0)) / 1000)
        found.append(Session(f"{head.host}:{head.session}", at, steps, said, over))
    return found
