"""Hook format of Copilot CLI, in both of its forms.

Events registered under a PascalCase name have the payloads of Claude Code, with the event's name and Claude
Code's tool names. Under a camelCase name the payload does not contain the event's name, so that the event is
inferred from its keys; arguments may be JSON in a string, and tools have Copilot's own names.

`postToolUseFailure` is for tools that could not run. A failed command is a `postToolUse` with its exit code
in the last line: `<shellId: 0 completed with exit code 1>`. The output of a command hook reaches the model
after a tool and at the start of a subagent; it is ignored at the start of a session and with a prompt.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from remora.core import moments
from remora.core.actions import action_of, host_action, of_server
from remora.core.host_tools import COPILOT
from remora.core.moments import Moment, Reply
from remora.interfaces.hooks import payloads

HOST = "copilot"
TRANSCRIPTS = False
INJECTS = frozenset((moments.AFTER, moments.SUBAGENT_START))
_KINDS = {
    "sessionStart": moments.START,
    "userPromptSubmitted": moments.PROMPT,
    "userPromptSubmit": moments.PROMPT,
    "preToolUse": moments.BEFORE,
    "postToolUse": moments.AFTER,
    "postToolUseFailure": moments.FAILED,
    "preCompact": moments.COMPACTING,
    "subagentStart": moments.SUBAGENT_START,
    "subagentStop": moments.SUBAGENT_STOP,
    "agentStop": moments.STOP,
    "stop": moments.STOP,
    "sessionEnd": moments.END,
}
_CAMEL = {
    "session_id": "sessionId",
    "transcript_path": "transcriptPath",
    "tool_name": "toolName",
    "tool_input": "toolArgs",
    "tool_use_id": "toolUseId",
    "tool_response": "toolResult",
    "agent_id": "agentId",
    "agent_name": "agentName",
    "last_assistant_message": "response",
    "stop_hook_active": "stopHookActive",
}
# Keys by which an event without a name is inferred: the first row whose keys are all present.
_PARTS = (
    ("", ("transformedPrompt",)),
    ("", ("errorContext",)),
    ("postToolUse", ("toolName", "toolResult")),
    ("postToolUseFailure", ("toolName", "error")),
    ("preToolUse", ("toolName", "toolArgs")),
    ("userPromptSubmitted", ("prompt",)),
    ("preCompact", ("trigger",)),
    ("subagentStop", ("agentName", "stopReason")),
    ("subagentStart", ("agentName",)),
    ("agentStop", ("stopReason",)),
    ("sessionEnd", ("reason",)),
    ("sessionStart", ("source",)),
)
_CODE = r"(?:completed|exited) with exit code (\d{1,9})>?\s*\Z"


def parse(payload: Mapping[str, Any], _environ: Mapping[str, str]) -> Moment:
    """Return the `Moment` of a payload; never raise."""
    kind = _KINDS.get(_event(payload), moments.OTHER)
    told = {**payload, **{ours: payload[theirs] for ours, theirs in _CAMEL.items() if theirs in payload}}
    told.setdefault("tool_response", payload.get("tool_result"))
    told["agent_id"] = told.get("agent_id") or told.get("agent_name")
    # `str_replace_editor` reads, creates and edits files; its `command` argument says which.
    editor = payloads.text(payloads.mapping(told.get("tool_input")), "command")
    made = payloads.moment(kind, HOST, told, lambda tool: _meaning(tool, editor))
    if made.kind != moments.AFTER:
        return made
    result = payloads.text(payloads.mapping(told["tool_response"]), "resultType", "result_type")
    coded = made.action == "run" and payloads.code_told(made.text, _CODE)
    return made._replace(failed=coded or result == "failure")


def render(payload: Mapping[str, Any], moment: Moment, reply: Reply) -> dict[str, Any] | None:
    """Return the JSON object to print; None for no output."""
    if moment.kind not in INJECTS or _KINDS.get(_event(payload)) != moment.kind or not reply.text.strip():
        return None
    return {"additionalContext": payloads.fitted(reply.text)}


def _event(payload: Mapping[str, Any]) -> str:
    """Return an event's camelCase name, from its keys if it has no name; empty for unsupported events."""
    said = payloads.text(payload, "hook_event_name", "hookEventName")
    if said:
        return said[:1].lower() + said[1:]
    return next((event for event, parts in _PARTS if all(part in payload for part in parts)), "")


def _meaning(tool: str, editor: str) -> str:
    if tool in COPILOT:
        return host_action(tool, {"command": editor}, COPILOT)
    server, dash, own = tool.rpartition("-")  # a server's: "github-mcp-server-list_issues"
    return of_server(server, own) if dash and not tool.startswith("mcp__") else action_of(tool)
