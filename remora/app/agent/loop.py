"""Connect an agent's own loop: `memory.loop(session_id)` injects memories and learns from the session.

The decision is that of a host's hooks (`remora.injection`), without processes: a program that runs an agent
itself asks for the system prompt, for the first message, before and after tools, and between steps. Every
call returns within three seconds and none raises, whatever its arguments: without memory the agent continues.
The moments are observed on the way and learned by `finish`; injections are stored for `remora log`.

Adapters for agent frameworks (`remora.interfaces.adapters`) are thin layers over this module.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooLate
from contextlib import closing, suppress
from copy import deepcopy
from functools import wraps
from itertools import count
from typing import Any, Concatenate, NamedTuple, ParamSpec, Self, TypeVar, cast

from remora.app.agent.hook_context import DECIDED, line_of, setting_of
from remora.app.agent.injection_log import injections_of, keep, lines_of
from remora.app.agent.loop_calls import event_of, moment_of
from remora.app.agent.session_brief import brief_of, own_head, task_of
from remora.app.agent.trial import keep_units
from remora.app.agent.trust import note_session
from remora.app.learning.git_history import AT_ONCE, follow
from remora.app.learning.interface_observations import observe_ui
from remora.app.learning.live_observation import Watched
from remora.app.learning.promotion import Taken
from remora.app.project.open_project import OpenProject
from remora.core import moments
from remora.core.actions import loop_action, own_id
from remora.core.clock import to_iso
from remora.core.errors import InvalidInput, RemoraError
from remora.core.events import ACTIONS, Event
from remora.core.moments import SILENCE, Moment, Reply
from remora.core.text import safe
from remora.disk.live import Line
from remora.injection.e2e import is_ui_tool
from remora.injection.render import said as said_again
from remora.injection.state import State, state_of
from remora.injection.trial import HELD, decide_in_trial
from remora.observer.quotes import standing
from remora.store.hook_reader import look

P = ParamSpec("P")
T = TypeVar("T")


def _or(nothing: Any) -> Callable[[Callable[Concatenate[Loop, P], T]], Callable[Concatenate[Loop, P], T]]:
    """Return `nothing` if a method of a loop fails, whatever its arguments; add the error to `trouble`."""

    def guarded(method: Callable[Concatenate[Loop, P], T]) -> Callable[Concatenate[Loop, P], T]:
        @wraps(method)
        def answered(self: Loop, /, *args: P.args, **named: P.kwargs) -> T:
            try:
                return method(self, *args, **named)
            except Exception as error:  # noqa: BLE001  no mistake about the memory stops the agent
                self.trouble.append(f"{method.__name__}: {type(error).__name__}: {error}")
                return cast("T", nothing)

        return answered

    return guarded


_Call = tuple[str, str, str, str]  # tool, the framework's id (not always unique), agent, arguments


def _call(tool: str, arguments: object, call_id: str, agent: str) -> _Call:
    """Return the key of a call until its result arrives."""
    return tool, call_id, agent, repr(arguments)


class Injection(NamedTuple):
    """The injection between two steps.

    Attributes:
        text: for the model, as a message of the system or of the user.
        ids: ids of the memories in the text.
        trigger: the rule that injected it; see `remora.injection.decide`.
    """

    text: str
    ids: tuple[str, ...]
    trigger: str


class Loop:
    """A session of an agent that a program runs. Use it with `with`, or call `close`.

    Attributes:
        session_id, host: the id of the session and the name of its host.
        resumed: the session has injections of an earlier loop of the same id.
        steps: number of finished tool calls.
        late: number of answers that exceeded the time limit and were dropped.
        trouble: errors that were kept from the agent, in words.
    """

    def __init__(
        self, project: OpenProject, session_id: str, host: str, tools: Mapping[str, str] | None = None
    ) -> None:
        if not session_id or not host:
            raise InvalidInput("a loop needs a session id and the name of a host")
        self._tools = dict(tools or {})
        for tool, action in self._tools.items():
            if action not in ACTIONS:
                hint = f"Choose one of {', '.join(ACTIONS)}."
                raise InvalidInput(f"unknown action {action!r} of the tool {tool!r}", hint=hint)
        self._unknown: set[str] = set()
        self._project = project
        self._head = own_head(project, host, session_id)
        self._enabled = project.settings.inject.enabled
        self._ceiling = project.settings.inject.timeout
        self._lines: list[Line] = []
        self._states: dict[str, tuple[State, int]] = {}  # of each agent, with the number of lines it includes
        self._lock = threading.RLock()
        self._calls = count(1)
        # A session that continues later has a new loop: its keys must differ from those of this one.
        self._mark = f"{int(time.time() * 1000):x}"
        self._open: dict[_Call, list[str]] = {}
        self._pool = ThreadPoolExecutor(2, thread_name_prefix="remora-loop")
        self._watched = None if project.read_only else Watched(project, session_id, host)
        with suppress(RemoraError, OSError):
            follow(project, AT_ONCE)
        self.session_id, self.host = session_id, host
        self.steps = self.late = 0
        self.trouble: list[str] = []
        self._earlier = self._told_before()
        self.resumed = bool(self._earlier)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # The four points

    @_or("")
    def brief(self, task: str = "") -> str:
        """Return the text for the system prompt: the brief of the project's memory; empty for nothing.

        A program builds its system prompt anew when a session continues, so repeated calls repeat the brief.
        It then begins with sentences of the person in the session that should still be known. Memories that
        the session received elsewhere are left out.

        Args:
            task: the task of the session, if it is known already; memories relevant to it are added.
        """
        with self._lock:
            lines = [line for line in (*self._earlier, *self._lines) if not line.get("g")]
        told = [line["said"] for line in lines if "said" in line and line["t"] != "brief"]
        said = {str(memory_id) for ids in told for memory_id in ids}

        def answer() -> Reply:
            first = brief_of(self._project, session_id=self.session_id, task=task, said=said)
            known = said.union(first.ids)
            second = task_of(self._project, task, session_id=self.session_id, said=known) if task else SILENCE
            texts = filter(None, (self._own_words(), first.text, second.text))
            return Reply("\n\n".join(texts), ids=(*first.ids, *second.ids), trigger="brief", why=first.why)

        return self._say(Moment(moments.START, self.host, self.session_id), answer).text

    @_or("")
    def first_message(self, task: str) -> str:
        """Return the text for the first message of the user: memories relevant to the task."""
        _require(task, str, "a task must be text")
        self.heard(task)
        with self._lock:
            said = frozenset(self._state("").said)
        own = self.session_id
        moment = Moment(moments.PROMPT, self.host, own, text=task)
        return self._say(moment, lambda: task_of(self._project, task, session_id=own, said=said)).text

    @_or("")
    def before(self, tool: str, arguments: Mapping[str, Any], call_id: str = "", agent: str = "") -> str:
        """Return advice for an action before it runs; mostly nothing.

        Args:
            tool: the name of the tool.
            arguments: the arguments of the call.
            call_id: the framework's own id of the call, if it has one.
            agent: id of the subagent that makes the call; each one has its own injections.
        """
        moment = self._moment(moments.BEFORE, tool, arguments, call_id, agent=agent)
        if not own_id(call_id, tool):
            moment = moment._replace(call_id=self._new())
            with self._lock:
                self._open.setdefault(_call(tool, arguments, call_id, agent), []).append(moment.call_id)
        self._watch("tool_call", moment, arguments)
        return self._say(moment, lambda: self._decided(moment)).text

    @_or("")
    def after(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        result: str,
        *,
        failed: bool = False,
        call_id: str = "",
        agent: str = "",
    ) -> str:
        """Return the text to append to a tool's result; mostly nothing.

        Args:
            tool: the name of the tool.
            arguments: the arguments of the call.
            result: its output, as the model sees it.
            failed: the call failed.
            call_id, agent: as given to `before`.
        """
        known, call_id = self._end(_call(tool, arguments, call_id, agent))
        kind = moments.FAILED if failed else moments.AFTER
        moment = self._moment(kind, tool, arguments, call_id, str(result), agent)
        if not known:
            self._watch("tool_call", moment, arguments)
        self._watch("tool_result", moment, arguments)
        self.steps += 1
        if is_ui_tool(tool) and self._watched is not None:
            self._look_at(moment, arguments)
        return self._say(moment, lambda: self._decided(moment, early=known)).text

    @_or(None)
    def prepare_step(
        self,
        step: int,
        messages: Sequence[Any] = (),  # noqa: ARG002  frameworks pass it
        recent: Sequence[Any] = (),
        agent: str = "",
    ) -> Injection | None:
        """Return the injection between two steps of the model; None for nothing.

        The first steps of a session get none (`inject.skip_steps`).

        Args:
            step: number of finished steps of the model.
            messages: the messages of the next step; not used.
            recent: the last tool calls, as (tool, arguments) pairs, if `after` is not called for them.
            agent: id of the subagent of the step.
        """
        _require(step, int, "a step must be a whole number")
        for one in recent:
            with suppress(TypeError, ValueError, IndexError):
                tool, arguments = one[0], one[1]
                self._note(self._moment(moments.AFTER, str(tool), dict(arguments), "", agent=agent), SILENCE)
        self._watch_event(Event("step", self.session_id, f"step:{self._mark}:{step}", step=step))
        if step < self._project.settings.inject.skip_steps:
            return None
        moment = Moment(moments.STEP, self.host, self.session_id, self._head.root, agent)
        said = self._say(moment, lambda: self._decided(moment, least=step))
        return Injection(said.text, said.ids, said.trigger) if said.text else None

    # Observations

    @_or(None)
    def heard(self, text: str) -> None:
        """Observe a prompt of the person."""
        self._spoken("user_prompt", f"prompt:{self._mark}:{next(self._calls)}", text)

    @_or(None)
    def replied(self, text: str) -> None:
        """Observe a reply of the model to the person."""
        self._spoken("reply", f"reply:{self._mark}:{next(self._calls)}", text)

    @_or(None)
    def recorded(self, text: str) -> None:
        """Note a memory that an agent recorded: the session's other agents receive it between their steps."""
        _require(text, str, "a memory must be text")
        with self._lock:
            self._lines.append({"k": "recorded", "x": text, "at": int(time.time() * 1000)})

    # The end

    def finish(self, outcome: str | None = None) -> Taken | None:
        """Learn from the session and delete its kept events; None if nothing could be learned.

        Args:
            outcome: "success", "failure", "abandoned" or "unknown"; inferred by default.

        Raises:
            InvalidInput: the outcome is not one of these.
        """
        taken = None
        if self._watched is not None:
            try:
                taken = self._watched.finish(outcome)
            except InvalidInput:
                raise
            except Exception as error:  # noqa: BLE001  learning is no reason for a program to fail
                self.trouble.append(str(error))
        self.close()
        return taken

    def close(self) -> None:
        """Store observations and injections; the session may continue later. A second call does nothing."""
        with self._lock:
            lines, self._lines = self._lines, []
            self._states = {}
        if any("said" in line or HELD in line for line in lines) and not self._project.read_only:
            try:
                keep(self._project, injections_of(self._head, lines))
                keep_units(self._project, self._head, lines)
                note_session(self._project, self._head.id)
            except RemoraError as error:
                self.trouble.append(str(error))
        if self._watched is not None:
            with suppress(Exception):
                self._watched.close()
        self._pool.shutdown(wait=False, cancel_futures=True)

    # Inside

    def _own_words(self) -> str:
        """Return what the person said in the session and should still be known; empty for nothing."""
        if self._watched is None or not self._project.settings.learn.quotes:
            return ""
        words = standing(self._watched.said())
        return said_again(words) if words else ""

    def _decided(self, moment: Moment, *, early: bool = True, least: int = 0) -> Reply:
        hook_reader = look(*self._project.databases)
        if hook_reader is None:
            return SILENCE
        with closing(hook_reader):
            with self._lock:
                state = deepcopy(self._state(moment.agent))
            state.steps = max(state.steps, least)
            now = self._project.clock.now()
            setting = setting_of(self._head, moment.cwd, hook_reader.threshold, early=early, now=now)
            with self._lock:
                told = [*self._earlier, *self._lines]
            return decide_in_trial(moment, state, hook_reader, setting, self.session_id, told)

    def _state(self, agent: str) -> State:
        """Return the `State` of an agent, updated by the lines since the last call."""
        with self._lock:
            state, known = self._states.get(agent) or (state_of(self._earlier, agent), 0)
            for line in self._lines[known:]:
                state.add(line)
            self._states[agent] = state, len(self._lines)
        return state

    def _told_before(self) -> list[Line]:
        """Return the injections of earlier loops of the session, as lines."""
        try:
            return lines_of(self._project.db.injections.of_session(self._head.id))
        except RemoraError as error:
            self.trouble.append(str(error))
            return []

    def _say(self, moment: Moment, answer: Callable[[], Reply]) -> Reply:
        """Return an answer if it arrives in time, and note the moment in any case."""
        reply = SILENCE
        if self._enabled:
            try:
                reply = self._pool.submit(answer).result(self._ceiling)
            except TooLate:
                self.late += 1
            except Exception as error:  # noqa: BLE001  a failing memory never fails the agent
                self.trouble.append(str(error))
        return self._note(moment, reply._replace(text=safe(reply.text)))

    def _note(self, moment: Moment, reply: Reply) -> Reply:
        """Note a moment and its reply; drop a reply that a parallel tool call received meanwhile."""
        with self._lock:
            state = self._state(moment.agent)
            told = state.advised if reply.trigger == "rule" else state.said
            if moment.kind in DECIDED and not told.isdisjoint(reply.ids):
                reply = SILENCE
            self._lines.append(line_of(moment, reply, self._head))
        return SILENCE if reply.held else reply

    def _moment(
        self,
        kind: str,
        tool: str,
        arguments: Mapping[str, Any],
        call_id: str,
        text: str = "",
        agent: str = "",
    ) -> Moment:
        _require(tool, str, "the name of a tool must be text")
        _require(arguments, Mapping, "the arguments of a call must be a mapping")
        action = loop_action(tool, arguments, self._tools)
        if action is None and tool not in self._unknown:
            self._unknown.add(tool)
            self.trouble.append(f"unknown tool {tool!r}: give its action with memory.loop(tools={{...}})")
        return moment_of(self._head, kind, tool, arguments, call_id, text, agent, action)

    def _end(self, call: _Call) -> tuple[bool, str]:
        """Return whether a call was announced by `before`, and its id."""
        tool, call_id, *_ = call
        with self._lock:
            waiting = self._open.get(call, [])
            if own_id(call_id, tool):
                announced = any(
                    line.get("k") == moments.BEFORE and line.get("i") == call_id for line in self._lines
                )
                return announced, call_id
            if waiting:
                return True, waiting.pop(0)
        return False, self._new()

    def _new(self) -> str:
        return f"call_0z{self._mark}z{next(self._calls)}"  # `own_id` does not take it for a counter

    def _look_at(self, moment: Moment, arguments: Mapping[str, Any]) -> None:
        """Judge the output of a UI tool in the pool, so that the caller does not wait."""

        def judge() -> None:
            with suppress(Exception):
                observe_ui(
                    self._project,
                    moment.tool,
                    moment.text,
                    arguments,
                    session_id=self.session_id,
                    step=self.steps,
                )

        with suppress(RuntimeError):  # the loop was closed meanwhile
            self._pool.submit(judge)

    def _watch(self, kind: str, moment: Moment, arguments: Mapping[str, Any]) -> None:
        step, at = self.steps + 1, self._now()
        self._watch_event(event_of(self._head, kind, moment, arguments, step=step, at=at))

    def _spoken(self, kind: str, key: str, text: str) -> None:
        _require(text, str, "a message must be text")
        self._watch_event(Event(kind, self.session_id, key, self.steps, self._now(), text))

    def _watch_event(self, event: Event) -> None:
        if self._watched is not None:
            with self._lock:
                self._watched.observe(event)

    def _now(self) -> str:
        return to_iso(self._project.clock.now())


def _require(value: object, kind: type, what: str) -> None:
    if not isinstance(value, kind):
        raise InvalidInput(f"{what}, not {value!r:.60}")
