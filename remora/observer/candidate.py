"""A memory that a session proposes, before the filters of `promotion` have looked at it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from remora.core.events import Observation
from remora.core.payloads import PAYLOADS
from remora.core.values import MemoryDraft, Taint
from remora.observer.past_sessions import SeenCount

STEPS, EVENTS = 8, 4  # that a provenance names
USER_SAID = "user-said"  # tag of what a person stated
NOT_ALONE = "what you said cannot be understood by itself"
TRUST = 0.7  # of the confidence of what rests on text from outside


class Candidate(NamedTuple):
    """A memory with what speaks for it.

    Attributes:
        signal: a signal type, or what else produced it ("user_words", "written").
        key: what it is about; with the memory's type it names the memory in every later session.
        draft: the memory; its confidence is the one before scoring.
        priority: 0..1, how much it matters.
        score: 0..1, how far its signal can be trusted.
        needs: sessions that must have shown it.
        seen: in how many did.
        why: the evidence in words.
        replaces: ids of memories that it takes the place of.
    """

    signal: str
    key: str
    draft: MemoryDraft
    priority: float
    score: float
    needs: int
    seen: SeenCount
    why: str
    replaces: tuple[str, ...] = ()


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


class Evidence(NamedTuple):
    """What a memory rests on in the session that proposes it: steps and keys of events."""

    steps: tuple[int, ...] = ()
    events: tuple[str, ...] = ()


def shown_by(session: Observation, *names: tuple[str, str]) -> Evidence:
    """Return what signals of a session rest on, given by type and key; those it did not show are left out."""
    wanted = dict.fromkeys(names)
    found = [s for s in session.signals if (s.type, s.key) in wanted]
    return Evidence(
        tuple(sorted({s.step for s in found})), tuple(dict.fromkeys(e for s in found for e in s.events))
    )


def placed(session: Observation, what: str) -> Evidence:
    """Return where a session says what is no signal; see `Observation.places`."""
    found = session.places.get(what, ())
    return Evidence(tuple(step for step, _ in found), tuple(key for _, key in found))


def provenance(signal: str, key: str, seen: SeenCount, evidence: Evidence = Evidence()) -> dict[str, Any]:  # noqa: B008  # immutable
    """Return where a memory comes from, down to steps and events, as JSON values."""
    return {
        "signal": signal,
        "key": key,
        "sessions": seen.sessions,
        "first": seen.first,
        "last": seen.last,
        "steps": list(evidence.steps[:STEPS]),
        "events": list(evidence.events[:EVENTS]),
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
    seen: SeenCount,
    evidence: Evidence,
    files: Sequence[str] = (),
    tags: Sequence[str] = (),
    payload: Mapping[str, Any] | None = None,
    taint: Taint | None = None,
    source: str = "observer_inferred",
    at: str | None = None,
) -> MemoryDraft:
    """Return a draft with what every memory of a session has: its id, its branch, its name over sessions.

    Its payload says where it comes from: beside the fields of its own, or, where the type has a shape that
    is checked, under `provenance`. The branch stands only on what one session showed; what many showed
    belongs to the project, and the caller clears it.
    """
    whence = provenance(signal, key, seen, evidence)
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
        payload={**(payload or {}), **({"provenance": whence} if memory_type in PAYLOADS else whence)},
        external_id=external_id(memory_type, signal, key),
        created_at=at or session.ended or session.started,
    )
