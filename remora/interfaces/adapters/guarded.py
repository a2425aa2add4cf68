"""Helpers of the adapters: the open loops by session, and calls that never raise into the host."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Generic, ParamSpec, TypeVar

from remora.core.actions import table

if TYPE_CHECKING:
    from remora.app.agent.loop import Loop
    from remora.app.learning.promotion import Taken
    from remora.app.memory import Memory

MOST_OPEN = 64  # loops; the least recently used one is closed, and opened again on demand

# Common names of tools, by the name that Remora knows. The kind of a tool decides which advice applies and
# whether its result is external text.
_USUAL = table(
    {
        "Read": "view_file open_file cat_file get_file read_text_file file_read",
        "Edit": "edit edit_file modify_file update_file patch_file replace_in_file search_replace "
        "str_replace str_replace_editor apply_diff insert_lines delete_file move_file",
        "Write": "write write_file create_file save_file write_to_file file_write",
        "Bash": "bash run_command execute_command run_shell run_shell_command execute_bash run_bash terminal "
        "run_terminal_cmd run_in_terminal shell_tool command",
        "Grep": "grep grep_search search_code search_in_files search_file_content code_search find_in_files",
        "Glob": "glob list_files list_directory list_dir find_files search_files file_search",
        "WebFetch": "fetch fetch_url web_fetch http_get http_request visit_webpage read_url browse open_url",
        "WebSearch": "google_search duckduckgo_search tavily_search wikipedia_search search_web websearch",
    }
)
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


class Loops:
    """The open loops of a memory, one per session, created on first use. Thread-safe."""

    def __init__(self, memory: Memory, host: str) -> None:
        self._memory = memory
        self._host = host
        self._lock = threading.Lock()
        self._open: OrderedDict[str, Loop] = OrderedDict()

    def of(self, session_id: str) -> Loop:
        """Return the loop of a session; close the least recently used above MOST_OPEN."""
        with self._lock:
            loop = self._open.pop(session_id, None) or self._memory.loop(session_id, host=self._host)
            self._open[session_id] = loop
            old = [self._open.popitem(last=False)[1] for _ in range(len(self._open) - MOST_OPEN)]
        for one in old:
            quietly(None, one.close)
        return loop

    def finish(self, session_id: str, outcome: str | None = None) -> Taken | None:
        """Learn from a finished session and return the result."""
        loop = self.of(session_id)
        with self._lock:
            self._open.pop(session_id, None)
        return loop.finish(outcome)

    def close(self) -> None:
        """Close all loops without learning; their sessions may continue later."""
        with self._lock:
            old = list(self._open.values())
            self._open.clear()
        for one in old:
            quietly(None, one.close)


class ManySessions(Generic[_T]):
    """An adapter's loops of many sessions, each beside a state of the adapter's own. Thread-safe.

    Args:
        memory: an open memory.
        host: the name of the program.
        make: returns the state of a new session from its id.
    """

    def __init__(self, memory: Memory, host: str, make: Callable[[str], _T]) -> None:
        self._loops = Loops(memory, host)
        self._lock = threading.Lock()
        self._make = make
        self._states: OrderedDict[str, _T] = OrderedDict()

    def finish(self, session_id: str, outcome: str | None = None) -> Taken | None:
        """Learn from a finished session and return the result; None on failure.

        Args:
            session_id: the session's id.
            outcome: "success", "failure" or "abandoned", if known.
        """
        with self._lock:
            self._states.pop(session_id, None)
        return quietly(None, self._loops.finish, session_id, outcome)

    def close(self) -> None:
        """Save all sessions without learning from them; they may continue later."""
        quietly(None, self._loops.close)

    def _state(self, session_id: str) -> _T:
        """Return the state of a session; forget the least recently used above MOST_OPEN."""
        with self._lock:
            state = self._states.pop(session_id, None) or self._make(session_id)
            self._states[session_id] = state
            if len(self._states) > MOST_OPEN:
                self._states.popitem(last=False)
            return state


class OneSession:
    """An adapter's loop of one session, opened by the first call that needs it. Thread-safe.

    Attributes:
        session_id: the session's id.
    """

    def __init__(self, memory: Memory, session_id: str, host: str) -> None:
        self.session_id = session_id
        self._open: Callable[[], Loop] = lambda: memory.loop(session_id, host=host)
        self._opened: Loop | None = None
        self._lock = threading.RLock()

    def finish(self, outcome: str | None = None) -> Taken | None:
        """Learn from the finished session and return the result; None on failure.

        Args:
            outcome: "success", "failure" or "abandoned", if known.
        """
        return quietly(None, lambda: self._detached().finish(outcome))

    def close(self) -> None:
        """Save the session without learning from it; it may continue later."""
        quietly(None, lambda: self._detached().close())

    def _loop(self) -> Loop:
        with self._lock:
            if self._opened is None:
                self._opened = self._open()
            return self._opened

    def _detached(self) -> Loop:
        """Return the loop and forget it; the next call of `_loop` opens another one."""
        with self._lock:
            loop, self._opened = self._loop(), None
            return loop


def known_as(tool: str, own: Mapping[str, str]) -> str:
    """Return the name by which Remora knows a tool: from the program's mapping, then the common names.

    >>> known_as("run_command", {}), known_as("make", {"make": "Bash"}), known_as("get_weather", {})
    ('Bash', 'Bash', 'get_weather')
    """
    return own.get(tool) or _USUAL.get(tool.lower(), tool)


def joined(*texts: str) -> str:
    """Return the non-empty texts joined as paragraphs."""
    return "\n\n".join(text for text in texts if text)
