"""Convert a tool call of a program's own loop into a `Moment` for injection and an `Event` for learning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from remora.app.agent.hook_context import relative_to
from remora.core import moments
from remora.core.events import Event
from remora.core.moments import Moment
from remora.core.tool_calls import MOMENT_EDIT, call
from remora.disk.live import Head

MAX_TEXT = 8_000  # characters of a result that are read


def moment_of(
    head: Head,
    kind: str,
    tool: str,
    arguments: Mapping[str, Any],
    call_id: str,
    text: str,
    agent: str,
    action: str | None = None,
) -> Moment:
    """Return a tool call as a moment of a session.

    Args:
        head: the head of the session.
        kind: the kind of the moment: before the call, after it, or after it failed.
        tool, arguments, call_id, agent: as in `Loop.before`.
        text: the output of the call.
        action: the action of the tool, if the caller knows it better than the tool's name tells it.
    """
    told = call(tool, arguments, str, action, MOMENT_EDIT).moment()
    place = (head.host, head.session, head.root, agent)
    return Moment(kind, *place, text=text[:MAX_TEXT], call_id=call_id, **told)


def event_of(
    head: Head, kind: str, moment: Moment, arguments: Mapping[str, Any], *, step: int, at: str
) -> Event:
    """Return a tool call as an event for the observer.

    Args:
        head: the head of the session.
        kind: "tool_call" or "tool_result".
        moment: the same call as a moment.
        arguments: the arguments of the call.
        step: the number of the call in the session.
        at: the time, ISO 8601.
    """
    inside = relative_to(head.root, "")
    made = call(moment.tool, arguments, lambda path: inside(path) or path, moment.action)
    over = kind == "tool_result"
    return Event(
        kind,
        head.session,
        f"{moment.call_id}:{kind}",
        step,
        at,
        moment.text if over else "",
        moment.tool,
        made.action,
        moment.call_id,
        made.paths,
        made.command,
        made.pattern,
        made.url,
        over and moment.kind == moments.FAILED,
        moment.agent,
        extra=None if over else made.extra,
    )
