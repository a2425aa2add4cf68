"""Read Gemini CLI's sessions: `tmp/<project>/chats/session-*.jsonl` below `~/.gemini`, one record a line.

Before version 0.39 a session was one JSON object, in a file that ends in `.json`. Both forms are those of the
host's source (0.56). A message is written again when it grows, and the last one counts. `<project>` is a
short name; `.project_root` in that folder holds the project's path. A rewind removes the messages after it.
Of a replaced history only new messages are read: those before a summary stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from remora.core.host_tools import GEMINI
from remora.sources.instant import instant
from remora.sources.transcripts.hosts.places import home_folder
from remora.sources.transcripts.hosts.values import items, mapping
from remora.sources.transcripts.lines import Counts, document, objects
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

HOST = "gemini"
ACTIONS: Mapping[str, str] = GEMINI
_ROOT = ".project_root"
_REFERENCED = "--- Content from referenced files ---"
_SNAPSHOT = "<state_snapshot>"
_CANCELLED = "Request cancelled."
_EXIT = re.compile(r"^Exit Code: (-?\d{1,9})$", re.MULTILINE)
_REFUSED = re.compile(r"User (?:denied|did not allow)")
_UNTRUSTED = re.compile(r"\A<untrusted_context>\n(.*)\n</untrusted_context>\Z", re.DOTALL)


def files(environ: Mapping[str, str], folders: tuple[str, ...]) -> Iterator[Path]:
    """Yield the files of all sessions on this machine."""
    place = home_folder(environ, "", "GEMINI_CLI_HOME") / ".gemini" / "tmp"
    for ending in (".jsonl", ".json"):  # a resumed session continues in the newer form
        yield from sorted(place.glob(f"*/chats/session-*{ending}"))


def sessions(path: Path) -> Iterator[Session]:
    """Yield the session of a file, unless it is a subagent's."""
    if not (path.name.startswith("session-") and path.suffix in (".json", ".jsonl")):
        return
    first = next(_records(path, Counts()), {})
    identity = first.get("sessionId")
    if isinstance(identity, str) and "projectHash" in first and first.get("kind") != "subagent":
        cwd = _root(path.parent.parent)
        yield Session(string(identity, 200), cwd, instant(first.get("startTime")) or "")


def _root(folder: Path) -> str:
    """Return the project's path from its folder; empty if it has none."""
    with suppress(OSError):
        return (folder / _ROOT).read_text("utf-8", "replace").strip()[:4096]
    return ""


def turns(path: Path, session: Session, counts: Counts) -> Iterator[Turn]:
    """Yield the turns of a session."""
    for message in _messages(path, counts):
        key, at = string(message["id"], 200), instant(message.get("timestamp"))
        match message.get("type"):
            case "user":
                yield from _asked(message, key, at, counts)
            case "gemini":
                yield from _answered(message, key, at, counts)
            case "info" if joined(message.get("content")) == _CANCELLED:
                yield Interrupted(at)
            case kind:
                counts.skip(string(kind, 60) or "no type")


def _records(path: Path, counts: Counts) -> Iterator[dict[str, Any]]:
    if path.suffix == ".json":
        yield document(path)
    else:
        yield from (record for _, record in objects(path, counts))


def _messages(path: Path, counts: Counts) -> list[dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for record in _records(path, counts):
        rewound, changed = record.get("$rewindTo"), record.get("$set")
        if isinstance(rewound, str):
            known = list(found)
            for identity in known[known.index(rewound) :] if rewound in found else known:
                del found[identity]
                counts.skip("rewound")
            continue
        if isinstance(record.get("id"), str):
            found[record["id"]] = record
            continue
        history = changed if isinstance(changed, dict) else record
        for message in map(mapping, items(history.get("messages"))):
            if isinstance(message.get("id"), str):
                found.setdefault(message["id"], message)
    return list(found.values())


def _asked(message: Mapping[str, Any], key: str, at: str | None, counts: Counts) -> Iterator[Turn]:
    content = message.get("content")
    parts = content if isinstance(content, list) else [content]
    if any(isinstance(part, Mapping) and "functionResponse" in part for part in parts):
        counts.skip("tool response")
        return
    text = joined(message.get("displayContent") or content).partition(_REFERENCED)[0]
    if text.lstrip().startswith(_SNAPSHOT):
        yield Compacted(key, at)
    elif text.lstrip().startswith(("/", "?")):
        counts.skip("host command")
    else:
        yield Prompt(key, text, at)


def _answered(message: Mapping[str, Any], key: str, at: str | None, counts: Counts) -> Iterator[Turn]:
    content = message.get("content")
    parts = content if isinstance(content, list) else [content]
    texts = [joined(p) for p in parts if not isinstance(p, Mapping) or ("text" in p and not p.get("thought"))]
    thoughts = [_thought(one) for one in items(message.get("thoughts")) if isinstance(one, dict)]
    tokens = number(mapping(message.get("tokens")).get("input"))
    yield Reply(key, "\n".join(texts), "\n".join(thoughts), at, tokens)
    for call in (one for one in items(message.get("toolCalls")) if isinstance(one, dict)):
        if call.get("agentId"):
            counts.skip("subagent session")
        yield from _call(call, at)


def _thought(thought: Mapping[str, Any]) -> str:
    subject, about = joined(thought.get("subject")), joined(thought.get("description"))
    return f"{subject}: {about}" if subject and about else subject or about


def _call(call: Mapping[str, Any], at: str | None) -> Iterator[Turn]:
    identity, tool = string(call.get("id"), 200), string(call.get("name"), 200)
    yield Called(identity, tool, call.get("args"), at)
    status, text = call.get("status"), _result(call)
    if status in ("success", "error", "cancelled"):
        code = _EXIT.findall(text) if tool == "run_shell_command" else []
        refused = status == "cancelled" and _REFUSED.search(text) is not None
        yield Returned(
            identity,
            text,
            instant(call.get("timestamp")),
            error=status == "error",
            exit_code=int(code[-1]) if code else None,
            denied=refused,
            interrupted=status == "cancelled" and not refused,
        )


def _result(call: Mapping[str, Any]) -> str:
    """Return the text for the model, without the mark for external text; otherwise the displayed text."""
    result, texts = call.get("result"), []
    for part in result if isinstance(result, list) else [result]:
        answer = mapping(mapping(part).get("functionResponse")).get("response")
        if isinstance(answer, dict):
            texts += [joined(answer.get(name)) for name in ("output", "error") if answer.get(name)]
        else:
            texts.append(joined(part))
    text = "\n".join(text for text in texts if text) or joined(call.get("resultDisplay"))
    found = _UNTRUSTED.match(text)
    return found[1] if found else text
