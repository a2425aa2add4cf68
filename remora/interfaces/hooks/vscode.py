"""Hook format of VS Code: Claude Code's, with `sessionId` and `hookEventName`.

There is no event for a failed tool, and none for the end of a session. The last line of a failed command's
output may contain the exit code ("Command exited with code 1").
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from remora.core import moments
from remora.core.actions import action_of, of_server
from remora.core.host_tools import VSCODE
from remora.core.moments import Moment, Reply
from remora.interfaces.hooks import payloads

HOST = "vscode"
TRANSCRIPTS = False
INJECTS = frozenset((moments.START, moments.BEFORE, moments.AFTER, moments.SUBAGENT_START))
_KINDS = {
    "SessionStart": moments.START,
    "UserPromptSubmit": moments.PROMPT,
    "PreToolUse": moments.BEFORE,
    "PostToolUse": moments.AFTER,
    "PreCompact": moments.COMPACTING,
    "SubagentStart": moments.SUBAGENT_START,
    "SubagentStop": moments.SUBAGENT_STOP,
    "Stop": moments.STOP,
}
_CODE = r"exited with (?:exit )?code (\d{1,9})\.?\s*\Z"


def parse(payload: Mapping[str, Any], _environ: Mapping[str, str]) -> Moment:
    """Return the `Moment` of a payload; never raise."""
    told = {**payload, "session_id": payloads.text(payload, "sessionId", "session_id")}
    event = payloads.text(payload, "hook_event_name", "hookEventName")
    made = payloads.moment(_KINDS.get(event, moments.OTHER), HOST, told, _meaning)
    if made.kind != moments.AFTER or made.action != "run":
        return made
    failed = payloads.shows_failure(payload.get("tool_response"))
    return made._replace(failed=failed or payloads.code_told(made.text, _CODE))


def render(payload: Mapping[str, Any], moment: Moment, reply: Reply) -> dict[str, Any] | None:
    """Return the JSON object to print; None for no output."""
    return payloads.spoken(payload, moment, reply, INJECTS)


def _meaning(tool: str) -> str:
    """Return a tool's action; a tool of an MCP server is named `mcp_<server>_<tool>`."""
    if tool in VSCODE:
        return VSCODE[tool]
    if tool.startswith("mcp_") and not tool.startswith("mcp__"):
        server, _, own = tool[4:].partition("_")
        return of_server(server, own)
    return action_of(tool)
