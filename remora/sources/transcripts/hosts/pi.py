"""Read Pi's sessions: `sessions/<folder>/<time>_<id>.jsonl` below `~/.pi/agent`, one JSON line per entry.

The format is that of the host's source (0.58) and of recordings of version 3 of the format. Entries form a
tree: each names its predecessor. A session is the path to the last entry; branches that a person left
are counted and not read. An entry whose predecessor cannot be read follows the line before it.
A fork copies entries with their ids, which are short, so a key is an id and its time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from remora.core.actions import table
from remora.sources.instant import instant
from remora.sources.transcripts.hosts.places import home_folder
from remora.sources.transcripts.hosts.values import exit_code, items, said
from remora.sources.transcripts.lines import Counts, first_object, objects
from remora.sources.transcripts.texts import joined, number, string
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

HOST = "pi"
ACTIONS: Mapping[str, str] = table(
    {
        "read": "read",
        "edit": "edit",
        "write": "write",
        "run": "bash",
        "search": "grep",
        "glob": "find ls",
        "task": "subagent",
        "plan": "todo",
        "other": "question questionnaire",
    }
)
_EXIT = re.compile(r"Command exited with code (-?\d{1,9})\s*\Z")
_ABORTED = re.compile(r"Command aborted\s*\Z")
_SKILL = re.compile(r'<skill name="[^"\n]{1,200}" location="[^"\n]{1,4096}">')
_SUBAGENT = "subagent-"  # the prefix of an extension's subagent sessions


def files(environ: Mapping[str, str], folders: tuple[str, ...]) -> Iterator[Path]:
    """Yield the files of all sessions on this machine."""
    folder = home_folder(environ, ".pi/agent", "PI_CODING_AGENT_DIR") / "sessions"
    yield from sorted(folder.glob("*/*.jsonl"))


def sessions(path: Path) -> Iterator[Session]:
    """Yield the session of a file."""
    if path.suffix != ".jsonl":
        return
    entry = first_object(path)
    identity, cwd = entry.get("id"), entry.get("cwd")
    if entry.get("type") == "session" and isinstance(identity, str) and isinstance(cwd, str):
        yield Session(string(identity, 200), string(cwd, 4096), instant(entry.get("timestamp")) or "")


def turns(path: Path, session: Session, counts: Counts) -> Iterator[Turn]:
    """Yield the turns of a session."""
    kept = _path(path)
    for line, entry in objects(path, counts):
        kind, at = string(entry.get("type"), 60), instant(entry.get("timestamp"))
        key = _key(entry, line)
        if kind == "session":
            continue
        if line not in kept:
            counts.skip("abandoned branch")
        elif kind == "compaction":
            yield Compacted(key, at)
        elif kind == "session_info" and string(entry.get("name")).startswith(_SUBAGENT):
            counts.skip("subagent session")
            return
        elif kind == "message" and isinstance(entry.get("message"), Mapping):
            yield from _turns(entry["message"], key, at, counts)
        else:
            counts.skip(kind or "no type")


def _path(path: Path) -> set[int]:
    """Return the numbers of the lines on the path to the last entry."""
    numbers: dict[str, int] = {}
    before: dict[int, int] = {}
    last = 0
    for line, entry in objects(path, Counts()):
        if entry.get("type") == "session":
            continue
        parent = entry.get("parentId", "")  # entries of the first version name none
        before[line] = 0 if parent is None else numbers.get(str(parent), last)
        last = line
        numbers[str(entry.get("id"))] = last
    kept = set()
    while last:
        kept.add(last)
        last = before[last]
    return kept


def _key(entry: Mapping[str, Any], line: int) -> str:
    identity = string(entry.get("id"), 100)
    time = re.sub(r"\W", "", string(entry.get("timestamp"), 40))
    return f"{identity}-{time}" if identity else f"line {line}"


def _turns(message: Mapping[str, Any], key: str, at: str | None, counts: Counts) -> Iterator[Turn]:
    content = message.get("content")
    match message.get("role"):
        case "user":
            yield Prompt(key, _without_skill(joined(content)), at)
        case "assistant":
            yield from _reply(message, key, at, counts)
        case "toolResult":
            text = joined(content)
            output, code = exit_code(text, _EXIT)
            yield Returned(
                string(message.get("toolCallId"), 200),
                output,
                at,
                error=message.get("isError") is True,
                exit_code=code,
                interrupted=message.get("isError") is True and _ABORTED.search(text) is not None,
            )
        case role:
            counts.skip(string(role, 60) or "no role")


def _reply(message: Mapping[str, Any], key: str, at: str | None, counts: Counts) -> Iterator[Turn]:
    blocks = [block for block in items(message.get("content")) if isinstance(block, Mapping)]
    stopped = message.get("stopReason") == "aborted"
    if blocks:
        tokens = _tokens(message.get("usage"))
        yield Reply(key, said(blocks, "text"), said(blocks, "thinking"), at, tokens)
    elif not stopped:
        counts.skip("reply without content")
    for block in blocks:
        kind = string(block.get("type"), 60)
        if kind == "toolCall":
            identity, tool = string(block.get("id"), 200), string(block.get("name"), 200)
            yield Called(identity, tool, block.get("arguments"), at)
        elif kind not in ("text", "thinking"):
            counts.skip(kind or "no type")
    if stopped:
        yield Interrupted(at)


def _without_skill(prompt: str) -> str:
    """Return a prompt without the text of a named skill, which the host puts before it."""
    end = prompt.find("</skill>") if _SKILL.match(prompt) else -1
    return prompt[end + len("</skill>") :] if end >= 0 else prompt


def _tokens(used: Any) -> int | None:
    if not isinstance(used, Mapping):
        return None
    return sum(number(used.get(name)) or 0 for name in ("input", "cacheRead", "cacheWrite"))
