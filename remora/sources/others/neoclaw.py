"""Read a neoclaw workspace: MEMORY.md, the HISTORY files, and the sessions beside it.

    <workspace>/memory/MEMORY.md
    <workspace>/memory/HISTORY.md            every entry
    <workspace>/memory/HISTORY-2026-02.md    the entries of a month, again
    <workspace>/../sessions/<key>.jsonl      one line of metadata, then one line a message

The history has the form of Remora's own (`core.history_entries`). The month files repeat HISTORY.md, but
HISTORY.md may hold older entries: all files are read, and an entry counts once. Text before the first header,
such as the paragraphs of neoclaw's predecessor, has no time and is reported.

Messages have no ids there, and a trim removes the oldest. So the id of a message is made from its text, role
and time, and does not depend on its position.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from remora.core.history_entries import parse
from remora.sources.instant import instant
from remora.sources.others.files import (
    File,
    Ids,
    content_of,
    digest,
    files_of,
    json_lines,
    message,
    read_text,
    text,
    texts,
    tool_calls_of,
    with_times,
)
from remora.sources.others.import_result import Found, FoundSession, Gatherer, Unreadable

SYSTEM = "neoclaw"

_DAY = re.compile(r"^##[ \t]+\d{4}-\d\d-\d\d[ \t]*$", re.MULTILINE)
_HISTORY = re.compile(r"HISTORY(?:-\d{4}-\d{2})?\.md")
_KNOWN = frozenset(
    "role content timestamp toolsUsed tools_used tool_calls tool_call_id name _type key createdAt".split()
)


def read(path: Path) -> Found:
    """Return the contents of a workspace.

    Args:
        path: the workspace, its `memory` folder, the parent of the workspace, or one file.
    """
    gather = Gatherer(SYSTEM)
    if path.is_file():
        _read_file(File(path, path.name), gather)
        return gather.found()
    workspace = workspace_of(path)
    memory = workspace / "memory"
    if memory.is_dir():
        for file in files_of(memory, gather, prefix="memory/"):
            if file.shown.count("/") == 1 and file.path.suffix == ".md":
                _read_file(file, gather)
            else:
                gather.pass_over("files", file.shown, "not a file of neoclaw's memory")
    for folder in session_folders(workspace):
        for file in files_of(folder, gather, prefix="sessions/"):
            if file.path.suffix == ".jsonl":
                _read_file(file, gather)
            else:
                gather.pass_over("files", file.shown, "not a session of neoclaw")
    return gather.found()


def _read_file(file: File, gather: Gatherer) -> None:
    if file.path.suffix == ".jsonl":
        _read_session(file, gather)
    elif file.path.name == "MEMORY.md":
        read_longterm(file, gather)
    elif _HISTORY.fullmatch(file.path.name):
        read_history(file, gather)
    else:
        gather.pass_over("files", file.shown, "not a file of neoclaw's memory")


def workspace_of(path: Path) -> Path:
    """Return the workspace at a path: the path itself, the one below it, or the one of this memory folder."""
    if (path / "memory").is_dir():
        return path
    if (path / "workspace" / "memory").is_dir():
        return path / "workspace"
    return path.parent if path.name == "memory" else path


def session_folders(workspace: Path) -> Iterator[Path]:
    """Yield the folders that may hold the sessions of a workspace."""
    beside = workspace.parent / "sessions"
    if beside.is_dir() and (workspace / "memory").is_dir():
        yield beside
    if (workspace / "sessions").is_dir():
        yield workspace / "sessions"


def read_longterm(file: File, gather: Gatherer) -> None:
    """Read a MEMORY.md."""
    with gather.taking("long-term memory", file.shown):
        said = read_text(file, gather).strip()
        if not said:
            raise Unreadable("empty")
        gather.longterm(said)


def read_history(file: File, gather: Gatherer) -> None:
    """Read the entries of a HISTORY file."""
    with gather.reading(file.shown):
        # A day alone is no header there.
        said = _DAY.sub(r"\\\g<0>", read_text(file, gather))
        for entry in parse(said.encode().split(b"\n")):
            gather.saw("history")
            place = f"{file.shown}:{entry.start_line}"
            if entry.time is None:
                gather.skip("history", place, "text without a time")
            else:
                gather.event(entry.time, entry.text, place)


def is_session_line(record: object) -> bool:
    """Return whether an object is the first line of one of neoclaw's sessions."""
    if not isinstance(record, dict) or record.get("_type") != "metadata":
        return False
    return isinstance(record.get("key"), str) and "version" not in record  # Remora's own has a version


def _read_session(file: File, gather: Gatherer) -> None:
    """Read a session. A bad line is skipped; the last line of metadata counts."""
    gather.saw("sessions")
    metadata: dict[str, Any] = {}
    messages: list[dict[str, Any]] = []
    ids = Ids()
    try:
        for number, record in json_lines(file):
            place = f"{file.shown}:{number}"
            if isinstance(record, str):
                gather.pass_over("messages", place, record)
            elif record.get("_type") == "metadata":
                metadata = record
            elif record.get("_type") not in (None, "message"):
                gather.pass_over("messages", place, "a line of unknown type")
            else:
                gather.saw("messages")
                said = _message(record, ids)
                if said is None:
                    gather.skip("messages", place, "no role, or no content")
                else:
                    messages.append(said)
    except Unreadable as error:
        if not messages:
            gather.skip("sessions", file.shown, str(error))
            return
        gather.pass_over("files", file.shown, f"{error}; the rest was not read")
    created = instant(metadata.get("createdAt")) or (messages[0].get("time") if messages else None) or ""
    done = metadata.get("lastConsolidated")
    gather.session(
        FoundSession(
            id=text(metadata.get("key")) or file.path.stem,
            created_at=created,
            state="ACTIVE",
            messages=with_times(messages, created),
            consolidated=min(max(done, 0), len(messages)) if isinstance(done, int) else 0,
        ),
        file.shown,
    )


def _message(record: dict[str, Any], ids: Ids) -> dict[str, Any] | None:
    role = text(record.get("role")).strip()
    content = content_of(record.get("content"))
    calls = tool_calls_of(record.get("tool_calls"))
    if not role or not (content or calls or record.get("content") == ""):
        return None
    stamp = text(record.get("timestamp"))
    used = texts(record.get("toolsUsed")) or texts(record.get("tools_used"))
    more = {key: value for key, value in record.items() if key not in _KNOWN}
    return message(
        role,
        content,
        ids.give(f"{SYSTEM}:{digest(role, stamp, content)}"),
        time=instant(stamp),
        time_text=stamp if stamp.strip() and not instant(stamp) else None,
        tool_calls=calls,
        tool_call_id=text(record.get("tool_call_id")).strip(),
        tool_name=text(record.get("name")).strip(),
        metadata=({"toolsUsed": list(used)} if used else {}) | more,
    )
