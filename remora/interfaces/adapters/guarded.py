"""What adapters share: a session's loop at hand, called so that it can neither fail nor hold up its host."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from remora.core.actions import table

if TYPE_CHECKING:
    from remora.app.agent.loop import Loop
    from remora.app.learning.promotion import Taken
    from remora.app.memory import Memory

MOST_OPEN = 64  # loops; the one that was used longest ago is put by, and taken up again when it is asked for

# Programs name their tools as they like. These are usual names, and what Remora knows such a tool as: what it
# does decides what is worth saying, and whether its answer comes from outside.
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
    """Return what a call returns, or the default where it fails: nobody's agent stops for its memory."""
    try:
        return call(*args, **named)
    except Exception as error:  # noqa: BLE001  whatever it is
        _log.warning("the memory could not be asked: %s: %s", type(error).__name__, error)
        return default


async def aside(default: _T, call: Callable[_P, _T], *args: _P.args, **named: _P.kwargs) -> _T:
    """Do the same in a thread, so that other work of the event loop goes on meanwhile."""

    def run() -> _T:
        return quietly(default, call, *args, **named)

    return await asyncio.to_thread(run)


class Loops:
    """The loops of a memory, one a session, made when they are first asked for. Safe to share by threads."""

    def __init__(self, memory: Memory, host: str) -> None:
        self._memory = memory
        self._host = host
        self._lock = threading.Lock()
        self._open: OrderedDict[str, Loop] = OrderedDict()

    def of(self, session_id: str) -> Loop:
        """Return the loop of a session."""
        with self._lock:
            loop = self._open.pop(session_id, None) or self._memory.loop(session_id, host=self._host)
            self._open[session_id] = loop
            old = [self._open.popitem(last=False)[1] for _ in range(len(self._open) - MOST_OPEN)]
        for one in old:
            quietly(None, one.close)
        return loop

    def finish(self, session_id: str, outcome: str | None = None) -> Taken | None:
        """Learn from a session that is over, and return what was learned."""
        loop = self.of(session_id)
        with self._lock:
            self._open.pop(session_id, None)
        return loop.finish(outcome)

    def close(self) -> None:
        """Put all of them by; sessions may go on later."""
        with self._lock:
            old = list(self._open.values())
            self._open.clear()
        for one in old:
            quietly(None, one.close)


def known_as(tool: str, own: Mapping[str, str]) -> str:
    """Return the name by which Remora knows a tool: the program's word first, then what is usual.

    >>> known_as("run_command", {}), known_as("make", {"make": "Bash"}), known_as("get_weather", {})
    ('Bash', 'Bash', 'get_weather')
    """
    return own.get(tool) or _USUAL.get(tool.lower(), tool)


def joined(*texts: str) -> str:
    """Return texts as paragraphs of one, the empty ones left out."""
    return "\n\n".join(text for text in texts if text)
