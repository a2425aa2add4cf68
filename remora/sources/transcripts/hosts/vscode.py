"""Read Visual Studio Code's chats (Copilot): `workspaceStorage/<hash>/chatSessions/<id>.json`, or `.jsonl`.

`workspace.json` in the same folder names the project. A file holds a session's requests; a `.jsonl` file
holds a state and then changes of values at paths in it. The format is derived from the source of version
1.140, and that of a result's metadata from the Copilot extension, which stores the texts and calls of the
model in rounds. Without rounds, as for a stopped request, only the displayed text is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from remora.core.host_tools import VSCODE
from remora.sources.instant import instant
from remora.sources.transcripts.hosts.places import editor_folders
from remora.sources.transcripts.hosts.values import data_of, items, json_file, json_of, mapping
from remora.sources.transcripts.lines import Counts, objects
from remora.sources.transcripts.paths import inside, plain
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

HOST = "vscode"
ACTIONS: Mapping[str, str] = VSCODE
_FOLDER = "chatSessions"
_SET, _PUSH, _DELETE = 1, 2, 3
_CANCELLED = 2  # of a response's state
_MOST = 100_000  # texts of a result; a damaged file may be nested endlessly


def files(environ: Mapping[str, str], folders: tuple[str, ...]) -> Iterator[Path]:
    """Yield the sessions of windows with a folder of the project; of two forms the newer first."""
    for editor in editor_folders(environ):
        for note in sorted((editor / "workspaceStorage").glob("*/workspace.json")):
            opened = plain(_opened(note))
            if opened and any(inside(opened, folder) for folder in folders):
                yield from sorted((note.parent / _FOLDER).glob("*.json*"), reverse=True)


def sessions(path: Path) -> Iterator[Session]:
    """Yield the session in a file, if it has a request."""
    if path.suffix in (".json", ".jsonl") and path.parent.name == _FOLDER:
        state = _state(path, Counts())
        if items(state.get("requests")):
            cwd = plain(_opened(path.parent.with_name("workspace.json")))
            yield Session(path.stem, cwd, instant(state.get("creationDate")) or "")


def turns(path: Path, session: Session, counts: Counts) -> Iterator[Turn]:
    """Yield the turns of a session."""
    for place, request in enumerate(items(_state(path, counts).get("requests"))):
        told = mapping(request)
        yield from _request(told, string(told.get("requestId"), 200) or f"request-{place}", counts)


def _opened(note: Path) -> str:
    """Return the folder of a window; empty if it has none, several, or one on another machine."""
    told = mapping(json_of(data_of(note))) if note.is_file() else {}
    folder = string(told.get("folder"), 4096)
    return folder if folder.startswith("file://") else ""


def _state(path: Path, counts: Counts) -> dict[str, Any]:
    if path.suffix == ".json":
        return mapping(json_file(path, counts))
    state: Any = None
    for line, entry in objects(path, counts):
        if entry.get("kind") == 0:
            state = entry.get("v")
        elif not _change(state, entry):
            counts.refuse(path, line, "a change to a value that does not exist")
    return mapping(state)


def _change(state: Any, entry: Mapping[str, Any]) -> bool:
    """Apply a change to a session's state; return whether its path exists."""
    keys = items(entry.get("k"))
    for key in keys[:-1]:
        state = _at(state, key)
    if not keys:
        return False
    key, value = keys[-1], entry.get("v")
    if entry.get("kind") == _PUSH:
        there = items(_at(state, key))
        start = number(entry.get("i"))
        value = [*there[: start if start is not None and start >= 0 else len(there)], *items(value)]
    elif entry.get("kind") not in (_SET, _DELETE):
        return False
    if isinstance(state, dict) and isinstance(key, str):
        state[key] = value if entry.get("kind") != _DELETE else None
    elif isinstance(state, list) and number(key) is not None and 0 <= key < len(state):
        state[key] = value
    else:
        return False
    return True


def _at(state: Any, key: Any) -> Any:
    if isinstance(state, dict) and isinstance(key, str):
        return state.get(key)
    there = isinstance(state, list) and number(key) is not None and 0 <= key < len(state)
    return state[key] if there else None


def _request(request: Mapping[str, Any], name: str, counts: Counts) -> Iterator[Turn]:
    at = instant(request.get("timestamp"))
    message = request.get("message")
    asked = joined(mapping(message).get("text")) or joined(message)
    if request.get("confirmation"):
        counts.skip("confirmation")
    elif asked:
        yield Prompt(name, asked, at)
    metadata = mapping(mapping(request.get("result")).get("metadata"))
    parts = [mapping(part) for part in items(request.get("response"))]
    rounds = [mapping(one) for one in items(metadata.get("toolCallRounds"))]
    if rounds:
        shown = {string(part.get("toolCallId"), 200): part for part in parts}
        results = mapping(metadata.get("toolCallResults"))
        for place, one in enumerate(rounds):
            yield from _round(one, f"{name}:{place}", results, shown)
    elif text := "".join(joined(part.get("value")) for part in parts if part.get("kind") is None):
        yield Reply(name, text, at=at)
    if request.get("isCanceled") is True or mapping(request.get("modelState")).get("value") == _CANCELLED:
        yield Interrupted(at)


def _round(
    one: Mapping[str, Any], name: str, results: Mapping[str, Any], shown: Mapping[str, Mapping[str, Any]]
) -> Iterator[Turn]:
    at = instant(one.get("timestamp"))
    if one.get("summary"):
        yield Compacted(name, at)
    yield Reply(name, joined(one.get("response")), joined(mapping(one.get("thinking")).get("text")), at)
    called = [mapping(call) for call in items(one.get("toolCalls"))]
    for call in called:
        tool, given = _plain(string(call.get("name"), 200), json_of(joined(call.get("arguments"))))
        yield Called(string(call.get("id"), 200), tool, given, at)
    for call in called:
        identity = string(call.get("id"), 200)
        part = shown.get(identity.partition("__vscode-")[0], {})
        if identity in results or part:
            content = "\n".join(_texts(mapping(results.get(identity)).get("content")))
            yield _returned(identity, content, part)


def _returned(identity: str, content: str, part: Mapping[str, Any]) -> Returned:
    told = mapping(part.get("toolSpecificData"))
    code = number(mapping(told.get("terminalCommandState")).get("exitCode"))
    confirmed = part.get("isConfirmed")
    denied = confirmed is False or mapping(confirmed).get("type") == 0
    return Returned(identity, content, exit_code=code, denied=denied)


def _texts(value: Any) -> list[str]:
    """Return the texts in a result: of blocks, and of the prompt tree that some tools return."""
    found: list[str] = []
    waiting = [value]
    while waiting and len(found) < _MOST:
        one = waiting.pop()
        if isinstance(one, list):
            waiting += reversed(one)
        elif isinstance(one, str):
            found.append(one)
        elif isinstance(one, dict):
            waiting += [one[key] for key in ("children", "node", "text", "value") if key in one]
    return found


def _plain(tool: str, given: Any) -> tuple[str, Any]:
    """Return a call in the form of the contract: an MCP tool by both names, arguments with usual names."""
    if tool.startswith("mcp_") and not tool.startswith("mcp__"):
        server, _, own = tool[4:].partition("_")
        tool = f"mcp__{server}__{own}"
    if not isinstance(given, dict):
        return tool, given
    arguments = dict(given)
    if isinstance(todos := given.get("todoList"), list):
        told = [mapping(one) for one in todos]
        arguments["todos"] = [{"content": one.get("title"), "status": one.get("status")} for one in told]
    return tool, arguments
