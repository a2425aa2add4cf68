"""Distinguish memories from records, and state the evidence that a memory needs to be shown unasked.

A memory is a statement with lasting force. A record is an event: it is searchable, feeds plans and ranking,
and is counted and listed separately. Whether a memory may be shown depends on its source and its evidence,
never on a score alone (`remora.injection.decide.why_silent`). Every hook loads this module.
"""

from __future__ import annotations

from collections.abc import Iterable

COMMIT_SOURCES = ("commit_auto",)  # of records of commits
SESSION_TYPES = ("work_unit_outcome", "work_state")  # of records of sessions
COUNTED_TYPES = ("prefetch_pattern", "task_calibration", "context_cost")  # statistics, if counted by sessions
COUNTED_BY = "observer_inferred"

# Sources of deliberate statements: by a person, or by an agent that recorded them.
STATED = ("user_taught", "agent_explicit", "mcp_auto")
SESSIONS = 2  # evidence required for other sources
QUIET = 0.75  # of the usual help, at or below which a memory is not shown: ten sessions without help


def decayed(confidence: float, half_life: float, used: str, now: float) -> float:
    """Return confidence after decay: confidence · 0.5^(days since the last use / half-life).

    Args:
        confidence: at the last use, 0..1.
        half_life: days; 0 or less never decays.
        used: when it was last used, ISO 8601, in UTC unless it names a zone; another text is long ago.
        now: seconds since the epoch.
    """
    if half_life <= 0:
        return confidence
    from datetime import UTC, datetime  # few hooks need it

    try:
        last = datetime.fromisoformat(used)
        seconds = (last if last.tzinfo else last.replace(tzinfo=UTC)).timestamp()
    except ValueError:
        seconds = 0.0
    days = max(0.0, now - seconds) / 86_400.0
    return float(confidence * 0.5 ** (days / half_life))


def hit_source(source: str, memory_type: str) -> str:
    """Return the class of a row of `memories`: a "memory", or the record of a "commit" or a "session".

    >>> hit_source("user_taught", "gotcha"), hit_source("commit_auto", "gotcha")
    ('memory', 'commit')
    >>> [hit_source(source, "context_cost") for source in ("user_taught", "observer_inferred")]
    ['memory', 'session']
    """
    if source in COMMIT_SOURCES:
        return "commit"
    counted = memory_type in COUNTED_TYPES and source == COUNTED_BY
    return "session" if counted or memory_type in SESSION_TYPES else "memory"


def asked_kinds(types: Iterable[str], source: str | None) -> tuple[str, ...]:
    """Return the kinds that a query for types and a source covers: memories, and records if it names them."""
    sessions = ("session",) if {*SESSION_TYPES, *COUNTED_TYPES}.intersection(types) else ()
    return ("memory", *sessions, *(("commit",) if source in COMMIT_SOURCES else ()))
