"""The observer of one agent of a session: its detectors, its file changes and the external text it read."""

from __future__ import annotations

import re

from remora.checks.ordinary import is_ordinary, places_of
from remora.core.events import CommandRun, Event
from remora.core.paths import has_drive
from remora.observer import speech
from remora.observer.calls import Call, Calls, call_of
from remora.observer.errors import Errors
from remora.observer.files import Files
from remora.observer.scratchpad import Limits, Scratchpad
from remora.observer.search import Searches
from remora.observer.state import State, keep_last, make_room
from remora.observer.timeline import Timeline
from remora.observer.workflow import Workflow
from remora.shell.forms import as_run
from remora.shell.lines import parts_in, without_folder
from remora.shell.location import Home, found_installed, inside, third_party
from remora.shell.provenance import left, outside

ECHO = 200  # characters; a longer answer of an MCP server counts as external text
_GREP = re.compile(r"(?:cd \S+ && )?(?:[ef]?grep|rg|ag)\b")
_SERVER = re.compile(r"mcp__(?!ide__)")
_OTHERS_MEMORY = re.compile(r"mcp__(?!(?:plugin_remora_)?remora__)")


class AgentObserver(State):
    """The detectors and the state of one agent of a session.

    `began` and `ended` are the numbers of its first and last event; `changes` maps a path to its changes: the
    number of the event, its step and its key.
    """

    pad: Scratchpad
    calls: Calls
    files: Files
    errors: Errors
    searches: Searches
    workflow: Workflow
    began: int
    ended: int
    reports: int
    changes: dict[str, list[tuple[int, int, str]]]

    def __init__(self, agent: str = "", limits: Limits = Limits(), now: int = 0) -> None:  # noqa: B008
        self.pad = Scratchpad(agent, limits.signals)
        self.calls, self.workflow = Calls(), Workflow()
        self.files, self.errors, self.searches = Files(limits), Errors(limits), Searches(limits)
        self.began = self.ended = now
        self.reports = 0
        self.changes = {}

    def begun(self, event: Event) -> None:
        """Parse the command of a call and cache it, because its result needs more work."""
        cwd = (event.extra or {}).get("cwd")
        as_run(event.command, self.pad.cwd(cwd), self.pad.place(cwd))
        if self.pad.taint_step is None:
            self.asks(event.command, event.tool, cwd)

    def settle(self, call: Call, timeline: Timeline, now: int) -> None:
        """Pass a finished call to every detector."""
        pad = self.pad
        if call.action == "memory":
            timeline.settle(call, None)
            if _OTHERS_MEMORY.match(call.tool):  # no detector reads the result, but the model did
                pad.taint(call.tool, call.step)
            return
        run = self.errors.settle(call, pad)
        self.files.settle(call, pad)
        self.searches.settle(call, pad)
        self.workflow.settle(call, run)
        timeline.settle(call, run)
        if call.denied:
            speech.refused(call, pad)
            return
        self._from_outside(call)
        if call.action in ("edit", "write"):
            self._note_change(call, now)

    def _from_outside(self, call: Call) -> None:
        pad = self.pad
        pad.seen_cwd(call.extra.get("cwd"))
        if pad.taint_step is not None and call.step >= pad.taint_step:
            return  # the earliest one counts
        if source := self.source(call):
            pad.taint(source, call.step)
        elif call.failed is None:
            return
        elif call.action == "run":
            self._left(call)
        elif call.action in ("edit", "write"):
            for path in call.paths[:20]:
                if not pad.home().has(path) or third_party(path):
                    keep_last(pad.written, path, 200)

    def _left(self, call: Call) -> None:
        """Record the files that a command without external text writes outside the repository."""
        made = left(*self._line(call.command, call.tool, call.extra.get("cwd")))
        kept = call.extra.get("output")
        if isinstance(kept, str) and not _GREP.match(call.command):  # it may hold hits that were not shown
            made += (kept,)
        for one in made:
            keep_last(self.pad.written, one, 200)

    def answered(self, result: Event) -> None:
        """Record the files that a background command writes outside the repository."""
        said = result.extra or {}
        if began := self.calls.running.get(str(said.get("running"))):
            call = call_of(began._replace(extra={**(began.extra or {}), **said}))
            if not self.source(call):
                self._left(call)

    def source(self, call: Call) -> str:
        """Return the source of the external text that a call read; empty if it read none."""
        pad = self.pad
        if call.action == "fetch":
            return call.url or str(call.extra.get("query") or call.tool)
        if call.action == "run" or "around" in call.extra:
            command = call.command or str(call.extra.get("around", ""))
            source = self.asks(command, call.tool, call.extra.get("cwd"))
            return source or (found_installed(call.text) if _GREP.match(command) else "")
        if call.action in ("read", "search", "glob"):
            where = call.extra.get("in")
            named = (*call.paths[:20], where if isinstance(where, str) else "")
            home = pad.home()
            if call.action == "glob":  # file names count only outside the repository
                return next((p for p in (*named, call.pattern) if p and not home.has(p)), "")
            strange = (p for p in named if p and (not home.has(p) or (third_party(p) and p not in home.own)))
            return next(strange, found_installed(call.text) if call.action == "search" else "")
        if call.action == "other" and _SERVER.match(call.tool) and len(call.text) > ECHO:
            return call.tool
        return ""

    def asks(self, command: str, tool: str, cwd: object) -> str:
        """Return the part of a command that reads external text; empty if none does."""
        return outside(*self._line(command, tool, cwd))

    def _line(self, command: str, tool: str, cwd: object) -> tuple[str, Home, str]:
        home = self.pad.home()
        if tool == "PowerShell" or (tool != "Bash" and has_drive(home.root)):
            command = command.replace("\\", "/")  # the path separator there
        return command, home, self.pad.folder(cwd)

    def missed(self, since: int, now: int) -> None:
        """Taint by the calls of steps `since` to before `now` without a result that ask for external text."""
        for event in (*self.calls.waiting.values(), *self.calls.running.values()):
            if since <= event.step < now:
                source = self.source(call_of(event))
                if source:
                    self.pad.taint(source, event.step)

    def _note_change(self, call: Call, now: int) -> None:
        for path in call.paths[:20]:
            if inside(path) and call.worked:
                make_room(self.changes, 2_000)
                keep_last(self.changes.setdefault(path, []), (now, call.step, call.key), 50)

    def finish(self, timeline: Timeline, now: int) -> None:
        """Settle the open calls and finish every detector."""
        for call in self.calls.flush():
            self.settle(call, timeline, now)
        for detector in (self.files, self.errors, self.searches, self.workflow):
            detector.finish(self.pad)

    def commands(self) -> list[CommandRun]:
        """Return the agent's commands; those that external text may have prompted are tainted.

        The ordinary parts of a tainted line count as a run of their own as well.
        """
        ran: list[CommandRun] = []
        places = places_of(self.files.uses)
        for form, run in self.errors.counts.items():
            parts = parts_in(form) if self.pad.tainted_at(run.first_step) else []
            own = [part for part in parts if is_ordinary(part, places)]
            ran.append(run._replace(tainted=len(own) < len(parts)))
            if own and len(own) < len(parts):
                form, plain = " && ".join(own), " && ".join(map(without_folder, own))
                known = self.errors.counts.get(form, run)  # its own purpose and event, if it also ran alone
                part = run._replace(purpose=known.purpose, event=known.event)
                ran.append(part._replace(command=plain, with_variables=form if form != plain else ""))
        return ran
