"""What happens in a host that leaves no transcript we can read, kept as our own events.

One file for each session, `captured/<host>+<session>.jsonl` in the project's home, in the format of
`remora.sources.transcripts.plain`. Secrets are taken out before a line is written. Reading it later counts
nothing twice: a moment's key is the host's own id of the call or prompt.
"""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from remora.core import moments
from remora.core.clock import to_iso
from remora.core.events import Event
from remora.core.moments import Moment
from remora.disk.live import Head, file_name, live_file

if TYPE_CHECKING:
    from collections.abc import Sequence

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


def capture(moment: Moment, environ: Mapping[str, str]) -> bool:
    """Append what happened; returns whether anything was written."""
    kind = _KINDS.get(moment.kind)
    if kind is None or (kind == "reply" and not moment.text):
        return False
    with live_file(moment.host, moment.session, environ) as live:
        head, done = live.head, sum(1 for line in live.lines if line.get("k") in ("after", "failed"))
        called = any(line.get("k") == moments.BEFORE for line in live.lines)
    if head is None or not head.home:
        return False
    path = Path(head.home) / FOLDER / file_name(head.host, head.session)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if path.exists() and path.stat().st_size > MAX_BYTES:
        return False
    events = []
    if kind == "tool_result" and not called:  # hosts that tell of a call only when it is over
        events.append(_event(moment, "tool_call", done, head))
    events.append(_event(moment, kind, done, head))
    _append(path, head, events)
    return True


def captured(head: Head) -> Path | None:
    """Return the file of what was captured of a session; None where nothing was."""
    path = Path(head.home) / FOLDER / file_name(head.host, head.session)
    return path if path.is_file() else None


def _event(moment: Moment, kind: str, done: int, head: Head) -> Event:
    from remora.app.hooking import relative_to

    relative = relative_to(head.root, moment.cwd)
    event = Event(
        kind,
        moment.session,
        _key(moment, kind),
        step=done + (0 if moment.kind in (moments.AFTER, moments.FAILED) else 1),
        at=to_iso(time.time()),
        text="" if kind == "tool_call" else moment.text,
        agent=moment.agent,
    )
    if kind not in ("tool_call", "tool_result"):
        return event
    changed = {"new": moment.changed, "old": moment.removed} if kind == "tool_call" else {}
    return event._replace(
        tool=moment.tool,
        action=moment.action,
        call_id=moment.call_id or _key(moment, "call"),
        paths=tuple(relative(path) or path for path in moment.paths),
        command=moment.command,
        pattern=moment.pattern,
        url=moment.url,
        error=kind == "tool_result" and (moment.kind == moments.FAILED or moment.failed),
        extra={name: text for name, text in changed.items() if text},
    )


def _key(moment: Moment, kind: str) -> str:
    """Return what names a happening: the host's id, else what happened within the second."""
    if moment.call_id:
        return f"{moment.call_id}:{'call' if kind == 'tool_call' else 'result'}"
    mark = "|".join((kind, moment.turn, moment.tool, moment.command, *moment.paths, moment.text[:2_000]))
    when = moment.turn or str(int(time.time()))
    return f"{kind}:{when}:{zlib.crc32(mark.encode('utf-8', 'replace')):08x}"


def _append(path: Path, head: Head, events: Sequence[Event]) -> None:
    from remora.app.observing import clean
    from remora.sources.transcripts.plain import header, line_of

    lines = [line_of(clean(event)[0]) for event in events]
    if not path.exists():
        lines.insert(0, header(head.host))
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(file, ("\n".join(lines) + "\n").encode())
    finally:
        os.close(file)
