"""The scratchpad of one agent: its suspected signals so far, its counts and its taint.

It is bounded: when it is full, the signals with the lowest worth are dropped, the newest among equals first;
worth is the score times 1 + ln(count). It can be written as JSON at any moment and restored exactly.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from remora.core.events import Signal
from remora.core.paths import forward
from remora.core.values import Taint
from remora.observer.candidate import KINDS
from remora.observer.state import State
from remora.shell.location import Home, Place, inside, joined, placed, repository

_EVENTS = 5  # event keys in a signal


class Limits(NamedTuple):
    """The bounds of an observer's state; entries dropped above them are counted."""

    signals: int = 2_000
    files: int = 4_000
    pairs: int = 4_000
    patterns: int = 500
    errors: int = 500
    keys: int = 65_536  # of events, to recognize repeated ones
    agents: int = 32


class Suspect(NamedTuple):
    """A suspected signal. `evidence` is the last step that it rests on; `count` the number of occurrences."""

    type: str
    key: str
    step: int
    evidence: int
    count: int  # type: ignore[assignment]  # hides tuple.count, which nobody needs here
    at: str | None
    paths: tuple[str, ...]
    detail: dict[str, Any]
    events: tuple[str, ...]


class Scratchpad(State):
    """The suspected signals of one agent. Detectors call `suspect`; `finalize` calls `signals`."""

    agent: str
    limit: int
    suspects: dict[tuple[str, str], Suspect]
    step: int  # the current one
    tokens: int  # of input, so far
    taint_source: str
    taint_step: int | None
    dropped: int
    cwds: list[str]
    written: list[str]  # files outside the repository that the session wrote itself

    def __init__(self, agent: str = "", limit: int = Limits().signals) -> None:
        self.agent, self.limit = agent, limit
        self.suspects = {}
        self.step = self.tokens = 0
        self.taint_source, self.taint_step = "", None
        self.dropped = 0
        self.cwds, self.written = [], []

    def suspect(
        self,
        kind: str,
        key: str,
        step: int,
        *,
        at: str | None = None,
        paths: tuple[str, ...] = (),
        detail: Mapping[str, Any] | None = None,
        event: str = "",
        events: Sequence[str] = (),
        evidence: int | None = None,
        count: int = 1,
    ) -> None:
        """Add a signal, or update it: fields of `detail` replace those of the same name.

        `evidence` is the last step that the signal rests on, if that is not `step`; `event` and `events` are
        the keys of the events that it rests on.
        """
        name = (kind, key)
        old = self.suspects.get(name)
        resting = step if evidence is None else evidence
        if old is None:
            if len(self.suspects) >= self.limit:
                self._evict()
            first = tuple(dict.fromkeys(filter(None, (event, *events))))[:_EVENTS]
            self.suspects[name] = Suspect(
                kind, key, step, resting, count, at, paths, dict(detail or {}), first
            )
            return
        known = old.events
        if len(known) < _EVENTS and (event or events):
            known = tuple(dict.fromkeys(filter(None, (*known, event, *events))))[:_EVENTS]
        earlier = step < old.step
        self.suspects[name] = Suspect(
            kind,
            key,
            step if earlier else old.step,
            max(old.evidence, resting) if detail else old.evidence,
            old.count + count,
            at if earlier and at else old.at,
            tuple(dict.fromkeys((*old.paths, *paths)))[:20],
            {**old.detail, **detail} if detail else old.detail,
            known,
        )

    def events(self, kind: str, *keys: str) -> tuple[str, ...]:
        """Return the event keys of signals of one type."""
        found = (self.suspects.get((kind, key)) for key in keys)
        return tuple(event for suspect in found if suspect for event in suspect.events)

    def taint(self, source: str, step: int) -> None:
        """Record that external text was read at a step; the earliest one counts."""
        if self.taint_step is None or step < self.taint_step:
            self.taint_source, self.taint_step = source[:200], step

    def tainted_at(self, step: int) -> Taint | None:
        """Return the taint of a step; None up to and including the step of the reading."""
        if self.taint_step is None or step <= self.taint_step:
            return None
        return Taint(self.taint_source, self.taint_step)

    def signals(self) -> list[Signal]:
        """Return the signals in order of step, type and key."""
        found = [
            Signal(
                s.type,
                s.key,
                s.step,
                s.at,
                s.paths,
                {**s.detail, "count": s.count},
                s.events,
                self.tainted_at(s.evidence),
                self.agent,
            )
            for s in self.suspects.values()
        ]
        return sorted(found, key=lambda s: (s.step, s.type, s.key))

    def cwd(self, said: object) -> str:
        """Return the working directory of a call: the recorded one, or else the session's first."""
        return said if isinstance(said, str) and said else self.cwds[0] if self.cwds else ""

    def home(self) -> Home:
        """Return the repository of the session and the files outside it that the session wrote."""
        return Home(repository(self.cwds[0]) if self.cwds else "", tuple(self.written))

    def folder(self, said: object) -> str:
        """Return the absolute working directory of a call; empty if unknown."""
        began = self.cwds[0] if self.cwds else ""
        return joined(began, said) if isinstance(said, str) and said else began

    def place(self, said: object) -> Place:
        """Return the place in which a call runs."""
        return placed(self.cwds[0] if self.cwds else "", said if isinstance(said, str) else "")

    def seen_cwd(self, cwd: object) -> None:
        """Record a working directory from the host: the first one, and those in its repository."""
        cwd = forward(cwd) if isinstance(cwd, str) else ""
        if len(cwd) <= 1 or cwd in self.cwds or len(self.cwds) >= 20:
            return
        if self.home().has(cwd) if self.cwds else not inside(cwd):
            self.cwds.append(cwd)

    def _evict(self) -> None:
        worst = heapq.nsmallest(max(1, self.limit // 40), self.suspects.items(), key=_worth)
        for name, _ in worst:
            del self.suspects[name]
        self.dropped += len(worst)


def _worth(item: tuple[tuple[str, str], Suspect]) -> tuple[float, int, str]:
    suspect = item[1]
    return (KINDS[suspect.type].score * (1.0 + math.log(suspect.count)), -suspect.step, suspect.key)
