"""Read Goose's sessions: the database `sessions/sessions.db` in its data folder.

The format is that of the host's source, schema 5 to 6. `content_json` holds the blocks of a message. A tool's
result is a message of the user. A message that is not `userVisible` is a program's; one follows after a
summary replaces earlier messages. All messages are then stored again, so a key is derived from a message's
time, not from its row.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from remora.core.actions import table
from remora.sources.instant import instant
from remora.sources.transcripts.hosts.databases import has, is_database, opened, rows, sound
from remora.sources.transcripts.hosts.places import data_folder, home_folder
from remora.sources.transcripts.hosts.values import exit_code, items, mapping, said
from remora.sources.transcripts.lines import Counts, parse
from remora.sources.transcripts.texts import joined, number, string
from remora.sources.transcripts.turns import Called, Compacted, Prompt, Reply, Returned, Session, Turn
from remora.store.foreign import Foreign

HOST = "goose"
ACTIONS: Mapping[str, str] = table(
    {
        "read": "read_image image_processor",
        "edit": "edit text_editor",
        "write": "write",
        "run": "shell",
        "search": "analyze",
        "glob": "tree list_files",
        "fetch": "computercontroller__web_scrape platform__read_resource",
        "task": "delegate load subagent__execute_task dynamic_task__create_task",
        "plan": "todo_write todo__todo_write todo__write todo_read todo__todo_read",
        "other": "list_windows screen_capture load_skill skills__loadSkill platform__manage_schedule "
        "platform__search_available_extensions platform__manage_extensions",
    }
)
_REPLIES = ("text", "thinking", "toolRequest", "frontendToolRequest")
_OWN = "developer__"  # before the names of its own tools in versions before 1.25
_NOBODYS = ("sub_agent", "hidden", "scheduled")  # sessions without a person
_BYTES = 5_000  # of a message, about
_DECLINED = "The user has declined to run this tool"
_EXIT = re.compile(r"Command exited with code (-?\d{1,9})\s*\Z")


def files(environ: Mapping[str, str], folders: tuple[str, ...]) -> Iterator[Path]:
    """Yield the database on this machine."""
    places = [data_folder(environ, "goose")]
    if environ.get("GOOSE_PATH_ROOT"):
        places = [Path(environ["GOOSE_PATH_ROOT"]) / "data"]
    elif environ.get("APPDATA"):
        places.append(home_folder(environ, "", "APPDATA") / "Block" / "goose" / "data")
    for place in places:
        yield from sorted((place / "sessions").glob("sessions.db"))


def sessions(path: Path) -> Iterator[Session]:
    """Yield the sessions in a database; those without a person are left out."""
    if is_database(path, "sessions"):
        with opened(path) as database:
            found = _in_database(database)
        yield from found


def turns(path: Path, session: Session, counts: Counts) -> Iterator[Turn]:
    """Yield the turns of a session."""
    known: Counter[str] = Counter()
    hidden = False  # whether the model no longer saw the earlier messages
    for message in _rows(path, session.id, counts):
        content = [b for b in items(message.get("content")) if isinstance(b, Mapping)]
        told = mapping(message.get("metadata"))
        created = number(message.get("created"))
        at = instant(created)
        moment = f"{created} {string(message.get('role'), 20)}"
        key = f"{moment} {known[moment]}"
        known[moment] += 1
        if told.get("userVisible") is False:
            if hidden:
                yield Compacted(key, at)
            hidden = False
            counts.skip("text of the program")
            continue
        if not any(block.get("type") == "systemNotification" for block in content):
            hidden = told.get("agentVisible") is False
        if message.get("role") == "user":
            yield from _asked(content, key, at, counts)
        elif message.get("role") == "assistant":
            yield from _answered(content, key, at, told, counts)
        else:
            counts.skip("message without a role")


def _in_database(database: Foreign) -> list[Session]:
    if not (has(database, "sessions", "id", "working_dir") and has(database, "messages", "content_json")):
        return []
    messages: dict[Any, tuple[int, int]] = {}
    for row in rows(database, "messages", ("id", "session_id")):
        count, last = messages.get(row["session_id"], (0, 0))
        messages[row["session_id"]] = (count + 1, max(last, number(row["id"]) or 0))
    found = []
    for row in rows(database, "sessions", ("id", "working_dir", "created_at", "session_type")):
        if isinstance(row["id"], str) and row["session_type"] not in _NOBODYS:
            count, last = messages.get(row["id"], (0, 0))
            cwd, started = string(row["working_dir"], 4096), instant(row["created_at"]) or ""
            stamp = f"{count} {last}"
            found.append(Session(string(row["id"], 200), cwd, started, stamp=stamp, size=_BYTES * count))
    return found


def _rows(path: Path, session: str, counts: Counts) -> Iterator[dict[str, Any]]:
    columns = ("id", "role", "content_json", "created_timestamp", "metadata_json")
    with opened(path) as database:
        found = list(sound(rows(database, "messages", columns, ("session_id", session)), path, counts))
    for row in sorted(found, key=lambda row: number(row["id"]) or 0):
        texts = f'{{"content": {row["content_json"]}, "metadata": {row["metadata_json"] or "null"}}}'
        message = parse(path, number(row["id"]) or 0, texts.encode("utf-8", "replace"), counts)
        if message is not None:
            yield {**message, "role": row["role"], "created": row["created_timestamp"]}


def _asked(content: list[Mapping[str, Any]], key: str, at: str | None, counts: Counts) -> Iterator[Turn]:
    texts = []
    for block in content:
        match block.get("type"):
            case "text":
                texts.append(joined(block.get("text")))
            case "toolResponse":
                yield _returned(block, at)
            case kind:
                counts.skip(string(kind, 60) or "no type")
    if texts:
        yield Prompt(key, "\n".join(texts), at)


def _answered(
    content: list[Mapping[str, Any]], key: str, at: str | None, told: Mapping[str, Any], counts: Counts
) -> Iterator[Turn]:
    tokens = number(mapping(told.get("usage")).get("inputTokens"))
    if any(block.get("type") in _REPLIES for block in content):
        yield Reply(key, said(content, "text"), said(content, "thinking"), at, tokens)
    for block in content:
        match block.get("type"):
            case "text" | "thinking":
                continue
            case "toolRequest" | "frontendToolRequest":
                yield _called(block, at)
            case "conversationCompacted":
                yield Compacted(key, at)
            case kind:
                counts.skip(string(kind, 60) or "no type")


def _called(block: Mapping[str, Any], at: str | None) -> Called:
    made = mapping(mapping(block.get("toolCall")).get("value"))
    tool, given = string(made.get("name"), 200).removeprefix(_OWN), made.get("arguments")
    if tool == "edit" and isinstance(given, Mapping):
        given = {**given, "old_text": given.get("before"), "new_text": given.get("after")}
    return Called(string(block.get("id"), 200), tool, given, at)


def _returned(block: Mapping[str, Any], at: str | None) -> Returned:
    result = mapping(block.get("toolResult"))
    value = result.get("value")
    answer = value if isinstance(value, dict) else {"content": value}
    text = joined(list(filter(_is_for_model, items(answer.get("content"))))) or joined(result.get("error"))
    output, code = exit_code(text, _EXIT)
    return Returned(
        string(block.get("id"), 200),
        output,
        at,
        error=result.get("status") == "error" or answer.get("isError") is True,
        exit_code=number(mapping(answer.get("structuredContent")).get("exit_code")) if code is None else code,
        denied=text.startswith(_DECLINED),
    )


def _is_for_model(block: Any) -> bool:
    """Return whether a block is for the model: some tools repeat it for the person."""
    audience = mapping(mapping(block).get("annotations")).get("audience")
    return not isinstance(audience, list) or "assistant" in audience
