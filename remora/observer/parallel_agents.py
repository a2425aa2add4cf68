"""Parallel agents: each has a scratchpad of its own, and the end of the session merges them.

A signal that two agents showed independently is more reliable than one that an agent showed twice: it
carries the number of agents with the same answer (`agents`), and in promotion each further agent counts as
a session. Files that two agents changed while both were running are conflicts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, combinations
from typing import TYPE_CHECKING

from remora.core.events import CommandRun, ErrorSeen, FileUse, Signal

if TYPE_CHECKING:
    from remora.observer.agent_observer import AgentObserver

_ANSWERS = ("found", "instead", "then")  # keys of a signal's detail that contain its answer
_NUMBERS = ("reads", "edits", "forward", "backward", "edited", "count")


def merge(each: Sequence[Sequence[Signal]]) -> list[Signal]:
    """Return the signals of several agents, each type and key once, with the number of agents.

    Agents with another answer are not counted.
    """
    found: dict[tuple[str, str], Signal] = {}
    shown: dict[tuple[str, str], dict[int, str]] = {}
    for number, signals in enumerate(each):
        for signal in signals:
            name = (signal.type, signal.key)
            old = found.get(name)
            found[name] = signal if old is None else _joined(old, signal)
            shown.setdefault(name, {})[number] = _answer(signal)
    merged = [
        s._replace(agents=sum(answer == _answer(s) for answer in shown[name].values()))
        for name, s in found.items()
    ]
    return sorted(merged, key=lambda s: (s.step, s.type, s.key))


def _answer(signal: Signal) -> str:
    return next((str(signal.detail[name]) for name in _ANSWERS if signal.detail.get(name)), "")


def _joined(one: Signal, other: Signal) -> Signal:
    """Return two occurrences of a signal as one: the earlier first, numbers added, either taint kept."""
    first, second = (one, other) if one.step <= other.step else (other, one)
    detail = {**second.detail, **{k: v for k, v in first.detail.items() if v not in ("", None)}}
    for name in _NUMBERS:
        a, b = first.detail.get(name), second.detail.get(name)
        if isinstance(a, int) and isinstance(b, int):
            detail[name] = a + b
    return first._replace(
        detail=detail,
        paths=tuple(dict.fromkeys((*first.paths, *second.paths)))[:20],
        events=tuple(dict.fromkeys((*first.events, *second.events)))[:5],
        taint=first.taint or second.taint,
        agent=first.agent if first.agent == second.agent else "",
    )


def conflicts(agents: Sequence[AgentObserver]) -> list[Signal]:
    """Return a signal for each file that agents changed while each of them was running."""
    found = []
    for path in sorted({path for one in agents for path in one.changes}):
        pairs = combinations([one for one in agents if path in one.changes], 2)
        at_once = [pair for pair in pairs if _beside(*pair, path) and _beside(*pair[::-1], path)]
        own = list(dict.fromkeys(chain.from_iterable(at_once)))
        if own:
            firsts = [one.changes[path][0] for one in own]
            step = min(step for _, step, _ in firsts)
            signal = Signal(
                "parallel_conflict",
                path,
                step,
                paths=(path,),
                detail={"agents": sorted(one.pad.agent or "main" for one in own), "count": len(at_once)},
                events=tuple(event for _, _, event in firsts)[:5],
                taint=next(filter(None, (one.pad.tainted_at(step) for one in own)), None),
                agents=len(own),
            )
            found.append(signal)
    return found


def _beside(one: AgentObserver, other: AgentObserver, path: str) -> bool:
    """Return whether an agent changed a file between the first and the last event of another one."""
    return any(other.began <= order <= other.ended for order, _, _ in one.changes[path])


def merge_files(each: Iterable[Iterable[FileUse]]) -> list[FileUse]:
    """Return the file use of all agents, by first step and path."""
    found: dict[str, FileUse] = {}
    for use in chain.from_iterable(each):
        old = found.get(use.path)
        if old is None:
            found[use.path] = use
            continue
        times = [t for t in (old.first_at, use.first_at, old.last_at, use.last_at) if t]
        found[use.path] = FileUse(
            use.path,
            old.reads + use.reads,
            old.edits + use.edits,
            min(old.first_step, use.first_step),
            max(old.last_step, use.last_step),
            min(times, default=None),
            max(times, default=None),
        )
    return sorted(found.values(), key=lambda u: (u.first_step, u.path))


def merge_errors(each: Iterable[Iterable[ErrorSeen]]) -> list[ErrorSeen]:
    """Return the errors of all agents, each fingerprint once, a resolved one before an open one."""
    found: dict[str, ErrorSeen] = {}
    for error in chain.from_iterable(each):
        old = found.get(error.fingerprint)
        if old is None:
            found[error.fingerprint] = error
            continue
        best = old if old.resolved or not error.resolved else error
        found[error.fingerprint] = best._replace(
            count=old.count + error.count,
            steps=tuple(sorted({*old.steps, *error.steps})),
            taint=old.taint or error.taint,
            events=tuple(dict.fromkeys((*old.events, *error.events)))[:5],
        )
    return sorted(found.values(), key=lambda e: (e.steps[0], e.fingerprint))


def merge_commands(each: Iterable[Iterable[CommandRun]]) -> list[CommandRun]:
    """Return the commands of all agents, each form once, by first step."""
    found: dict[str, CommandRun] = {}
    for run in chain.from_iterable(each):
        old = found.get(run.as_run)
        if old is None:
            found[run.as_run] = run
            continue
        found[run.as_run] = (run if run.last_step > old.last_step else old)._replace(
            runs=old.runs + run.runs,
            failures=old.failures + run.failures,
            first_step=min(old.first_step, run.first_step),
            last_step=max(old.last_step, run.last_step),
            tainted=old.tainted and run.tainted,
        )
    return sorted(found.values(), key=lambda r: (r.first_step, r.as_run))
