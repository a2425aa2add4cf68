"""The course of work: the order of tests and changes, slow commands, the plan, and tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from remora.core.clock import from_iso
from remora.core.text import collapse, shorten
from remora.observer.calls import Call
from remora.observer.errors import Run
from remora.observer.scratchpad import Scratchpad
from remora.observer.state import State, keep_last, make_room
from remora.shell.location import inside

SLOW = 60.0  # seconds from which on a command may be an anomaly
_TIMES = 10.0  # the session's median
_HOUR = 3600.0

_PENDING, _BEGUN, _DONE = "pending", "in_progress", "completed"  # states of an item, in order
_STATES = (_PENDING, _BEGUN, _DONE)


class Workflow(State):
    """The course of one agent's work."""

    order: list[str]  # "e" for a change, "t" for a test
    durations: list[float]
    slow: list[tuple[str, float, int, str]]  # command, seconds, step, key
    plan: dict[str, str]  # each item with its state; one that is done stays done
    last_step: int
    tested: list[str]  # keys of the first and the last test
    forms: list[tuple[int, str]]  # step and key of the first and the last version of the plan
    counted: list[tuple[int, str]]  # step and key of the first and the last step with known tokens

    def __init__(self) -> None:
        self.order, self.durations, self.slow = [], [], []
        self.tested, self.forms, self.counted = [], [], []
        self.plan = {}
        self.last_step = 0

    def settle(self, call: Call, run: Run | None) -> None:
        """Look at one finished call."""
        if call.denied:
            return
        if call.action in ("edit", "write") and call.worked and inside(call.path):
            self.order.append("e")
        elif call.action == "plan" and call.worked:
            self._planned(call)
        elif run is not None and run.normal:
            if run.purpose == "test":
                self.order.append("t")
                self.tested = [*self.tested[:1], call.key]
            self._timed(call, run)
        del self.order[:-2000]

    # Time

    def _timed(self, call: Call, run: Run) -> None:
        seconds = _seconds_between(call.at, call.ended)
        if seconds is None:
            return
        keep_last(self.durations, seconds, 300)
        if seconds >= SLOW and run.purpose not in ("vcs", "look"):
            keep_last(self.slow, (run.normal, seconds, call.step, call.key), 60)

    # Plans

    def _planned(self, call: Call) -> None:
        todos = call.extra.get("todos")
        if not isinstance(todos, Sequence) or isinstance(todos, str):
            return
        items = [t for t in todos[:200] if isinstance(t, Mapping)]
        names = {_name(t): t for t in items if _name(t)}
        if not names:
            return
        if not set(names) & set(self.plan):  # another plan
            self.plan, self.forms = {}, []
        self.forms = [*self.forms[:1], (call.step, call.key)]
        for name, todo in names.items():
            state = status if (status := todo.get("status")) in _STATES else _PENDING
            self.plan[name] = max(self.plan.get(name, _PENDING), state, key=_STATES.index)
            make_room(self.plan, 300)

    def planned(self) -> int | None:
        """Return the number of items in the last plan; None without a plan."""
        return len(self.plan) or None

    def unfinished(self, *, ended_well: bool = False) -> list[str]:
        """Return the items of the last plan that are not completed, in order.

        With `ended_well`, items that were begun count as completed: models seldom tick off the last one.
        """
        ticked = (_BEGUN, _DONE) if ended_well else (_DONE,)
        return [item for item, state in self.plan.items() if state not in ticked]

    # Tokens

    def step(self, step: int, tokens: int | None, pad: Scratchpad, key: str = "") -> None:
        """Process the end of a step; `tokens` is the number of input tokens, None if the host gives none."""
        if tokens is None or step <= self.last_step:
            return
        self.counted = [*self.counted[:1], (step, key)]
        pad.tokens += tokens
        self.last_step = step

    # The end

    def finish(self, pad: Scratchpad) -> None:
        """Report the signals of the whole session."""
        self._test_order(pad)
        self._anomalies(pad)

    def _test_order(self, pad: Scratchpad) -> None:
        if "e" not in self.order or "t" not in self.order:
            return
        first, last = self.order.index("e"), len(self.order) - 1 - self.order[::-1].index("e")
        before, between = "t" in self.order[:first], "t" in self.order[first:last]
        pad.suspect(
            "test_order",
            "tests first" if before else "tests between changes" if between else "tests at the end",
            0,
            events=self.tested,
            evidence=pad.step,
            detail={"runs": self.order.count("t")},
        )

    def _anomalies(self, pad: Scratchpad) -> None:
        if len(self.durations) < 5:
            return
        usual = max(median(self.durations), 0.5)
        for command, seconds, step, key in self.slow:
            if seconds >= _TIMES * usual:
                detail = {"seconds": round(seconds), "usual": round(usual, 1)}
                pad.suspect("time_anomaly", command, step, event=key, evidence=step, detail=detail)


def _seconds_between(early: str | None, late: str | None) -> float | None:
    """Return the seconds from one time to another; None if unknown, negative or over an hour."""
    if not early or not late:
        return None
    try:
        seconds = from_iso(late) - from_iso(early)
    except ValueError:
        return None
    return seconds if 0.0 <= seconds <= _HOUR else None


def _name(todo: Mapping[str, Any]) -> str:
    return shorten(collapse(str(todo.get("content") or todo.get("subject") or todo.get("step") or "")), 120)
