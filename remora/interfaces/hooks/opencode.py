"""Hook format of OpenCode, which has no command hooks: Remora's plugin forwards its plugin hooks and events.

The plugin sends one object for each hook or event that Remora uses:

    {"event": NAME, "directory": FOLDER, "input": {...}, "output": {...}}

`event` is the hook's name ("tool.execute.after") or the event's type ("session.idle"); `input` and `output`
are the arguments of the hook, or `input` is the `properties` of the event. Long outputs may be truncated.

The output is `{"context": TEXT, "message": TEXT}`, both optional: the plugin keeps the context of a session
and adds it to the system prompt (`experimental.chat.system.transform`), and shows the message. Text after a
tool is not possible. A tool that throws causes no event; a failed command has its exit code in the `metadata`
of its output.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from remora.core import moments
from remora.core.actions import action_of, of_server
from remora.core.host_tools import OPENCODE
from remora.core.moments import Moment, Reply
from remora.interfaces.hooks import payloads

HOST = "opencode"
TRANSCRIPTS = False
INJECTS = frozenset((moments.START, moments.PROMPT, moments.SUBAGENT_START))
_KINDS = {
    "session.created": moments.START,
    "chat.message": moments.PROMPT,
    "tool.execute.before": moments.BEFORE,
    "tool.execute.after": moments.AFTER,
    "experimental.session.compacting": moments.COMPACTING,
    "session.compacted": moments.COMPACTED,
    "experimental.text.complete": moments.REPLY,
    "session.idle": moments.STOP,
    "session.deleted": moments.END,
}


def parse(payload: Mapping[str, Any], _environ: Mapping[str, str]) -> Moment:
    """Return the `Moment` of a payload; never raise."""
    kind = _KINDS.get(payloads.text(payload, "event"), moments.OTHER)
    given, answer = payloads.mapping(payload.get("input")), payloads.mapping(payload.get("output"))
    info = payloads.mapping(given.get("info"))
    session = payloads.text(given, "sessionID") or payloads.text(info, "id")
    child = kind == moments.START and bool(info.get("parentID"))
    told = {
        "session_id": session,
        "prompt_id": given.get("messageID") or payloads.mapping(answer.get("message")).get("id"),
        "agent_id": session if child else "",
        "cwd": payloads.text(info, "directory") or payload.get("directory"),
        "source": "startup",
        "reason": "deleted",
        "prompt": [part for part in payloads.items(answer.get("parts")) if _typed(part)],
        "last_assistant_message": answer.get("text"),
        "tool_name": given.get("tool"),
        "tool_use_id": given.get("callID"),
        "tool_input": given.get("args") or answer.get("args"),
        "tool_response": answer,
    }
    made = payloads.moment(moments.SUBAGENT_START if child else kind, HOST, told, _meaning)
    return made._replace(failed=payloads.shows_failure(answer)) if made.kind == moments.AFTER else made


def render(_payload: Mapping[str, Any], moment: Moment, reply: Reply) -> dict[str, Any] | None:
    """Return the JSON object to print; None for no output."""
    if moment.kind == moments.OTHER:
        return None
    answer = {}
    if moment.kind in INJECTS and reply.text.strip():
        answer["context"] = payloads.fitted(reply.text)
    if reply.note.strip():
        answer["message"] = payloads.fitted(reply.note)
    return answer or None


def _typed(part: Any) -> bool:
    """Return whether a part of a message was typed by the user; OpenCode adds files and synthetic parts."""
    return isinstance(part, dict) and part.get("type") == "text" and not part.get("synthetic")


def _meaning(tool: str) -> str:
    """Return a tool's action; a tool of an MCP server is named `<server>_<tool>`."""
    if tool in OPENCODE:
        return OPENCODE[tool]
    server, bar, own = tool.partition("_")
    return of_server(server, own) if bar and not tool.startswith("mcp__") else action_of(tool)
