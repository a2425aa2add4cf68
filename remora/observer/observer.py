"""The observer: processes the events of one session as they arrive, and returns an `Observation` of it.

Its memory is bounded; it writes nothing and calls no model. `observe` never fails the agent that it
watches: a defect of Remora is counted and described in `trouble`. Each agent of a session has an
`AgentObserver` of its own; a session without subagents has one.

External text taints: signals of steps strictly after a fetch, or after a file outside the repository was
read, carry the source and the step. Text that only repeats a tool's result, or words that the user quoted,
carries the source of these words (`Attribution`). The taint of a subagent passes to the agent that gets its
report, the report of a subagent without recorded events taints too, and a subagent that starts later
inherits the taint. No detector reads the results of memory tools; those of another memory's server taint.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from copy import copy

from remora.core.clock import from_iso, to_iso
from remora.core.errors import InvalidInput
from remora.core.events import OUTCOMES, SESSION_KINDS, Event, Observation, Signal
from remora.core.values import Taint
from remora.observer import speech
from remora.observer.agent_observer import AgentObserver
from remora.observer.attribution import Attribution
from remora.observer.calls import Call
from remora.observer.citations import Citations
from remora.observer.exchanges import Exchanges
from remora.observer.parallel_agents import conflicts, merge, merge_commands, merge_errors, merge_files
from remora.observer.quotes import MOST, Quotes
from remora.observer.scratchpad import Limits
from remora.observer.state import State, make_room
from remora.observer.timeline import Timeline

LATE = 0.002  # seconds of processor time for an event; slower ones are counted
# Early triggers: signal types of a running session that are reported at once, with their priority.
EARLY = {"self_correction": 0.9, "repeated_grep": 0.8, "error_retry": 0.75, "config_touch": 0.7}
_TROUBLE = 20  # defects that are described
_REPORTS = frozenset({"Task", "Agent", "wait_agent", "spawn_agents_on_csv"})  # their result is a report
_LAUNCHED = "Async agent launched"
_ENDS = frozenset({"step", "subagent_stop"})  # report an end, and may come late
UNSEEN = "subagent report unseen"


class _Parts(State):
    """The collectors of a session, and the observer of each of its agents."""

    timeline: Timeline
    citations: Citations
    exchanges: Exchanges
    quotes: Quotes
    attribution: Attribution
    watches: dict[str, AgentObserver]

    def __init__(self, limits: Limits = Limits()) -> None:  # noqa: B008  # immutable
        self.timeline, self.citations, self.exchanges = Timeline(), Citations(), Exchanges()
        self.quotes, self.attribution = Quotes(), Attribution()
        self.watches = {"": AgentObserver("", limits)}


class Observer:
    """The observer of one session.

    Args:
        session_id: the host's id of the session.
        host: "claude-code", "codex", or what a program calls itself.
        limits: the bounds of the state.
        strict: raise defects of Remora instead of counting them; for tests.
        timer: monotonic processor time in seconds; for tests.
        clock: the current time in seconds since the epoch; later times of events are corrected.

    Attributes:
        events: number of events; a repeated key counts once. `late` of them took longer than LATE.
        trouble: the first defects of Remora in words.
    """

    def __init__(
        self,
        session_id: str,
        host: str,
        *,
        limits: Limits = Limits(),  # noqa: B008  # immutable
        strict: bool = False,
        timer: Callable[[], float] = time.thread_time,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.session_id, self.host, self.limits = session_id, host, limits
        self.events = self.late = 0
        self.trouble: list[str] = []
        self._strict, self._timer, self._clock = strict, timer, clock
        self._now = ""  # the last reading of the clock, ISO 8601
        self._keys: dict[str, bool] = {}
        self._told: set[tuple[str, str]] = set()
        self._parts = _Parts(limits)

    # While it runs

    def observe(self, event: Event) -> None:
        """Process one event. Never raises, unless `strict`."""
        began = self._timer()
        try:
            if self._is_new(event):
                self.events += 1
                if event.at and event.at > self._now:
                    event = self._dated(event)
                self._look(event)
        except Exception as error:  # noqa: BLE001  a defect of Remora must not stop the agent
            self._failed(f"{event.kind} {event.key}", error)
        if self._timer() - began > LATE:
            self.late += 1

    def _is_new(self, event: Event) -> bool:
        key = f"{event.agent}\n{event.key}"
        if key in self._keys:
            return False
        make_room(self._keys, self.limits.keys)
        self._keys[key] = True
        return True

    def _dated(self, event: Event) -> Event:
        """Return an event; if its time lies in the future, with the latest time of the session, or now."""
        now = self._clock()
        self._now = to_iso(now)
        try:
            ahead = event.at is not None and from_iso(event.at) > now
        except ValueError:
            return event._replace(at=None)
        return event._replace(at=self._parts.timeline.finished or self._now) if ahead else event

    def _look(self, event: Event) -> None:
        self._parts.timeline.see(event)
        watch = self._watch(event)
        if event.kind not in _ENDS:
            watch.ended = self.events
        pad = watch.pad
        if event.step > pad.step:
            watch.missed(pad.step, event.step)
            pad.step = event.step
        kind = event.kind
        if kind in ("tool_call", "tool_result"):
            if kind == "tool_call" and event.action == "run":
                watch.begun(event)
            for call in watch.calls.feed(event):
                watch.settle(call, self._parts.timeline, self.events)
                self._parts.attribution.answered(call, pad.cwd(call.extra.get("cwd")))
                self._parts.citations.answered(call)
                if call.tool in _REPORTS and call.failed is not None and not call.denied:
                    self._reported(watch, call)
            if kind == "tool_result":
                watch.answered(event)
        elif kind in ("reply", "reasoning"):
            speech.told(event.text, event.step, event.key, event.at, pad)
        elif kind == "user_prompt" and not event.agent:
            speech.asked(event.text, event.step, event.key, event.at, pad)
        elif kind == "step":
            watch.workflow.step(event.step, event.tokens, pad, event.key)
        elif kind == "session_start":
            began = event.extra or {}
            pad.seen_cwd(began.get("root", began.get("cwd")))
        elif kind == "compaction":
            if event.step < 1 and not self._parts.timeline.prompts:
                pad.taint("a conversation that is not in this transcript", 0)
        elif kind == "subagent_stop":
            self._stopped(watch)
        self._parts.exchanges.feed(event, pad.tainted_at(event.step))
        self._parts.quotes.feed(event)
        self._parts.attribution.feed(event)
        self._parts.citations.feed(event)

    def _watch(self, event: Event) -> AgentObserver:
        agent = event.agent
        known = self._parts.watches.get(agent)
        if known is None:
            if len(self._parts.watches) > self.limits.agents:  # all agents above the limit share one
                agent = "…"
            known = self._parts.watches.get(agent)
        if known is None:
            known = self._parts.watches[agent] = AgentObserver(agent, self.limits, self.events)
            main = self._parts.watches[""].pad
            known.pad.cwds = list(main.cwds)
            if main.taint_step is not None:  # its prompt may rest on external text
                known.pad.taint(main.taint_source, min(main.taint_step, event.step - 1))
        return known

    def _stopped(self, watch: AgentObserver) -> None:
        if watch.pad.agent and watch.pad.taint_step is not None:
            main = self._parts.watches[""].pad
            main.taint(f"subagent: {watch.pad.taint_source}", main.step)

    def _reported(self, watch: AgentObserver, call: Call) -> None:
        """Taint the agent that gets the report of a tainted subagent, or of one without recorded events.

        The host does not always name the subagent of a report, so any of the others may have written it.
        """
        if call.text.startswith(_LAUNCHED):
            return
        watch.reports += 1
        others = [w for w in self._parts.watches.values() if w is not watch and w.pad.agent]
        sources = [w.pad.taint_source for w in others if w.pad.taint_step is not None]
        if sources:
            watch.pad.taint(f"subagent: {sources[0]}", call.step)
        elif sum(w.pad.step > 0 for w in others) < watch.reports:
            watch.pad.taint(UNSEEN, call.step)

    def acute(self) -> list[Signal]:
        """Return the signals so far that are worth reporting at once, each once.

        The user stated a rule or the model took a belief back; the same thing was searched for three times
        and found; a configuration file was changed beside another file; an error recurred. The session is
        judged as if it ended now: of a long one that takes a tenth of a second.
        """
        found = [s for s in self.finalize().signals if s.type in EARLY and (s.type, s.key) not in self._told]
        self._told.update((s.type, s.key) for s in found)
        return sorted(found, key=lambda s: (-EARLY[s.type], s.step, s.key))

    def taint(self, agent: str = "") -> Taint | None:
        """Return the source of the first external text that an agent read; None if it read none."""
        watch = self._parts.watches.get(agent)
        if watch is None or watch.pad.taint_step is None:
            return None
        return Taint(watch.pad.taint_source, watch.pad.taint_step)

    def tainted(self) -> Taint | None:
        """Return the source of the first external text that any agent read; None if none did."""
        found = [taint for agent in self._parts.watches if (taint := self.taint(agent)) is not None]
        return min(found, key=lambda taint: taint.step or 0, default=None)

    def repeated(self, *texts: str) -> Taint | None:
        """Return the source of the external words that some texts repeat; None if they repeat none."""
        return self._parts.attribution.taint(*texts)

    def inherit(self, other: Observer) -> None:
        """Take over the texts and the taint of the observer of the session that this one continues."""
        self._parts.attribution.inherit(other._parts.attribution)
        if taint := other.taint():
            self._parts.watches[""].pad.taint(taint.source, 0)

    # The end

    @property
    def timeline(self) -> Timeline:
        """The facts of the session so far."""
        return self._parts.timeline

    def unfinished(self, *, ended_well: bool = False) -> list[str]:
        """Return the items of the main agent's plan that are not completed, in order.

        With `ended_well`, items that were begun count as completed.
        """
        return self._parts.watches[""].workflow.unfinished(ended_well=ended_well)

    def finalize(self, outcome: str | None = None, kind: str | None = None) -> Observation:
        """Return the observation of the session; `outcome` and `kind` are inferred unless given.

        The session can go on afterwards, because the detectors are finished on a copy.

        Raises:
            InvalidInput: an outcome or a kind that does not exist.
        """
        if outcome is not None and outcome not in OUTCOMES:
            raise InvalidInput(f"unknown outcome {outcome!r}", hint=f"Choose one of {', '.join(OUTCOMES)}.")
        if kind is not None and kind not in SESSION_KINDS:
            raise InvalidInput(
                f"unknown kind of session {kind!r}", hint=f"Choose one of {', '.join(SESSION_KINDS)}."
            )
        end = self._copy()
        return end._concluded(outcome, kind)

    def _copy(self) -> Observer:
        """Return a copy to finish while this observer goes on; it does not recognize repeated events."""
        made = copy(self)  # the list of trouble is shared
        made._keys, made._told = {}, set()
        made._parts = self._parts.copy()
        return made

    def _concluded(self, outcome: str | None, kind: str | None) -> Observation:
        from remora.observer import outcome as judging

        for watch in self._parts.watches.values():
            try:
                watch.finish(self._parts.timeline, self.events)
            except Exception as error:  # noqa: BLE001  as in observe: the signals of other agents are kept
                self._failed(f"the end of agent {watch.pad.agent!r}", error)
        timeline, main = self._parts.timeline, self._parts.watches[""]
        watches = list(self._parts.watches.values())
        errors = sorted(error for w in watches for error in w.errors.unresolved())
        judged = judging.infer(timeline, errors)
        files = merge_files([w.files.uses.values() for w in watches])
        wanted = {use.path for use in files if use.edits or use.reads > 1}  # by any agent
        signals = merge([w.pad.signals() for w in watches])
        signals = [s for s in signals if s.type != "read_abandon" or s.key not in wanted]
        signals += conflicts(watches)
        tokens = sum(w.pad.tokens for w in watches)
        found = Observation(
            self.session_id,
            self.host,
            kind or judged.kind,
            "given" if kind else judged.kind_why,
            outcome or judged.outcome,
            "given" if outcome else judged.outcome_why,
            timeline.started,
            timeline.finished,
            timeline.steps,
            main.workflow.planned(),
            tuple(said.text for said in timeline.prompts),
            timeline.summary(),
            timeline.branch(),
            tuple(sorted(signals, key=lambda s: (s.step, s.type, s.key))),
            tuple(files),
            tuple(merge_errors([w.errors.seen(w.pad) for w in watches])),
            tuple(merge_commands([w.commands() for w in watches])),
            tokens or None,
            self.events,
            self.late,
            sum(w.pad.dropped for w in watches),
            self._parts.exchanges.exchanges(),
            tuple(self._parts.exchanges.commits),
            {
                "prompts": tuple((said.step, said.key) for said in timeline.prompts),
                "plan": tuple(main.workflow.forms),
                "tokens": tuple(counted for w in watches for counted in w.workflow.counted),
            },
            tuple(self._parts.quotes.kept[-MOST:]),
            tuple(self._parts.exchanges.remarks),
            self.tainted(),
            tuple(self._parts.citations.cited),
            tuple(self._parts.citations.shown),
        )
        return self._parts.attribution.marked(found)

    def _failed(self, where: str, error: Exception) -> None:
        if self._strict:
            raise error
        if len(self.trouble) < _TROUBLE:
            self.trouble.append(f"{where}: {type(error).__name__}: {error}"[:300])

    def said(self) -> list[str]:
        """Return the kept sentences of the person so far, in order."""
        return [quote.text for quote in self._parts.quotes.kept]
