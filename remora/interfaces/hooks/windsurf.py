"""Hook format of Windsurf (Cascade; now Devin Desktop): an event is an agent's action with its `tool_info`.

The output of a hook does not reach the model. There is no event for a failed tool, and none for the start or
end of a session. `tool_info` shows a failed command (`exit_code`, `error`); the result shows a failed tool of
an MCP server (`isError`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from remora.core import moments
from remora.core.actions import action_of
from remora.core.moments import Moment, Reply
from remora.interfaces.hooks import payloads

HOST = "windsurf"
TRANSCRIPTS = False
INJECTS: frozenset[str] = frozenset()
_KINDS = {
    "pre_user_prompt": moments.PROMPT,
    "post_cascade_response": moments.STOP,
}
_MEANING = {"read_code": "read", "write_code": "edit", "run_command": "run"}


def parse(payload: Mapping[str, Any], _environ: Mapping[str, str]) -> Moment:
    """Return the `Moment` of a payload; never raise."""
    event = payloads.text(payload, "agent_action_name")
    time, _, tool = event.partition("_")
    info = payloads.mapping(payload.get("tool_info"))
    kind = _KINDS.get(event, moments.OTHER)
    if time == "post" and (tool in _MEANING or tool == "mcp_tool_use"):
        kind = moments.AFTER
    answer = info.get("mcp_result", info)
    told = {
        "session_id": payload.get("trajectory_id"),
        "prompt_id": payload.get("execution_id"),
        "cwd": info.get("cwd"),
        "prompt": info.get("user_prompt"),
        "last_assistant_message": info.get("response"),
        "tool_name": tool,
        "tool_input": info,
        "tool_response": answer,
    }
    if tool == "mcp_tool_use":
        server, own = payloads.name(info.get("mcp_server_name")), payloads.name(info.get("mcp_tool_name"))
        told |= {"tool_name": f"mcp__{server}__{own}", "tool_input": info.get("mcp_tool_arguments")}
    made = payloads.moment(kind, HOST, told, lambda name: _MEANING.get(name) or action_of(name))
    if made.kind != moments.AFTER:
        return made
    return made._replace(failed=payloads.shows_failure(payloads.decoded(answer)))


def render(_payload: Mapping[str, Any], _moment: Moment, _reply: Reply) -> dict[str, Any] | None:
    """Return None: Windsurf ignores the output of hooks."""
    return None
