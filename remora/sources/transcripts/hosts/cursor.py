"""Read Cursor's sessions: the database of the editor, and the transcripts of its agents.

The database is `globalStorage/state.vscdb` below Cursor's `User` folder. Its table `cursorDiskKV` has a
conversation as `composerData:<id>`, with the order of its messages ("bubbles") and the folder of its window,
and each message as `bubbleId:<id>:<bubble>`. Older conversations have no folder; the database of a window in
`workspaceStorage` names them. A transcript is `agent-transcripts/<id>/<id>.jsonl` in a folder of
`~/.cursor/projects`: texts and calls, without results, times and ids. It is read if the database
does not have the same session.

Cursor documents neither. The reader uses the parts on which several public programs agree that read
conversations of version 3 of a bubble (Cursor 2 and 3) and transcripts of 2026. Only these keys of the
database are read: others hold tokens.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from remora.core.errors import RemoraError
from remora.core.host_tools import CURSOR
from remora.sources.instant import instant
from remora.sources.transcripts.hosts.databases import has, opened, rows, sound
from remora.sources.transcripts.hosts.places import editor_folders, home_folder
from remora.sources.transcripts.hosts.values import Keys, data_of, items, json_of, mapping
from remora.sources.transcripts.lines import Counts, first_object, objects
from remora.sources.transcripts.paths import plain
from remora.sources.transcripts.texts import joined, number, string
from remora.sources.transcripts.turns import Called, Prompt, Reply, Returned, Session, Turn
from remora.store.foreign import Foreign, is_sqlite

HOST = "cursor"
ACTIONS: Mapping[str, str] = CURSOR
_DATABASE = "state.vscdb"
_TABLE, _KEY, _VALUE = "cursorDiskKV", "key", "value"
_TRANSCRIPTS = "agent-transcripts"
_OPENS, _CLOSES = "<user_query>", "</user_query>"
_BYTES = 10_000  # of a message, about
_EPOCH = 946_684_800_000  # a value before the year 2000 is a duration, not a time
_PERSON, _MODEL = 1, 2
# Arguments and their names in the contract.
_NAMES = {
    "relativeWorkspacePath": "path",
    "targetFile": "path",
    "target_directory": "path",
    "directoryPath": "path",
    "streamingContent": "content",
    "code_edit": "content",
    "glob_pattern": "pattern",
    "globPattern": "pattern",
    "query": "pattern",
    "search_term": "query",
}


def files(environ: Mapping[str, str], folders: tuple[str, ...]) -> Iterator[Path]:
    """Yield the databases on this machine, then the project's transcripts."""
    for editor in editor_folders(environ):
        if editor.parent.name == "Cursor" and (path := editor / "globalStorage" / _DATABASE).is_file():
            yield path
    named = {_slug(folder): Path(folder) for folder in folders}
    for project in sorted((home_folder(environ, ".cursor") / "projects").glob("*/")):
        name = _slug(project.name)
        if name in named and not _shared(name, Path(named[name].anchor), folders):
            yield from sorted((project / _TRANSCRIPTS).glob("*.jsonl"))
            yield from sorted((project / _TRANSCRIPTS).glob("*/*.jsonl"))


def sessions(path: Path) -> Iterator[Session]:
    """Yield the conversations in a database whose folder is known, or the one in a transcript."""
    if path.name == _DATABASE and path.parent.name == "globalStorage" and is_sqlite(path):
        folders = _of_windows(path.parents[1] / "workspaceStorage")
        with opened(path) as database:
            found = _in_database(database, folders)
        yield from found
    elif path.suffix == ".jsonl" and _is_transcript(path) and {"role", "message"} <= set(first_object(path)):
        yield Session(path.stem)


def _is_transcript(path: Path) -> bool:
    """Return whether a file is in the place of a transcript; one of a subagent is deeper."""
    folder = path.parent.parent if path.parent.name == path.stem else path.parent
    return folder.name == _TRANSCRIPTS


