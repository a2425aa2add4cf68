"""Matching of tool calls with their results, in any order and also if one of them is missing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from remora.core.events import Event
from remora.observer.fingerprint import denied
from remora.observer.state import State, cut, make_room

_OPEN = 256  # calls without a result; above it the oldest is closed without one
_DONE = 4096  # ids of finished calls that are kept
_TEXT = 8_000  # characters of a result


class Call(NamedTuple):
    """One tool call with its result.

    Attributes:
        failed: None without a result.
        denied: the user refused or interrupted it.
        text: the result; if it is long, its two ends.
        at, ended: times of the call and of its result.
    """

    key: str
    step: int
    tool: str
    action: str
    at: str | None = None
    ended: str | None = None
    paths: tuple[str, ...] = ()
    command: str = ""
    pattern: str = ""
    url: str = ""
    text: str = ""
    failed: bool | None = None
    denied: bool = False
    extra: Mapping[str, Any] = {}

    @property
    def path(self) -> str:
        """The first file of the call; empty if none."""
        return self.paths[0] if self.paths else ""

    @property
    def worked(self) -> bool:
        """True unless it failed or was refused; a call without a result counts as worked."""
        return not self.failed and not self.denied


class Calls(State):
    """The open calls of one agent."""

    def __init__(self) -> None:
        self.waiting: dict[str, Event] = {}
        self.orphans: dict[str, Event] = {}
        self.running: dict[str, Event] = {}  # background commands, by the host's name for each
        self.done: dict[str, bool] = {}

    def feed(self, event: Event) -> list[Call]:
        """Process a call or a result; return the calls that it completes, in order."""
        ident = event.call_id
        if not ident and event.kind == "tool_result" and (event.extra or {}).get("of"):
            return self._ended(event, event)
        if not ident:
            return [call_of(event, None if event.kind == "tool_call" else event)]
        if ident in self.done:
            return []
        if event.kind == "tool_call":
            if ident in self.waiting:
                return []
            result = self.orphans.pop(ident, None)
            if result is not None:
                return [self._finish(ident, event, result)]
            self.waiting[ident] = event
            return self._overflow(self.waiting)
        call = self.waiting.pop(ident, None)
        if call is not None:
            return self._came(ident, call, event)
        self.orphans.setdefault(ident, event._replace(text=cut(event.text, _TEXT)))
        return self._overflow(self.orphans)

    def _came(self, ident: str, call: Event, result: Event) -> list[Call]:
        """Return a call with its result; a background command is completed by a later call about it."""
        said = result.extra or {}
        if call.action == "run" and said.get("running"):
            make_room(self.done, _DONE)
            self.done[ident] = True
            self.running[str(said["running"])] = call
            return self._overflow(self.running)
        return [self._finish(ident, call, result), *self._ended(call, result)]

    def _ended(self, about: Event, result: Event) -> list[Call]:
        """Return the background command that a call or a notice is about, if the result shows its end."""
        if (result.extra or {}).get("running"):
            return []
        ran = self.running.pop(str((about.extra or {}).get("of", "")), None)
        return [call_of(ran, result._replace(action=ran.action, tool=ran.tool))] if ran else []

    def flush(self) -> list[Call]:
        """Return the open calls, and the results without a call, by step."""
        rest = [self._finish(i, e, None) for i, e in (*self.waiting.items(), *self.running.items())]
        rest += [self._finish(i, e, e) for i, e in self.orphans.items()]
        self.waiting, self.orphans, self.running = {}, {}, {}
        return sorted(rest, key=lambda c: c.step)

    def _overflow(self, among: dict[str, Event]) -> list[Call]:
        if len(among) <= _OPEN:
            return []
        ident = next(iter(among))
        event = among.pop(ident)
        return [self._finish(ident, event, event if event.kind == "tool_result" else None)]

    def _finish(self, ident: str, call: Event, result: Event | None) -> Call:
        make_room(self.done, _DONE)
        self.done[ident] = True
        return call_of(call, result)


def call_of(call: Event, result: Event | None = None) -> Call:
    """Return a call with its result, if it has one."""
    extra: Mapping[str, Any] = call.extra or {}
    if result is not None and result is not call and result.extra:
        extra = {**extra, **result.extra}
    text = cut(result.text, _TEXT) if result is not None else ""
    failed = result.error if result is not None else None
    stopped = bool(extra.get("interrupted")) or text.startswith("[Request interrupted")
    refused = bool(extra.get("denied")) or (failed is True and "exit_code" not in extra and denied(text))
    return Call(
        call.key,
        call.step,
        call.tool or (result.tool if result else ""),
        call.action or (result.action if result else ""),
        call.at,
        result.at if result is not None else None,
        call.paths or (result.paths if result else ()),
        call.command or (result.command if result else ""),
        call.pattern or (result.pattern if result else ""),
        call.url or (result.url if result else ""),
        text,
        failed,
        stopped or refused,
        extra,
    )
