"""Recipes: memories of the checks that recur over sessions, in their order.

Each session adds the checks that passed in it (`habits`), and the recipe is computed from all of them: it
contains a command if three sessions ran it, and at least SHARE of the sessions that checked anything.
External text may have prompted the commands that an agent ran after reading it: they count, but never make a
recipe alone; three sessions must have run the command before any external text.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from remora.checks.from_sessions import parts_of
from remora.core.events import CommandRun, Observation, Signal
from remora.core.programs import CHECKS
from remora.observer.candidate import Candidate, Evidence, candidate, code, seen_words
from remora.shell.lines import bare
from remora.shell.location import inside
from remora.shell.purposes import check_in
from remora.store.session_reader import KEPT, SessionReader, ShownRow

SESSIONS = 3  # that must have run a command
SHARE = 0.2  # of the sessions that checked anything
STEPS = 6  # of one recipe
LONGEST = 80  # characters of a command
CONFIDENCE = 0.7
_KEY = "verify"
_VERBS = {"format": "format with", "lint": "check with", "build": "build with", "test": "test with"}


class Step(NamedTuple):
    """A command of a recipe, its purpose, and the number of sessions in which it passed."""

    command: str
    purpose: str
    sessions: int


def habits(session: Observation) -> list[Signal]:
    """Return the signal that a session adds to the counts: its checks, if it changed anything."""
    changed = any(use.edits and inside(use.path) for use in session.files)
    checks = _checks(session) if changed else {}
    if not checks:
        return []
    detail = {
        "tainted": sorted(c for c, runs in checks.items() if all(run.tainted for run in runs)),
        "order": list(checks),
        "outcome": session.outcome,
    }
    return [Signal("tool_sequence", _KEY, session.steps, session.ended, (), detail)]


def recipes(session: Observation, seen: SessionReader) -> Iterator[Candidate]:
    """Yield the recipe of all sessions, if this one ran checks."""
    if not habits(session):
        return
    steps = common_steps(seen.signals("tool_sequence", _KEY))
    if len(steps) >= 2:
        yield _candidate(session, seen, steps)


def common_steps(shown: Sequence[ShownRow]) -> list[Step]:
    """Return the checks that enough sessions ran, in the order of CHECKS, STEPS at most.

    A command is the same with and without variables; it is shown in its most frequent form.
    """
    sessions: Counter[str] = Counter()
    own: Counter[str] = Counter()  # sessions that ran it before any external text
    forms: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for session in shown:
        tainted = session.detail.get("tainted") or ()
        once = {bare(form): form for form in map(str, session.detail.get("order", ()))}
        for command, form in once.items():
            sessions[command] += 1
            own[command] += form not in tainted
            forms[command][form] += 1
    enough = max(SESSIONS, SHARE * len(shown))
    kept = [c for c in sessions if sessions[c] >= enough and own[c] >= SESSIONS]
    best = sorted(kept, key=lambda c: (-sessions[c], c))[:STEPS]
    steps = [Step(_usual(forms[c]), check_in(c, shown=True), sessions[c]) for c in best]
    return sorted(
        (step for step in steps if step.purpose),
        key=lambda step: (CHECKS.index(step.purpose), -step.sessions, step.command),
    )


def _usual(forms: Counter[str]) -> str:
    return min(forms, key=lambda form: (-forms[form], len(form), form))


def _checks(session: Observation) -> dict[str, list[CommandRun]]:
    """Return the checks that passed in a session with the runs that contain them, by their last run.

    A command that is not known as a check counts as one if it both failed and passed in this session.
    """
    found: defaultdict[str, list[CommandRun]] = defaultdict(list)
    for run in sorted(session.commands, key=lambda run: run.last_step):
        parts = parts_of(run.as_run) if run.runs > run.failures else []
        for part in parts:
            if len(part) <= LONGEST and check_in(part, shown=len(parts) == 1 and run.failures > 0):
                found[part] = [*found.pop(part, ()), run]
    return dict(found)


def _candidate(session: Observation, seen: SessionReader, steps: Sequence[Step]) -> Candidate:
    count, shown = seen.sessions_with("tool_sequence", _KEY), seen.signals("tool_sequence", _KEY)
    payload = {
        "task_pattern": "check a change before it is done",
        "steps": [
            {"order": n, "description": f"{_VERBS[step.purpose]} {code(step.command)}"}
            for n, step in enumerate(steps, start=1)
        ],
        "success_count": sum(1 for one in shown if one.detail.get("outcome") == "success"),
        **({"last_validated_at": session.ended} if session.ended else {}),
    }
    return candidate(
        session,
        "workflow_recipe",
        f"A change is checked here with {_told(steps, len(shown))} {seen_words(count)}.",
        signal="tool_sequence",
        key=_KEY,
        confidence=CONFIDENCE,
        seen=count,
        evidence=_followed(session, steps),
        why=f"the same commands recur {seen_words(count)}",
        priority=0.8,
        tags=("commands",),
        payload=payload,
    )


def _told(steps: Sequence[Step], of: int) -> str:
    """Return the commands in words, each with its number of sessions; the total is stated once."""
    whole = f" of {'the last ' if of >= KEPT else ''}{of} sessions"
    told = [f"{code(step.command)} ({step.sessions}{'' if n else whole})" for n, step in enumerate(steps)]
    return f"{', '.join(told[:-1])} and {told[-1]}"


def _followed(session: Observation, steps: Sequence[Step]) -> Evidence:
    """Return the evidence of a session for the commands of a recipe."""
    wanted = {bare(step.command) for step in steps}
    runs = [run for run in session.commands if any(bare(p) in wanted for p in parts_of(run.as_run))]
    events = tuple(run.event for run in runs if run.event)
    return Evidence(tuple(sorted({run.last_step for run in runs})), events)
