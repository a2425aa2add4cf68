"""State between a call and its result: the call itself, and the todo list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from remora.core.tool_calls import MAX_TODOS, Call
from remora.sources.transcripts.texts import string

MAX_OPEN = 10_000  # calls without a result that are remembered


class Calls:
    """Calls that wait for their results."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, str, str], tuple[Call, int, str]] = {}

    def add(
        self, identity: str, made: Call, step: int, name: str = "", *, session: str = "", agent: str = ""
    ) -> None:
        """Store a call by the host's id; the oldest is dropped if there are too many.

        Args:
            identity: the host's id; a call without one is not stored.
            made: the call.
            step: the step of the call.
            name: the unique name of the call, if the id is not unique.
            session, agent: the caller. They count if the id is not the call's name: another caller may have
                an open call with that id.
        """
        if not identity:
            return
        if len(self._open) >= MAX_OPEN:
            del self._open[next(iter(self._open))]
        name = name or identity
        key = (identity, "", "") if name == identity else (identity, session, agent)
        self._open[key] = (made._replace(extra=None), step, name)

    def take(self, identity: str, step: int, *, session: str = "", agent: str = "") -> tuple[Call, int, str]:
        """Return the call of a result, its step and its name; for an unknown call nothing, at `step`."""
        for key in ((identity, session, agent), (identity, "", "")):
            if key in self._open:
                return self._open.pop(key)
        return Call("", ""), step, ""

    def __contains__(self, identity: object) -> bool:
        return (identity, "", "") in self._open


class Plans:
    """The todo list of a host that reports only changes of it, and counts its items from 1."""

    def __init__(self) -> None:
        self._things: dict[str, dict[str, dict[str, str]]] = {}

    def call(self, session: str, made: Call, given: Any) -> Call:
        """Return a call with the whole list as `todos`, if it changes it."""
        if made.tool not in ("TaskCreate", "TaskUpdate") or not isinstance(given, Mapping):
            return made
        things = self._things.setdefault(session, {})
        name = str(len(things) + 1) if made.tool == "TaskCreate" else str(given.get("taskId"))[:20]
        if name in things or len(things) < MAX_TODOS:
            thing = things.setdefault(name, {"content": "", "status": "pending"})
            thing["content"] = string(given.get("subject"), 300) or thing["content"]
            thing["status"] = string(given.get("status"), 40) or thing["status"]
        todos = [dict(thing) for thing in things.values() if thing["status"] != "deleted"]
        return made._replace(extra={"todos": todos})
