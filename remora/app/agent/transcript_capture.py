"""Capture the transcript of a host that leaves none we can read, as our own events.

One file for each session, `captured/<host>+<session>.jsonl` in the project's home, in the format of
`remora.sources.transcripts.plain`. Secrets are removed before a line is written. Reading it later counts
nothing twice: a moment's key is the host's id of the call or prompt if it is unique, else that of its line in
the live file, which exists once even for a moment that is reported twice. A host that does not report the
model's last reply in a turn reports at least the end of the turn.

Imports are few: every tool call runs this module.
"""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from remora.app.agent.hook_context import kind_of, name_of, relative_to
from remora.core import moments
from remora.core.actions import own_id
from remora.core.clock import to_iso
from remora.core.events import Event
from remora.core.moments import Moment
from remora.disk.live import APPENDING, Head, Line, file_name, folder, is_off, lock_briefly, read
from remora.sources.transcripts.plain_lines import header, line_of

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = "captured"
MAX_BYTES = 50_000_000  # of a session's file
_KINDS = {
    moments.PROMPT: "user_prompt",
    moments.BEFORE: "tool_call",
    moments.AFTER: "tool_result",
    moments.FAILED: "tool_result",
    moments.REPLY: "reply",
    moments.STOP: "reply",
    moments.COMPACTED: "compaction",
    moments.END: "session_end",
}
_RESULTS = (moments.AFTER, moments.FAILED)


def capture(moment: Moment, environ: Mapping[str, str]) -> bool:
    """Append a moment after it was noted in the live file; return whether anything was written."""
    kind = _KINDS.get(moment.kind)
    if moment.kind == moments.STOP and (moment.source == moments.ABORTED or not moment.text):
        kind = "step"
    elif kind is None or (kind == "reply" and not moment.text):
        return False
    try:
        head, lines = read(os.path.join(folder(environ), file_name(moment.host, moment.session)))  # noqa: PTH118
    except FileNotFoundError:
        return False
    if head is None or not head.home or is_off(head, lines):
        return False
    place = os.path.join(head.home, FOLDER)  # noqa: PTH118
    if not os.path.isdir(place):  # noqa: PTH112
        _make(place, head, environ)
    events = _events(moment, kind, head, lines)
    if kind != "step":  # a step has no text; the search for secrets takes half of a hook's time
        from remora.app.learning.event_cleaning import clean

        events = [clean(event)[0] for event in events]
    return _append(os.path.join(place, file_name(head.host, head.session)), head, events)  # noqa: PTH118


def captured(head: Head) -> Path | None:
    """Return the captured transcript of a session; None if there is none."""
    from pathlib import Path

    path = Path(head.home) / FOLDER / file_name(head.host, head.session)
    return path if path.is_file() else None


def transcript_of(head: Head) -> Path | None:
    """Return the transcript of a session, the captured one if there is one; None if there is none."""
    from pathlib import Path

    path = captured(head) or (Path(head.transcript).expanduser() if head.transcript else None)
    return path if path is not None and path.is_file() else None


def _make(place: str, head: Head, environ: Mapping[str, str]) -> None:
    """Create the folder; a home inside the repository is hidden from git first."""
    from pathlib import Path

    from remora.app.project.locate import locate, make_home
    from remora.disk.files import make_folder

    if not Path(head.home).is_dir():
        make_home(locate(Path(head.root), environ)[0], environ)
    make_folder(Path(place))


def _events(moment: Moment, kind: str, head: Head, lines: Sequence[Line]) -> list[Event]:
    """Return the events of a moment: a result includes its call if the host did not report the call."""
    own = _own(moment, lines)
    done = sum(1 for line in lines[: own + 1] if line.get("k") in _RESULTS)
    line = lines[own] if own >= 0 else {}
    at = line.get("at") or int(time.time() * 1000)
    step = done + (kind in ("tool_call", "reply", "step"))  # results belong to the step before
    event = Event(kind, moment.session, "", step=step, at=to_iso(time.time()), agent=moment.agent)
    if kind not in ("tool_call", "tool_result"):
        if kind == "step":
            how = "interrupted" if moment.source == moments.ABORTED else "over"
            return [event._replace(key=f"step:{at}", extra={how: True})]
        mark = zlib.crc32(moment.text.encode("utf-8", "replace"))
        return [event._replace(key=f"{kind}:{moment.turn or at}:{mark:08x}", text=moment.text)]
    call_id, told = _call(
        moment, lines, own, _mark(lines, own) if own >= 0 else f"{moment.call_id or name_of(moment)}@{at}"
    )
    relative = relative_to(head.root, moment.cwd)
    used = event._replace(
        tool=moment.tool,
        action=moment.action,
        call_id=call_id,
        paths=tuple(relative(path) or path for path in moment.paths),
        command=moment.command,
        pattern=moment.pattern,
        url=moment.url,
    )
    changed = {"new": moment.changed, "old": moment.removed}
    extra = {name: text for name, text in changed.items() if text} or None
    call = used._replace(kind="tool_call", key=f"{call_id}:call", extra=extra)
    if kind == "tool_call":
        return [call]
    failed = moment.kind == moments.FAILED or moment.failed
    result = used._replace(key=f"{call_id}:result", text=moment.text, error=failed)
    return [result] if told else [call, result]


def _own(moment: Moment, lines: Sequence[Line]) -> int:
    """Return the index of a moment's line; -1 if it has none."""
    kind, name = kind_of(moment), name_of(moment)
    for number in range(len(lines) - 1, -1, -1):
        line = lines[number]
        if line.get("k") != kind or str(line.get("g", "")) != moment.agent:
            continue
        if line.get("i", "") == moment.call_id and line.get("n", "") == name:
            return number
    return -1


def _call(moment: Moment, lines: Sequence[Line], own: int, new: str) -> tuple[str, bool]:
    """Return the id of a moment's call, and whether the host reported that call before.

    Args:
        moment: a call or its result.
        lines: the lines of the live file.
        own: the index of the moment's line.
        new: the id if there is none yet.
    """
    unique, name = own_id(moment.call_id, moment.tool), name_of(moment)
    for number in range(own - 1, -1, -1):
        line = lines[number]
        kind = line.get("k")
        if unique:
            if kind == moments.BEFORE and line.get("i") == moment.call_id:
                return moment.call_id, True
        elif kind in (moments.BEFORE, *_RESULTS) and line.get("n") == name:
            if moment.kind in _RESULTS and kind == moments.BEFORE:
                return _mark(lines, number), True
            break  # that call had its result
    return moment.call_id if unique else new, False


def _mark(lines: Sequence[Line], number: int) -> str:
    """Return the id of a moment without one: its name, and the number of its line."""
    return f"{lines[number].get('i') or lines[number].get('n')}@{number}"


def _append(path: str, head: Head, events: Sequence[Event]) -> bool:
    """Append whole lines; a line that a crash cut short is terminated first, so that it spoils no other."""
    lines = [line_of(event) for event in events]
    file = os.open(path, APPENDING, 0o600)
    try:
        lock_briefly(file)  # only one may write the first line
        size = os.fstat(file).st_size
        if size > MAX_BYTES:
            return False
        if not size:
            lines.insert(0, header(head.host))
        elif os.lseek(file, size - 1, os.SEEK_SET) and os.read(file, 1) != b"\n":
            lines.insert(0, "")
        os.write(file, ("\n".join(lines) + "\n").encode())
    finally:
        os.close(file)
    return True
