"""Hook format of Claude Code, whose names most other hosts adopted.

A failed tool has an event of its own. Text for the model is `additionalContext`, which only some events
accept; a stop accepts it too, but then the agent would continue. Every event shows the user a
`systemMessage`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from remora.core import moments
from remora.core.moments import Moment, Reply
from remora.interfaces.hooks import payloads

HOST = "claude-code"
TRANSCRIPTS = True
INJECTS = frozenset(
    (
        moments.START,
        moments.PROMPT,
        moments.BEFORE,
        moments.AFTER,
        moments.FAILED,
        moments.SUBAGENT_START,
    )
)
_KINDS = {
    "SessionStart": moments.START,
    "UserPromptSubmit": moments.PROMPT,
    "PreToolUse": moments.BEFORE,
    "PostToolUse": moments.AFTER,
    "PostToolUseFailure": moments.FAILED,
    "PreCompact": moments.COMPACTING,
    "PostCompact": moments.COMPACTED,
    "SubagentStart": moments.SUBAGENT_START,
    "SubagentStop": moments.SUBAGENT_STOP,
    "Stop": moments.STOP,
    "StopFailure": moments.STOP,
    "SessionEnd": moments.END,
}
_NOT_A_PERSON = ("system", "loop_wakeup", "schedule_wakeup", "poll_event")  # sources of a prompt
# Prompts without a source that no user wrote: the end of a background task, messages of other agents.
_NOTICES = ("<task-notification", "<teammate-message", "<cross-session-message")


def parse(payload: Mapping[str, Any], environ: Mapping[str, str]) -> Moment:
    """Return the `Moment` of a payload; never raise."""
    kind = _KINDS.get(payloads.text(payload, "hook_event_name"), moments.OTHER)
    if _of_another_host(payload, environ) or _nobody(kind, payload):
        kind = moments.OTHER
    told = {**payload, "cwd": payload.get("cwd") or environ.get("CLAUDE_PROJECT_DIR")}
    return payloads.moment(kind, HOST, told)


def render(payload: Mapping[str, Any], moment: Moment, reply: Reply) -> dict[str, Any] | None:
    """Return the JSON object to print; None for no output."""
    return payloads.spoken(payload, moment, reply, INJECTS)


def _nobody(kind: str, payload: Mapping[str, Any]) -> bool:
    """Return whether a prompt is not the user's, or a subagent is the summarizer of a compaction."""
    if kind == moments.PROMPT:
        said = payloads.text(payload, "prompt").lstrip()
        return payload.get("source") in _NOT_A_PERSON or said.startswith(_NOTICES)
    return kind == moments.SUBAGENT_STOP and payload.get("agent_type") == ""


def _of_another_host(payload: Mapping[str, Any], environ: Mapping[str, str]) -> bool:
    """Return whether another host, which runs Claude Code's settings too, sends a duplicate of its own event.

    Cursor and Copilot CLI do so; VS Code does too, but its payloads have no `hook_event_name`.
    """
    if "conversation_id" in payload or "cursor_version" in payload:
        return True
    if environ.get("CLAUDECODE") or environ.get("CLAUDE_CODE_SESSION_ID"):
        return False
    return bool(environ.get("CURSOR_VERSION")) or (
        "timestamp" in payload and "transcript_path" not in payload  # Copilot CLI
    )
