"""Helpers of the adapters: the open sessions, and calls that never raise into the host."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

from remora.core.actions import loop_action

if TYPE_CHECKING:
    from remora.app.agent.loop import Loop
    from remora.app.learning.promotion import Taken
    from remora.app.memory import Memory

MOST_OPEN = 64  # loops; the least recently used one is closed, and opened again on demand

_log = logging.getLogger("remora.adapters")
_P = ParamSpec("_P")
_T = TypeVar("_T")


def quietly(default: _T, call: Callable[_P, _T], *args: _P.args, **named: _P.kwargs) -> _T:
    """Return the result of a call; if it raises, log a warning and return the default."""
    try:
        return call(*args, **named)
    except Exception as error:  # noqa: BLE001  no error of the memory may stop the agent
        _log.warning("a call to the memory failed: %s: %s", type(error).__name__, error)
        return default


async def aside(default: _T, call: Callable[_P, _T], *args: _P.args, **named: _P.kwargs) -> _T:
    """Do the same in a thread, without blocking the event loop."""

    def run() -> _T:
        return quietly(default, call, *args, **named)

    return await asyncio.to_thread(run)


class _Open(Generic[_T]):
    """A session of an adapter: the adapter's own state, and the loop, opened on first use."""

    def __init__(self, state: _T) -> None:
        self.state = state
        self.loop: Loop | None = None


class ManySessions(Generic[_T]):
    """An adapter's loops of many sessions, each beside a state of the adapter's own. Thread-safe.

    Args:
        memory: an open memory.
        host: the name of the program.
        make: returns the state of a new session from its id.
        tools: the names of the program's own tools, mapped to names that Remora knows.
    """

    def __init__(
        self, memory: Memory, host: str, make: Callable[[str], _T], tools: Mapping[str, str] | None = None
    ) -> None:
        known = actions_of(tools)
        self._new: Callable[[str], Loop] = lambda name: memory.loop(name, host=host, tools=known)
        self._make = make
        self._lock = threading.RLock()
        self._sessions: OrderedDict[str, _Open[_T]] = OrderedDict()

    def finish(self, session_id: str, outcome: str | None = None) -> Taken | None:
        """Learn from a finished session and return the result; None on failure.

        Args:
            session_id: the session's id.
            outcome: "success", "failure" or "abandoned", if known.
        """
        return quietly(None, lambda: self._forgotten(session_id).finish(outcome))

    def close(self) -> None:
        """Save all sessions without learning from them; they may continue later."""
        with self._lock:
            sessions = list(self._sessions.values())
        for one in sessions:
            self._close(one)

    def _opened(self, session_id: str) -> _Open[_T]:
        """Return a session; close and forget the least recently used above MOST_OPEN."""
        with self._lock:
            found = self._sessions.pop(session_id, None) or _Open(self._make(session_id))
            self._sessions[session_id] = found
            old = [self._sessions.popitem(last=False)[1] for _ in range(len(self._sessions) - MOST_OPEN)]
        for one in old:
            self._close(one)
        return found

    def _state(self, session_id: str) -> _T:
        """Return the state of a session; never fails because of the memory."""
        return self._opened(session_id).state

    def _loop_of(self, session_id: str) -> Loop:
        with self._lock:
            session = self._opened(session_id)
            session.loop = session.loop or self._new(session_id)
            return session.loop

    def _forgotten(self, session_id: str) -> Loop:
        """Return the loop of a session that is over, and forget the session."""
        with self._lock:
            try:
                return self._loop_of(session_id)
            finally:
                self._sessions.pop(session_id, None)

    def _close(self, session: _Open[_T]) -> None:
        with self._lock:
            loop, session.loop = session.loop, None
        if loop is not None:
            quietly(None, loop.close)


class OneSession:
    """An adapter's loop of one session, opened by the first call that needs it. Thread-safe.

    Attributes:
        session_id: the session's id.

    Args:
        memory: an open memory.
        session_id: the session's id.
        host: the name of the program.
        tools: the names of the program's own tools, mapped to names that Remora knows.
    """

    def __init__(
        self, memory: Memory, session_id: str, host: str, tools: Mapping[str, str] | None = None
    ) -> None:
        self.session_id = session_id
        self._sessions = ManySessions(memory, host, lambda _: None, tools)
        self._lock = threading.RLock()

    def finish(self, outcome: str | None = None) -> Taken | None:
        """Learn from the finished session and return the result; None on failure.

        Args:
            outcome: "success", "failure" or "abandoned", if known.
        """
        return self._sessions.finish(self.session_id, outcome)

    def close(self) -> None:
        """Save the session without learning from it; it may continue later."""
        self._sessions.close()

    def _loop(self) -> Loop:
        return self._sessions._loop_of(self.session_id)


def actions_of(tools: Mapping[str, str] | None) -> dict[str, str]:
    """Return the actions of a program's own tools, which are mapped to names that Remora knows.

    >>> actions_of({"make": "Bash", "look_up": "WebFetch", "frob": "unheard"})
    {'make': 'run', 'look_up': 'fetch'}
    """
    named = {tool: loop_action(known, {}, {}) for tool, known in (tools or {}).items()}
    return {tool: action for tool, action in named.items() if action is not None}


def woven(
    items: Sequence[_T],
    said: Callable[[_T], Iterable[str]],
    is_result: Callable[[_T], bool],
    message: Callable[[str], _T],
) -> list[_T]:
    """Return items with each injection after its item, but never between two results of one step.

    Args:
        items: the messages of a request.
        said: returns the injections that follow an item.
        is_result: returns whether an item is a tool's result.
        message: returns an item with a text.

    >>> woven(["call", "=1", "=2", "bye"], lambda item: ["!"] if item == "=1" else [],
    ...       lambda item: item.startswith("="), str.upper)
    ['call', '=1', '=2', '!', 'bye']
    """
    made: list[_T] = []
    waiting: list[str] = []
    for number, item in enumerate(items):
        made.append(item)
        waiting += said(item)
        goes_on = number + 1 < len(items) and is_result(item) and is_result(items[number + 1])
        if waiting and not goes_on:
            made.append(message("\n\n".join(waiting)))
            waiting = []
    return made


def json_lines(data: bytes) -> list[dict[str, Any]]:
    r"""Return the objects of JSON lines; skip invalid lines, as a crash may leave them.

    >>> json_lines(b'{"a": 1}\n[2]\n{"b"')
    [{'a': 1}]
    """
    found: list[dict[str, Any]] = []
    for line in data.split(b"\n"):
        with suppress(ValueError):
            entry = json.loads(line)
            found += [entry] if isinstance(entry, dict) else []
    return found


def joined(*texts: str) -> str:
    """Return the non-empty texts joined as paragraphs."""
    return "\n\n".join(text for text in texts if text)
