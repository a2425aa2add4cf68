"""Recorded sessions of agents from many repositories: one form for all hosts, copies counted once.

Each is a prompt and the files edited after it. What was edited comes from the index of the data set, since
long texts are cut in the records and with them the patches of some hosts. Entries that share a record are
one session. A session is written as our own events: what was asked, and an edit of each file.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from benchmarks.agent_sessions import MASK, AgentSession
from remora.core.events import Event
from remora.sources.transcripts import plain
from remora.sources.transcripts.reader import read as events_of

DATA = "agent_sessions_many"
COPIED = 60  # characters from which a line that comes twice is a copy

_FOLDER = re.compile(r'"(?:cwd|directory|gitRoot)": "((?:[^"\\]|\\.)*)"')
_WORK_TREE = re.compile(r"/(?:\.claude/worktrees|\.worktrees)/[^/]+(?=/)")


class Repository(NamedTuple):
    """A repository of the data: its key, OWNER__NAME; its last commit; its sessions by their starts."""

    key: str
    commit: str
    sessions: tuple[AgentSession, ...]


class _Entry(NamedTuple):
    told: Mapping[str, Any]
    lines: list[str]


def read(folder: Path, place: Path) -> list[Repository]:
    """Return the repositories of the data set by key; `place` is a folder for transcripts to be read from."""
    entries: defaultdict[str, list[_Entry]] = defaultdict(list)
    by_file: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for told in json.loads((folder / "index.json").read_text("utf-8")):
        by_file[told["file"]].append(told)
    for name, of_file in by_file.items():
        with gzip.open(folder / name, "rt", encoding="utf-8") as lines:
            for told in of_file:
                entries[told["repo"]].append(_Entry(told, [next(lines) for _ in range(told["records"])]))
    commits = {r["key"]: r["code"]["commit"] for r in json.loads((folder / "repositories.json").read_text())}
    return [Repository(key, commits[key], _sessions(entries[key], place)) for key in sorted(entries)]


def write(session: AgentSession, folder: Path) -> Path:
    """Write what was asked and edited in a session as our own events; return the file."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{session.id}.jsonl"

    def event(kind: str, key: str, at: str, **more: Any) -> Event:
        return Event(kind, session.id, key, at=at, branch=session.branch or None, **more)

    told = [event("session_start", "start", session.started)]
    told.append(event("user_prompt", "asked", session.started, text=session.prompt))
    for number, path in enumerate(sorted(session.gold)):
        more = {
            "step": number + 1,
            "tool": "Edit",
            "action": "edit",
            "call_id": str(number),
            "paths": (path,),
        }
        told.append(event("tool_call", f"{number}:call", session.ended, **more))
        told.append(event("tool_result", f"{number}:result", session.ended, **more))
    told.append(event("session_end", "end", session.ended))
    file.write_text("".join(plain.dump(told, "recorded")), "utf-8")
    return file


def _sessions(entries: Sequence[_Entry], place: Path) -> tuple[AgentSession, ...]:
    roots = _roots({folder for entry in entries for line in entry.lines for folder in _folders(line)})
    found = [_session([entries[n] for n in group], roots, place) for group in _groups(entries)]
    return tuple(sorted(found, key=lambda session: (session.started, session.id)))


def _groups(entries: Sequence[_Entry]) -> list[list[int]]:
    """Return which entries share a record, by its own id or as a whole line."""
    leader = list(range(len(entries)))

    def find(number: int) -> int:
        while leader[number] != number:
            number = leader[number]
        return number

    first: dict[str, int] = {}
    for number, entry in enumerate(entries):
        for key in {_name(line) for line in entry.lines if len(line) > COPIED}:
            leader[find(number)] = find(first.setdefault(key, number))
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for number in range(len(entries)):
        groups[find(number)].append(number)
    return list(groups.values())


def _name(line: str) -> str:
    record = json.loads(line)
    known = record.get("uuid") or record.get("id")
    return known if isinstance(known, str) and len(known) > 16 else line


def _session(parts: Sequence[_Entry], roots: Sequence[PurePosixPath], place: Path) -> AgentSession:
    parts = sorted(parts, key=lambda part: (part.told["start"], part.told["session_id"]))
    first = parts[0].told
    edited = [_relative(path, roots) for part in parts for path in part.told["edited"]]
    return AgentSession(
        id=first["session_id"],
        started=first["start"],
        ended=max(part.told["end"] for part in parts),
        branch=first["branch"] or "",
        prompt=_prompt(parts[0], place),
        gold=frozenset(path for path in edited if path),
        records=(),
    )


def _prompt(entry: _Entry, place: Path) -> str:
    """Return the first text that somebody gave to the agent in a session; empty where there is none."""
    if entry.told["agent"] in ("Claude Code", "Codex"):
        file = place / f"{entry.told['session_id']}.jsonl"
        file.write_text("".join(entry.lines), "utf-8")
        return next((e.text for e in events_of(file) if e.kind == "user_prompt" and not e.agent), "")
    return next(filter(None, map(_asked, map(json.loads, entry.lines))), "")


def _asked(record: Mapping[str, Any]) -> str:
    """Return what a record of Copilot CLI, Pi or OpenCode has the user say."""
    if record["type"] == "user.message":
        return str(record["data"]["content"]).strip()
    message = record.get("message") or record.get("info") or {}
    if record["type"] != "message" or message.get("role") != "user":
        return ""
    parts = message.get("content") or record.get("parts") or []
    texts = [{"type": "text", "text": parts}] if isinstance(parts, str) else parts
    return "\n".join(p["text"] for p in texts if p["type"] == "text" and not p.get("synthetic")).strip()


def _folders(line: str) -> Iterator[PurePosixPath]:
    for folder in set(_FOLDER.findall(line)):
        yield PurePosixPath(_plain(json.loads(f'"{folder}"')))


def _plain(path: str) -> str:
    return path.replace("\\", "/")


def _roots(folders: set[PurePosixPath]) -> list[PurePosixPath]:
    """Return the recorded folders that are not in another one, deepest first."""
    roots = [folder for folder in folders if not any(other in folder.parents for other in folders)]
    return sorted(roots, key=lambda folder: (-len(folder.parts), str(folder)))


def _relative(path: str, roots: Sequence[PurePosixPath]) -> str | None:
    """Return a path inside the repository; None for one that lies outside of it."""
    plain_path = _plain(path)
    whole = PurePosixPath(_WORK_TREE.sub("", plain_path))
    if not whole.is_absolute() and not re.match(r"[A-Za-z]:/", plain_path):
        return str(whole) if ".." not in whole.parts else None
    for root in roots:
        if root in whole.parents:
            inside = whole.relative_to(root)
            return None if MASK in str(inside) or ".." in inside.parts else str(inside)
    return None
