"""Map tools to actions by their names and argument names: one table for transcripts and live hooks.

A Model Context Protocol (MCP) server is untrusted: its answers are external text and count as `fetch`,
unless the server's name identifies a memory system, or the tool's name says that it only creates, sends or
removes something. A tool that changes an existing object ("update") returns the whole object, including text
of others, so it is `fetch` too. A wrong `fetch` costs a little trust; the opposite error would cost more.

A hook loads this module before every tool call, so patterns are compiled at their first use.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any


def table(names: dict[str, str]) -> dict[str, str]:
    """Return the action of each name, from names listed by action.

    >>> table({"read": "view cat", "run": "bash"})
    {'view': 'read', 'cat': 'read', 'bash': 'run'}
    """
    return {name: action for action, listed in names.items() for name in listed.split()}


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
ACTION_OF = table(_ACTIONS)
# Other tools of the hosts; in Codex a name that is listed nowhere is an MCP tool.
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
_LOCAL = frozenset({"ide"})  # servers of the host's own window
_FILES = {
    "read": "read_file read_text_file read_media_file read_multiple_files",
    "write": "write_file",
    "edit": "edit_file move_file",
    "glob": "list_directory list_directory_with_sizes directory_tree search_files",
}
_FILE_ACTION = table(_FILES)
# Common names in programs' own loops and frameworks, which no supported host uses for something else.
_COMMON = {
    "read": "read view cat cat_file open_file view_file get_file file_read read_files load_file "
    "read_text_file",
    "edit": "edit replace str_replace str_replace_based_edit_tool str_replace_editor text_editor edit_file "
    "replace_in_file multi_edit edit_block insert insert_lines patch patch_file apply_diff modify_file "
    "update_file search_replace move_file delete_file",
    "write": "write create create_file write_file write_to_file save_file new_file file_write",
    "run": "bash shell execute execute_command execute_bash run_command run_shell run_shell_command run_bash "
    "terminal run_terminal_cmd run_in_terminal bash_tool exec command shell_tool execute_shell",
    "search": "grep search ripgrep rg grep_search search_code code_search codebase_search text_search "
    "search_in_files find_in_files search_file_content",
    "glob": "glob find find_files file_search search_files ls list_files list_dir list_directory",
    "fetch": "fetch web_fetch fetch_url read_url open_url http_get http_request browse browse_url "
    "visit_webpage search_web websearch google_search duckduckgo_search tavily_search wikipedia_search",
}
COMMON = table(_COMMON)
# Tools with several actions, chosen by an argument `command`.
_SEVERAL = frozenset({"str_replace_based_edit_tool", "str_replace_editor", "text_editor"})
_BY_COMMAND = {"view": "read", "create": "write"}
_WORD = r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])"


def loop_action(tool: str, given: Mapping[str, Any], named: Mapping[str, str]) -> str | None:
    """Return the action of a tool of a program's own loop; None for an unknown tool.

    Args:
        tool: its name.
        given: its arguments.
        named: the actions that the program declares for its tools, by name.

    >>> loop_action("execute_command", {}, {}), loop_action("frob", {}, {})
    ('run', None)
    >>> loop_action("frob", {}, {"frob": "run"}), loop_action("text_editor", {"command": "view"}, {})
    ('run', 'read')
    >>> loop_action("ed", {"command": "view"}, {"ed": "edit"}), loop_action("ed", {}, {"ed": "edit"})
    ('read', 'edit')
    """
    if tool in named and named[tool] != "edit":
        return named[tool]
    if tool in _SEVERAL or tool in named:
        return _BY_COMMAND.get(str(given.get("command")), "edit")
    if tool.lower() in COMMON:
        return COMMON[tool.lower()]
    found = action_of(tool)
    return found if found != "other" or tool in OTHER or tool.startswith("mcp__") else None


def host_action(tool: str, given: Mapping[str, Any], own: Mapping[str, str]) -> str:
    """Return the action of a host's tool; a tool that is not the host's own is an MCP tool.

    Args:
        tool: its name.
        given: its arguments.
        own: the actions of all of the host's own tools, by name.

    >>> host_action("grep", {}, {"grep": "search"}), host_action("search", {}, {"grep": "search"})
    ('search', 'fetch')
    >>> host_action("text_editor", {"command": "view"}, {"text_editor": "edit"})
    'read'
    """
    if tool in own:
        return _BY_COMMAND.get(str(given.get("command")), own[tool]) if tool in _SEVERAL else own[tool]
    return action_of(tool) if tool.startswith("mcp__") else of_server("", tool)


def action_of(tool: str) -> str:
    """Return one of `remora.core.events.ACTIONS` for a tool's name.

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


def known(tool: str) -> bool:
    """Return whether a tool is a host's own, or has the name of an MCP tool."""
    return tool in ACTION_OF or tool in OTHER or tool.startswith("mcp__")


def of_codex(tool: str) -> str:
    """Return the action of a Codex tool; a tool that is not Codex's own is an MCP tool.

    >>> of_codex("apply_patch"), of_codex("write_stdin"), of_codex("linear__get_issue")
    ('edit', 'other', 'fetch')
    """
    if known(tool):
        return action_of(tool)
    server, two, own = tool.partition("__")
    return of_server(server, own) if two else of_server("", tool)


def of_server(server: str, name: str) -> str:
    """Return one of `remora.core.events.ACTIONS` for an MCP tool; `server` is "" if it is unknown."""
    words = [w.lower() for w in re.findall(_WORD, name)]
    about = [w.lower() for w in re.findall(_WORD, server)]
    if _MEMORY.intersection(about) or _MEMORY.intersection(words):
        return "memory"
    if _LOCAL.intersection(about):
        return "other"
    if "filesystem" in about and name in _FILE_ACTION:
        return _FILE_ACTION[name]
    return "other" if words and words[0] in _ONLY_WRITES else "fetch"


def names_a_file(path: str) -> bool:
    """Return whether a search path looks like a file rather than a folder, by its ending.

    >>> names_a_file("src/app.py"), names_a_file("src"), names_a_file("/w/v1.2/src")
    (True, False, False)
    """
    ending = path.rpartition(".")[2].replace("_", "a")
    return "." in path and 0 < len(ending) <= 10 and ending.isascii() and ending.isalnum()


def own_id(call_id: str, tool: str = "") -> bool:
    """Return whether a call id is unique across replies and sessions.

    The servers of some models number calls from the start in each session or reply, after the tool's name.

    Args:
        call_id: the host's id of the call.
        tool: the name of the called tool, if it is known.

    >>> [own_id(name) for name in ("toolu_01AbCd2f", "call_x8k2m1qz", "call_00000001", "functions.md2html:0")]
    [True, True, False, False]
    """
    given = re.sub(r"\bfunctions\.[\w-]+", "", call_id)  # a tool's name follows
    counted = re.search(r"(?<!-[0-9a-fA-F]{4})[:_-]\d+$", given)  # the last group of a UUID is no counter
    # Random ids have a letter after a digit, or are long; a word with a number has neither.
    least, drawn = (16, r"\d[A-Za-z]") if counted else (8, r"\d[A-Za-z]|[A-Za-z]{20}")
    parts = re.findall(r"[A-Za-z0-9]+", given)
    return any(len(part) >= least and part not in tool and re.search(drawn, part) for part in parts)
