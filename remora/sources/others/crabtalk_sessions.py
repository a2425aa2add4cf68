"""Read CrabTalk's sessions: one folder `<agent>_<sender>_<seq>` each, with `meta` and numbered steps.

The steps are the files `step-000001`, `step-000002` and so on. Each is one JSON object: an entry (a message
under `message`), a trace of the agent's work (under `event`), or a compact marker. A marker names the archive
of the preceding messages (`archive_name`); older markers contain the summary itself (`compact`). All messages
are imported; the working context begins at the last marker. Messages have no time of their own: they get the
time of the last trace or marker before them, initially the session's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from remora.sources.others.files import (
    File,
    Unreadable,
    content_of,
    files_of,
    instant,
    message,
    parse_json,
    read_bytes,
    text,
    tool_calls_of,
)
from remora.sources.others.import_result import FoundSession, Gatherer

_STEP = re.compile(r"step-(\d{1,18})")


def read_sessions(folder: Path, gather: Gatherer, prefix: str = "sessions/") -> None:
    """Read the sessions of a folder."""
    by_session: dict[str, list[File]] = {}
    for file in files_of(folder, gather, prefix=prefix):
        inside = file.shown.removeprefix(prefix)
        if inside.count("/") == 1 and (file.path.name == "meta" or _STEP.fullmatch(file.path.name)):
            by_session.setdefault(inside.partition("/")[0], []).append(file)
        else:
            gather.pass_over("files", file.shown, "not a step of a session of CrabTalk")
    for name, files in by_session.items():
        gather.saw("sessions")
        session = _Session(name, gather)
        for file in sorted(files, key=_order):
            session.take(file)
        gather.session(session.found(), f"{prefix}{name}")


def is_session(folder: Path) -> bool:
    """Return whether a folder is a session: its `meta` names the agent and the sender."""
    try:
        meta = parse_json(read_bytes(folder / "meta", 1 << 20))
    except Unreadable:
        return False
    return isinstance(meta, dict) and isinstance(meta.get("agent"), str) and "created_by" in meta


def _order(file: File) -> int:
    step = _STEP.fullmatch(file.path.name)
    return int(step[1]) if step else -1  # meta comes first


class _Session:
    """A session during the reading of its steps."""

    def __init__(self, name: str, gather: Gatherer) -> None:
        self._name = name
        self._gather = gather
        self._meta: Mapping[str, Any] = {}
        self._time = ""
        self._messages: list[dict[str, Any]] = []
        self._from = 0
        self._archive = self._summary = ""

    def take(self, file: File) -> None:
        """Read one file."""
        about = file.path.name == "meta"
        kind = "files" if about else "messages"
        try:
            step = parse_json(read_bytes(file.path))
        except Unreadable as error:
            self._gather.pass_over(kind, file.shown, str(error))
            return
        if not isinstance(step, dict):
            self._gather.pass_over(kind, file.shown, "JSON, but not an object")
        elif about:
            self._meta = step
            self._time = instant(step.get("created_at")) or ""
        else:
            self._step(step, file)

    def _step(self, step: dict[str, Any], file: File) -> None:
        if "archive_name" in step or "compact" in step:
            self._from = len(self._messages)
            self._archive, self._summary = text(step.get("archive_name")), text(step.get("compact"))
            self._time = instant(step.get("archived_at")) or self._time
        elif "event" in step:
            self._time = instant(step.get("ts")) or self._time
            self._gather.pass_over("events", f"{file.shown.rpartition('/')[0]}:1", "traces are not imported")
        else:
            self._gather.saw("messages")
            said = self._message(step, file.path.name)
            if said is None:
                self._gather.skip("messages", file.shown, "no role, or no content")
            else:
                self._messages.append(said)

    def _message(self, step: dict[str, Any], name: str) -> dict[str, Any] | None:
        inner = step.get("message")
        said = inner if isinstance(inner, dict) else step
        role, content = text(said.get("role")).strip(), content_of(said.get("content"))
        calls = tool_calls_of(said.get("tool_calls"))
        if not role or not (content or calls or said.get("content") == ""):
            return None
        more = {"agent": text(step.get("agent")), "reasoning": text(said.get("reasoning_content"))}
        return message(
            role,
            content,
            f"crabtalk:{self._name}:{name}",
            time=self._time,
            tool_calls=calls,
            tool_call_id=text(said.get("tool_call_id")).strip(),
            tool_name=text(said.get("name")).strip(),
            metadata={key: value for key, value in more.items() if value},
        )

    def found(self) -> FoundSession:
        """Return the session."""
        return FoundSession(
            id=f"crabtalk:{self._name}",
            created_at=instant(self._meta.get("created_at")) or "",
            state="ACTIVE",
            messages=tuple(self._messages),
            title=text(self._meta.get("title")).strip() or text(self._meta.get("topic")).strip(),
            context_from=self._from,
            archive_name=self._archive,
            summary=self._summary,
        )
