"""One item of a Codex rollout: its session, the typed part of a user message, tool names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from remora.core.actions import known, names_a_file, of_codex, of_server
from remora.core.typed_prompt import without_blocks
from remora.shell.trigger_match import read_line
from remora.sources.transcripts.texts import number, string

ENVELOPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_SHOWS = frozenset("cat nl head tail bat less".split())
_TAG = re.compile(r"\s*<(?=[^>]*>)([a-zA-Z][\w -]*)(?:\s[^>]*)?>")
_HEADINGS = ("# AGENTS.md instructions", "# Context from my IDE setup", "# Files mentioned by the user")
_REQUEST = re.compile(r"^## My request for Codex:[ \t]*\n?", re.MULTILINE)
_TAGS = frozenset(
    "INSTRUCTIONS skill image environment_context user_instructions user_action turn_aborted "
    "collaboration_mode personality_spec model_switch subagent_notification hook_prompt".split()
)


def is_codex(record: Mapping[str, Any]) -> bool:
    """Return whether a line is part of a rollout."""
    return record.get("type") in ENVELOPES and isinstance(record.get("payload"), Mapping)


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
