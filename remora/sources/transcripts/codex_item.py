"""One item of a Codex rollout: its session, the typed part of a message, tool names, the output of a tool."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from remora.core.actions import known, names_a_file, of_codex, of_server
from remora.core.typed_prompt import without_blocks
from remora.shell.trigger_match import read_line
from remora.sources.transcripts.texts import MAX_RESULT, joined, number, result_text, string

ENVELOPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
# Types of items; in the oldest files they have no envelope.
ITEMS = frozenset(
    "message reasoning function_call function_call_output local_shell_call custom_tool_call "
    "custom_tool_call_output web_search_call".split()
)
_SHOWS = frozenset("cat nl head tail bat less".split())
_TAG = re.compile(r"\s*<(?=[^>]*>)([a-zA-Z][\w -]*)(?:\s[^>]*)?>")
_HEADINGS = ("# AGENTS.md instructions", "# Context from my IDE setup", "# Files mentioned by the user")
_REQUEST = re.compile(r"^## My request for Codex:[ \t]*\n?", re.MULTILINE)
_TAGS = frozenset(
    "INSTRUCTIONS skill image environment_context user_instructions user_action turn_aborted "
    "collaboration_mode personality_spec model_switch subagent_notification hook_prompt".split()
)
_CWD = re.compile(r"<cwd>([^<]{1,4096})</cwd>")


def is_codex(record: Mapping[str, Any]) -> bool:
    """Return whether a line is part of a rollout."""
    kind = string(record.get("type"), 60)
    if kind in ENVELOPES and isinstance(record.get("payload"), Mapping):
        return True
    if not kind and isinstance(record.get("id"), str) and "instructions" in record:
        return isinstance(record.get("timestamp"), str)
    if kind == "message":
        return record.get("role") in ("user", "assistant") and isinstance(record.get("content"), list)
    return kind in ITEMS and isinstance(record.get("call_id"), str)


def typed(text: str) -> str:
    """Return the typed text of a user's message; empty if all of it was inserted."""
    asked = _REQUEST.split(text)
    if len(asked) > 1:
        return asked[-1].strip()
    if text.startswith(_HEADINGS):
        return ""
    found = _TAG.match(text)
    if found and (found[1] in _TAGS or found[1].endswith(" instructions")):
        name = found[1].split(" ")[0]
        return "" if f"</{name}" in text or f"</{found[1]}" in text else text
    return without_blocks(text)


def parent_of(meta: Mapping[str, Any], thread: str) -> str:
    """Return the session that a subagent's file belongs to; empty for a session of its own.

    Args:
        meta: the description of the session.
        thread: the file's own id. A subagent of a subagent also names the session at the root.
    """
    source = meta.get("source")
    spawned = source.get("subagent") if isinstance(source, Mapping) else None
    by = spawned.get("thread_spawn") if isinstance(spawned, Mapping) else None
    parent = string(by.get("parent_thread_id"), 200) if isinstance(by, Mapping) else ""
    parent = parent or string(meta.get("parent_thread_id"), 200)
    root = string(meta.get("session_id"), 200)
    return root if parent and root and root != thread else parent


def cwd_in(text: str) -> str:
    """Return the working directory in a text for the model, the only place of it in the oldest files."""
    found = _CWD.search(text[:20_000])
    return found[1] if found else ""


def shown_files(command: str) -> list[str]:
    """Return the files that a shell command displays: Codex has no read tool.

    >>> shown_files("nl -ba src/a.py | sed -n '1,200p'; cat b/c.md && head -n 5 d.go")
    ['src/a.py', 'b/c.md', 'd.go']
    """
    found: list[str] = []
    for program, *rest in read_line(command).commands:
        plain = [word for word in rest if word[:1] != "-" and not word.isdigit()]
        if program == "sed":
            plain = plain[1:] if "-n" in rest else []
        elif program not in _SHOWS:
            continue
        found += [word for word in plain if names_a_file(word)]
    return found[:20]


