"""Hook format of Cursor: a session is a conversation, a prompt a generation, results are JSON in a string.

`postToolUse` and `postToolUseFailure` report every tool, with a call id. A failed command is a
`postToolUseFailure`, or a `postToolUse` whose output has an `exitCode`.

Text for the model is `additional_context` at the start of a session and after a tool. With a prompt it is
undocumented; current versions accept it if `continue` is true.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from remora.core import moments
from remora.core.actions import action_of, of_server
from remora.core.host_tools import CURSOR
from remora.core.moments import Moment, Reply
from remora.interfaces.hooks import payloads

HOST = "cursor"
TRANSCRIPTS = False
INJECTS = frozenset((moments.START, moments.PROMPT, moments.AFTER))
_KINDS = {
    "sessionStart": moments.START,
    "beforeSubmitPrompt": moments.PROMPT,
    "postToolUse": moments.AFTER,
    "postToolUseFailure": moments.FAILED,
    "preCompact": moments.COMPACTING,
    "subagentStart": moments.SUBAGENT_START,
    "subagentStop": moments.SUBAGENT_STOP,
    "afterAgentResponse": moments.REPLY,
    "stop": moments.STOP,
    "sessionEnd": moments.END,
}
# Payloads do not name the MCP server, so Remora's tools are recognised by their own names.
_OURS = frozenset(
    "search_memory record_memory get_session_context analyze_impact get_dependencies context_for_task "
    "why forget review".split()
)


def parse(payload: Mapping[str, Any], environ: Mapping[str, str]) -> Moment:
    """Return the `Moment` of a payload; never raise."""
    event = payloads.text(payload, "hook_event_name")
    kind = _KINDS.get(event, moments.OTHER)
    if payload.get("failure_type") == "permission_denied":
        kind = moments.OTHER  # the user denied permission: not a failure
    roots = payloads.items(payload.get("workspace_roots")) or [environ.get("CURSOR_PROJECT_DIR")]
    answer = payloads.decoded(payload.get("tool_output"))
    told = {
        **payload,
        "session_id": payloads.text(payload, "conversation_id", "session_id"),
        "prompt_id": payload.get("generation_id"),
        "agent_id": payload.get("subagent_id"),
        "cwd": payloads.text(payload, "cwd") or roots[0],
        "transcript_path": payload.get("transcript_path") or environ.get("CURSOR_TRANSCRIPT_PATH"),
        "source": "startup",
        "tool_response": answer,
        "error": payload.get("error_message"),
        "last_assistant_message": payloads.text(payload, "text", "summary"),
    }
    made = payloads.moment(kind, HOST, told, _meaning)
    if made.kind == moments.STOP and payload.get("status") in ("aborted", "error"):
        return made._replace(source=moments.ABORTED)
    if made.kind != moments.AFTER:
        return made
    # Only a command's output is the host's: the content of a file or a server may mention errors.
    failed = made.action == "run" and payloads.shows_failure(answer)
    return made._replace(failed=failed)


def render(payload: Mapping[str, Any], moment: Moment, reply: Reply) -> dict[str, Any] | None:
    """Return the JSON object to print; None for no output."""
    event = payloads.text(payload, "hook_event_name")
    if moment.kind == moments.OTHER or event not in ("sessionStart", "beforeSubmitPrompt", "postToolUse"):
        return None
    answer: dict[str, Any] = {}
    if reply.text.strip():
        answer["additional_context"] = payloads.fitted(reply.text)
    if event == "beforeSubmitPrompt" and reply.note.strip():
        answer["user_message"] = payloads.fitted(reply.note)
    if not answer:
        return None
    return {"continue": True, **answer} if event == "beforeSubmitPrompt" else answer


def _meaning(tool: str) -> str:
    if tool.startswith("MCP:"):
        own = tool[4:]
        return "memory" if own in _OURS else of_server("", own)
    return CURSOR.get(tool) or action_of(tool)
