"""What a session has seen and heard by now, from the lines of its live file; pure.

A hook process lives for one tool call. What the one before it knew stands in a file of the session, a
line for each moment (`remora.disk.live`); this module adds the lines up. Every agent of a session counts for
itself: a subagent has not read what its parent was told.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

RECENT = 12  # tool calls that are looked back at


class Call(NamedTuple):
    """A tool call that is over."""

    action: str
    paths: tuple[str, ...]
    pattern: str
    failed: bool


class State:
    """What one agent of a session did and was told.

    Attributes:
        steps: tool calls that are over.
        said: memories it was told.
        advised: memories it was told at its actions, and not in a brief.
        ran: marks of the commands that it ran since it last changed a file.
        spoken: how often anything was said unasked, the brief apart.
        characters: how long that was, together.
        edited: files it changed.
        recorded: texts that were recorded through a tool and not yet repeated to it.
        quiet: triggers that have had their one word.
        reasons: why anything was said; what no memory holds is known by that.
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
        self.quiet: set[str] = set()
        self.reasons: set[str] = set()
        self._recent: deque[Mapping[str, Any]] = deque(maxlen=RECENT)

    @property
    def recent(self) -> list[Call]:
        """Its last calls since anything was asked between two steps, oldest first."""
        return [_call(line) for line in self._recent]

    def add(self, line: Mapping[str, Any]) -> None:
        """Take one line of the live file into account; a line of another agent counts only as a record."""
        kind = line.get("k")
        if kind == "recorded":
            self.recorded.append(str(line.get("x", "")))
            if not self.agent and "m" in line:  # nobody tells who recorded it; mostly the main agent did
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
            self._recent.clear()  # what was looked at between two steps is not looked at again
        ids = line.get("said")
        if isinstance(ids, list):
            self._told(line, ids)

    def _told(self, line: Mapping[str, Any], ids: list[Any]) -> None:
        trigger = str(line.get("t", ""))
        self.said.update(map(str, ids))
        self.quiet.add(trigger)
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
    """Return what an agent of a session did and was told, from the lines of its live file in order."""
    found = State(agent)
    for line in lines:
        found.add(line)
    return found


def ending(path: str) -> str:
    """Return the ending of a file's name with its dot, in lower case; empty where it has none.

    >>> ending("src/app.Test.TS"), ending("src/.env"), ending("Makefile")
    ('.ts', '', '')
    """
    name = path.rpartition("/")[2]
    stem, dot, last = name.rpartition(".")
    return f".{last.lower()}" if dot and stem else ""
