"""State between a call and its result: the call itself, and the todo list."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from remora.core.tool_calls import MAX_TODOS, Call
from remora.sources.transcripts.texts import string

MAX_OPEN = 10_000  # calls without a result that are remembered

_CREATED = re.compile(r"Task #(\w{1,20}) created")


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
    """The todo list of a host that reports only changes of it."""

    def __init__(self) -> None:
        self._things: dict[str, dict[str, dict[str, str]]] = {}
        self._asked: dict[str, str] = {}  # call to the provisional name of the item it creates

    def call(self, session: str, identity: str, made: Call, given: Any) -> Call:
        """Return a call with the whole list as `todos`, if it changes it; `identity` is the call's alone."""
        if made.tool not in ("TaskCreate", "TaskUpdate") or not isinstance(given, Mapping):
            return made
        things = self._things.setdefault(session, {})
        if made.tool == "TaskCreate":
            if len(things) < MAX_TODOS:
                name = f"new {identity}"
                things[name] = {"content": string(given.get("subject"), 300), "status": "pending"}
                self._asked[identity] = name
        else:
            self._update(things, given)
        return made._replace(extra={"todos": [dict(thing) for thing in things.values()]})

    @staticmethod
    def _update(things: dict[str, dict[str, str]], given: Mapping[str, Any]) -> None:
        name = given.get("taskId")
        name = str(name)[:20] if isinstance(name, str | int) else ""
        status = string(given.get("status"), 40)
        if status == "deleted":
            things.pop(name, None)
            return
        if name and (name in things or len(things) < MAX_TODOS):
            thing = things.setdefault(name, {"content": "", "status": ""})
            thing["status"] = status or thing["status"]
            thing["content"] = string(given.get("subject"), 300) or thing["content"]

    def result(self, session: str, identity: str, text: str) -> None:
        """Store the host's name of a new todo."""
        name = self._asked.pop(identity, None)
        found = _CREATED.match(text) if name else None
        if name and found:
            things = self._things[session]
            self._things[session] = {found[1] if n == name else n: thing for n, thing in things.items()}
