"""The cost of work in a module: steps compared with the plan, and tokens.

A plan counts items and a session counts replies of the model, so the two cannot be divided directly. The
average number of steps for a planned item over the whole project makes plans comparable: a module is
reported if its sessions take at least OFF times, or at most 1 / OFF of, the steps that their plans suggest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from statistics import median

from remora.core.events import Observation, SeenCount, Signal
from remora.observer.candidate import (
    Candidate,
    Evidence,
    Withdrawn,
    candidate,
    code,
    external_id,
    placed,
    seen_words,
)
from remora.observer.paths import is_doc
from remora.shell.location import inside
from remora.store.session_reader import SessionReader, ShownRow

SESSIONS = 3
OFF = 2.0  # a ratio this far from 1, up or down, is reported
MODULES = 3  # counted for each session, those with most changes
CONFIDENCE = 0.6


def modules(session: Observation, limit: int = 8) -> list[str]:
    """Return the folders of the files a session changed, those with most changes first.

    A file at the root of the repository has no module; documents do not show where the work was.
    """
    edits: Counter[str] = Counter()
    for use in session.files:
        folder, _, _ = use.path.rpartition("/")
        if use.edits and folder and inside(use.path) and not is_doc(use.path):
            edits[folder] += use.edits
    return [folder for folder, _ in sorted(edits.items(), key=lambda item: (-item[1], item[0]))[:limit]]


def costs(session: Observation) -> list[Signal]:
    """Return the signals that a session adds to the counts of its modules."""
    found: list[Signal] = []
    planned = session.planned or 0
    where = modules(session, MODULES)
    if planned and session.steps and where and session.outcome == "success":
        detail = {"planned": planned, "steps": session.steps}
        keys = ("project", *(f"module:{m}" for m in where))
        found += [Signal("step_overrun", key, session.steps, session.ended, (), detail) for key in keys]
    tokens = {"tokens": session.tokens}
    for module in where if session.tokens else ():
        found.append(Signal("context_token_spike", f"module:{module}", 0, session.ended, (), tokens))
    return found


def calibrations(session: Observation, seen: SessionReader) -> Iterator[Candidate | Withdrawn]:
    """Yield the costs of a session's modules that enough sessions show."""
    everywhere = [d for s in seen.signals("step_overrun", "project") if (d := _pair(s))]
    per_thing = sum(s for s, _ in everywhere) / max(1, sum(p for _, p in everywhere))
    for module in modules(session, MODULES):
        key = f"module:{module}"
        if per_thing:
            yield from _calibration(session, seen, module, key, per_thing)
        yield from _tokens(session, seen, module, key)


def _pair(shown: ShownRow) -> tuple[int, int] | None:
    steps, planned = shown.detail.get("steps"), shown.detail.get("planned")
    return (steps, planned) if isinstance(steps, int) and isinstance(planned, int) and planned else None


def _calibration(
    session: Observation, seen: SessionReader, module: str, key: str, per_thing: float
) -> Iterator[Candidate | Withdrawn]:
    pairs = [d for s in seen.signals("step_overrun", key) if (d := _pair(s))]
    if len(pairs) < SESSIONS or not session.planned:
        return
    actual = sum(steps for steps, _ in pairs) / len(pairs)
    expected = per_thing * sum(planned for _, planned in pairs) / len(pairs)
    ratio = actual / expected
    if 1 / OFF < ratio < OFF:
        yield Withdrawn(external_id("task_calibration", "step_overrun", key), "its plans are accurate now")
        return
    count = seen.sessions_with("step_overrun", key)
    much = f"{ratio:.1f} times the" if ratio > 1 else f"only {ratio:.0%} of the"
    steps, things = median(s for s, _ in pairs), median(p for _, p in pairs)
    content = (
        f"Work in {code(module)} takes {much} steps that its plans suggest: about {steps:.0f} "
        f"for {things:.0f} planned things {seen_words(count)}."
    )
    plan = placed(session, "plan")
    payload = {
        "module": module,
        "average_actual_steps": round(actual, 1),
        "average_planned_steps": round(expected, 1),
        "ratio": round(ratio, 2),
        "sample_count": len(pairs),
    }
    yield _candidate(session, "step_overrun", "task_calibration", key, content, payload, count, plan)


def _tokens(
    session: Observation, seen: SessionReader, module: str, key: str
) -> Iterator[Candidate | Withdrawn]:
    shown = seen.signals("context_token_spike", key)
    known = [t for s in shown if isinstance(t := s.detail.get("tokens"), int) and t > 0]
    if len(known) < SESSIONS or not session.tokens:
        return
    count = seen.sessions_with("context_token_spike", key)
    middle = int(median(known))
    between = f", {min(known):,} to {max(known):,}" if min(known) < max(known) else ""
    content = f"A session in {code(module)} takes about {middle:,} input tokens{between} {seen_words(count)}."
    payload = {"module": module, "median_tokens": middle, "sessions": len(known)}
    evidence = placed(session, "tokens")
    yield _candidate(session, "context_token_spike", "context_cost", key, content, payload, count, evidence)


def _candidate(
    session: Observation,
    signal: str,
    memory_type: str,
    key: str,
    content: str,
    payload: dict[str, object],
    count: SeenCount,
    evidence: Evidence,
) -> Candidate:
    """Return a memory of a module, whose folder is its file."""
    module = key.removeprefix("module:")
    made = candidate(
        session,
        memory_type,
        content,
        signal=signal,
        key=key,
        confidence=CONFIDENCE,
        seen=count,
        evidence=evidence,
        why=f"{count.sessions} sessions worked there",
        files=(module,),
        payload=payload,
    )
    return made._replace(draft=made.draft._replace(related_modules=(module,)))
