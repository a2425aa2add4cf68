"""The work after a session: import its live file, learn its transcript, write the journal.

After the last session, each of their projects gets its daily maintenance, and a language model, if there is
one, may describe the changed code.

Hosts end sessions without an event, are killed, or pause for days, so nothing depends on a last event: a
session is over when its host reports the end, when its turn ended and nothing happened for some minutes, or
when nothing happened for some hours (`remora.disk.live.is_over`). Each step is safe to repeat; lines in the
live file record the progress, and a session that continues afterwards, or meanwhile, is processed again with
its additions. An error in one session does not stop the others. Old files are removed.

The journal gets a line in the note of the session's day and an entry in the history, once a session.
"""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from remora.app.agent.hook_context import note_trouble
from remora.app.agent.injection_log import injections_of, keep
from remora.app.agent.session_brief import head_of
from remora.app.agent.transcript_capture import FOLDER, transcript_of
from remora.app.agent.trial import keep_units, weigh_memories
from remora.app.agent.trust import note_session
from remora.app.codebase.module_descriptions import describe_when_due
from remora.app.health.maintenance import maintain_when_due
from remora.app.learning.git_history import LATER, follow
from remora.app.learning.learn import learn
from remora.app.learning.synthesis import synthesize_when_due
from remora.app.memories.embedding import catch_up
from remora.app.project.off import off_in
from remora.app.project.open_project import OpenProject, opened
from remora.app.records.journal import Journal
from remora.app.sharing.sync import sync_when_due
from remora.core import moments
from remora.core.errors import RemoraError, StoreBusy
from remora.core.moments import Moment
from remora.disk.files import lock
from remora.disk.live import (
    ENDLESS,
    IDLE,
    KEPT,
    LEARNT,
    MAX_BYTES,
    OPEN,
    QUIET,
    SUFFIX,
    TRIED,
    Head,
    Line,
    LiveFile,
    at_of,
    folder,
    is_over,
    last_line,
    read,
)
from remora.store.session_reader import Told

NOTED = "noted"  # kind of the line in the live file that says that the journal has the session
_OURS = (LEARNT, TRIED, NOTED)
EMBED_SECONDS = 30.0
MOST_SECONDS = 600.0  # time limit of a process
CAPTURED_KEPT = 30 * 86_400  # seconds that a captured transcript stays; Claude Code keeps its own as long


class Done(NamedTuple):
    """The result of the work on one session."""

    session: str
    project: str
    said: int
    learnt: int
    problem: str = ""


def bounded_work(environ: Mapping[str, str]) -> list[Done]:
    """Import every session that is over, in a process that exits after MOST_SECONDS in any case.

    Unfinished work continues at the end of the next session: each step is a transaction of its own.
    """
    watch = threading.Timer(MOST_SECONDS, os._exit, (0,))
    watch.daemon = True
    watch.start()
    try:
        return work(environ)
    finally:
        watch.cancel()


def work(environ: Mapping[str, str], *, idle: float = IDLE) -> list[Done]:
    """Import every session that is over; one process at a time, all others return at once.

    A process that returns relies on the one at work, which therefore checks again after it released the lock.

    Args:
        environ: the process environment.
        idle: seconds without a moment after which a session counts as over.
    """
    place = Path(folder(environ))
    if not place.is_dir():
        return []
    done: list[Done] = []
    waiting: set[str] = set()  # projects that are due for `_follow_up`
    seen: set[tuple[str, int]] = set()  # a session that could not be learned is not retried
    with suppress(StoreBusy):
        while not seen or any(over.state not in seen for over in _over(place, idle, environ)):
            with lock(place / "work", timeout=0.0):
                if not seen:
                    _tidy(place)
                seen.add(("", 0))
                for over in _over(place, idle, environ):
                    if over.state not in seen:
                        seen.add(over.state)
                        done.append(_session(over, environ))
                        if not done[-1].problem:
                            waiting.add(_root(over.head))
                while waiting:
                    _follow_up(waiting.pop(), environ)
    return done


class Over(NamedTuple):
    """A session that is over: its live file and its lines.

    Attributes:
        ended: its host reported the end, or nothing happened for hours; otherwise it may be paused.
    """

    path: Path
    head: Head
    lines: list[Line]
    ended: bool

    @property
    def state(self) -> tuple[str, int]:
        """The name of the live file and its number of moments."""
        return self.path.name, len(_moments(self.lines))

    @property
    def at(self) -> float:
        """Time of the last moment, in seconds since the epoch."""
        times = filter(None, map(at_of, reversed(_moments(self.lines))))
        return next(times, time.time())


def _moments(lines: Sequence[Line]) -> list[Line]:
    """Return the lines that are no records of this work."""
    return [line for line in lines if line.get("k") not in _OURS]


def _over(place: Path, idle: float, environ: Mapping[str, str]) -> Iterator[Over]:
    """Yield the sessions that are over and not yet imported."""
    for path in sorted(place.glob(f"*{SUFFIX}")):
        try:
            age = time.time() - path.stat().st_mtime
            last = last_line(str(path))
            if last.get("k") == LEARNT and not is_over([last], age, idle=idle):
                continue
            head, lines = read(str(path))
        except OSError:
            continue
        if head is not None and head.late and not head.home:
            head = _found_late(head, environ)
        if head is None or not head.home:
            continue
        quiet = 0.0 if head.host in ENDLESS else QUIET
        if is_over(lines, age, idle=idle, quiet=quiet):
            yield Over(path, head, lines, is_over(lines, age, idle=idle, quiet=math.inf))


