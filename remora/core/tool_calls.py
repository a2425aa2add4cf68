"""Read tool calls, of live hooks and of transcripts alike: their names and arguments in any host's spelling.

Arguments may be missing, of another type, or ten megabytes long: every value is read by key and type, an
invalid one counts as missing, and long texts are cut before they are processed.

A hook loads this module before every tool call, so it imports little, and compiles patterns at their first
use.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from remora.core.actions import action_of, names_a_file
from remora.core.cut import both_ends, sound

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Relative = Callable[[str], str]

MAX_COMMAND = 4_000  # characters of a command that are kept
MAX_PATH = 4_096  # of a path; no system takes a longer one
MAX_PATHS = 200  # entries of a list of paths that are read
MAX_TODOS = 200
EVENT_EDIT = 1_000  # characters of the old and the new text of an edit, each, in an event
MOMENT_EDIT = 4_000  # the same in a moment
_MAX_NAME = 1_000  # of a pattern, a URL or a query
_MAX_WORDS = 1_000  # of a command given as a list
_MAX_EDITS = 50  # of one call
_MAX_PATCH = 2_000_000  # characters of a word with a patch, as much as `codex_patch` reads
_LOOKED_AT = 100_000  # characters of a prompt that are searched for a URL

# Arguments, in the spellings of all hosts.
PATH_KEYS = (
    "file_path",
    "notebook_path",
    "filePath",
    "relative_path",
    "path",
    "source",
    "destination",
    "absolute_path",
    "target_file",
    "target_notebook",
)
OLD = ("old_string", "oldString", "old_str", "oldText", "old_text")
NEW = tuple(
    "new_string newString new_str newText new_text new_source insert_text code content contents "
    "file_text text".split()
)
_LISTS_OF_PATHS = ("paths", "files", "file_paths", "filePaths")
_PATCHES = ("input", "patch", "patchText", "patch_text", "command")
_COMMANDS = ("command", "cmd", "command_line", "commandLine")
_FOLDERS = ("workdir", "working_directory")  # that a command runs in
_PATTERNS = ("pattern", "query", "regex", "glob_pattern")
_TODO = ("content", "step", "subject", "description")
# Tools that query a running command, and their argument for its name.
POLLS = {"write_stdin": "session_id", "BashOutput": "bash_id", "TaskOutput": "task_id"}
_PATCH = "*** Begin Patch"  # in every patch of Codex's form; `codex_patch` is loaded for these alone


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

    def moment(self) -> dict[str, Any]:
        """Return the fields of a `remora.core.moments.Moment` about the call."""
        fields = self._asdict()
        extra = fields.pop("extra") or {}
        told = {"changed": "new", "removed": "old", "place": "in"}
        return fields | {field: extra.get(name, "") for field, name in told.items()}


def call(
    tool: str, given: Any, relative: Relative, action: str | None = None, limit: int = EVENT_EDIT
) -> Call:
    """Return the normalized tool call.

    Args:
        tool: its name.
        given: its arguments, any JSON value.
        relative: converts a path to the form to keep; `str` keeps it as written.
        action: if it is known better than by name.
        limit: characters of the old and of the new text of an edit.
    """
    tool = both_ends(tool, 200)
    made = Call(tool, action or action_of(tool))
    if not isinstance(given, Mapping):
        return made
    match made.action:
        case "read":
            return made._replace(paths=_paths(given, relative))
        case "edit" | "write":
            patch = next((said for key in _PATCHES if _PATCH in (said := text(given, key))), "")
            if edit := _patched(made, patch, "", relative, limit):
                return edit
            old, new = sides(given, limit)
            return made._replace(paths=_paths(given, relative), extra={"old": old, "new": new})
        case "run":
            return _run(made, given, relative, limit)
        case "search" | "glob":
            return _search(made, given, relative)
        case "fetch":
            made = made._replace(url=both_ends(_address(given), _MAX_NAME))
            return _with(made, "query", both_ends(text(given, "query"), _MAX_NAME))
        case "plan":
            plan = given.get("todos", given.get("plan"))
            if isinstance(plan, str):
                return _with(made, "plan", both_ends(plan, MAX_COMMAND))
            return made._replace(extra={"todos": _todos(plan)}) if isinstance(plan, list) else made
        case "other":
            running = given.get(POLLS.get(tool, ""))
            return _with(made, "of", str(running)[:200]) if isinstance(running, str | int) else made
    return made


def text(given: Mapping[str, Any], *keys: str) -> str:
    """Return the first value of some keys that is a non-empty string; empty if there is none."""
    return next((value for key in keys if isinstance(value := given.get(key), str) and value), "")


def place(value: Any) -> str:
    """Return a path as the host wrote it; empty if it is not a string, blank, or longer than MAX_PATH."""
    return sound(value) if isinstance(value, str) and len(value) <= MAX_PATH and value.strip() else ""


def sides(given: Mapping[str, Any], limit: int) -> tuple[str, str]:
    r"""Return the text that an edit removes and the text that it adds, each cut to `limit` characters.

    Args:
        given: the arguments of the tool.
        limit: in characters, for each text.

    >>> sides({"edits": [{"old_string": "a", "new_string": "b"}, {"oldText": "", "newText": "c"}]}, 100)
    ('a', 'b\nc')
    """
    edits = _edits(given) or [given]
    return _side(edits, OLD, limit), _side(edits, NEW, limit)


def changed_lines(old: str, new: str) -> tuple[str, str]:
    r"""Return the differing lines of two texts, without their common lines at both ends.

    >>> changed_lines("a\nb\nc", "a\nx\nc")
    ('b', 'x')
    """
    a, b = old.split("\n"), new.split("\n")
    most = min(len(a), len(b))
    start = next((n for n in range(most) if a[n] != b[n]), most)
    end = next((n for n in range(most - start) if a[-1 - n] != b[-1 - n]), most - start)
    return "\n".join(a[start : len(a) - end]).strip("\n"), "\n".join(b[start : len(b) - end]).strip("\n")


def _with(made: Call, name: str, value: str) -> Call:
    return made._replace(extra={name: value}) if value else made


def _run(made: Call, given: Mapping[str, Any], relative: Relative, limit: int) -> Call:
    command, folder = _command(given), place(text(given, *_FOLDERS))
    where = relative(folder) if folder else ""
    ran = _with(made._replace(command=both_ends(command, MAX_COMMAND)), "cwd", "" if where == "." else where)
    if _PATCH not in command:
        return ran
    from remora.core.codex_patch import patch_in_command  # few commands hold a patch

    patch, moved = patch_in_command(command)
    edit = _patched(made, patch, _below(folder, moved), relative, limit)
    if edit is None:
        return ran
    around = both_ends(command.replace(patch, "", 1), MAX_COMMAND)  # may read external text
    return edit._replace(extra={**(ran.extra or {}), **(edit.extra or {}), "around": around})


def _search(made: Call, given: Mapping[str, Any], relative: Relative) -> Call:
    # A search takes a folder or a file; only the name distinguishes the two.
    paths = _paths(given, relative)
    files = tuple(path for path in paths if made.action == "search" and names_a_file(path))
    folders = [path for path in paths if path not in files] or _kept([given.get("dir_path")], relative)
    made = made._replace(pattern=both_ends(text(given, *_PATTERNS), _MAX_NAME), paths=files)
    return _with(made, "in", folders[0] if folders else "")


def _paths(given: Mapping[str, Any], relative: Relative) -> tuple[str, ...]:
    named = [given.get(key) for key in PATH_KEYS]
    named += [one for key in _LISTS_OF_PATHS for one in _list(given, key)]
    named += [edit.get(key) for edit in _edits(given) for key in PATH_KEYS]
    return _kept(named, relative)


def _kept(named: Iterable[Any], relative: Relative) -> tuple[str, ...]:
    found = (relative(path) for one in named if (path := place(one)))
    return tuple(dict.fromkeys(path for path in found if path))


def _list(given: Mapping[str, Any], key: str, most: int = MAX_PATHS) -> list[Any]:
    value = given.get(key)
    return value[:most] if isinstance(value, list) else []


def _command(given: Mapping[str, Any]) -> str:
    command = next((said for key in _COMMANDS if isinstance(said := given.get(key), str | list) and said), "")
    if isinstance(command, str):
        return command
    from remora.core.programs import words_of  # a table of programs that most hosts do not need

    parts = [part for part in command[:_MAX_WORDS] if isinstance(part, str)]
    if parts[:1] in (["apply_patch"], ["applypatch"]):
        return " ".join(parts)  # quotes would become part of the patch
    return words_of([part[:_MAX_PATCH] if _PATCH in part else both_ends(part, MAX_COMMAND) for part in parts])


def _address(given: Mapping[str, Any]) -> str:
    url = text(given, "url", "uri") or next((one for one in _list(given, "urls") if isinstance(one, str)), "")
    asked = None if url else re.search(r"https?://\S+", text(given, "prompt")[:_LOOKED_AT])  # Gemini CLI's
    return asked[0] if asked else url


def _patched(made: Call, patch: str, folder: str, relative: Relative, limit: int) -> Call | None:
    """Return the call of a tool that applies a patch of Codex's form below a folder; None if it is none."""
    if _PATCH not in patch:
        return None
    from remora.core.codex_patch import parse_patch  # few edits are patches

    files = parse_patch(patch)
    named = [*(file.path for file in files), *(file.moved_to for file in files)]
    paths = _kept([_below(folder, path) for path in named if path], relative)
    if not paths:
        return None
    old, new = (_joined((getattr(file, side) for file in files), limit) for side in ("old", "new"))
    action = "write" if all(file.change == "add" for file in files) else "edit"
    return made._replace(action=action, paths=paths, extra={"old": old, "new": new})


def _below(folder: str, path: str) -> str:
    if not folder or path.startswith(("/", "~", "\\")) or path[1:2] == ":":
        return path
    return f"{folder}/{path}" if path else folder


def _todos(items: list[Any]) -> list[dict[str, str]]:
    """Return the items of a todo list, each with `content` and the host's own `status`."""
    return [
        {"content": both_ends(text(item, *_TODO), 300), "status": both_ends(text(item, "status"), 40)}
        for item in items[:MAX_TODOS]
        if isinstance(item, Mapping)
    ]


def _edits(given: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the edits of a call that makes several; empty for a call that makes one."""
    several = _list(given, "edits", _MAX_EDITS) or _list(given, "replacements", _MAX_EDITS)
    return [one for one in several if isinstance(one, Mapping)]


def _side(edits: Iterable[Mapping[str, Any]], names: tuple[str, ...], limit: int) -> str:
    texts = (next((edit[name] for name in names if isinstance(edit.get(name), str)), "") for edit in edits)
    return _joined((both_ends(one, limit) for one in texts), limit)


def _joined(texts: Iterable[str], limit: int) -> str:
    """Return the non-empty texts of several edits, joined and cut to size."""
    return both_ends("\n".join(one for one in texts if one), limit)
