"""The recorded sessions of many repositories, as files that Remora reads; forks and resumed copies once.

A fork or a resumed copy begins with records of another session: what stood in an earlier session is left
out of a later one. What Claude Code and Codex left is written back as it was; what OpenCode, Pi and Copilot
CLI left is written as events of our own, without results longer than what tells an error.
"""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

DATA = "agent_sessions_many"
_SHORT = 80  # characters of a record that says too little to be known again
_ACTIONS = {
    **dict.fromkeys(("edit", "apply_patch"), "edit"),
    "bash": "run",
    "write": "write",
    "create": "write",
    "read": "read",
    "view": "read",
    "grep": "search",
    "glob": "glob",
    "find": "glob",
    "ls": "glob",
    "webfetch": "fetch",
}
_PATHS = ("filePath", "file_path", "path")
_OLD = ("oldString", "oldText", "old_str")
_NEW = ("newString", "newText", "new_str", "content", "file_text", "patchText")

Record = Mapping[str, Any]
Fields = dict[str, Any]


class Recorded(NamedTuple):
    """One session: its repository, its own id, when it began and ended, and the lines of its file."""

    repo: str
    id: str
    started: str
    ended: str
    lines: Sequence[str]

    def write(self, folder: Path) -> Path:
        """Write the session's file; return it."""
        file = folder / f"{self.id}.jsonl"
        file.write_text("".join(self.lines), "utf-8")
        return file


def recorded(folder: Path) -> dict[str, list[Recorded]]:
    """Return the sessions of each repository, the earliest start first; none that is a copy as a whole."""
    by_file: defaultdict[str, list[Record]] = defaultdict(list)
    for entry in json.loads((folder / "index.json").read_text("utf-8")):
        by_file[entry["file"]].append(entry)
    found: dict[str, list[Recorded]] = {}
    for name, entries in by_file.items():
        with gzip.open(folder / name, "rt", encoding="utf-8") as lines:
            whole = [(entry, [next(lines) for _ in range(entry["records"])]) for entry in entries]
        known: set[str] = set()
        repo = name.partition(".")[0]
        kept: dict[str, tuple[Record, str, list[str]]] = {}  # a session may be there in several parts
        for entry, records in sorted(whole, key=lambda one: (one[0]["start"], one[0]["session_id"])):
            first, end, lines_of = kept.get(entry["session_id"], (entry, "", []))
            fresh = [line for line in records if _is_new(line, known)]
            if fresh or lines_of:
                kept[entry["session_id"]] = (first, max(end, entry["end"]), lines_of + fresh)
        found[repo] = [
            Recorded(repo, own, first["start"], end, list(_written(first, lines_of)))
            for own, (first, end, lines_of) in kept.items()
        ]
    return found


def _is_new(line: str, known: set[str]) -> bool:
    record = json.loads(line)
    own = record.get("uuid") or (record.get("info") or {}).get("id") or record.get("id") or line
    key = own if isinstance(own, str) and "REDACTED" not in own else line
    seen = key in known and len(line) > _SHORT
    known.add(key)
    return not seen


def _written(entry: Record, lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a file that Remora reads."""
    translate = _OTHERS.get(_agent(lines))
    if translate is None:
        yield from lines
        return
    yield json.dumps({"remora": "events", "version": 1, "host": "recorded"}) + "\n"
    cwd, step = "", 0
    for line in lines:
        record = json.loads(line)
        data = record.get("info") or record.get("data") or record
        cwd = record.get("cwd") or data.get("directory") or (data.get("context") or {}).get("cwd") or cwd
        for fields in translate(record):
            step += fields["kind"] != "tool_result"
            told: Fields = {"session_id": entry["session_id"], "key": f"{step}{fields['kind']}", "step": step}
            told |= {"at": record["timestamp"], **fields}
            if fields["kind"] == "tool_call":
                told |= _of_call(fields["tool"], told.pop("given"), cwd)
            yield json.dumps(told, ensure_ascii=False) + "\n"


def _agent(lines: Sequence[str]) -> str:
    """Return whose records these are, by the first that tells; empty where Remora reads them itself."""
    for record in map(json.loads, lines):
        if record.get("type") == "message":
            return "opencode" if "parts" in record else "pi"
        if str(record.get("type")).startswith("session.start"):
            return "copilot"
    return ""


def _of_call(tool: str, given: Record, cwd: str) -> Fields:
    paths = [str(given[key]) for key in _PATHS if given.get(key)]
    paths += [
        line.partition(" File: ")[2]
        for line in str(given.get("patchText") or "").splitlines()
        if line.startswith("*** ") and " File: " in line
    ]
    here = str(given.get("workdir") or cwd)
    inside = [str(PurePosixPath(path).relative_to(cwd)) if _below(path, cwd) else path for path in paths]
    return {
        "action": _ACTIONS.get(tool, "other"),
        "command": str(given.get("command") or "") if tool == "bash" else "",
        "pattern": str(given.get("pattern") or ""),
        "paths": inside,
        "extra": {"cwd": here, "old": _first(given, _OLD), "new": _first(given, _NEW)},
    }


def _first(given: Record, names: Sequence[str]) -> str:
    return next((str(given[name]) for name in names if given.get(name)), "")


def _below(path: str, folder: str) -> bool:
    return bool(folder) and PurePosixPath(path).is_relative_to(folder)


def _result(call: str, text: str, *, error: bool) -> Fields:
    return {"kind": "tool_result", "call_id": call, "text": text, "error": error}


def _opencode(record: Record) -> Iterator[Fields]:
    user = (record.get("info") or {}).get("role") == "user"
    for part in record.get("parts") or ():
        if part["type"] == "text":
            yield {"kind": "user_prompt" if user else "reply", "text": part.get("text") or ""}
        elif part["type"] == "tool":
            call, state = part["id"] + part["callID"], part["state"]
            yield {"kind": "tool_call", "call_id": call, "tool": part["tool"], "given": state["input"]}
            text = str(state.get("output") or state.get("error") or "")
            yield _result(call, text, error=state["status"] == "error")


def _pi(record: Record) -> Iterator[Fields]:
    message = record.get("message") or {}
    blocks = message.get("content") or []
    blocks = [{"type": "text", "text": blocks}] if isinstance(blocks, str) else blocks
    text = "\n".join(block.get("text") or "" for block in blocks if block["type"] == "text")
    if message.get("role") == "toolResult":
        yield _result(message["toolCallId"], text, error=bool(message.get("isError")))
        return
    if text:
        yield {"kind": "user_prompt" if message.get("role") == "user" else "reply", "text": text}
    for block in blocks:
        if block["type"] == "toolCall":
            given = block["arguments"]
            yield {"kind": "tool_call", "call_id": block["id"], "tool": block["name"], "given": given}


def _copilot(record: Record) -> Iterator[Fields]:
    kind, data = record["type"], record.get("data") or {}
    if kind in ("user.message", "assistant.message") and data.get("content"):
        yield {"kind": "user_prompt" if kind == "user.message" else "reply", "text": data["content"]}
    elif kind == "tool.execution_start":
        given = data.get("arguments") or {}
        given = given if isinstance(given, dict) else {}
        yield {"kind": "tool_call", "call_id": data["toolCallId"], "tool": data["toolName"], "given": given}
    elif kind == "tool.execution_complete":
        text = str((data.get("result") or {}).get("content") or "")
        yield _result(data["toolCallId"], text, error=data.get("success") is False)


_OTHERS: Mapping[str, Callable[[Record], Iterator[Fields]]] = {
    "opencode": _opencode,
    "pi": _pi,
    "copilot": _copilot,
}
