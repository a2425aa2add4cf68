"""The injection log, the reasons of one memory, and the status of a project with its current brief.

Sessions that are over are in the database, with the actions that followed; sessions that continue have live
files.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Any, NamedTuple

from remora.app.agent.injection_log import injections_of
from remora.app.agent.live_sessions import Waiting, waiting
from remora.app.agent.session_brief import brief_of
from remora.app.agent.transcript_capture import transcript_of
from remora.app.codebase.freshness import unfinished
from remora.app.health.maintenance import Maintained, reports
from remora.app.memories.operations import find
from remora.app.project.destinations import in_one_line
from remora.app.project.homes import notice
from remora.app.project.locate import ignored_settings
from remora.app.project.off import off_in
from remora.app.project.open_project import OpenProject
from remora.core import moments
from remora.core.clock import to_iso
from remora.core.errors import RemoraError
from remora.core.triggers import Trigger
from remora.core.values import MemoryRecord
from remora.disk.live import Line, at_of, is_off, is_over, live_file
from remora.injection import render
from remora.injection.brief import as_note
from remora.store.injections import Injection
from remora.store.memories import records_in
from remora.store.shared import SPACE, STATE
from remora.store.trials import Effect
from remora.store.uses import Use

RECENT = 3_600  # seconds
MAX_RECORDED = 2_000  # characters
SHOWN = 20  # injections of a memory in `why`


class Why(NamedTuple):
    """The provenance of a memory, its triggers, and its injections.

    Attributes:
        memory: the record, with its origins and its trust.
        triggers: patterns, commands, errors and searches that trigger it, besides its files.
        said: its injections, newest first.
        children: ids of memories derived from it.
        uses: how often it was injected, requested, viewed, cited, helpful or not, and called wrong.
        held_back: how often the trial held it back.
        effects: how much it helps at each trigger, relative to the trigger's average, if known.
    """

    memory: MemoryRecord
    triggers: tuple[Trigger, ...]
    said: tuple[Injection, ...]
    children: tuple[str, ...]
    uses: Mapping[str, Use] = MappingProxyType({})
    held_back: int = 0
    effects: tuple[Effect, ...] = ()


class Session(NamedTuple):
    """A session with a live file that is not imported yet.

    Attributes:
        id: "host:session".
        at: time of the last moment, ISO 8601.
        steps: number of finished tool calls.
        said: number of injections.
        over: it ended, and waits to be imported.
        edited: files that it changed, from the root of the project, latest first.
    """

    id: str
    at: str
    steps: int
    said: int
    over: bool
    edited: tuple[str, ...] = ()


class Status(NamedTuple):
    """The contents of a project, and the brief that a session would receive now.

    Attributes:
        memories: number of live memories of the project.
        records: number of records of events, by kind.
        review: number of memories that wait for a person.
        sessions: those that continue or wait to be imported, latest first.
        learnt: number of learned sessions.
        brief: the injection at the start of a session; empty for none.
        ids: ids of the memories in the brief.
        notes: notes about the index and the settings.
        speaks: whether injection is on; False if `inject.enabled` is off.
        texts: the destinations of texts, in one line.
        maintenance: the last daily maintenance; None before the first run.
        off: time since when Remora is off for the project, ISO 8601; empty if it is on.
        sharing: the address of the shared log and its last exchange; empty if the project is not shared.
    """

    root: str
    home: str
    memories: int
    records: Mapping[str, int]
    review: int
    learnt: int
    sessions: tuple[Session, ...]
    brief: str
    ids: tuple[str, ...]
    notes: tuple[str, ...] = ()
    speaks: bool = True
    texts: str = ""
    maintenance: Maintained | None = None
    sharing: str = ""
    off: str = ""


def tell_session(project: OpenProject, memory_id: str) -> bool:
    """Note an agent's record in the live file of the current session; see `Memory.tell_session`.

    An MCP server rarely knows the session of its agent. If the environment does not name it, the only session
    of this project with a moment within the hour is meant; if there are several, nothing is noted.
    """
    _, record = find(project, memory_id)
    line = render.line(as_note(record)).removeprefix("- ")
    found = meant(project)
    if found is None:
        return False
    with suppress(OSError), live_file(found.head.host, found.head.session, project.environ) as live:
        live.add({"k": "recorded", "x": line[:MAX_RECORDED], "m": record.id, "at": int(time.time() * 1000)})
        return True
    return False


def as_said(project: OpenProject, text: str) -> dict[str, Any]:
    """Return the fields of a draft that make a statement the person's; see `Memory.as_said`."""
    from remora.app.agent.person_words import restated  # its patterns take some milliseconds to load

    found = meant(project) if project.settings.learn.quotes else None
    if found is None or is_off(found.head, found.lines) or (path := transcript_of(found.head)) is None:
        return {}
    said = ""
    with suppress(RemoraError):  # of a transcript that cannot be read nothing is the person's
        said = restated(text, path)
    if not said:
        return {}
    return {"source": "user_taught", "session_id": found.head.session, "said": said}


