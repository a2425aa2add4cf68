"""What follows a session: its live file is taken in, its transcript learnt, the journal written.

Hosts end sessions without a word, are killed, or pause for days, so nothing depends on a last event: a
session is over when it says so or when nothing happened in it for some hours. Each step is safe to repeat;
a line in the live file says how far the work went, and a session that goes on afterwards is taken up
again with what it added. Old files go.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from remora.core import moments
from remora.core.clock import to_iso
from remora.core.errors import RemoraError, StoreBusy
from remora.disk.files import lock
from remora.disk.live import SUFFIX, Head, Line, LiveFile, folder, read
from remora.store.injections import Injection

if TYPE_CHECKING:
    from remora.app.learn import LearnReport, SessionLearnt
    from remora.app.memory import Memory

IDLE = 6 * 3_600  # seconds without a moment after which a session is over
KEPT = 14 * 86_400  # seconds that a live file stays after the work on it
LEARNT = "learnt"  # kind of the line that says that everything above it was taken in
EMBED_SECONDS = 30.0
MOST_SECONDS = 600.0  # of one process
_ACTS = (moments.AFTER, moments.FAILED)


class Done(NamedTuple):
    """What the work on one session came to."""

    session: str
    project: str
    said: int
    learnt: int
    problem: str = ""


def bounded_work(environ: Mapping[str, str]) -> list[Done]:
    """Take in every session that is over, in a process that ends after MOST_SECONDS whatever happens.

    What is cut off goes on with the next session's end: each step is a transaction of its own.
    """
    watch = threading.Timer(MOST_SECONDS, os._exit, (0,))
    watch.daemon = True
    watch.start()
    try:
        return work(environ)
    finally:
        watch.cancel()


def work(environ: Mapping[str, str], *, idle: float = IDLE) -> list[Done]:
    """Take in every session that is over; one process at a time, the others leave at once.

    Args:
        environ: the process environment.
        idle: seconds without a moment after which a session counts as over.
    """
    place = Path(folder(environ))
    if not place.is_dir():
        return []
    done = []
    try:
        with lock(place / "work", timeout=0.0):
            for path, head, lines in _over(place, idle):
                done.append(_session(path, head, lines, environ))
    except StoreBusy:
        return []
    return done


def _over(place: Path, idle: float) -> Iterator[tuple[Path, Head, list[Line]]]:
    """Yield the sessions that are over and not yet taken in; remove the files of old ones."""
    for path in sorted(place.glob(f"*{SUFFIX}")):
        try:
            age = time.time() - path.stat().st_mtime
            head, lines = read(str(path))
        except OSError:
            continue
        if lines and lines[-1].get("k") == LEARNT:
            if age > KEPT:
                path.unlink(missing_ok=True)
            continue
        ended = any(line.get("k") == moments.END for line in lines[-3:])
        if not ended and age <= idle:
            continue
        if head is None or not head.home:
            if age > idle:
                path.unlink(missing_ok=True)  # a folder without a memory
            continue
        yield path, head, lines


def _session(path: Path, head: Head, lines: Sequence[Line], environ: Mapping[str, str]) -> Done:
    from remora.app.memory import Memory

    name = f"{head.host}:{head.session}"
    try:
        with Memory.open(project=head.root, environ=environ) as memory:
            said = injections_of(head, lines)
            with memory._parts.room("project").space.db.transaction():
                memory._parts.room("project").space.injections.put(said)
            learnt = learn_session(memory, head)
            memory.catch_up(EMBED_SECONDS)
    except (RemoraError, OSError) as error:
        return Done(name, head.root, 0, 0, str(error))
    with suppress(OSError), LiveFile(str(path)) as live:
        live.add({"k": LEARNT, "at": int(time.time() * 1000)})
    return Done(name, head.root, len(said), learnt)


def learn_session(memory: Memory, head: Head) -> int:
    """Learn a session's transcript, or what was captured of it, and note it in the journal.

    Returns:
        How many memories were stored or changed.
    """
    from remora.app.capturing import captured

    path = Path(head.transcript).expanduser() if head.transcript else None
    if path is None or not path.is_file():
        path = captured(head)
    if path is None:
        return 0
    report = memory.learn(path)
    for session in report.sessions:
        if session.id == head.session:
            _write_down(memory, session, report)
    return len(report.learnt)


def _write_down(memory: Memory, session: SessionLearnt, report: LearnReport) -> None:
    """Note a session in the day's file and in the history; a journal that is off takes nothing."""
    parts = memory._parts
    if not parts.settings.journal.enabled or not session.prompt:
        return
    about = parts.room("project").space.observed.told(f"{session.host}:{session.id}")
    if about is None:
        return
    what = about.summary or f"{session.kind}, {session.outcome}"
    with suppress(RemoraError):
        memory.journal.note(session.prompt, what)
    learnt = f"; {len(report.learnt)} memories" if report.learnt else ""
    files = f" Files: {', '.join(about.edited[:8])}." if about.edited else ""
    entry = f"{session.host}, {session.kind}, {session.outcome}{learnt}. {session.prompt[:200]}: {what[:400]}"
    with suppress(RemoraError):
        memory.journal.add_history(f"{' '.join(entry.split())}{files}")


