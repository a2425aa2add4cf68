"""Hook format of Gemini CLI: Claude Code's names for most keys, its own for events and tools.

Calls and prompts have no ids. A failed tool is an `AfterTool` event with an `error` in its response, or, for
a failed command, with a line `Exit Code: 1` in the text for the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from remora.core import moments
from remora.core.actions import action_of, of_server
from remora.core.host_tools import GEMINI
from remora.core.moments import Moment, Reply
from remora.interfaces.hooks import payloads

HOST = "gemini"
TRANSCRIPTS = False
INJECTS = frozenset((moments.START, moments.PROMPT, moments.AFTER))
_KINDS = {
    "SessionStart": moments.START,
    "BeforeAgent": moments.PROMPT,
    "BeforeTool": moments.BEFORE,
    "AfterTool": moments.AFTER,
    "PreCompress": moments.COMPACTING,
    "AfterAgent": moments.STOP,
    "SessionEnd": moments.END,
}
_CODE = r"^Exit Code: (\d{1,9})$"


def parse(payload: Mapping[str, Any], environ: Mapping[str, str]) -> Moment:
    """Return the `Moment` of a payload; never raise."""
    kind = _KINDS.get(payloads.text(payload, "hook_event_name"), moments.OTHER)
    told = {
        **payload,
        "session_id": payload.get("session_id") or environ.get("GEMINI_SESSION_ID"),
        "cwd": payload.get("cwd") or environ.get("GEMINI_PROJECT_DIR"),
        "last_assistant_message": payload.get("prompt_response"),
    }
    server = payloads.name(payloads.mapping(payload.get("mcp_context")).get("server_name"))
    made = payloads.moment(kind, HOST, told, lambda tool: _meaning(tool, server))
    if made.kind != moments.AFTER:
        return made
    answer = payloads.mapping(payload.get("tool_response"))
    failed = bool(answer.get("error")) or (made.action == "run" and payloads.code_told(made.text, _CODE))
    return made._replace(failed=failed)


def render(payload: Mapping[str, Any], moment: Moment, reply: Reply) -> dict[str, Any] | None:
    """Return the JSON object to print; None for no output."""
    return payloads.spoken(payload, moment, reply, INJECTS)


def _meaning(tool: str, server: str) -> str:
    """Return a tool's action; a tool of an MCP server is named `mcp_<server>_<tool>`."""
    if tool in GEMINI and not server:
        return GEMINI[tool]
    if server or (tool.startswith("mcp_") and not tool.startswith("mcp__")):
        first, _, own = tool.removeprefix("mcp_").partition("_")
        return of_server(server or first, tool.removeprefix(f"mcp_{server}_") if server else own)
    return action_of(tool)
