"""Read a GolemCore workspace: sessions, MEMORY.md, daily notes, memory items.

<workspace>/sessions/<channel>:<chat>.json
<workspace>/memory/MEMORY.md
<workspace>/memory/2026-02-07.md         lines `[14:15] User: … | Assistant: …`, in local time
<workspace>/memory/items/…, scopes/…     see `golem_items`

Sessions are JSON files of its first weeks; its protocol buffers (`.pb`) are reported and not read. As in
GolemCore an unknown state is ACTIVE, an invalid time is dropped, arguments count only if they are an object,
and a session without an id is named after its file (`/` becomes `:`). Metadata is kept if it is an object.
Unknown fields are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from remora.sources.instant import instant
from remora.sources.others.files import (
    MAX_TEXT,
    File,
    Ids,
    content_of,
    digest,
    files_of,
    message,
    parse_json,
    read_bytes,
    read_text,
    text,
    tool_calls_of,
    with_times,
)
from remora.sources.others.golem_items import read_items
from remora.sources.others.import_result import Found, FoundSession, Gatherer, Unreadable
from remora.sources.others.neoclaw import read_longterm, workspace_of

SYSTEM = "golemcore"
_STATES = ("ACTIVE", "PAUSED", "TERMINATED")
_DAY = re.compile(r"(\d{4}-\d{2}-\d{2})\.md")


def read(path: Path, *, now: float | None = None) -> Found:
    """Return the contents of a workspace.

    Args:
        path: the workspace, its `memory` folder, the parent of the workspace, or one session.
        now: seconds since 1970; memory items expired by then are left out. None keeps them.
    """
    gather = Gatherer(SYSTEM)
    if path.is_file():
        _read_sessions([File(path, path.name)], gather)
        return gather.found()
    workspace = workspace_of(path)
    items: list[File] = []
    if (workspace / "memory").is_dir():
        for file in files_of(workspace / "memory", gather, prefix="memory/"):
            if file.shown == "memory/MEMORY.md":
                read_longterm(file, gather)
            elif day := day_of(file):
                _read_day(file, day, gather)
            elif is_item_file(file):
                items.append(file)
            else:
                gather.pass_over("files", file.shown, "not a file of GolemCore's memory")
    read_items(items, gather, now=now)
    if (workspace / "sessions").is_dir():
        _read_sessions(list(files_of(workspace / "sessions", gather, prefix="sessions/")), gather)
    return gather.found()


def is_item_file(file: File) -> bool:
    """Return whether a file of the memory folder holds memory items, by its path."""
    return file.path.suffix == ".jsonl" and "items" in file.shown.split("/")[:-1]


def day_of(file: File) -> str:
    """Return the day of a daily note file, "" for any other file."""
    name = _DAY.fullmatch(file.path.name)
    if not name or file.shown.count("/") != 1:
        return ""
    try:
        return date.fromisoformat(name[1]).isoformat()
    except ValueError:
        return ""


def _read_day(file: File, day: str, gather: Gatherer) -> None:
    with gather.reading(file.shown):
        lines = [line.rstrip() for line in read_text(file, gather).split("\n") if line.strip()]
        if not lines:
            raise Unreadable("empty")
        gather.saw("daily lines", len(lines))
        gather.day(day, lines)


def _read_sessions(files: list[File], gather: Gatherer) -> None:
    """Read the sessions of some files; `shown` begins with the name of their folder."""
    for file in files:
        if file.path.suffix == ".json":
            with gather.taking("sessions", file.shown):
                gather.session(_session(load(file), file, gather), file.shown)
        elif file.path.suffix == ".pb":
            gather.pass_over("sessions", file.shown, "a session in protocol buffers")
        else:
            gather.pass_over("files", file.shown, "not a session of GolemCore")


def load(file: File) -> Mapping[str, Any]:
    """Return the record of a session file.

    Raises:
        Unreadable: the file holds no record.
    """
    raw = read_bytes(file.path, 2 * MAX_TEXT)
    if not raw.strip():
        raise Unreadable("empty")
    record = parse_json(raw)
    if not isinstance(record, dict):
        raise Unreadable("contains no session")
    return record


def is_session(record: Mapping[str, Any]) -> bool:
    """Return whether a record is a session: messages, and an id or a channel that identifies it."""
    named = any(text(record.get(key)) for key in ("id", "channelType", "chatId"))
    return named and isinstance(record.get("messages"), list)


def _session(record: Mapping[str, Any], file: File, gather: Gatherer) -> FoundSession:
    said = record.get("messages")
    ids = Ids()
    messages = []
    for number, one in enumerate(said if isinstance(said, list) else [], 1):
        gather.saw("messages")
        found = _message(one, ids) if isinstance(one, dict) else None
        if found is None:
            gather.skip("messages", f"{file.shown}:{number}", "no role, or no content")
            continue
        messages.append(found)
    first = messages[0].get("time") if messages else None
    created = instant(record.get("createdAt")) or first or ""
    state = text(record.get("state"))
    return FoundSession(
        id=_name(record, file),
        created_at=created,
        state=state if state in _STATES else "ACTIVE",
        messages=with_times(messages, created),
    )


def _name(record: Mapping[str, Any], file: File) -> str:
    channel, chat = text(record.get("channelType")).strip(), text(record.get("chatId")).strip()
    if name := text(record.get("id")).strip():
        return name
    if channel and chat:
        return f"{channel}:{chat}"
    inside = file.shown.partition("/")[2] or file.shown
    return inside.removesuffix(file.path.suffix).replace("/", ":")


def _message(record: Mapping[str, Any], ids: Ids) -> dict[str, Any] | None:
    role = text(record.get("role")).strip()
    content = content_of(record.get("content")) or text(record.get("voiceTranscription"))
    calls = tool_calls_of(record.get("toolCalls"))
    if not role or not (content or calls or record.get("content") == ""):
        return None
    stamp = record.get("timestamp")
    time = instant(stamp)
    own = text(record.get("id")).strip()
    metadata = record.get("metadata")
    sender = text(record.get("senderId")).strip()
    return message(
        role,
        content,
        ids.give(f"golemcore:{own or digest(role, time or '', content)}"),
        time=time,
        time_text=stamp if isinstance(stamp, str) and stamp.strip() and not time else None,
        tool_calls=[call | {"arguments": _object(call["arguments"])} for call in calls],
        tool_call_id=text(record.get("toolCallId")).strip(),
        tool_name=text(record.get("toolName")).strip(),
        metadata=({"senderId": sender} if sender else {}) | (metadata if isinstance(metadata, dict) else {}),
    )


def _object(value: object) -> object:
    return value if isinstance(value, dict) else None
