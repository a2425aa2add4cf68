"""What a session has seen and heard by now, from the lines of its live file; pure.

A hook process lives for one tool call. What the one before it knew stands in a file of the session, a
line for each moment (`remora.disk.live`); this module adds the lines up. Every agent of a session counts for
itself: a subagent has not read what its parent was told.
"""

from __future__ import annotations

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
        prompts: how often a person spoke.
        said: memories it was told.
        spoken: how often anything was said unasked, the brief apart.
        characters: how long that was, together.
        edited: files it changed; `read` those it read.
        endings: of the names of the files it changed.
        recent: its last calls since anything was asked between two steps, oldest first.
        recorded: texts that were recorded through a tool and not yet repeated to it.
        briefed: it was told what there is at the start.
        quiet: triggers that have had their one word.
    """

    def __init__(self, agent: str = "") -> None:
        self.agent = agent
        self.steps = 0
        self.prompts = 0
        self.said: set[str] = set()
        self.spoken = 0
        self.characters = 0
        self.edited: set[str] = set()
        self.read: set[str] = set()
        self.endings: set[str] = set()
        self.recent: list[Call] = []
        self.recorded: list[str] = []
        self.briefed = False
        self.quiet: set[str] = set()

    def add(self, line: Mapping[str, Any]) -> None:
        """Take one line of the live file into account; a line of another agent counts only as a record."""
        if line.get("k") == "recorded":
            self.recorded.append(str(line.get("x", "")))
            return
        if str(line.get("g", "")) != self.agent:
            return
        kind = line.get("k")
        if kind in ("after", "failed"):
            self._done(line, failed=kind == "failed")
        elif kind == "prompt":
            self.prompts += 1
        elif kind == "step":
            self.recent = []  # what was looked at between two steps is not looked at again
        ids = line.get("said")
        if isinstance(ids, list):
            self._told(line, [str(i) for i in ids])

    def _done(self, line: Mapping[str, Any], *, failed: bool) -> None:
        self.steps += 1
        action, paths = str(line.get("a", "")), tuple(str(p) for p in line.get("p", ()))
        self.recent = [*self.recent[1 - RECENT :], Call(action, paths, str(line.get("q", "")), failed)]
        if action in ("edit", "write") and not failed:
            self.edited.update(paths)
            self.endings.update(ending(path) for path in paths)
        elif action == "read":
            self.read.update(paths)

    def _told(self, line: Mapping[str, Any], ids: list[str]) -> None:
        trigger = str(line.get("t", ""))
        self.said.update(ids)
        self.quiet.add(trigger)
        if trigger == "recorded":
            self.recorded.clear()
        if trigger in ("brief", "task"):
            self.briefed = self.briefed or trigger == "brief"
        else:
            self.spoken += 1
            self.characters += len(str(line.get("x", "")))


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
