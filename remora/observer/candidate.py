"""Memory candidates that a session proposes, with the 17 types of signals and the wording of memories.

The scores and the sessions needed are those of the Auto Claude memory document (section 4). File access,
backtracks, orders of tests and time anomalies become no memory, nor do the model's corrections of itself.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from remora.core.events import Observation, SeenCount
from remora.core.payloads import PAYLOADS
from remora.core.text import shorten
from remora.core.values import MemoryDraft, Taint


class Kind(NamedTuple):
    """One type of signal: its reliability (0..1), and the number of sessions that must show the same key."""

    score: float
    sessions: int


KINDS: dict[str, Kind] = {
    "file_access": Kind(0.72, 3),
    "co_access": Kind(0.91, 3),  # one agent used two files within five steps
    "error_retry": Kind(0.85, 2),  # an error recurred, or the failed call was retried
    "backtrack": Kind(0.68, 2),  # a change restored the text that an earlier one replaced
    "read_abandon": Kind(0.79, 3),  # a file was read, then one with a similar name was changed
    "repeated_grep": Kind(0.76, 2),  # three steps searched for the same names, and a found file was opened
    "tool_sequence": Kind(0.73, 3),  # the order of checks that passed
    "time_anomaly": Kind(0.48, 3),  # a command that is far slower than the session's others
    "self_correction": Kind(0.88, 1),  # the user states a rule, or the model takes a belief back
    "external_reference": Kind(0.61, 3),  # an address that was fetched
    "glob_ignore": Kind(0.64, 2),  # no file that a name search found was used, but one of a later search
    "import_chase": Kind(0.52, 4),  # three files were read in a row, each imported by the one before
    "test_order": Kind(0.74, 3),  # tests ran before, between or after the changes
    "config_touch": Kind(0.66, 2),  # a configuration file was changed, and another file near it
    "step_overrun": Kind(0.71, 3),  # steps that a planned item took, by module
    "parallel_conflict": Kind(0.82, 1),  # two agents that ran at the same time changed a file
    "context_token_spike": Kind(0.63, 3),  # input tokens of a session with changes, by module
}


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

    The score and the number of sessions are those of the signal (KINDS), and the priority is the
    score, unless they are given. The payload contains the provenance: beside its own fields, or under
    `provenance` if payloads of the type are validated. The branch is that of the session; a memory that
    several sessions show belongs to the project and has none.
    """
    if score is None:
        score = KINDS[signal].score
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
        KINDS[signal].sessions if needs is None else needs,
        seen,
        why,
    )


LINE = 220  # characters of a quoted line


def seen_words(seen: SeenCount) -> str:
    """Return the number of sessions and the date of the last one, in brackets.

    >>> seen_words(SeenCount(4, "2026-01-05T10:00:00Z", "2026-01-20T10:00:00Z"))
    '(seen in 4 sessions, last 2026-01-20)'
    >>> seen_words(SeenCount(1, None, "2026-01-20T10:00:00Z")), seen_words(SeenCount(1))
    ('(seen once, 2026-01-20)', '(seen once)')
    """
    day = (seen.last or "")[:10]
    if seen.sessions <= 1:
        return f"(seen once, {day})" if day else "(seen once)"
    return f"(seen in {seen.sessions} sessions, last {day})" if day else f"(seen in {seen.sessions} sessions)"


def too_few(sessions: int, needed: int) -> str:
    """Return the reason that more sessions are needed.

    >>> too_few(1, 2), too_few(2, 3)
    ('seen once, 2 sessions are needed', 'seen in 2 sessions, 3 are needed')
    """
    if sessions <= 1:
        return f"seen once, {needed} sessions are needed"
    return f"seen in {sessions} sessions, {needed} are needed"


def code(text: str) -> str:
    """Return a name in backticks; backticks inside it become quotes.

    >>> code("a`b`.py")
    "`a'b'.py`"
    """
    return "`" + text.replace("`", "'") + "`"


def quoted(text: str, limit: int = LINE) -> str:
    """Return a line as a quotation.

    >>> quoted('declared and not used:   x ')
    '“declared and not used: x”'
    """
    return f"“{shorten(text, limit)}”"


def sentence(text: str) -> str:
    """Return a text with the final punctuation of a sentence.

    >>> sentence("done:"), sentence("really?")
    ('done.', 'really?')
    """
    text = text.strip().rstrip(",;:").rstrip()
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."
