"""Memory candidates that a session proposes, before the filters of `promotion`."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from remora.core.events import Observation, SeenCount
from remora.core.payloads import PAYLOADS
from remora.core.values import MemoryDraft, Taint
from remora.observer import signals

STEPS, EVENTS = 8, 4  # in a provenance, at most
USER_SAID = "user-said"  # tag of memories that a person stated
TRUST = 0.7  # factor on the confidence of a memory that rests on external text


class Candidate(NamedTuple):
    """A proposed memory with its evidence.

    Attributes:
        signal: a signal type, or another producer ("user_words", "written").
        key: the subject; with the signal and the memory type it identifies the memory in every session.
        draft: the memory, with its confidence before scoring.
        priority: 0..1, the importance.
        score: 0..1, the reliability of the signal.
        needs: number of sessions that must show it.
        seen: the sessions that showed it.
        why: the evidence in words.
        replaces: ids of memories that it replaces.
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
    """A finding of a session that is not worth a memory, with the reason of the producer."""

    what: str
    why: str


class Withdrawn(NamedTuple):
    """A promoted memory that the counts no longer support, by its external id."""

    external_id: str
    why: str


def external_id(memory_type: str, signal: str, key: str) -> str:
    """Return the id that a memory keeps over all sessions, so that later ones update it.

    >>> external_id("gotcha", "backtrack", "a.py")
    'observed:gotcha:e1002f687c391225'
    """
    digest = hashlib.sha256(f"{signal}\n{key}".encode("utf-8", "surrogatepass")).hexdigest()
    return f"observed:{memory_type}:{digest[:16]}"


class Evidence(NamedTuple):
    """The evidence of a memory in the session that proposes it: steps and event keys."""

    steps: tuple[int, ...] = ()
    events: tuple[str, ...] = ()


def shown_by(session: Observation, *names: tuple[str, str]) -> Evidence:
    """Return the evidence of a session's signals, given by type and key; signals it lacks are left out."""
    wanted = dict.fromkeys(names)
    found = [s for s in session.signals if (s.type, s.key) in wanted]
    return Evidence(
        tuple(sorted({s.step for s in found})), tuple(dict.fromkeys(e for s in found for e in s.events))
    )


def placed(session: Observation, what: str) -> Evidence:
    """Return the evidence of a fact that is not a signal; see `Observation.places`."""
    found = session.places.get(what, ())
    return Evidence(tuple(step for step, _ in found), tuple(key for _, key in found))


def doubted(memory: MemoryDraft) -> MemoryDraft:
    """Return a tainted draft with its confidence multiplied by TRUST, marked for review.

    Call it once for each draft; a draft without taint is returned unchanged.
    """
    if memory.taint is None:
        return memory
    return memory._replace(needs_review=True, confidence=memory.confidence * TRUST)


def candidate(
    session: Observation,
    memory_type: str,
    content: str,
    *,
    signal: str,
    key: str,
    confidence: float,
    seen: SeenCount,
    evidence: Evidence,
    why: str,
    priority: float | None = None,
    score: float | None = None,
    needs: int | None = None,
    files: Sequence[str] = (),
    tags: Sequence[str] = (),
    payload: Mapping[str, Any] | None = None,
    taint: Taint | None = None,
    source: str = "observer_inferred",
) -> Candidate:
    """Return a candidate whose draft has the common fields of a session's memories.

    The score and the number of sessions are those of the signal (signals.KINDS), and the priority is the
    score, unless they are given. The payload contains the provenance: beside its own fields, or under
    `provenance` if payloads of the type are validated. The branch is that of the session; a memory that
    several sessions show belongs to the project and has none.
    """
    if score is None:
        score = signals.KINDS[signal].score
    provenance = {
        "signal": signal,
        "key": key,
        "sessions": seen.sessions,
        "first": seen.first,
        "last": seen.last,
        "steps": list(evidence.steps[:STEPS]),
        "events": list(evidence.events[:EVENTS]),
    }
    own: dict[str, Any] = {"provenance": provenance} if memory_type in PAYLOADS else provenance
    draft = MemoryDraft(
        content=content,
        type=memory_type,
        source=source,
        scope="module" if files else "global",
        confidence=confidence,
        tags=tuple(dict.fromkeys(("observed", *tags))),
        related_files=tuple(dict.fromkeys(files)),
        session_id=session.session_id,
        branch=session.branch if seen.sessions <= 1 else None,
        taint=taint,
        payload={**(payload or {}), **own},
        external_id=external_id(memory_type, signal, key),
        created_at=session.ended or session.started,
    )
    return Candidate(
        signal,
        key,
        draft,
        score if priority is None else priority,
        score,
        signals.KINDS[signal].sessions if needs is None else needs,
        seen,
        why,
    )
