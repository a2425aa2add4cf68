"""What a tool does, read from its name and its arguments; the same for every host.

A server of the Model Context Protocol is a stranger: unless its name says that it keeps memories, or the
tool's name says that it only makes, sends or removes something, what it answers comes from outside and
counts as `fetch`. A tool that changes something that is there ("update") answers with all of it, words of
others included, so it is `fetch` too. Doubt costs a little trust; the other way round would cost more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from remora.sources.transcripts.texts import MAX_COMMAND, MAX_EDIT, both_ends, number, string

MAX_TODOS = 200
MAX_PATHS = 200

_ACTIONS = {
    "read": "Read NotebookRead view_image read_file",
    "edit": "Edit MultiEdit NotebookEdit apply_patch",
    "write": "Write",
    "run": "Bash PowerShell shell shell_command exec_command container.exec local_shell",
    "search": "Grep LSP grep_files",
    "glob": "Glob LS list_dir",
    "fetch": "WebFetch WebSearch web_search web_search_call ReadMcpResourceTool read_mcp_resource",
    "task": "Task Agent spawn_agent spawn_agents_on_csv",
    "plan": "TodoWrite TodoRead TaskCreate TaskUpdate TaskList TaskGet ExitPlanMode EnterPlanMode "
    "update_plan",
    "memory": "memory Memory",
}
ACTION_OF = {name: action for action, names in _ACTIONS.items() for name in names.split()}
# Tools of the hosts that do none of these; in Codex a name that is nowhere here is a server's.
OTHER = frozenset(
    "BashOutput KillShell KillBash TaskOutput TaskStop Skill SlashCommand AskUserQuestion ToolSearch Monitor "
    "ListMcpResourcesTool SendMessage write_stdin exec wait wait_agent send_input send_message close_agent "
    "resume_agent list_agents followup_task interrupt_agent assign_task request_user_input "
    "request_permissions list_mcp_resources list_mcp_resource_templates js_repl js_repl_reset "
    "get_goal create_goal update_goal new_context tool_search tool_suggest image_generation_call "
    "get_context_remaining clock sleep test_sync_tool report_agent_job_result".split()
)
_MEMORY = frozenset(
    "remora memory memories mem mem0 memento zep graphiti letta cognee supermemory openmemory memgpt "
    "hindsight recall remember".split()
)
_ONLY_WRITES = frozenset(
    "create add post send write delete remove close notify publish insert upload comment reply".split()
)
_LOCAL = frozenset({"ide"})  # servers that are the host's own window
_FILES = {
    "read": "read_file read_text_file read_media_file read_multiple_files",
    "write": "write_file",
    "edit": "edit_file move_file",
    "glob": "list_directory list_directory_with_sizes directory_tree search_files",
}
_FILE_ACTION = {name: action for action, names in _FILES.items() for name in names.split()}
_WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")
_PATH_KEYS = ("file_path", "notebook_path", "filePath", "relative_path", "path", "source", "destination")
_FILE_NAME = re.compile(r"\.[A-Za-z0-9_]{1,10}$")


class Call(NamedTuple):
    """What a tool was asked to do; its result repeats this.

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


def action_of(tool: str) -> str:
    """Return one of ACTIONS for a tool's name.

    >>> [action_of(t) for t in ("Edit", "mcp__remora__search_memory", "mcp__linear__get_issue", "Skill")]
    ['edit', 'memory', 'fetch', 'other']
    >>> action_of("mcp__linear__create_comment"), action_of("mcp__linear__update_issue")
    ('other', 'fetch')
    """
    if tool in ACTION_OF:
        return ACTION_OF[tool]
    if not tool.startswith("mcp__"):
        return "other"
    server, _, name = tool[5:].partition("__")
    return of_server(server, name)


def of_server(server: str, name: str) -> str:
    """Return one of ACTIONS for a tool of a server; the server may be unknown (empty)."""
    words = [w.lower() for w in _WORD.findall(name)]
    about = [w.lower() for w in _WORD.findall(server)]
    if _MEMORY.intersection(about) or _MEMORY.intersection(words):
        return "memory"
    if _LOCAL.intersection(about):
        return "other"
    if "filesystem" in about and name in _FILE_ACTION:
        return _FILE_ACTION[name]
    return "other" if words and words[0] in _ONLY_WRITES else "fetch"


def call(tool: str, given: Any, relative: Callable[[str], str], action: str | None = None) -> Call:
    """Return what a tool was asked to do.

    Args:
        tool: its name.
        given: its arguments, any JSON value.
        relative: turns a recorded path into the one that names the file everywhere.
        action: when it is known better than by name.
    """
    tool = string(tool, 200)
    action = action or action_of(tool)
    if not isinstance(given, Mapping):
        return Call(tool, action)
    reader = _READERS.get(action, _nothing)
    return reader(Call(tool, action), given, relative)


def _paths(given: Mapping[str, Any], relative: Callable[[str], str]) -> tuple[str, ...]:
    named = [given.get(key) for key in _PATH_KEYS]
    several = given.get("paths")
    named += several[:MAX_PATHS] if isinstance(several, list) else []
    return tuple(dict.fromkeys(relative(p[:4096]) for p in named if isinstance(p, str) and p.strip()))


def _nothing(made: Call, _given: Mapping[str, Any], _relative: Callable[[str], str]) -> Call:
    return made