def injections_of(head: Head, lines: Sequence[Line]) -> list[Injection]:
    """Return what was said in a session, with what followed, from the lines of its live file."""
    found = []
    steps: dict[str, int] = {}
    for number, line in enumerate(lines):
        agent = str(line.get("g", ""))
        if line.get("k") in _ACTS:
            steps[agent] = steps.get(agent, 0) + 1
        if not isinstance(line.get("said"), list):
            continue
        paths = line.get("p") or []
        found.append(
            Injection(
                f"{head.host}:{head.session}",
                agent,
                steps.get(agent, 0),
                to_iso(float(line.get("at", 0)) / 1000),
                str(line.get("k", "")),
                str(line.get("t", "")),
                str(paths[0]) if paths else str(line.get("q", "")),
                tuple(str(i) for i in line["said"]),
                str(line.get("x", "")),
                str(line.get("w", "")),
                _followed(line, [after for after in lines[number + 1 :] if after.get("g", "") == agent]),
            )
        )
    return found


def _followed(said: Line, after: Sequence[Line]) -> str:
    """Return in words what an agent did after something was said to it; empty where nothing can be told."""
    acts = [line for line in after if line.get("k") in _ACTS]
    trigger = said.get("t")
    if trigger in ("command", "error"):
        runs = [line for line in acts if line.get("a") == "run"]
        own = next((run for run in runs if said.get("k") == moments.BEFORE and _same_call(said, run)), None)
        if own is not None:
            runs.remove(own)  # a host hands over what is said before a command together with its result
        if not runs:
            return "no command was run afterwards"
        return "the next command failed" if runs[0].get("k") == moments.FAILED else "the next command worked"
    paths = set(said.get("p") or ())
    changed = [p for line in acts if line.get("a") in ("edit", "write") for p in line.get("p", ())]
    if trigger == "partners":
        others = sorted(set(changed) - paths)
        return f"then changed {', '.join(others[:4])}" if others else "no other file was changed"
    if trigger == "gotchas" and paths:
        return "the file was changed" if paths & set(changed) else "the file was left as it is"
    return ""


def _same_call(one: Line, other: Line) -> bool:
    """Return whether two moments are of one call: by the host's id, else by what was asked of the tool."""
    key = "i" if "i" in one else "n"
    return one.get(key) is not None and one.get(key) == other.get(key)


def live_sessions(environ: Mapping[str, str], home: str) -> list[tuple[Head, list[Line]]]:
    """Return the sessions of a project whose live files are there, the last one first."""
    place = folder(environ)
    found = []
    with suppress(OSError):
        for name in os.listdir(place):  # noqa: PTH208  names are all that is needed
            if name.endswith(SUFFIX):
                with suppress(OSError, json.JSONDecodeError):
                    head, lines = read(os.path.join(place, name))  # noqa: PTH118
                    if head is not None and head.home == home:
                        found.append((head, lines))
    return sorted(found, key=lambda one: -int(one[1][-1].get("at", 0) if one[1] else 0))
