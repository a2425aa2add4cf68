"""Tool calls, normalized from their names and arguments; the same for every host."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from remora.core.actions import MAX_COMMAND, PATH_KEYS, action_of, names_a_file
from remora.core.cut import both_ends
from remora.core.edits import edits_of, joined, sides
from remora.shell.scripts import words_of
from remora.sources.transcripts.codex_patch import BEGIN, parse_patch
from remora.sources.transcripts.texts import MAX_EDIT, MAX_PATHS, string

MAX_TODOS = 200
# Arguments with a patch of Codex's form, and arguments with what is searched for, in the hosts' spellings.
_PATCHES = ("input", "patch", "patchText", "patch_text", "command")
_PATTERNS = ("pattern", "query", "regex", "glob_pattern")


class Call(NamedTuple):
    """A normalized tool call; its result repeats these fields.

    Attributes:
        as the fields of `remora.core.events.Event`; `extra` is of the call alone.
    """

    tool: str
    action: str
    paths: tuple[str, ...] = ()
    command: str = ""
    pattern: str = ""
    url: str = ""
    extra: dict[str, Any] | None = None


def call(tool: str, given: Any, relative: Callable[[str], str], action: str | None = None) -> Call:
    """Return the normalized tool call.

    Args:
        tool: its name.
        given: its arguments, any JSON value.
        relative: converts a recorded path to its canonical form.
        action: if it is known better than by name.
    """
    tool = string(tool, 200)
    action = action or action_of(tool)
    reader = _READERS.get(action)
    if reader is None or not isinstance(given, Mapping):
        return Call(tool, action)
    return reader(Call(tool, action), given, relative)


def patch_of(given: Mapping[str, Any]) -> str:
    """Return the patch of Codex's form in the arguments of an edit; empty if there is none."""
    texts = (given.get(key) for key in _PATCHES)
    return next((text for text in texts if isinstance(text, str) and BEGIN in text), "")


def patch_call(tool: str, patch: str, relative: Callable[[str], str]) -> Call:
    """Return the call of a tool that applies a patch of Codex's form.

    Its `extra` has all old and new lines, shortened.
    """
    files = parse_patch(patch)
    paths = [relative(file.path[:4096]) for file in files]
    moved = [relative(file.moved_to[:4096]) for file in files if file.moved_to]
    extra = {
        "old": joined((file.old for file in files), MAX_EDIT),
        "new": joined((file.new for file in files), MAX_EDIT),
    }
    action = "write" if files and all(file.change == "add" for file in files) else "edit"
    return Call(tool, action, tuple(dict.fromkeys(paths + moved)), extra=extra)


def _paths(given: Mapping[str, Any], relative: Callable[[str], str]) -> tuple[str, ...]:
    named = [given.get(key) for key in PATH_KEYS]
    several = given.get("paths")
    named += several[:MAX_PATHS] if isinstance(several, list) else []
    named += [one.get(key) for one in edits_of(given) for key in PATH_KEYS]
    return tuple(dict.fromkeys(relative(p[:4096]) for p in named if isinstance(p, str) and p.strip()))


def _first(given: Mapping[str, Any], *keys: str) -> str:
    """Return the first value of some keys that is a non-empty string; empty if there is none."""
    return next((value for key in keys if isinstance(value := given.get(key), str) and value), "")


def _read(made: Call, given: Mapping[str, Any], relative: Callable[[str], str]) -> Call:
    return made._replace(paths=_paths(given, relative))


def _edit(made: Call, given: Mapping[str, Any], relative: Callable[[str], str]) -> Call:
    if (patch := patch_of(given)) and (applied := patch_call(made.tool, patch, relative)).paths:
        return applied
    old, new = sides(given, MAX_EDIT)
    return made._replace(paths=_paths(given, relative), extra={"old": old, "new": new})


def _run(made: Call, given: Mapping[str, Any], relative: Callable[[str], str]) -> Call:
    command = given.get("command", given.get("cmd"))
    if isinstance(command, list):
        command = words_of(command)
    folder = given.get("workdir", given.get("working_directory"))
    where = relative(folder[:4096]) if isinstance(folder, str) and folder else ""
    extra = {"cwd": where} if where not in ("", ".") else None
    return made._replace(command=string(command, MAX_COMMAND), extra=extra)


def _search(made: Call, given: Mapping[str, Any], relative: Callable[[str], str]) -> Call:
    paths = _paths(given, relative)
    made = made._replace(pattern=string(_first(given, *_PATTERNS, "operation")))
    # A search takes a folder or a file; only the name distinguishes the two.
    if paths and not names_a_file(paths[0]):
        return made._replace(extra={"in": paths[0]})
    return made._replace(paths=paths)


def _glob(made: Call, given: Mapping[str, Any], relative: Callable[[str], str]) -> Call:
    paths = _paths(given, relative) or (_paths({"path": given.get("dir_path")}, relative))
    pattern = string(_first(given, *_PATTERNS))
    return made._replace(pattern=pattern, extra={"in": paths[0]} if paths else None)


def _fetch(made: Call, given: Mapping[str, Any], _relative: Callable[[str], str]) -> Call:
    url = _first(given, "url", "uri")
    query = given.get("query")
    extra = {"query": string(query)} if isinstance(query, str) else None
    return made._replace(url=string(url), extra=extra)


# Tools that query a running command, and their argument for its name.
POLLS = {"write_stdin": "session_id", "BashOutput": "bash_id", "TaskOutput": "task_id"}


def _other(made: Call, given: Mapping[str, Any], _relative: Callable[[str], str]) -> Call:
    running = given.get(POLLS.get(made.tool, ""))
    return made._replace(extra={"of": str(running)[:200]}) if isinstance(running, str | int) else made


def _plan(made: Call, given: Mapping[str, Any], _relative: Callable[[str], str]) -> Call:
    items = given.get("todos", given.get("plan"))
    if isinstance(items, str):
        return made._replace(extra={"plan": both_ends(items, MAX_COMMAND)})
    return made._replace(extra={"todos": todos(items)} if isinstance(items, list) else None)


_ABOUT = ("content", "step", "subject", "description")  # the hosts' names for the text of a todo


def todos(items: list[Any]) -> list[dict[str, str]]:
    """Return the items of a todo list, each with `content` and the host's own `status`."""
    kept: list[dict[str, str]] = []
    for item in items[:MAX_TODOS]:
        if isinstance(item, Mapping):
            content = next((item[name] for name in _ABOUT if name in item), None)
            kept.append({"content": string(content, 300), "status": string(item.get("status"), 40)})
    return kept


_READERS: dict[str, Callable[[Call, Mapping[str, Any], Callable[[str], str]], Call]] = {
    "read": _read,
    "edit": _edit,
    "write": _edit,
    "run": _run,
    "search": _search,
    "glob": _glob,
    "fetch": _fetch,
    "plan": _plan,
    "other": _other,
}
