"""Read GitHub Copilot CLI's sessions: `session-state/<id>/events.jsonl` below `~/.copilot`, one event a line.

The format is derived from recordings of version 1.0.64. A prompt's `content` is the typed text;
`transformedContent`, with the host's additions, is not read. The result of a command ends with its exit code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from remora.core.host_tools import COPILOT
from remora.sources.instant import instant
from remora.sources.transcripts.hosts.places import home_folder
from remora.sources.transcripts.hosts.values import exit_code, mapping
from remora.sources.transcripts.lines import Counts, first_object, objects
from remora.sources.transcripts.texts import joined, string
from remora.sources.transcripts.turns import (
    Called,
    Compacted,
    Interrupted,
    Prompt,
    Reply,
    Returned,
    Session,
    Turn,
)

HOST = "copilot"
ACTIONS: Mapping[str, str] = COPILOT
_FILE = "events.jsonl"
_EXIT = re.compile(r"<(?:shellId: \S{1,40} completed|exited) with exit code (-?\d{1,9})>\s*\Z")


def files(environ: Mapping[str, str], folders: tuple[str, ...]) -> Iterator[Path]:
    """Yield the event files of all sessions on this machine."""
    folder = home_folder(environ, ".copilot", "COPILOT_HOME") / "session-state"
    yield from sorted(folder.glob(f"*/{_FILE}"))


def sessions(path: Path) -> Iterator[Session]:
    """Yield the session of an event file."""
    if path.suffix != ".jsonl":
        return
    record = first_object(path)
    data = record.get("data")
    if record.get("type") != "session.start" or not isinstance(data, Mapping):
        return
    context = mapping(data.get("context"))
    started = instant(data.get("startTime")) or instant(record.get("timestamp")) or ""
    branch = string(context.get("branch"), 200) or None
    yield Session(string(data.get("sessionId"), 200), string(context.get("cwd"), 4096), started, branch)


def turns(path: Path, session: Session, counts: Counts) -> Iterator[Turn]:
    """Yield the turns of a session."""
    for _, record in objects(path, counts):
        kind, data = string(record.get("type"), 60), record.get("data")
        turn = _turn(kind, data, string(record.get("id"), 200), instant(record.get("timestamp")))
        if turn is not None:
            yield turn
        elif kind != "assistant.turn_start":
            counts.skip(kind or "no type")


def _turn(kind: str, data: Any, key: str, at: str | None) -> Turn | None:
    if not isinstance(data, Mapping):
        return None
    match kind:
        case "user.message":
            return Prompt(key, joined(data.get("content")), at)
        case "assistant.message":
            key = string(data.get("messageId"), 200) or key
            return Reply(key, joined(data.get("content")), joined(data.get("reasoningText")), at)
        case "tool.execution_start":
            identity = string(data.get("toolCallId"), 200)
            return Called(identity, string(data.get("toolName"), 200), data.get("arguments"), at)
        case "tool.execution_complete":
            return _returned(data, at)
        case "session.compaction_complete":
            return Compacted(key, at)
        case "abort":
            return Interrupted(at)
        case _:
            return None


def _returned(data: Mapping[str, Any], at: str | None) -> Returned:
    result, error = data.get("result"), mapping(data.get("error"))
    content = joined(result.get("content") if isinstance(result, Mapping) else result)
    output, code = exit_code(content, _EXIT) if content else (joined(error.get("message")), None)
    return Returned(
        string(data.get("toolCallId"), 200),
        output,
        at,
        error=data.get("success") is False,
        exit_code=code,
        denied=error.get("code") in ("denied", "rejected"),
    )
