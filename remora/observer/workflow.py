"""Detectors of the course of work: chains of checks, the order of tests, plans, time and tokens."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any, NamedTuple

from remora.core.text import collapse, shorten
from remora.observer.calls import Call
from remora.observer.checkpoint import Checkpointed, keep_last, make_room
from remora.observer.errors import Run
from remora.observer.files import seconds_between
from remora.observer.paths import folder
from remora.observer.scratchpad import Scratchpad
from remora.shell.lines import programs_in
from remora.shell.location import inside
from remora.shell.purposes import head

SLOW = 60.0  # seconds from which on a command may be an anomaly
_TIMES = 10.0  # the session's median
GROWTH = 10_000  # tokens in one step
_GROWTH_TIMES = 4.0
_STEPS = 10  # of one item of a plan

_LIMIT = re.compile(r"timed? ?out|deadline exceeded|time limit|killed|SIGKILL|hangs?\b", re.IGNORECASE)
_NARROW = re.compile(r"(?:^|\s)(?:-run|-k|-t|--filter|--grep)[\s=]|::|\.(?:py|go|ts|js|rb)\b")


class Item(NamedTuple):
    """One item of a plan: the steps at which it was added, begun and done; 0 for not yet."""

    text: str
    added: int
    begun: int
    done: int


class Workflow(Checkpointed):
    """The course of one agent's work."""

    chain: list[tuple[str, str, bool, int, str]]  # since the last change: command, purpose, failed, step, key
    changed: bool
    order: list[str]  # "e" for a change, "t" or "n" for a wide or a narrow test
    tests: list[str]
    durations: list[float]
    slow: list[tuple[str, float, bool, int, str]]  # command, seconds, failed or timed out, step, key
    plan: dict[str, Item]
    first_plan: int
    last_tokens: int
    last_step: int
    growths: list[int]
    spikes: list[tuple[int, int, str, tuple[str, ...], str]]
    brought: list[tuple[int, str]]  # step, and the file or command whose text the next step reads
    tested: list[str]  # keys of the first and the last test
    forms: list[tuple[int, str]]  # step and key of the first and the last version of the plan
    counted: list[tuple[int, str]]  # step and key of the first and the last step with known tokens
    pasted: bool

    def __init__(self) -> None:
        self.chain, self.order, self.tests = [], [], []
        self.durations, self.slow, self.growths, self.spikes, self.brought = [], [], [], [], []
        self.tested, self.forms, self.counted = [], [], []
        self.plan = {}
        self.changed = self.pasted = False
        self.first_plan = self.last_tokens = self.last_step = 0

    def settle(self, call: Call, run: Run | None, pad: Scratchpad) -> None:
        """Look at one finished call."""
        if call.denied:
            return
        if call.action in ("edit", "write") and call.worked and inside(call.path):
            self._close_chain(pad)
            self.changed = True
            self.order.append("e")
        elif call.action == "plan" and call.worked:
            self._planned(call)
        elif run is not None and run.normal:
            self._ran(call, run, pad)
        if call.action == "read" and call.worked:
            keep_last(self.brought, (call.step, call.path), 40)
        del self.order[:-2000]

    def _ran(self, call: Call, run: Run, pad: Scratchpad) -> None:
        if run.purpose == "test":
            self.order.append("n" if _NARROW.search(run.normal) else "t")
            self.tested = [*self.tested[:1], call.key]
            if run.normal not in self.tests and len(self.tests) < 30:
                self.tests.append(run.normal)
        if self.changed and run.purpose in ("test", "lint", "format", "build", "vcs"):
            self.chain.append((run.normal, run.purpose, run.failed, call.step, call.key))
            if re.match(r"git (?:commit|push)\b", run.heads[-1] if run.heads else "") and not run.failed:
                self._close_chain(pad)
        keep_last(self.brought, (call.step, run.normal), 40)
        self._timed(call, run)

    # Chains of checks

    def prompt(self, text: str, pad: Scratchpad) -> None:
        """End the chain of checks at a prompt; a long prompt explains a growth of tokens."""
        self._close_chain(pad)
        self.changed = False
        self.pasted = self.pasted or len(text) > GROWTH

    def _close_chain(self, pad: Scratchpad) -> None:
        chain, self.chain = self.chain, []
        steps: dict[str, tuple[str, bool, int]] = {}
        for normal, purpose, failed, step, _ in chain:
            if not re.match(r"git (?:status|diff|log|show|branch|stash list)\b", normal):
                steps.pop(normal, None)  # a repeated command counts where it ran last
                steps[normal] = (purpose, failed, step)
        names = list(steps)
        if len(names) < 2 or steps[names[-1]][1] or all(p == "vcs" for p, _, _ in steps.values()):
            return
        shown = [shorten(n, 100) for n in names[-8:]]
        pad.suspect(
            "tool_sequence",
            " > ".join(map(_kind, names[-8:])),
            chain[0][3],
            evidence=chain[-1][3],
            detail={"order": shown, "purposes": [steps[n][0] for n in names[-8:]]},
            events=[key for *_, key in chain],
        )

    # Time

    def _timed(self, call: Call, run: Run) -> None:
        seconds = seconds_between(call.at, call.ended)
        if seconds is None:
            return
        keep_last(self.durations, seconds, 300)
        if seconds >= SLOW and run.purpose not in ("vcs", "look"):
            told = run.failed or _LIMIT.search(call.text[-2000:]) is not None
            keep_last(self.slow, (run.normal, seconds, told, call.step, call.key), 60)

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
            self.plan, self.first_plan, self.forms = {}, len(names), []
        self.forms = [*self.forms[:1], (call.step, call.key)]
        for name, todo in names.items():
            status = str(todo.get("status", ""))
            old = self.plan.get(name) or Item(name, call.step, 0, 0)
            if status == "in_progress" and not old.begun:
                old = old._replace(begun=max(call.step, 1))
            if status == "completed" and not old.done:
                old = old._replace(done=max(call.step, 1), begun=old.begun or old.added or 1)
            self.plan[name] = old
            make_room(self.plan, 300)

    def planned(self) -> int | None:
        """Return the number of items in the last plan; None without a plan."""
        return len(self.plan) or None

    def done(self) -> int:
        """Return the number of completed items in the last plan."""
        return sum(1 for item in self.plan.values() if item.done)

    def unfinished(self, *, ended_well: bool = False) -> list[str]:
        """Return the items of the last plan that are not completed, in order.

        With `ended_well`, items that were begun count as completed: models seldom tick off the last one.
        """
        return [item.text for item in self.plan.values() if not (item.done or (ended_well and item.begun))]

    # Tokens

    def step(self, step: int, tokens: int | None, pad: Scratchpad, key: str = "") -> None:
        """Process the end of a step; `tokens` is the number of input tokens, None if the host gives none."""
        if tokens is None or step <= self.last_step:
            return
        self.counted = [*self.counted[:1], (step, key)]
        pad.analytics.total_input_tokens += tokens
        growth = tokens - self.last_tokens
        if self.last_tokens and growth > 0:
            keep_last(self.growths, growth, 300)
            brought = tuple(dict.fromkeys(b for s, b in self.brought if self.last_step <= s < step))
            if growth >= GROWTH and not self.pasted and brought and step - self.last_step <= 2:
                keep_last(self.spikes, (step, growth, brought[-1], brought, key), 60)
        self.last_tokens, self.last_step, self.pasted = tokens, step, False
        self.brought = [b for b in self.brought if b[0] >= step]

    def compacted(self) -> None:
        """Reset the token count after a compaction, so that the next step shows no growth."""
        self.last_tokens = 0

    # The end

    def finish(self, pad: Scratchpad) -> None:
        """Report the signals of the whole session."""
        self.prompt("", pad)
        self._test_order(pad)
        self._overrun(pad)
        self._anomalies(pad)
        self._spiked(pad)

    def _test_order(self, pad: Scratchpad) -> None:
        if "e" not in self.order or not self.tests:
            return
        first, last = self.order.index("e"), len(self.order) - 1 - self.order[::-1].index("e")
        before = any(o in "tn" for o in self.order[:first])
        between = sum(1 for o in self.order[first:last] if o in "tn")
        after = [o for o in self.order[last:] if o in "tn"]
        key = "tests first" if before else "tests between changes" if between else "tests at the end"
        tests = [o for o in self.order if o in "tn"]
        widening = (
            "n" in tests and "t" in tests and tests.index("n") < len(tests) - 1 - tests[::-1].index("t")
        )
        pad.suspect(
            "test_order",
            key,
            0,
            events=self.tested,
            evidence=pad.analytics.current_step,
            detail={
                "runs": len(tests),
                "changes": self.order.count("e"),
                "between": between,
                "after": len(after),
                "narrow_to_wide": widening,
                "commands": self.tests[:8],
            },
        )

    def _overrun(self, pad: Scratchpad) -> None:
        items = [i for i in self.plan.values() if i.begun]
        if self.first_plan < 3 or not items:
            return
        took = {i.text: i.done - i.begun for i in items if i.done and i.done >= i.begun}
        longest = max(took, key=lambda t: (took[t], t), default="")
        others = [n for t, n in took.items() if t != longest]
        slow = bool(others) and took[longest] >= _STEPS and took[longest] > 3 * max(1.0, median(others))
        grown = len(self.plan) >= 1.5 * self.first_plan
        if not slow and not grown:
            return
        steps = max(i.done or i.begun for i in items) - min(i.begun for i in items)
        edited = list(pad.analytics.file_edit_set)
        pad.suspect(
            "step_overrun",
            _module(edited),
            min(i.begun for i in items),
            events=[key for _, key in self.forms],
            evidence=pad.analytics.current_step,
            paths=tuple(sorted(edited)[:8]),
            detail={
                "planned": self.first_plan,
                "items": len(self.plan),
                "steps": steps,
                "longest": shorten(longest, 120) if slow else "",
                "longest_steps": took.get(longest, 0) if slow else 0,
            },
        )

    def _anomalies(self, pad: Scratchpad) -> None:
        if len(self.durations) < 5:
            return
        usual = max(median(self.durations), 0.5)
        by_command: dict[str, list[tuple[float, bool, int, str]]] = {}
        for normal, seconds, told, step, key in self.slow:
            if seconds >= _TIMES * usual:
                by_command.setdefault(normal, []).append((seconds, told, step, key))
        for normal, times in by_command.items():
            if len(times) >= 2 or any(told for _, told, _, _ in times):
                pad.suspect(
                    "time_anomaly",
                    normal,
                    min(s for _, _, s, _ in times),
                    count=len(times),
                    events=[key for *_, key in times],
                    evidence=max(s for _, _, s, _ in times),
                    detail={
                        "seconds": round(max(s for s, *_ in times)),
                        "usual": round(usual, 1),
                        "why": "failed or timed out" if any(t for _, t, *_ in times) else "again",
                    },
                )

    def _spiked(self, pad: Scratchpad) -> None:
        usual = median(self.growths) if self.growths else 0
        for step, growth, brought, all_of_it, key in self.spikes:
            if growth >= _GROWTH_TIMES * usual or len(self.growths) < 3:
                files = [p for p in all_of_it if inside(p) and " " not in p]
                pad.suspect(
                    "context_token_spike",
                    brought,
                    step,
                    paths=tuple(files[:8]),
                    event=key,
                    evidence=step,
                    detail={"tokens": growth, "usual": round(usual), "files": files[:8]},
                )


def _kind(normal: str) -> str:
    """Return a command without the parts that vary between sessions: paths, test names, messages."""
    return " && ".join(dict.fromkeys(head(part) or shorten(part, 40) for part in programs_in(normal)))


def _name(todo: Mapping[str, Any]) -> str:
    return shorten(collapse(str(todo.get("content") or todo.get("subject") or todo.get("step") or "")), 120)


def _module(paths: list[str]) -> str:
    """Return the folder of most paths; "." without any."""
    folders = list(map(folder, paths))
    return max(sorted(set(folders)), key=folders.count, default=".")