def tokens(payload: Mapping[str, Any]) -> int | None:
    """Return the input tokens of the last reply, cached ones included."""
    info = payload.get("info")
    last = info.get("last_token_usage") if isinstance(info, Mapping) else None
    return number(last.get("input_tokens")) if isinstance(last, Mapping) else None


def action(name: str, namespace: str) -> str:
    """Return the action of a tool by name; a tool that Codex lacks is a server's."""
    if namespace.startswith("mcp__") and not known(name):
        return of_server(namespace[5:].strip("_"), name)
    return of_codex(name)


# Chunk ID: 5e6cdb / Wall time: 0.1 seconds / Process exited with code 1 / Original token count: 5 / Output:
_HEADER = re.compile(
    r"(?:(?:Chunk ID|Wall time|Exit code|Original token count|Total output lines|Command|Script \w+|Process)"
    r"\b[^\n]*\n){1,8}Output:\n?"
)
_CODE = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d{1,10})\s*$", re.MULTILINE)
_RUNNING = re.compile(r"^Process running with session ID (\w{1,40})\s*$", re.MULTILINE)
_DENIED = re.compile(
    r"(?:exec command|patch|command|tool call)? ?rejected by (?:the )?user|declined by (?:the )?user"
)
_ABORTED = re.compile(r"\s*(?:command )?aborted by (?:the )?user")
_FAILED = re.compile(
    r"\s*(?:apply_patch verification failed|failed to parse function arguments|exec_command failed"
    r"|Script failed|execution error|unsupported call|tool call error|Failed to find expected lines)",
    re.IGNORECASE,
)


class Output(NamedTuple):
    """The output of a tool; `exit_code` is None if not reported."""

    text: str
    exit_code: int | None
    failed: bool
    extra: dict[str, Any] | None


def read_output(value: Any, action: str, limit: int = MAX_RESULT) -> Output:
    r"""Return a parsed tool output.

    Args:
        value: a text, blocks, or an object with `content` and `success`.
        action: of the call; only a command's text is searched for a wrapper.
        limit: maximum characters of the text.

    >>> read_output("Exit code: 2\nWall time: 0.1 seconds\nOutput:\nno such file", "run")
    Output(text='no such file', exit_code=2, failed=True, extra=None)
    >>> read_output('{"output":"ok\\n","metadata":{"exit_code":0}}', "run")
    Output(text='ok', exit_code=0, failed=False, extra=None)
    """
    failed = False
    if isinstance(value, Mapping):
        failed = value.get("success") is False
        value = value.get("content", value.get("output"))
    text = joined(value)
    text, code = _unwrapped(text)
    extra: dict[str, Any] = {}
    if code is None and action in ("run", "edit", "write", "other", ""):
        text, code, running = _without_header(text)
        if running:
            extra["running"] = running
    if code is None and _DENIED.match(text):  # a command that ran and ended was not refused
        extra["denied"] = failed = True
    elif _ABORTED.match(text):
        extra["interrupted"] = failed = True
    failed = failed or code not in (None, 0) or _FAILED.match(text) is not None
    return Output(result_text(text, limit), code, failed, extra or None)


def _unwrapped(text: str) -> tuple[str, int | None]:
    """Return the text and exit code of an output that is itself JSON."""
    if not text.startswith('{"') or '"output"' not in text:
        return text, None
    try:
        held = json.loads(text)
    except (ValueError, RecursionError):
        return text, None
    about = held.get("metadata")
    if not isinstance(held.get("output"), str):
        return text, None
    return held["output"], number(about.get("exit_code")) if isinstance(about, Mapping) else None


def _without_header(text: str) -> tuple[str, int | None, str]:
    """Return the printed text, the exit code, and the name of the command if it still runs."""
    header = _HEADER.match(text)
    if header is None:
        return text, None, ""
    code, running = _CODE.search(header[0]), _RUNNING.search(header[0])
    return text[header.end() :], int(code[1]) if code else None, running[1] if running else ""
