"""Tell everything that learning makes of recorded sessions, stage by stage, one line for each thing.

event      what the reader made of the lines: step, kind, what it is about
signal     what the observer saw: type, score of its kind, key, step, taint
error      with what resolved it; command, with what it is for
judgement  kind and outcome of the session, each with its evidence
exchange, commit   what was asked and reported, what was committed
dropped    by which filter, and why
memory     what was promoted: type, confidence, taint, the sentence, and the evidence
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from remora.core.events import CommandRun, ErrorSeen, Event, Observation, Signal
from remora.core.text import collapse, shorten
from remora.core.values import Taint
from remora.observer import candidate
from remora.observer.observer import Observer
from remora.observer.promotion import Promotion, promote, tallies
from remora.sources.transcripts.reader import read
from tests.observer.seen_here import SeenHere

WIDTH = 100  # of a text in a line


def told(path: Path) -> str:
    """Return every stage of the sessions of a transcript, in the order they were recorded."""
    reading = read(path)
    watched: dict[str, Observer] = {}
    events: dict[str, list[Event]] = {}
    for event in reading:
        if event.session_id not in watched:
            watched[event.session_id] = Observer(event.session_id, reading.program, strict=True)
        watched[event.session_id].observe(event)
        events.setdefault(event.session_id, []).append(event)
    left_out = ", ".join(f"{kind} {number}" for kind, number in sorted(reading.counts.skipped.items()))
    lines = [
        f"read: {reading.counts.lines} lines, {reading.counts.bad} bad; left out: {left_out or 'nothing'}"
    ]
    seen = SeenHere()
    for name, observer in watched.items():
        session = observer.finalize()
        seen.add(session, tallies(session))
        lines += ["", f"# session {name[:8]}", *map(_event, events[name])]
        lines += [*_observed(session), *_promoted(promote(session, seen))]
    return "\n".join(lines) + "\n"


def _event(event: Event) -> str:
    about: list[Any] = [event.tool, event.action and f"({event.action})", *event.paths[:2]]
    about += [event.command and f"$ {event.command}", event.pattern and f"/{event.pattern}/", event.url]
    told = ("exit_code", "denied", "said", "interrupted", "query", "cwd")
    about += ["FAILED" if event.error else ""]
    about += [f"{k}={_short(str(v), 60)}" for k, v in (event.extra or {}).items() if k in told]
    about += [f"“{_short(event.text)}”" if event.text else ""]
    agent = f" <{event.agent}>" if event.agent else ""
    return f"event {event.step:>3}{agent} {event.kind}: {' '.join(_short(str(a), 110) for a in about if a)}"


def _observed(session: Observation) -> Iterator[str]:
    yield from map(_signal, session.signals)
    yield from map(_error, session.errors)
    yield from map(_command, session.commands)
    for use in session.files:
        steps = f"steps {use.first_step} to {use.last_step}"
        yield f"file {use.path}: {use.reads} reads, {use.edits} edits, {steps}"
    yield f"judgement kind {session.kind}: {session.kind_why}"
    yield f"judgement outcome {session.outcome}: {session.outcome_why}"
    plan = "" if session.planned is None else f", {session.planned} planned"
    branch = session.branch or "unknown"
    yield f"session {session.steps} steps{plan}, branch {branch}, {len(session.prompts)} prompts"
    for e in session.exchanges:
        yield f"exchange {e.step:>3}: “{_short(e.ask, 60)}” -> “{_short(e.report)}”{_taint(e.taint)}"
        yield from (f"cause {e.step:>3}: “{_short(cause, 140)}”" for cause in e.findings)
    for made in session.commits:
        yield f"commit {made.step:>3}: “{_short(made.message)}”{_taint(made.taint)}"


def _signal(signal: Signal) -> str:
    score = candidate.KINDS[signal.type].score
    kept = (
        "kind",
        "sentence",
        "count",
        "words",
        "message",
        "resolved",
        "forward",
        "backward",
        "names",
        "how",
    )
    about = ", ".join(f"{k}={_short(str(signal.detail[k]), 60)}" for k in kept if signal.detail.get(k))
    what = f"signal {signal.step:>3} {signal.type} {score:.2f}: {_short(signal.key, 110)}"
    return f"{what} [{about}]{_taint(signal.taint)}"


def _error(error: ErrorSeen) -> str:
    end = (
        f"resolved: {_short(error.resolved_how) or 'nobody knows how'}" if error.resolved else "not resolved"
    )
    ran = f"{error.tool} $ {error.command}" if error.command else error.tool
    what = f"error {error.fingerprint[:8]} x{error.count} {ran}: “{_short(error.message)}”"
    return f"{what}; {end}{_taint(error.taint)}"


def _command(run: CommandRun) -> str:
    return f"command {run.purpose}: {run.command} ({run.runs} runs, {run.failures} failed)"


def _promoted(promotion: Promotion) -> Iterator[str]:
    for gone in promotion.discarded:
        yield f"dropped by {gone.filter}: {_short(gone.what)}: {gone.why}"
    for old in promotion.withdrawn:
        yield f"withdrawn {old.external_id}: {old.why}"
    for p in promotion.promoted:
        draft = p.draft
        yield f"memory {draft.type} {draft.confidence:.2f} ({draft.source}){_taint(draft.taint)}"
        yield f"  {draft.content}"
        files = ", ".join(draft.related_files) or "none"
        yield f"  because {p.why}; files: {files}"


def _taint(taint: Taint | None) -> str:
    return f" TAINTED by {_short(taint.source, 60)} at {taint.step}" if taint else ""


def _short(text: str, width: int = WIDTH) -> str:
    return shorten(collapse(text), width)