def _found_late(head: Head, environ: Mapping[str, str]) -> Head:
    """Return the head of a session whose project was not determined in time, determined now."""
    moment = Moment(moments.START, head.host, head.session, head.root, transcript=head.transcript)
    found = head_of(moment, environ)
    return found._replace(at=head.at, limits=())


def _tidy(place: Path) -> None:
    """Remove live files that were imported long ago, and those of sessions without a memory."""
    for path in place.glob(f"*{SUFFIX}"):
        with suppress(OSError):
            age = time.time() - path.stat().st_mtime
            if age <= IDLE:
                continue
            if (last := last_line(str(path))).get("k") == LEARNT:
                gone = age > KEPT and not last.get(OPEN)  # the journal has an open one only when it is over
            else:
                head, _ = read(str(path))
                gone = head is None or not head.home
            if gone:
                path.unlink()


def _tidy_captured(home: Path, place: Path) -> None:
    """Remove captured transcripts of sessions that were imported long ago."""
    for path in (home / FOLDER).glob(f"*{SUFFIX}"):
        with suppress(OSError):
            live = place / path.name
            if time.time() - path.stat().st_mtime <= CAPTURED_KEPT:
                continue
            if not live.exists() or last_line(str(live)).get("k") == LEARNT:
                path.unlink()


def _session(over: Over, environ: Mapping[str, str]) -> Done:
    head, lines = over.head, over.lines
    try:
        with opened(_root(head), environ) as project:
            if head.session in off_in(project).sessions:
                _mark(over, {"k": LEARNT})
                return Done(head.id, head.root, 0, 0)
            said = injections_of(head, lines)
            keep(project, said)
            keep_units(project, head, lines)
            learnt = learn_session(project, head)
            if said or learnt:
                note_session(project, head.id)
            if over.ended and (about := due(project, head, lines)):
                # The mark comes first: a process that dies in between must not write twice.
                _mark(over, {"k": NOTED})
                write_down(project, head, about, learnt, over.at)
            _mark(over, {"k": LEARNT, **({} if over.ended else {OPEN: 1})})
            _tidy_captured(Path(head.home), over.path.parent)
            with suppress(RemoraError):
                catch_up(project, EMBED_SECONDS, code=True)
    except Exception as error:  # noqa: BLE001  the other sessions are still to be learned
        note_trouble(error, environ)
        if not isinstance(error, StoreBusy):  # a busy store is free again soon
            _mark(over, {"k": TRIED})
        return Done(head.id, head.root, 0, 0, f"{type(error).__name__}: {error}")
    return Done(head.id, head.root, len(said), learnt)


def _follow_up(root: str, environ: Mapping[str, str]) -> None:
    """Read new commits, do the daily maintenance, sync the shared log, and describe changed code."""
    try:
        with opened(root, environ) as project:
            with suppress(RemoraError):
                follow(project, LATER)
            if maintain_when_due(project) is not None:
                weigh_memories(project)
            synthesize_when_due(project)
            sync_when_due(project)
            describe_when_due(project)
    except Exception as error:  # noqa: BLE001  learned memories are kept, and the next day retries
        note_trouble(error, environ)


def _root(head: Head) -> str:
    """Return the folder of a session's project; for a removed work tree, that of its repository."""
    above, mark, _ = head.head_file.replace("\\", "/").partition("/.git/worktrees/")
    return above if mark and not Path(head.root).is_dir() and Path(above).is_dir() else head.root


def _mark(over: Over, line: Line) -> None:
    """Record the progress in the live file; moments that were added meanwhile stay unimported."""
    with suppress(OSError):
        given_up = line["k"] == TRIED and _is_too_old(over)
        if given_up or over.path.stat().st_size > MAX_BYTES:
            over.path.unlink()
            return
        with LiveFile(str(over.path)) as live:
            has_grown = len(_moments(live.lines)) != len(_moments(over.lines))
            if not (has_grown and line["k"] == LEARNT):
                live.add({**line, "at": int(time.time() * 1000)})


def _is_too_old(over: Over) -> bool:
    """Return whether the first failed attempt to learn a session is older than KEPT."""
    tried = (at_of(line) for line in over.lines if line.get("k") == TRIED)
    return time.time() - next(filter(None, tried), time.time()) > KEPT


def learn_session(project: OpenProject, head: Head) -> int:
    """Learn the transcript of a session, the captured one if there is one.

    Returns:
        Number of memories stored or changed.

    Raises:
        StoreBusy: another process is learning for this project.
    """
    path = transcript_of(head)
    if path is None:
        return 0
    report = learn(project, path)
    if report.notes and not (report.sessions or report.unchanged or report.skipped):
        raise StoreBusy(report.notes[0])
    return len(report.learnt)


def due(project: OpenProject, head: Head, lines: Sequence[Line]) -> Told | None:
    """Return what a session that is over came to; None if the journal has it or is off."""
    if not project.settings.journal.enabled or any(line.get("k") == NOTED for line in lines):
        return None
    about = project.db.sessions.told(head.id)
    return about if about is not None and about.prompt else None


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