def meant(project: OpenProject) -> Waiting | None:
    """Return the current session: the one in the environment, else the only active one; None if unclear."""
    own, now = project.environ.get("CLAUDE_CODE_SESSION_ID", ""), time.time()
    going = [
        one
        for one in waiting(project.environ, str(project.location.home))
        if one.last.get("k") != moments.END and now - at_of(one.last) <= RECENT
    ]
    found = [one for one in going if one.head.session == own] or going
    return found[0] if len(found) == 1 else None


def log(project: OpenProject, limit: int, session_id: str | None) -> list[Injection]:
    """Return injections, newest first: of sessions that are over and of those that continue."""
    fresh = [one for one in _said_in_running_sessions(project) if _is_of(one, session_id)]
    return _newest(project.db.injections.latest(limit, session_id), fresh)[:limit]


def _said_in_running_sessions(project: OpenProject) -> list[Injection]:
    going = waiting(project.environ, str(project.location.home))
    return [said for one in going for said in injections_of(one.head, one.lines)]


def _newest(stored: list[Injection], fresh: list[Injection]) -> list[Injection]:
    """Return both lists, newest first, without duplicates: a running session may be stored in part."""
    known = {(one.session_id, one.at, one.text) for one in stored}
    new = [one for one in fresh if (one.session_id, one.at, one.text) not in known]
    return sorted((*stored, *new), key=lambda one: one.at, reverse=True)


def _is_of(said: Injection, session_id: str | None) -> bool:
    host = said.session_id.partition(":")[0]
    return session_id is None or said.session_id in (session_id, f"{host}:{session_id}")


def why(project: OpenProject, memory_id: str) -> Why:
    """Return the provenance and the injections of a memory; see `Memory.why`."""
    store, record = find(project, memory_id)
    fresh = [one for one in _said_in_running_sessions(project) if record.id in one.memory_ids]
    said = _newest(project.db.injections.of(record.id, SHOWN), fresh)
    triggers, children = store.db.triggers.of(record.id), store.db.memories.dependents(record.id)
    uses = store.db.uses.of(record.id)
    held, effects = project.db.trials.held_back(record.id), project.db.trials.effects(record.id)
    return Why(record, tuple(triggers), tuple(said[:SHOWN]), tuple(children), uses, held, tuple(effects))


def status(project: OpenProject) -> Status:
    """Return the status of a project; see `Memory.status`."""
    db = project.db
    counts = db.memories.counts()
    said = brief_of(project)
    notes = [unfinished(project), notice(project.location.foreign), *ignored_settings(project.location.root)]
    return Status(
        str(project.location.root),
        str(project.location.home),
        counts["live"],
        records_in(counts),
        counts["needs_review"],
        db.sessions.count(),
        tuple(_sessions(project)),
        said.text,
        said.ids,
        tuple(note for note in notes if note),
        project.settings.inject.enabled,
        in_one_line(project.settings, project.environ),
        next(reversed(reports(project)), None),
        _sharing(project),
        off_in(project).since,
    )


def _sharing(project: OpenProject) -> str:
    space, state = project.db.meta.get(SPACE), project.db.meta.get(STATE) or {}
    if not isinstance(space, dict):
        return ""
    if state.get("problem"):
        return f"{space['address']}, offline since {state['since'][:16]}"
    if state:
        return f"{space['address']}, last exchange {state['at'][:16]}"
    return f"{space['address']}, not exchanged yet"


def _sessions(project: OpenProject) -> list[Session]:
    """Return the sessions that are not imported yet, the one with the latest moment first."""
    found = map(_summed, waiting(project.environ, str(project.location.home)))
    return sorted(found, key=lambda one: one.at, reverse=True)


def _summed(session: Waiting) -> Session:
    return Session(
        session.head.id,
        to_iso(at_of(session.last)),
        steps=sum(line.get("k") in (moments.AFTER, moments.FAILED) for line in session.lines),
        said=sum(isinstance(line.get("said"), list) for line in session.lines),
        over=is_over(session.lines, time.time() - at_of(session.last)),
        edited=tuple(dict.fromkeys(path for line in reversed(session.lines) for path in _edited(line))),
    )


def _edited(line: Line) -> Sequence[str]:
    done = line.get("k") == moments.AFTER and line.get("a") in ("edit", "write")
    return [str(path) for path in line.get("p", ())] if done else ()
