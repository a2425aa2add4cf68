"""What is a memory and what a record, and what may be said unasked.

A memory is a statement with lasting force. A record is what happened: it is found, feeds plans and ranking,
and is counted and listed apart. What may be said is decided by who said it and what bore it out, never by a
score alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

COMMIT_SOURCES = ("commit_auto",)  # of records of commits
SESSION_TYPES = ("work_unit_outcome", "work_state")  # of records of sessions
COUNTED_TYPES = ("prefetch_pattern", "task_calibration", "context_cost")  # figures, where sessions gave them
COUNTED_BY = "observer_inferred"

# Sources whose memories were stated on purpose: by a person, or by an agent that recorded them.
STATED = ("user_taught", "agent_explicit", "mcp_auto")
SESSIONS = 2  # that showed something, from which on it may be said


def may_be_said(source: str, sessions: int, *, kept: bool, tainted: bool) -> bool:
    """Return whether a memory may be said unasked.

    Args:
        source: one of the memory sources.
        sessions: that showed it.
        kept: a person verified or pinned it.
        tainted: it rests on text from outside.
    """
    return kept or (not tainted and (source in STATED or sessions >= SESSIONS))


def hit_source(source: str, memory_type: str) -> str:
    """Return what a row of `memories` is: a "memory", or the record of a "commit" or a "session".

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
    """Return what somebody asks for who names some types and a source: memories, and records where named."""
    sessions = ("session",) if {*SESSION_TYPES, *COUNTED_TYPES}.intersection(types) else ()
    return ("memory", *sessions, *(("commit",) if source in COMMIT_SOURCES else ()))


def amounts(memories: int, records: Mapping[str, int]) -> str:
    """Return how many memories there are, and records apart.

    >>> amounts(12, {"commit": 1340, "session": 1})
    '12 memories, 1,340 records of commits, 1 record of sessions'
    """
    known = "1 memory" if memories == 1 else f"{memories:,} memories"
    told = (f"{n:,} record{'' if n == 1 else 's'} of {kind}s" for kind, n in sorted(records.items()) if n)
    return ", ".join((known, *told))
