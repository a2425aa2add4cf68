"""The state of an agent in a running session, computed from the lines of the live file; pure.

A hook process lives for one tool call. The state is kept in a file of the session, with one line for each
moment (`remora.disk.live`); this module sums the lines up. Each agent of a session has its own state: a
subagent has not read the injections of its parent.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

RECENT = 12  # finished tool calls that are kept


class Call(NamedTuple):
    """A finished tool call."""

    action: str
    paths: tuple[str, ...]
    pattern: str
    failed: bool


class State:
    """The actions and injections of one agent of a session.

    Attributes:
        steps: number of finished tool calls.
        said: ids of memories that were shown to it.
        advised: ids of memories that were shown at its actions, not in a brief.
        ran: marks of the commands that it ran since its last change of a file.
        spoken: number of injections, without the brief.
        characters: their total length.
        edited: files that it changed.
        recorded: texts that were recorded through a tool and not yet shown to it.
        reasons: the reasons of its injections, which identify those without a memory.
    """

    def __init__(self, agent: str = "") -> None:
        self.agent = agent
        self.steps = 0
        self.said: set[str] = set()
        self.advised: set[str] = set()
        self.ran: set[str] = set()
        self.spoken = 0
        self.characters = 0
        self.edited: set[str] = set()
        self.recorded: list[str] = []
        self.reasons: set[str] = set()
        self._recent: deque[Mapping[str, Any]] = deque(maxlen=RECENT)

    @property
    def recent(self) -> list[Call]:
        """The last calls since the last step event, oldest first."""
        return [_call(line) for line in self._recent]

    def add(self, line: Mapping[str, Any]) -> None:
        """Add one line of the live file; a line of another agent counts only if it is a record."""
        kind = line.get("k")
        if kind == "recorded":
            self.recorded.append(str(line.get("x", "")))
            if not self.agent and "m" in line:  # the host does not name the agent; mostly it is the main one
                self.said.add(str(line["m"]))
            return
        if str(line.get("g", "")) != self.agent:
            return
        if kind in ("after", "failed"):
            self.steps += 1
            self._recent.append(line)
            if kind == "after" and line.get("a") in ("edit", "write"):
                self.edited.update(_paths(line))
                self.ran.clear()
            elif kind == "after" and isinstance(line.get("c"), list):
                self.ran.update(map(str, line["c"]))
        elif kind == "step":
            self._recent.clear()  # calls before a step are not checked again
        ids = line.get("said")
        if isinstance(ids, list):
            self._told(line, ids)

    def _told(self, line: Mapping[str, Any], ids: list[Any]) -> None:
        trigger = str(line.get("t", ""))
        self.said.update(map(str, ids))
        self.reasons.add(str(line.get("w", "")))
        if trigger == "recorded":
            self.recorded.clear()
        if trigger not in ("brief", "task"):
            self.advised.update(map(str, ids))
            self.spoken += 1
            self.characters += len(str(line.get("x", "")))


def _call(line: Mapping[str, Any]) -> Call:
    return Call(str(line.get("a", "")), _paths(line), str(line.get("q", "")), line.get("k") == "failed")


def _paths(line: Mapping[str, Any]) -> tuple[str, ...]:
    paths = line.get("p")
    return tuple(map(str, paths)) if isinstance(paths, list) else ()


def state_of(lines: Iterable[Mapping[str, Any]], agent: str = "") -> State:
    """Return the state of an agent of a session, from the lines of its live file in order."""
    found = State(agent)
    for line in lines:
        found.add(line)
    return found


def ending(path: str) -> str:
    """Return the extension of a file's name with its dot, in lower case; empty if it has none.

    >>> ending("src/app.Test.TS"), ending("src/.env"), ending("Makefile")
    ('.ts', '', '')
    """
    name = path.rpartition("/")[2]
    stem, dot, last = name.rpartition(".")
    return f".{last.lower()}" if dot and stem else ""
