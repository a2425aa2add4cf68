"""Raise and lower hits by their fields: type against phase, source, age, use, staleness, review.

Factors multiply the odds of the relevance, so that a score stays between 0 and 1 and one scale holds from
here to the caller. Possibly outdated memories are lowered more: staleness and a pending review multiply the
relevance itself, since near 1 even half the odds would rank an outdated text above a newer one that
contradicts it. A factor of 1 changes nothing and adds no reason.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from remora.core.clock import days_between, from_iso
from remora.core.cochange import FILE_HALF_LIFE, change_rate, decayed
from remora.core.strength import (
    DERIVED_REVIEW_FACTOR,
    DISPUTED_FACTOR,
    SOURCE_TRUST,
    current_confidence,
    frequency,
    recency,
    staleness,
    volatility,
)
from remora.core.values import Reason
from remora.retrieval.fusion import with_odds
from remora.retrieval.pieces import TEST_FACTOR, asks_for_tests
from remora.retrieval.request import Candidate, Reader, Request

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from remora.core.cochange import FileStat
    from remora.core.values import MemoryRecord

# Section 7.
PHASE_WEIGHTS: dict[str, dict[str, float]] = {
    "define": {
        "workflow_recipe": 1.4,
        "dead_end": 1.2,
        "requirement": 1.2,
        "decision": 1.1,
        "task_calibration": 1.1,
        "gotcha": 0.8,
        "error_pattern": 0.8,
    },
    "implement": {
        "gotcha": 1.4,
        "error_pattern": 1.3,
        "causal_dependency": 1.2,
        "pattern": 1.1,
        "dead_end": 1.2,
        "prefetch_pattern": 1.1,
    },
    "validate": {
        "error_pattern": 1.4,
        "e2e_observation": 1.4,
        "requirement": 1.2,
        "work_unit_outcome": 1.1,
    },
    "refine": {"error_pattern": 1.3, "gotcha": 1.2, "dead_end": 1.2, "pattern": 1.0},
    "explore": {"module_insight": 1.4, "decision": 1.2, "pattern": 1.1, "causal_dependency": 1.0},
    "reflect": {"work_unit_outcome": 1.4, "task_calibration": 1.3, "dead_end": 1.1},
}
# An explicit agent memory of full strength; everything else is relative to it.
USUAL_TRUST, USUAL_CONFIDENCE = SOURCE_TRUST["agent_explicit"], 0.8
RELEVANCE_SHARE, RECENCY_SHARE, FREQUENCY_SHARE = 0.60, 0.25, 0.15  # section 7
DOUBTS = frozenset({"stale", "review", "disputed"})
NEEDS_REVIEW = 0.9
PINNED = 1.2
# Summaries of conversations rank below the turns themselves. As with doubts, the relevance itself is lowered,
# since near 1 a factor on the odds would change nothing.
RETOLD = {"daily": 0.85, "history": 0.85, "archive": 0.8}
# Weight of log2(1 + heat) in the logarithm of the odds of a chunk. Busy files are changed again: this finds
# more of the files of a task than the neighbourhood boost does, and does not hurt searches for one place
# (`benchmarks boost`).
BUSYNESS = 0.5


def weigh(
    candidate: Candidate,
    request: Request,
    reader: Reader,
    files: Mapping[str, FileStat],
    clock: float = 0.0,
    disputed: Collection[str] = (),
) -> Candidate:
    """Return a candidate with its score multiplied by all factors of the memory.

    Args:
        candidate: a turn passes unchanged.
        request: contains the phase.
        reader: provides the time, and when files were modified.
        files: git statistics of the files that candidates name.
        clock: number of learned commits, the reference for heat.
        disputed: ids of memories whose disputes nobody has settled.
    """
    record = candidate.memory
    if candidate.chunk is not None:
        return _weigh_part(candidate, request, files, clock)
    if candidate.note is not None:
        return _weigh_note(candidate, request)
    if record is None:
        return candidate
    factors: list[tuple[str, float, str]] = []
    if request.phase is not None:
        weight = (reader.phase_weights or PHASE_WEIGHTS)[request.phase].get(record.type, 1.0)
        factors.append(("phase", weight, f"{record.type} in {request.phase}"))
    factors.append(("source", SOURCE_TRUST[record.source] / USUAL_TRUST, record.source))
    stats = [files[f] for f in record.related_files if f in files]
    rate = max((_rate(s, reader.now) for s in stats), default=0.0)
    fresh = recency(record, reader.now, volatility(rate))
    use = RELEVANCE_SHARE + RECENCY_SHARE * fresh + FREQUENCY_SHARE * frequency(record.access_count)
    days = days_between(record.last_accessed_at, reader.now)
    note = f"last used {days:.0f} days ago, {record.access_count} uses in total"
    factors.append(("use", use / (RELEVANCE_SHARE + RECENCY_SHARE), note))
    now = current_confidence(record, reader.now)
    factors.append(("confidence", now / USUAL_CONFIDENCE, f"{record.confidence:.2f}, after decay {now:.2f}"))
    factors += _staleness(candidate, reader, stats)
    if record.id in disputed:
        factors.append(("disputed", DISPUTED_FACTOR, "disputed by a colleague"))
    if record.pinned:
        factors.append(("pinned", PINNED, ""))
    score, reasons = candidate.score, list(candidate.reasons)
    for stage, factor, why in factors:
        if abs(factor - 1.0) > 0.005 and stage not in request.without:
            score = score * factor if stage in DOUBTS else with_odds(score, factor)
            reasons.append(Reason(stage, factor, None, why))
    return candidate._replace(score=score, reasons=tuple(reasons))


def _weigh_note(candidate: Candidate, request: Request) -> Candidate:
    """Return a written piece, lowered if it only repeats text that can be found itself."""
    assert candidate.note is not None
    kind = candidate.note.kind
    factor = RETOLD.get(kind, 1.0)
    if factor == 1.0 or "source" in request.without:
        return candidate
    score = candidate.score * factor
    return candidate._replace(score=score).because("source", factor, f"{kind}: a summary of conversations")


def _weigh_part(
    candidate: Candidate, request: Request, files: Mapping[str, FileStat], clock: float
) -> Candidate:
    """Return a chunk, lowered for a test and raised by the change frequency of its file."""
    chunk = candidate.chunk
    assert chunk is not None
    if chunk.test and not asks_for_tests(request.text):
        score = with_odds(candidate.score, TEST_FACTOR)
        candidate = candidate._replace(score=score).because(
            "test", TEST_FACTOR, "a test; the query does not ask for tests"
        )
    stat = files.get(chunk.path)
    if stat is None or not stat.commits or "busy" in request.without:
        return candidate
    heat = decayed(stat.heat, clock, FILE_HALF_LIFE)
    factor = (1.0 + heat) ** (BUSYNESS / math.log(2.0))
    if factor < 1.005:
        return candidate
    score = with_odds(candidate.score, factor)
    return candidate._replace(score=score).because("busy", factor, f"changed in {stat.commits} commits")


def _staleness(candidate: Candidate, reader: Reader, stats: list[FileStat]) -> list[tuple[str, float, str]]:
    record = candidate.memory
    assert record is not None
    changed, gone = _changed(record, reader, stats)
    # A file's time is the day of the clone where git knows the file: its commits say when it changed.
    known = {stat.path for stat in stats} | set(reader.recent())
    own = [path for path in record.related_files[:5] if path not in known]
    times = [t for t in map(reader.mtime, own) if t is not None]
    factor, reasons, review = staleness(
        record, reader.now, gone=gone, changed_files=changed, newest_change=max(times, default=None)
    )
    found = [("stale", factor, "; ".join(reasons))] if reasons and factor < 1.0 else []
    if record.review_reason is not None:
        found.append(("review", DERIVED_REVIEW_FACTOR, record.review_reason))
    elif record.needs_review or review:
        why = "; ".join(reasons) if review and not record.needs_review else "not confirmed yet"
        found.append(("review", NEEDS_REVIEW, why))
    return found


def _changed(record: MemoryRecord, reader: Reader, stats: list[FileStat]) -> tuple[int, bool]:
    """Return the number of a memory's files that git changed since it was written, and whether all are gone.

    Without the commit at which a memory was learned, its time in the history is unknown. Folders and globs of
    a rule are not files: a change below them does not count.
    """
    if not record.commit_sha or not record.related_files:
        return 0, False
    happened = record.source == "commit_auto"  # a statement about a commit stays true
    recent = reader.recent()
    known = {s.path: s for s in stats}
    dates = [s.last_date for path, s in known.items() if path not in recent]
    dates += [recent[path].date for path in record.related_files if path in recent]
    changed = sum(1 for date in dates if date and from_iso(date) > from_iso(record.created_at))
    gone = all(
        recent[path].gone if path in recent else path in known and not known[path].present
        for path in record.related_files
    )
    return 0 if happened else changed, gone


def _rate(stat: FileStat, now: float) -> float:
    if not stat.commits or not stat.first_date:
        return 0.0
    return change_rate(stat, days_between(stat.first_date, now))