def turns(path: Path, session: Session, counts: Counts) -> Iterator[Turn]:
    """Yield the turns of a conversation."""
    if path.suffix == ".jsonl":
        keys = Keys(session.id)
        for _, record in objects(path, counts):
            yield from _line(record, keys, counts)
        return
    with opened(path) as database:
        bubbles = _bubbles(database, path, session.id, counts)
    thoughts: list[str] = []
    fresh = True  # the reply has no calls yet, so the next one belongs to it
    for place, bubble in enumerate(bubbles):
        key = string(bubble.get("bubbleId"), 200) or f"bubble-{place}"
        at, text = _at(bubble), joined(bubble.get("text"))
        if bubble.get("type") == _PERSON:
            fresh = True
            if text:
                yield Prompt(key, text, at)
            continue
        if bubble.get("type") != _MODEL:
            counts.skip("message without a sender")
            continue
        call = mapping(bubble.get("toolFormerData"))
        called = bool(call.get("name"))
        thoughts += [thought] if (thought := joined(mapping(bubble.get("thinking")).get("text"))) else []
        if text or (called and (thoughts or not fresh)):
            tokens = number(mapping(bubble.get("tokenCount")).get("inputTokens")) or None
            yield Reply(key, text, "\n\n".join(thoughts), at, tokens)
            thoughts, fresh = [], True
        if called:
            fresh = False
            yield from _called(call, string(call.get("toolCallId"), 200) or key, at)


def _slug(path: str) -> str:
    """Return the name of a project's folder, from its path or its name: punctuation becomes dashes.

    >>> _slug("/w/my_app.git"), _slug("w-my-app-git")
    ('w-my-app-git', 'w-my-app-git')
    """
    return re.sub(r"[^a-zA-Z0-9]+", "-", path).strip("-")


def _shared(name: str, at: Path, folders: tuple[str, ...]) -> bool:
    """Return whether a folder in an unrelated parent folder has the same name."""
    with suppress(OSError):
        for path in (path for path in at.iterdir() if path.is_dir()):
            slug = _slug(str(path))
            if slug == name and not {str(path), os.path.realpath(path)} & set(folders):
                return True
            if name.startswith(f"{slug}-") and slug != _slug(str(at)) and _shared(name, path, folders):
                return True
    return False


def _of_windows(storage: Path) -> dict[str, str]:
    """Return the folders of conversations from the databases of windows."""
    folders: dict[str, str] = {}
    for note in sorted(storage.glob("*/workspace.json")):
        folder = string(mapping(json_of(data_of(note))).get("folder"), 4096)
        path = note.with_name(_DATABASE)
        if not folder.startswith("file://") or not is_sqlite(path):
            continue
        try:
            with opened(path, keep=False) as database:
                asked = rows(database, "ItemTable", (_VALUE,), (_KEY, "composer.composerData"))
                told = [mapping(json_of(_text(row))) for row in asked]
        except RemoraError:
            continue  # the conversations that it names are not assigned to a folder
        for one in told:
            named = [mapping(composer).get("composerId") for composer in items(one.get("allComposers"))]
            for name in (*named, *items(one.get("selectedComposerIds"))):
                if isinstance(name, str):
                    folders.setdefault(name, folder)
    return folders


def _text(row: Mapping[str, Any]) -> str:
    value = row[_VALUE]
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
    return text if isinstance(text, str) else ""


def _in_database(database: Foreign, folders: Mapping[str, str]) -> list[Session]:
    found: list[Session] = []
    parts: set[Any] = set()  # conversations of subagents
    if not has(database, _TABLE, _KEY, _VALUE):
        return found
    for row in rows(database, _TABLE, (_KEY, _VALUE), (_KEY, "composerData:"), beginning=True):
        text = _text(row)
        told = mapping(json_of(text))
        name = string(row[_KEY], 300).partition(":")[2]
        parts |= {one for one in items(told.get("subComposerIds")) if isinstance(one, str)}
        where = mapping(mapping(told.get("workspaceIdentifier")).get("uri"))
        cwd = string(where.get("fsPath"), 4096) or folders.get(name, "")
        messages = len(items(told.get("fullConversationHeadersOnly"))) or len(items(told.get("conversation")))
        if name and cwd and messages:
            stamp = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
            started = instant(told.get("createdAt")) or ""
            found.append(Session(name, plain(cwd), started, stamp=stamp, size=_BYTES * messages))
    return [session for session in found if session.id not in parts]


def _bubbles(database: Foreign, path: Path, session: str, counts: Counts) -> list[dict[str, Any]]:
    """Return the messages of a conversation in order."""
    whole: dict[str, Any] = {}
    for row in sound(rows(database, _TABLE, (_VALUE,), (_KEY, f"composerData:{session}")), path, counts):
        whole = mapping(json_of(_text(row)))
    own: dict[str, dict[str, Any]] = {}
    asked = rows(database, _TABLE, (_KEY, _VALUE), (_KEY, f"bubbleId:{session}:"), beginning=True)
    for row in sound(asked, path, counts):
        own[string(row[_KEY], 500).rpartition(":")[2]] = mapping(json_of(_text(row)))
    inline = [mapping(one) for one in items(whole.get("conversation"))]
    order = [mapping(one) for one in items(whole.get("fullConversationHeadersOnly"))] or inline
    found: list[dict[str, Any]] = []
    for one in order:
        name = string(one.get("bubbleId"), 200)
        bubble = own.get(name) or (one if inline else {})
        if bubble:
            found.append({**bubble, "bubbleId": name})
        else:
            counts.skip("missing message")
    return found


