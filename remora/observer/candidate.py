"""A memory that a session proposes, before the filters of `promotion` have looked at it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from remora.core.events import Observation
from remora.core.values import MemoryDraft, Taint
from remora.observer.seen import SeenCount

STEPS, EVENTS = 8, 4  # that a provenance names
TRUST = 0.7  # of the confidence of what rests on text from outside


class Candidate(NamedTuple):
    """A memory with what speaks for it.

    Attributes:
        signal: a signal type, or what else produced it ("user_words", "finding", "outcome", "commit", "qa").
        key: what it is about; with the memory's type it names the memory in every later session.
        draft: the memory; its confidence is the one before scoring.
        priority: 0..1, how much it matters.
        score: 0..1, how far its signal can be trusted.
        needs: sessions that must have shown it.
        seen: in how many did.
        why: the evidence in words.
        wrote: digests of the lines that it rests on; it holds while they stand.
    """

    signal: str
    key: str
    draft: MemoryDraft
    priority: float
    score: float
    needs: int
    seen: SeenCount
    why: str
    wrote: tuple[str, ...] = ()


class Rejected(NamedTuple):
    """Something a session showed that is not worth a memory, and why: said where it was decided."""

    what: str
    why: str


class Withdrawn(NamedTuple):
    """A memory that was promoted once and that the counts no longer bear out, by its external id."""

    external_id: str
    why: str


def external_id(memory_type: str, signal: str, key: str) -> str:
    """Return the name a memory keeps over all sessions, so that later ones refresh it.

    >>> external_id("gotcha", "backtrack", "a.py")
    'observed:gotcha:e1002f687c391225'
    """
    digest = hashlib.sha256(f"{signal}\n{key}".encode("utf-8", "surrogatepass")).hexdigest()
    return f"observed:{memory_type}:{digest[:16]}"


def provenance(
    signal: str, key: str, seen: SeenCount, steps: Sequence[int] = (), events: Sequence[str] = ()
) -> dict[str, Any]:
    """Return where a memory comes from, down to steps and events, as JSON values."""
    return {
        "signal": signal,
        "key": key,
        "sessions": seen.sessions,
        "first": seen.first,
        "last": seen.last,
        "steps": list(steps[:STEPS]),
        "events": list(events[:EVENTS]),
    }


def doubted(memory: MemoryDraft) -> MemoryDraft:
    """Return a draft that rests on text from outside as one to doubt: less confidence, and a person's look.

    Call it once; what does not rest on such text comes back as it is.
    """
    if memory.taint is None:
        return memory
    return memory._replace(needs_review=True, confidence=memory.confidence * TRUST)


def draft(
    session: Observation,
    memory_type: str,
    content: str,
    *,
    signal: str,
    key: str,
    confidence: float,
    files: Sequence[str] = (),
    tags: Sequence[str] = (),
    payload: Mapping[str, Any] | None = None,
    taint: Taint | None = None,
    source: str = "observer_inferred",
    at: str | None = None,
) -> MemoryDraft:
    """Return a draft with what every memory of a session has: its id, its branch, its name over sessions.

    The branch stands only on what one session showed; what many showed belongs to the project, and the
    caller clears it.
    """
    return MemoryDraft(
        content=content,
        type=memory_type,
        source=source,
        scope="module" if files else "global",
        confidence=confidence,
        tags=tuple(dict.fromkeys(("observed", *tags))),
        related_files=tuple(dict.fromkeys(files)),
        session_id=session.session_id,
        branch=session.branch,
        taint=taint,
        payload=payload,
        external_id=external_id(memory_type, signal, key),
        created_at=at or session.ended or session.started,
    )
