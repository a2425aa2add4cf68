"""Write a session down as a script: one call for each thing that happens."""

from __future__ import annotations

from typing import Any

from remora.core.clock import from_iso, to_iso
from remora.core.events import Event, Observation, Signal
from remora.observer.observer import Observer
from remora.observer.scratchpad import Limits

START = from_iso("2026-01-05T12:00:00Z")


def still() -> float:
    """Return the time of a timer that stands, so that no event is late on a busy machine."""
    return 0.0


class Script:
    """Events in order. A step lasts ten seconds and a call one, unless `took` says otherwise."""

    def __init__(self, session: str = "s1", agent: str = "", prefix: str = "") -> None:
        self.session, self.agent, self.prefix = session, agent, prefix
        self.events: list[Event] = []
        self.at_step = 0
        self._number = 0

    def step(self, count: int = 1) -> Script:
        """The model replies anew."""
        self.at_step += count
        return self

    def add(self, kind: str, **fields: Any) -> Event:
        """Add any event."""
        self._number += 1
        fields.setdefault("at", to_iso(START + 10 * self.at_step + self._number / 100))
        fields.setdefault("key", f"{self.prefix}{self.agent}{self._number}")
        fields.setdefault("step", self.at_step)
        event = Event(kind, self.session, agent=self.agent, **fields)
        self.events.append(event)
        return event

    def call(
        self,
        tool: str,
        action: str,
        text: str = "",
        *,
        error: bool = False,
        answered: bool = True,
        took: float = 1.0,
        extra: dict[str, Any] | None = None,
        **fields: Any,
    ) -> Script:
        """Add a call and its result."""
        self._number += 1
        ident = f"{self.prefix}{self.agent}c{self._number}"
        at = START + 10 * self.at_step + self._number / 100
        common = {"tool": tool, "action": action, "call_id": ident, "step": self.at_step, **fields}
        self.add("tool_call", key=ident, at=to_iso(at), extra=extra, **common)
        if answered:
            self.add(
                "tool_result", key=f"{ident}r", at=to_iso(at + took), text=text, error=error,
                extra={"denied": True} if "doesn't want to proceed" in text else None, **common,
            )  # fmt: skip
        return self

    def read(self, path: str, text: str = "package x", **more: Any) -> Script:
        """Read a file."""
        return self.call("Read", "read", text, paths=(path,), **more)

    def edit(self, path: str, old: str = "a", new: str = "b", **more: Any) -> Script:
        """Change a file from one text to another."""
        return self.call("Edit", "edit", "done", paths=(path,), extra={"old": old, "new": new}, **more)

    def run(self, command: str, text: str = "ok", **more: Any) -> Script:
        """Run a command."""
        return self.call("Bash", "run", text, command=command, extra={"cwd": "/w/app"}, **more)

    def grep(self, pattern: str, text: str = "", **more: Any) -> Script:
        """Search in files."""
        return self.call("Grep", "search", text, pattern=pattern, **more)

    def glob(self, pattern: str, text: str = "", **more: Any) -> Script:
        """Search for names."""
        return self.call("Glob", "glob", text, pattern=pattern, **more)

    def fetch(self, url: str, text: str = "page", **more: Any) -> Script:
        """Fetch from outside."""
        return self.call("WebFetch", "fetch", text, url=url, **more)

    def say(self, text: str) -> Script:
        """The model says something."""
        self.add("reply", text=text)
        return self

    def think(self, text: str) -> Script:
        """The model thinks."""
        self.add("reasoning", text=text)
        return self

    def ask(self, text: str) -> Script:
        """The user types something."""
        self.add("user_prompt", text=text)
        return self


def played(story: str) -> Script:
    """Return a session told in a line: `1 read a.go // 2 run! make => panic: x // b@3 edit a.go: x -> y`.

    Each call has its agent and step, its verb (`!` if it fails, or `TOOL:ACTION`), what it is about and its
    answer; `stop` ends an agent.
    """
    script = Script()
    for told in story.split(" // "):
        at, verb, rest = (*told.split(" ", 2), "")[:3]
        script.agent, _, step = at.rpartition("@")
        script.at_step = int(step)
        about, answered, text = (part.strip(" ") for part in rest.partition("=> "))
        more: dict[str, Any] = {"text": text} if answered else {}
        if ":" in verb:
            tool, action = verb.split(":")
            named = {"url": about} if action == "fetch" else {"paths": (about,) if about else ()}
            script.call(tool, action.rstrip("!"), error=verb.endswith("!"), **more, **named)
        elif verb == "edit":
            path, changes, sides = about.partition(": ")
            script.edit(path, *(side.strip(" ") for side in sides.split("->")) if changes else ())
        elif verb == "stop":
            script.add("subagent_stop", text="report")
        elif verb in ("say", "think", "ask", "step"):
            getattr(script, verb)(*(about,) if about else ())
        else:
            getattr(script, verb.rstrip("!"))(about, error=verb.endswith("!"), **more)
    return script


def observed(*scripts: Script, limits: Limits = Limits(), **outcome: Any) -> Observation:  # noqa: B008
    """Return what the scripts add up to, one after the other."""
    observer = watching(*scripts, limits=limits)
    return observer.finalize(**outcome)


def watching(*scripts: Script, limits: Limits = Limits()) -> Observer:  # noqa: B008
    """Return an observer that has seen the scripts."""
    observer = Observer("s1", "claude-code", limits=limits, strict=True, timer=still)
    for script in scripts:
        for event in script.events:
            observer.observe(event)
    return observer


def of_type(observation: Observation, kind: str) -> list[Signal]:
    """Return the signals of one type."""
    return [s for s in observation.signals if s.type == kind]