def _at(bubble: Mapping[str, Any]) -> str | None:
    created = bubble.get("createdAt")
    begun = mapping(bubble.get("timingInfo")).get("clientStartTime")
    early = not isinstance(begun, int | float) or begun < _EPOCH
    return instant(created) or (None if early else instant(begun))


def _called(call: Mapping[str, Any], name: str, at: str | None) -> Iterator[Turn]:
    params, raw, result = (_object(call.get(key)) for key in ("params", "rawArgs", "result"))
    tool, given = _plain(string(call.get("name"), 200), {**params, **raw})
    if isinstance(given, dict):
        given |= _sides(given, result)
    yield Called(name, tool, given, at)
    status = call.get("status")
    if status not in ("completed", "error", "cancelled", "success"):
        return  # it has not ended
    output = next((result[key] for key in ("output", "contents", "content") if key in result), None)
    if output is None and not {"diff", "afterContentId"} & set(result):
        output = call.get("result")
    content = joined(output) or joined(call.get("error"))
    failed = status == "error" or result.get("applyFailed") is True
    yield Returned(
        name,
        content,
        at,
        error=failed,
        denied=call.get("userDecision") == "rejected",
        interrupted=status == "cancelled",
    )


def _object(value: Any) -> dict[str, Any]:
    return mapping(json_of(value) if isinstance(value, str) else value)


def _sides(given: Mapping[str, Any], result: Mapping[str, Any]) -> dict[str, str]:
    """Return the lines that an edit removed and added, if only its result has them."""
    if any(key in given for key in ("content", "contents", "old_string", "new_string")):
        return {}
    chunks = [mapping(chunk) for chunk in items(mapping(result.get("diff")).get("chunks"))]
    rows = [row for chunk in chunks for row in joined(chunk.get("diffString")).splitlines()]
    old, new = ("\n".join(row[1:] for row in rows if row.startswith(sign)) for sign in "-+")
    return {"old_string": old, "new_string": new} if rows else {}


def _plain(tool: str, given: Any) -> tuple[str, Any]:
    """Return a call in the form of the contract: an MCP tool by both names, arguments with usual names."""
    if tool.startswith("mcp-"):
        server, _, own = tool[4:].partition("-")
        return f"mcp__{server}__{own}", given
    if not isinstance(given, dict):
        return tool, given
    if tool in ("CallMcpTool", "CallDynamicTool"):
        server = string(given.get("server") or given.get("namespace"), 90)
        return f"mcp__{server}__{string(given.get('toolName'), 90)}", given.get("arguments")
    renamed = {_NAMES.get(key, key): value for key, value in given.items() if value is not None}
    return tool, renamed


def _typed(text: str) -> str:
    """Return the typed part of a prompt: attachments are before or after it, and may contain its tags.

    >>> _typed("<attached_files><user_query>no</user_query></attached_files><user_query>yes</user_query>")
    'yes'
    """
    if text.startswith(_OPENS):
        return text.removeprefix(_OPENS).partition(_CLOSES)[0].strip()
    if text.endswith(_CLOSES):
        return text.removesuffix(_CLOSES).rpartition(_OPENS)[2].strip()
    return "" if _OPENS in text or "<attached_" in text else text


def _line(record: Mapping[str, Any], keys: Keys, counts: Counts) -> Iterator[Turn]:
    """Yield the turns of a line of a transcript."""
    content = mapping(record.get("message")).get("content")
    blocks = [mapping(block) for block in items(content)] or [{"type": "text", "text": joined(content)}]
    text = "\n\n".join(joined(block) for block in blocks if block.get("type") == "text").strip()
    if record.get("role") == "user":
        if told := _typed(text):
            yield Prompt(keys.of(told), told)
        elif text:
            counts.skip("text of the program")
    elif record.get("role") == "assistant":
        calls = [block for block in blocks if block.get("type") == "tool_use"]
        key = keys.of("\n".join([text, *(string(call.get("name"), 200) for call in calls)]))
        yield Reply(key, text)
        for place, call in enumerate(calls):
            yield Called(f"{key}:{place}", *_plain(string(call.get("name"), 200), call.get("input")))
    else:
        counts.skip(string(record.get("type"), 60) or "no role")