def _read(made: Call, given: Mapping[str, Any], relative: Callable[[str], str]) -> Call:
    first, count = number(given.get("offset")), number(given.get("limit"))
    extra: dict[str, Any] = {}
    if first is not None or count is not None:
        first = max(first or 1, 1)
        extra["lines"] = [first, first + max(count, 1) - 1 if count is not None else None]
    return made._replace(paths=_paths(given, relative), extra=extra or None)


def _edit(made: Call, given: Mapping[str, Any], relative: Callable[[str], str]) -> Call:
    edits = given.get("edits")
    pairs = [e for e in edits if isinstance(e, Mapping)][:50] if isinstance(edits, list) else [given]
    old = "\n".join(string(e.get("old_string", e.get("oldText")), MAX_EDIT) for e in pairs)
    new = "\n".join(
        string(e.get("new_string", e.get("newText", e.get("new_source"))), MAX_EDIT) for e in pairs
    )
    extra: dict[str, Any] = {"old": both_ends(old, MAX_EDIT), "new": both_ends(new, MAX_EDIT)}
    if given.get("replace_all") is True:
        extra["replace_all"] = True
    return made._replace(paths=_paths(given, relative), extra=extra)


def _write(made: Call, given: Mapping[str, Any], relative: Callable[[str], str]) -> Call:
    return made._replace(
        paths=_paths(given, relative), extra={"old": "", "new": string(given.get("content"), MAX_EDIT)}
    )


def _run(made: Call, given: Mapping[str, Any], relative: Callable[[str], str]) -> Call:
    command = given.get("command", given.get("cmd"))
    if isinstance(command, list):
        command = words_of(command)
    extra: dict[str, Any] = {}
    if given.get("run_in_background") is True:
        extra["background"] = True
    folder = given.get("workdir", given.get("working_directory"))
    if isinstance(folder, str) and folder and (where := relative(folder[:4096])) not in ("", "."):
        extra["cwd"] = where
    return made._replace(command=string(command, MAX_COMMAND), extra=extra or None)


def _search(made: Call, given: Mapping[str, Any], relative: Callable[[str], str]) -> Call:
    paths = _paths(given, relative)
    extra: dict[str, Any] = {}
    # A search is told a folder or a file, and which of the two only its name shows.
    if paths and not _FILE_NAME.search(paths[0]):
        extra["in"], paths = paths[0], ()
    for key in ("glob", "type", "output_mode"):
        if isinstance(given.get(key), str):
            extra[key] = string(given[key], 200)
    pattern = given.get("pattern", given.get("operation"))
    return made._replace(paths=paths, pattern=string(pattern), extra=extra or None)


def _glob(made: Call, given: Mapping[str, Any], relative: Callable[[str], str]) -> Call:
    paths = _paths(given, relative) or (_paths({"path": given.get("dir_path")}, relative))
    return made._replace(pattern=string(given.get("pattern")), extra={"in": paths[0]} if paths else None)


def _fetch(made: Call, given: Mapping[str, Any], _relative: Callable[[str], str]) -> Call:
    url = next((given[k] for k in ("url", "uri") if isinstance(given.get(k), str)), "")
    query = given.get("query")
    extra = {"query": string(query)} if isinstance(query, str) else None
    return made._replace(url=string(url), extra=extra)


def _task(made: Call, given: Mapping[str, Any], _relative: Callable[[str], str]) -> Call:
    kind = string(given.get("subagent_type", given.get("agent_type")), 100)
    about = string(given.get("description"), 300)
    asked = string(given.get("prompt", given.get("message")), MAX_EDIT)
    extra = {"agent_type": kind, "description": about, "prompt": asked}
    return made._replace(extra={key: value for key, value in extra.items() if value} or None)


def _plan(made: Call, given: Mapping[str, Any], _relative: Callable[[str], str]) -> Call:
    items = given.get("todos", given.get("plan"))
    if isinstance(items, str):
        return made._replace(extra={"plan": both_ends(items, MAX_COMMAND)})
    return made._replace(extra={"todos": todos(items)} if isinstance(items, list) else None)


def todos(items: list[Any]) -> list[dict[str, str]]:
    """Return the things of a plan, each with `content` and `status`, the latter as the host has it."""
    kept: list[dict[str, str]] = []
    for item in items[:MAX_TODOS]:
        if isinstance(item, Mapping):
            content = string(item.get("content", item.get("step", item.get("subject"))), 300)
            kept.append({"content": content, "status": string(item.get("status"), 40)})
    return kept


def words_of(command: list[Any]) -> str:
    """Return a command given as words; of a shell that is handed a script, the script.

    >>> words_of(["bash", "-lc", "pytest -q"]), words_of(["git", "commit", "-m", "two words"])
    ('pytest -q', "git commit -m 'two words'")
    """
    import shlex

    parts = [part for part in command if isinstance(part, str)]
    shell = parts[0].replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".exe") if parts else ""
    if len(parts) == 3 and shell in _SHELLS and parts[1] in _SCRIPT_OPTIONS:
        return parts[2]
    return shlex.join(parts)


_SHELLS = frozenset({"bash", "sh", "zsh", "dash", "fish", "powershell", "pwsh", "cmd"})
_SCRIPT_OPTIONS = frozenset({"-c", "-lc", "-ic", "-ilc", "-Command", "-NoProfile", "/c", "/C"})
_READERS: dict[str, Callable[[Call, Mapping[str, Any], Callable[[str], str]], Call]] = {
    "read": _read,
    "edit": _edit,
    "write": _write,
    "run": _run,
    "search": _search,
    "glob": _glob,
    "fetch": _fetch,
    "task": _task,
    "plan": _plan,
}
