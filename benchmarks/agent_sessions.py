"""The recorded sessions of coding agents: told apart, in order of time, as files that a host would have left.

The data set holds a session again where a later part of it was recorded, and forks share their first
records. Entries that share a record, or are parts of one session by its own id, become one. What a person
typed is told from what was injected, and edited files are made relative to the work tree they lie in.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

DATA = "agent_sessions"
EDITS = ("Edit", "Write", "MultiEdit", "NotebookEdit")
MASK = "REDACTED"  # stands in the data for what looked like a secret; no file's name

Record = Mapping[str, Any]

_TAGS = re.compile(r"<(system-reminder|ide_[a-z_]+|local-command-[a-z]+)>.*?(</\1>|\Z)", re.DOTALL)
_INJECTED = (
    "<command-",
    "<task-notification",
    "<bash-",
    "[Request interrupted",
    "Caveat: The messages below",
    "Operation stopped by hook",
    "This session is being continued from",
)


class AgentSession(NamedTuple):
    """One session.

    Attributes:
        id: the host's own.
        started, ended: times of its first and last record, ISO 8601 in UTC.
        branch: that was checked out first.
        prompt: the first thing a person typed; empty where there is none.
        gold: the files of the repository that were edited after it, relative.
        records: of its transcript, in order.
    """

    id: str
    started: str
    ended: str
    branch: str
    prompt: str
    gold: frozenset[str]
    records: Sequence[Record]


def read(folder: Path) -> list[AgentSession]:
    """Return the distinct sessions of the data set, the earliest start first."""
    entries = list(_entries(folder))
    parts = [entries[number] for group in _groups(entries) for number in group[:1]]
    merged = [_union([entries[number] for number in group]) for group in _groups(entries)]
    roots = _roots(merged)
    sessions = [
        _session(_own_id(first), records, roots) for first, records in zip(parts, merged, strict=True)
    ]
    return sorted(sessions, key=lambda session: (session.started, session.id))


def write(session: AgentSession, folder: Path) -> Path:
    """Write a session's transcript where Claude Code would; return the file.

    Args:
        folder: what it calls `projects`.
    """
    cwd = next((str(r["cwd"]) for r in session.records if r.get("cwd")), "")
    place = folder / re.sub(r"[^A-Za-z0-9]", "-", cwd)
    place.mkdir(parents=True, exist_ok=True)
    file = place / f"{session.id}.jsonl"
    with file.open("w", encoding="utf-8") as lines:
        lines.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in session.records)
    return file


def prompts(records: Sequence[Record]) -> Iterator[tuple[int, str]]:
    """Yield what a person typed, with the place of its record."""
    for place, record in enumerate(records):
        if record.get("type") != "user" or record.get("isMeta") or record.get("isCompactSummary"):
            continue
        if record.get("isSidechain"):
            continue
        content = record["message"]["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        typed = [_TAGS.sub("", b["text"]).strip() for b in blocks if b.get("type") == "text"]
        text = "\n".join(t for t in typed if t and not t.startswith(_INJECTED))
        if text:
            yield place, text


def calls(records: Sequence[Record]) -> Iterator[tuple[int, str, str, Mapping[str, Any]]]:
    """Yield the calls of tools: place of the record, id, name, input."""
    for place, record in enumerate(records):
        if record.get("type") == "assistant":
            for block in record["message"]["content"]:
                if block.get("type") == "tool_use":
                    yield place, block["id"], block["name"], block["input"]


def failures(records: Sequence[Record]) -> Iterator[tuple[int, str, str]]:
    """Yield the results that say they failed: place of the record, id of the call, text."""
    for place, record in enumerate(records):
        content = record["message"]["content"] if record.get("type") == "user" else ""
        for block in content if isinstance(content, list) else ():
            if block.get("type") == "tool_result" and block.get("is_error"):
                yield place, block["tool_use_id"], result_text(block)


def result_text(block: Mapping[str, Any]) -> str:
    """Return the text of a tool's result."""
    content = block.get("content") or ""
    return content if isinstance(content, str) else "\n".join(str(b.get("text", "")) for b in content)


def _entries(folder: Path) -> Iterator[list[Record]]:
    """Yield the records of each entry of the index."""
    by_file: defaultdict[str, list[int]] = defaultdict(list)
    for entry in json.loads((folder / "index.json").read_text("utf-8")):
        by_file[entry["file"]].append(entry["records"])
    for name, counts in by_file.items():
        with gzip.open(folder / name, "rt", encoding="utf-8") as lines:
            for count in counts:
                yield [json.loads(next(lines)) for _ in range(count)]


def _own_id(records: Sequence[Record]) -> str:
    return Counter(str(r["sessionId"]) for r in records if r.get("sessionId")).most_common(1)[0][0]


def _groups(entries: Sequence[Sequence[Record]]) -> list[list[int]]:
    """Return which entries are one session."""
    leader = list(range(len(entries)))

    def find(number: int) -> int:
        while leader[number] != number:
            number = leader[number]
        return number

    first: dict[str, int] = {}
    for number, records in enumerate(entries):
        for key in {f"of {_own_id(records)}", *(str(r["uuid"]) for r in records if "uuid" in r)}:
            leader[find(number)] = find(first.setdefault(key, number))
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for number in range(len(entries)):
        groups[find(number)].append(number)
    return list(groups.values())


def _union(entries: Sequence[Sequence[Record]]) -> list[Record]:
    """Return the records of the parts of a session once each, in order of time."""
    kept: dict[str, Record] = {}
    for number, record in enumerate(r for records in entries for r in records):
        kept.setdefault(str(record.get("uuid") or f"{record.get('leafUuid')} {number}"), record)
    times: list[str] = []
    for record in kept.values():
        times.append(str(record.get("timestamp") or (times[-1] if times else "")))
    order = sorted(range(len(times)), key=lambda n: times[n]) if len(entries) > 1 else range(len(times))
    records = list(kept.values())
    return [records[n] for n in order]


def _roots(sessions: Sequence[Sequence[Record]]) -> list[PurePosixPath]:
    """Return the work trees: recorded folders that are not subfolders of another one, deepest first."""
    folders = {PurePosixPath(r["cwd"]) for records in sessions for r in records if r.get("cwd")}
    roots = [
        folder
        for folder in folders
        if not any(o in folder.parents and ".worktrees" not in folder.relative_to(o).parts for o in folders)
    ]
    return sorted(roots, key=lambda folder: (-len(folder.parts), str(folder)))


def _relative(path: str, cwd: str, roots: Sequence[PurePosixPath]) -> str | None:
    """Return a path inside its work tree; None for one that lies outside of all."""
    whole = PurePosixPath(cwd) / path
    for root in roots:
        if root in whole.parents:
            inside = whole.relative_to(root)
            return None if MASK in str(inside) or ".." in inside.parts else str(inside)
    return None


def _session(own_id: str, records: Sequence[Record], roots: Sequence[PurePosixPath]) -> AgentSession:
    times = [str(r["timestamp"]) for r in records if r.get("timestamp")]
    asked, prompt = next(prompts(records), (len(records), ""))
    failed = {call for _, call, _ in failures(records)}
    gold: set[str] = set()
    for place, call, name, given in calls(records):
        if name in EDITS and place > asked and call not in failed:
            path = given.get("file_path") or given.get("notebook_path") or ""
            gold.add(_relative(str(path), str(records[place].get("cwd", "")), roots) or "")
    branch = next((str(r["gitBranch"]) for r in records if r.get("gitBranch")), "")
    return AgentSession(own_id, min(times), max(times), branch, prompt, frozenset(gold - {""}), records)
