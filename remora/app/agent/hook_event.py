"""Answer one moment of a session in a hook process: look up memories, decide, note the injection, reply.

The imports here are those of a tool call, and few; the start of a session and its first prompt need the open
project with its model, which a thread with a limit of three seconds imports. On any error the reply is
silence and, if a file can be written, a line in the log.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Container, Mapping, Sequence
from contextlib import closing
from typing import Any, TypeVar

from remora.app.agent.hook_context import (
    DECIDED,
    DEEPEST,
    is_task,
    kind_of,
    limits_of,
    line_of,
    name_of,
    note_trouble,
    place_of,
    setting_of,
)
from remora.core import moments
from remora.core.moments import SILENCE, Moment, Reply
from remora.disk.live import SOUGHT, Head, Line, LiveFile, at_of, is_off, live_file
from remora.disk.places import data_folder
from remora.injection.render import SHORT
from remora.injection.state import state_of
from remora.injection.trial import decide_in_trial
from remora.store.hook_reader import look

DATABASE = "memory.db"
CEILING = 3.0  # seconds; the agent continues without an answer that takes longer
_TOOLS = (moments.BEFORE, moments.AFTER, moments.FAILED)
SAID = "said"  # kind of the line of an injection; its `of` is the kind of the moment
MOST_SAID = 9_000  # bytes of one injection; every host accepts that many
TOGETHER = 5.0  # seconds within which equal moments without an id count as one
TOLD_TWICE = 60  # lines that are searched for a duplicate of a moment
T = TypeVar("T")


def respond(
    moment: Moment,
    environ: Mapping[str, str],
    *,
    injects: Container[str] = moments.KINDS,
    started: str = "",
) -> Reply:
    """Return the reply to a moment, and note the moment in the session's live file.

    The moment is noted first, since a host may kill a slow hook; the injection has a line of its own. Fast
    decisions are made while the file is locked, so that parallel tools never receive the same memory twice.
    Slow ones, which may take seconds, are made without the lock; a second report of the same moment meanwhile
    gets silence (hosts with two integrations report every moment twice).

    Args:
        moment: the moment.
        environ: the process environment.
        injects: kinds of moments at which text reaches the model; others are only noted.
        started: the working folder of the process, for moments that name none.
    """
    if moment.kind == moments.OTHER or not moment.session:
        return SILENCE
    begun, heard = time.monotonic(), moment.kind in injects
    with live_file(moment.host, moment.session, environ) as live:
        if _again(live.lines, moment):
            return SILENCE
        head = None if _unknown(live.head, moment) else live.head
        if head is not None and not head.home and not head.late:
            return SILENCE
        if is_off(head, live.lines):
            return SILENCE
        heavy, told = _is_heavy(moment, live), list(live.lines)
        if live.head is None:
            live.begin(_homeless(moment, started)._replace(late=SOUGHT))
        noted = line_of(moment, SILENCE, head or live.head or _homeless(moment, started))
        live.add(noted)
        if head is not None and not (head.home and heard and head.limits and heavy):
            return _quick(moment, live, told, head, environ, injects)
    if head is None:
        head = _within(lambda: _found(moment, environ, started), CEILING, environ)
        head = head or _homeless(moment, started)
        with live_file(moment.host, moment.session, environ) as live:
            if is_off(head, live.lines):
                live.restart(head)  # the moment was noted before its project was known
                return SILENCE
            if live.head is not None and live.head.home and not head.home:
                head = live.head  # a slow moment does not replace the known project
            else:
                live.begin(head)
            if not heavy:
                told = [line for line in live.lines if line != noted]
                return _quick(moment, live, told, head, environ, injects)
    if not (head.home and heard and head.limits):
        return SILENCE
    left = begun + min(head.timeout or CEILING, CEILING) - time.monotonic()
    reply = _within(lambda: _heavy(moment, told, head, environ), left, environ)
    if reply is None or not reply.text:
        return SILENCE
    reply = _fitting(reply)
    with live_file(moment.host, moment.session, environ) as live:
        return _said(moment, live, reply, head)


def _quick(
    moment: Moment,
    live: LiveFile,
    told: Sequence[Line],
    head: Head,
    environ: Mapping[str, str],
    injects: Container[str],
) -> Reply:
    """Decide about a moment that is noted; an error in the decision is silence.

    If another process holds the lock for longer than the wait, the reply is silence: it could be a duplicate.
    """
    told_at_start = head.arm == "passive"  # arm of the trial: injections at the start and first prompt only
    decides = moment.kind in DECIDED and moment.kind in injects and not told_at_start
    if decides and head.home and head.limits and live.alone:
        try:
            early = moments.BEFORE in injects
            return _said(moment, live, _decided(moment, told, head, environ, early=early), head)
        except Exception as error:  # noqa: BLE001  a failing memory never fails the agent
            note_trouble(error, environ)
    return SILENCE


def _said(moment: Moment, live: LiveFile, reply: Reply, head: Head) -> Reply:
    """Note the reply to a moment, injected or held back, and return the part that is injected."""
    if reply.text:
        live.add({**line_of(moment, reply, head), "k": SAID, "of": kind_of(moment)})
    if reply.held:
        return SILENCE
    unseen = reply.text and head.limits and not limits_of(head).notice
    return reply._replace(quiet=True) if unseen else reply


def _fitting(reply: Reply) -> Reply:
    """Return a reply short enough for every host; memories that are cut do not count as injected."""
    size = len(reply.text.encode())
    if size <= MOST_SAID:
        return reply
    lines = reply.text.splitlines()
    while size > MOST_SAID and len(lines) > 1:
        size -= len(lines.pop(-2).encode()) + 1  # the last line says how to ask for the rest
    text = "\n".join(lines)
    return reply._replace(text=text, ids=tuple(i for i in reply.ids if f"#{i[:SHORT]}]" in text))


def _is_heavy(moment: Moment, live: LiveFile) -> bool:
    """Return whether the open project is needed: at a start, and for the first prompt that states a task."""
    if moment.kind == moments.PROMPT:
        told = (line for line in live.lines if line.get("t") == "task" or line.get("task"))
        return is_task(moment) and not any(_agent(line) == moment.agent for line in told)
    if moment.source == "resume" and any(line.get("t") == "brief" for line in live.lines):
        return False  # the host restores the whole conversation, including the brief
    return moment.kind == moments.START


def _agent(line: Mapping[str, Any]) -> str:
    return str(line.get("g", ""))


def _again(lines: Sequence[Line], moment: Moment) -> bool:
    """Return whether a moment was noted before, with the same id or as an equal one just before."""
    kind, name, since = kind_of(moment), name_of(moment), time.time() - TOGETHER
    if not name and not moment.call_id:
        return False
    for line in reversed(lines[-TOLD_TWICE:]):
        if _agent(line) != moment.agent or (moment.call_id and line.get("i") != moment.call_id):
            continue
        if not name:
            if line.get("k") == kind:
                return True
        elif line.get("n") != name:
            if kind in _TOOLS and line.get("k") in _TOOLS:
                return False  # another call came between: this is a repeated call
        elif kind in (line.get("k"), line.get("of")):
            return at_of(line) >= since
        elif moment.call_id and line.get("k") in _TOOLS:
            return False  # the call's own result came between: this is another call
    return False


def _unknown(head: Head | None, moment: Moment) -> bool:
    """Return whether the project of a session must be determined.

    It is determined once, again at each start, and at the first moment that names a folder if earlier ones
    did not.
    """
    if head is None or head.late == SOUGHT or (moment.kind == moments.START and moment.source != "compact"):
        return True
    if not head.home and head.root and moment.kind == moments.PROMPT:
        return True  # it may have taken too long at the start
    return not head.home and not head.root and os.path.isdir(place_of(moment))  # noqa: PTH112


def _found(moment: Moment, environ: Mapping[str, str], started: str) -> Head:
    from remora.app.agent.session_brief import head_of

    return head_of(moment, environ, started)


def _homeless(moment: Moment, started: str) -> Head:
    """Return the head of a session whose project is not determined yet.

    Nothing is injected in it; its moments are noted, with paths relative to the root of the work tree.
    """
    root = above = place_of(moment) or started
    for _ in range(DEEPEST):
        if not above or os.path.exists(os.path.join(above, ".git")):  # noqa: PTH110, PTH118
            root = above
            break
        above = os.path.dirname(above)  # noqa: PTH120
    return Head(moment.host, moment.session, root, transcript=moment.transcript, late=1)


def _decided(
    moment: Moment, told: Sequence[Line], head: Head, environ: Mapping[str, str], *, early: bool
) -> Reply:
    path = os.path.join(head.home, DATABASE)  # noqa: PTH118  pathlib costs a tenth of a hook's time
    hook_reader = look(path, os.path.join(data_folder(environ), "user", DATABASE))  # noqa: PTH118
    if hook_reader is None:
        if os.path.exists(path):  # noqa: PTH110
            raise OSError(f"{path} cannot be read: it is in use, damaged or of another version")
        return SILENCE
    with closing(hook_reader):
        state = state_of(told, moment.agent)
        setting = setting_of(head, moment.cwd, hook_reader.threshold, early=early)
        return decide_in_trial(moment, state, hook_reader, setting, head.session, told)


# Moments that need the open project


def _heavy(moment: Moment, told: Sequence[Line], head: Head, environ: Mapping[str, str]) -> Reply:
    from remora.app.agent import session_brief as starting

    if moment.kind == moments.START:
        again = moment.source in ("compact", "resume")
        recorded = state_of(told).recorded if again else ()
        transcript = moment.transcript or head.transcript if moment.source == "compact" else ""
        return starting.brief(head, environ, again=again, recorded=recorded, transcript=transcript)
    return starting.task(head, moment.text, environ, said=state_of(told, moment.agent).said)


def _within(answer: Callable[[], T], seconds: float, environ: Mapping[str, str]) -> T | None:
    """Return an answer that arrives in time; None for one that does not or that fails.

    It is computed in a thread, which is abandoned if it takes longer.
    """
    import threading

    found: list[T] = []
    failed: list[Exception] = []

    def run() -> None:
        try:
            found.append(answer())
        except Exception as error:  # noqa: BLE001  a failing memory never fails the agent
            failed.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(max(0.0, seconds))
    if not found:
        note_trouble(failed[0] if failed else TimeoutError("no answer in time"), environ)
    return found[0] if found else None
