"""Read OpenCode's sessions: the database `opencode.db` in its data folder.

`opencode export` writes a document with the same data in `info` and `messages`; the name of its file begins
with `opencode-` or `ses_`. The shapes of messages and parts are derived from recordings of versions 1.2.16 to
1.14; tables, `metadata`, tokens and errors, which those lack, from the host's source. A part of a user's
message that is `synthetic` or `ignored` is a program's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from remora.core.host_tools import OPENCODE
from remora.sources.instant import instant
from remora.sources.transcripts.hosts.databases import has, is_database, opened, rows, sound
from remora.sources.transcripts.hosts.places import data_folder
from remora.sources.transcripts.hosts.values import items, mapping
from remora.sources.transcripts.lines import Counts, document, parse
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
from remora.store.foreign import Foreign

HOST = "opencode"
ACTIONS: Mapping[str, str] = OPENCODE
_REFUSED = "The user rejected permission"
_ABORTED = "Tool execution aborted"
_BYTES = 20_000  # of a message with its parts, about


class _Message(NamedTuple):
    id: str
    info: Mapping[str, Any]
    parts: list[dict[str, Any]]


def files(environ: Mapping[str, str], folders: tuple[str, ...]) -> Iterator[Path]:
    """Yield the databases on this machine."""
    yield from sorted(data_folder(environ, "opencode").glob("opencode*.db"))


def sessions(path: Path) -> Iterator[Session]:
    """Yield the sessions in a database, or the one in an export; those of subagents are left out."""
    if is_database(path, "opencode"):
        with opened(path) as database:
            found = _in_database(database)
        yield from found
    elif _is_exported(path):
        told = mapping(document(path).get("info"))
        if isinstance(told.get("id"), str) and not told.get("parentID"):
            cwd = string(told.get("directory"), 4096)
            yield Session(string(told["id"], 200), cwd, _time(told, "created") or "")


def turns(path: Path, session: Session, counts: Counts) -> Iterator[Turn]:
    """Yield the turns of a session."""
    for message in _rows(path, session.id, counts) if path.suffix == ".db" else _exported(path, counts):
        if message.info.get("role") == "user":
            yield from _asked(message, counts)
        elif message.info.get("role") == "assistant":
            yield from _answered(message, counts)
        else:
            counts.skip("message without a role")


def _in_database(database: Foreign) -> list[Session]:
    if not (has(database, "session", "id", "directory") and has(database, "message", "session_id", "data")):
        return []
    messages: dict[Any, tuple[int, int]] = {}
    for row in rows(database, "message", ("session_id", "time_updated")):
        count, changed = messages.get(row["session_id"], (0, 0))
        messages[row["session_id"]] = (count + 1, max(changed, number(row["time_updated"]) or 0))
    found = []
    for row in rows(database, "session", ("id", "parent_id", "directory", "time_created")):
        if isinstance(row["id"], str) and not row["parent_id"]:
            count, changed = messages.get(row["id"], (0, 0))
            cwd, started = string(row["directory"], 4096), instant(row["time_created"]) or ""
            stamp = f"{count} {changed}"
            found.append(Session(string(row["id"], 200), cwd, started, stamp=stamp, size=_BYTES * count))
    return found


def _rows(path: Path, session: str, counts: Counts) -> Iterator[_Message]:
    with opened(path) as database:
        asked = rows(database, "message", ("id", "data"), ("session_id", session))
        for identity, info in _sorted(asked, path, counts):
            asked = rows(database, "part", ("id", "data"), ("message_id", identity))
            parts = [{**part, "id": key} for key, part in _sorted(asked, path, counts)]
            yield _Message(identity, info, parts)


def _sorted(
    rows: Iterable[dict[str, Any]], path: Path, counts: Counts
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the ids and the data of rows in order; the host's ids grow with time."""
    texts = [(string(row["id"], 200), joined(row["data"])) for row in sound(rows, path, counts)]
    for identity, text in sorted(texts):
        value = parse(path, 0, text.encode("utf-8", "replace"), counts)
        if value is not None:
            yield identity, value


def _is_exported(path: Path) -> bool:
    return path.suffix == ".json" and path.name.startswith(("opencode-", "ses_"))


def _exported(path: Path, counts: Counts) -> Iterator[_Message]:
    for message in map(mapping, items(document(path).get("messages"))):
        info = mapping(message.get("info"))
        if not isinstance(info.get("id"), str):
            counts.skip("message without an id")
            continue
        parts = [part for part in items(message.get("parts")) if isinstance(part, dict)]
        yield _Message(string(info["id"], 200), info, [{**part, "id": part.get("id")} for part in parts])


def _asked(message: _Message, counts: Counts) -> Iterator[Turn]:
    at, said = _time(message.info, "created"), []
    for part in message.parts:
        kind = string(part.get("type"), 60)
        if kind == "compaction":
            yield Compacted(string(part["id"], 200), at)
        elif kind != "text":
            counts.skip(kind or "no type")
        elif part.get("synthetic") or part.get("ignored"):
            counts.skip("text of the program")
        else:
            said.append(joined(part.get("text")))
    if said:
        yield Prompt(message.id, "\n".join(said), at)


def _answered(message: _Message, counts: Counts) -> Iterator[Turn]:
    info = message.info
    if info.get("summary") is True:
        counts.skip("summary")
        return
    at, tokens = _time(info, "created"), _tokens(info.get("tokens"))
    parts = message.parts
    yield Reply(message.id, _said(parts, "text"), _said(parts, "reasoning"), at, tokens)
    for part in parts:
        kind = string(part.get("type"), 60) or "no type"
        if kind == "tool":
            yield from _call(part, counts)
        elif kind not in ("text", "reasoning"):
            counts.skip(kind)
    if mapping(info.get("error")).get("name") == "MessageAbortedError":
        yield Interrupted(_time(info, "completed"))


def _said(parts: list[dict[str, Any]], kind: str) -> str:
    texts = (joined(part.get("text")) for part in parts if part.get("type") == kind)
    return "\n".join(text for text in texts if text)


def _call(part: Mapping[str, Any], counts: Counts) -> Iterator[Turn]:
    identity = string(part.get("callID"), 200) or string(part.get("id"), 200)
    tool, state = string(part.get("tool"), 200), mapping(part.get("state"))
    more = mapping(state.get("metadata"))
    if tool == "task" and more.get("sessionId"):
        counts.skip("subagent session")
    yield Called(identity, tool, state.get("input"), _time(state, "start"))
    status, error = state.get("status"), joined(state.get("error"))
    if status in ("completed", "error"):
        yield Returned(
            identity,
            joined(state.get("output")) or error,
            _time(state, "end"),
            error=status == "error",
            exit_code=number(more.get("exit")),
            denied=error.startswith(_REFUSED),
            interrupted=error == _ABORTED or more.get("interrupted") is True,
        )


def _time(holder: Mapping[str, Any], name: str) -> str | None:
    return instant(mapping(holder.get("time")).get(name))


def _tokens(told: Any) -> int | None:
    if not isinstance(told, Mapping):
        return None
    cache = mapping(told.get("cache"))
    return sum(number(count) or 0 for count in (told.get("input"), cache.get("read"), cache.get("write")))
