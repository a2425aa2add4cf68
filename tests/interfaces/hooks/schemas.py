"""What each host takes as the output of a hook, event by event, and a strict check against it.

A schema is a type, a constant, or an object: every key of it may be there and no other may; "key!" must be
there. An event that is not listed takes nothing but silence. Hosts that take more than this (decisions,
permissions) are asked for nothing of it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

LIMIT = 10_000  # bytes of a text, which no host takes as more than it can hold


def goldens(host: str) -> dict[str, dict[str, Any]]:
    """Return the events of a host, and what is expected of each, by the names of their files."""
    files = sorted((Path(__file__).parent / "golden" / host).glob("*.json"))
    return {path.stem: json.loads(path.read_text("utf-8")) for path in files}


_COMMON = {"continue": True, "stopReason": str, "suppressOutput": bool, "systemMessage": str}
_BLOCK = {"decision": "block", "reason": str}


def _context(event: str, **more: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName!": event, "additionalContext": str, **more}}


_PERMISSION = {"permissionDecision": str, "permissionDecisionReason": str, "updatedInput": dict}
_CLAUDE_PLAIN = """PreCompact PostCompact SessionEnd StopFailure PermissionRequest PermissionDenied
TeammateIdle TaskCreated TaskCompleted Elicitation ElicitationResult ConfigChange WorktreeCreate
WorktreeRemove InstructionsLoaded CwdChanged FileChanged DirectoryAdded MessageDisplay PreModelSwitch"""
_CLAUDE_CONTEXT = """SessionStart Setup UserPromptSubmit UserPromptExpansion PreToolUse PostToolUse
PostToolUseFailure Stop SubagentStart SubagentStop Notification PostModelSwitch"""

SCHEMAS: dict[str, dict[str, Any]] = {
    "claude-code": {
        **dict.fromkeys(_CLAUDE_PLAIN.split(), _COMMON),
        **{event: {**_COMMON, **_context(event)} for event in _CLAUDE_CONTEXT.split()},
    },
    "codex": {
        **{event: {**_COMMON, **_context(event)} for event in ("SessionStart", "SubagentStart")},
        "UserPromptSubmit": {**_COMMON, **_BLOCK, **_context("UserPromptSubmit")},
        "PreToolUse": {**_BLOCK, **_context("PreToolUse", **_PERMISSION)},
        "PostToolUse": {**_BLOCK, **_context("PostToolUse", updatedMCPToolOutput=object)},
        "Stop": _BLOCK,
        "SubagentStop": _BLOCK,
        "PreCompact": _COMMON,
        "PostCompact": _COMMON,
    },
    "cursor": {
        "sessionStart": {"additional_context": str, "env": dict},
        "beforeSubmitPrompt": {"continue!": True, "user_message": str, "additional_context": str},
        "postToolUse": {"additional_context": str, "updated_mcp_tool_output": dict},
    },
    "gemini": {
        **{event: {**_COMMON, **_context(event)} for event in ("SessionStart", "BeforeAgent", "AfterTool")},
        **dict.fromkeys(("BeforeTool", "AfterAgent", "PreCompress", "SessionEnd"), _COMMON),
    },
    "copilot": {
        "postToolUse": {"additionalContext": str, "modifiedResult": dict},
        "subagentStart": {"additionalContext": str},
    },
    "vscode": {
        **{
            event: {**_COMMON, **_context(event)}
            for event in ("SessionStart", "PreToolUse", "PostToolUse", "SubagentStart")
        },
        **dict.fromkeys(("UserPromptSubmit", "PreCompact", "SubagentStop", "Stop"), _COMMON),
    },
    "windsurf": {},
    "opencode": {
        event: {"context": str, "message": str}
        for event in (
            "session.created",
            "chat.message",
            "tool.execute.before",
            "tool.execute.after",
            "experimental.session.compacting",
            "session.compacted",
            "experimental.text.complete",
            "session.idle",
            "session.deleted",
        )
    },
}
# A host that does not name an event, or names it in two ways: the parts that tell it.
_COPILOT = {"toolResult": "postToolUse", "tool_result": "postToolUse", "agentName": "subagentStart"}


def event_of(host: str, payload: dict[str, Any]) -> str:
    """Return the event of a payload as the schemas call it."""
    if host == "copilot":
        named = payload.get("hook_event_name") or payload.get("hookEventName")
        if isinstance(named, str) and named:
            return named[:1].lower() + named[1:]
        return next((event for part, event in _COPILOT.items() if part in payload), "")
    keys = {"vscode": ("hookEventName", "hook_event_name"), "opencode": ("event",)}
    named = [payload.get(key) for key in keys.get(host, ("hook_event_name",))]
    return next((name for name in named if isinstance(name, str) and name), "")


def wrong(host: str, payload: dict[str, Any], output: dict[str, Any] | None) -> str:
    """Return what is wrong with an output; empty when the host takes it."""
    if output is None:
        return ""
    event = event_of(host, payload)
    schema = SCHEMAS[host].get(event)
    if schema is None:
        return f"{host} takes nothing at {event!r}"
    return _wrong(output, schema, event) or ("" if output else "an empty object says nothing")


def _wrong(value: Any, schema: Any, where: str) -> str:
    if isinstance(schema, dict):
        if not isinstance(value, dict):
            return f"{where}: no object"
        allowed = {key.rstrip("!"): inner for key, inner in schema.items()}
        if unknown := value.keys() - allowed.keys():
            return f"{where}: {sorted(unknown)} unknown"
        if missing := [key for key in schema if key.endswith("!") and key[:-1] not in value]:
            return f"{where}: {missing} missing"
        found = (_wrong(inner, allowed[key], f"{where}.{key}") for key, inner in value.items())
        return next((one for one in found if one), "")
    if not isinstance(schema, type):
        return (
            "" if value is schema or (type(value) is str and value == schema) else f"{where}: not {schema!r}"
        )
    if not isinstance(value, schema):
        return f"{where}: no {schema.__name__}"
    if isinstance(value, str) and len(value.encode()) > LIMIT:
        return f"{where}: {len(value)} characters"
    return ""
