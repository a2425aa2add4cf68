"""From what a session showed to memories: the filters in their order, and what each of them dropped.

    sources      every module that proposes memories, in SOURCES
    validation   a failed or abandoned session proves nothing but dead ends, what the user said, and what a
                 model wrote who read how it failed
    frequency    enough sessions must have shown it (signals.KINDS); acute ones once; of what agents of one
                 session showed on their own, each further agent stands for a session
    standing     what it says of the code must still be so, where there is code to ask
    novelty      closer than 0.88 to a memory that is there, or to a better candidate: dropped.
                 The same external id is the same memory seen again: an update, never a duplicate
    trust        what rests on text from outside: confidence x 0.7 once, review, taint kept;
                 and it never becomes a rule or a recipe
    scoring      priority 0.6 p + 0.4 s; confidence c s + 0.1, and more with every further session
    cap          by the kind of session, the best first; updates and what the user said take no room

What a model wrote (writer.py) comes in as further candidates. Embedding and the transaction come after.
Everything here is pure: the same session and the same `Seen` give the same promotion.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from remora.core.events import Observation, Signal
from remora.core.text import STOP_WORDS, jaccard, salient, words
from remora.core.values import MemoryDraft
from remora.observer import calibration, corrections, couplings, failures, places, producers, recipes
from remora.observer.candidate import Candidate, Rejected, Withdrawn, doubted
from remora.observer.past_sessions import Seen
from remora.observer.sentences import too_few

NOVEL = 0.88  # cosine; above it a candidate says what a memory says already
ALIKE = 0.8  # share of words that two candidates of one session may have in common
INSIDE = 0.7  # share of the words of a told thing that another may hold before it says the same
TOLD = ("written", "self_correction", "user_words", "error_retry")
LOWEST = 0.2  # confidence below which nothing is promoted
MORE, MOST = 0.02, 0.1  # confidence for each further session, and the most of it
WEAKEST = 0.4  # a signal's score below this is not looked at
LIMITS: Mapping[str, int] = {
    "build": 20,
    "insights": 5,
    "roadmap": 3,
    "terminal": 3,
    "changelog": 0,
    "spec_creation": 3,
    "pr_review": 8,
}
_SEEN = re.compile(r"(?<!\s)\s*\((?:seen|said|committed)\b[^()]*\)\W*\Z")  # is alike in all of a session
_FAILS = re.compile(r"`[^`]+` fails with")
RULES = ("preference", "decision", "requirement", "workflow_recipe")  # that outside text never becomes

Similar = Callable[[MemoryDraft], tuple[str, float] | None]
Overtaken = Callable[[Candidate], str]
Source = Callable[[Observation, Seen], Iterator[Candidate | Rejected | Withdrawn]]

SOURCES: tuple[Source, ...] = (
    producers.said,
    corrections.corrections,
    failures.failures,
    couplings.coupled,
    recipes.recipes,
    places.places,
    calibration.calibrations,
)


class Promoted(NamedTuple):
    """A memory to store.

    Attributes:
        draft: the memory; it names the session that was judged.
        why: the evidence in words.
        update: it refreshes one that is there.
        sessions: those that showed it, oldest first, the newest at most; empty where the counts name none.
        replaces: ids of memories that it takes the place of.
    """

    draft: MemoryDraft
    why: str
    priority: float
    update: bool = False
    sessions: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()


class Discarded(NamedTuple):
    """What was not promoted: what it was, the filter that dropped it, why, and its external id if any."""

    what: str
    filter: str
    why: str
    external_id: str = ""


class Promotion(NamedTuple):
    """What one session gives; `withdrawn` names memories that are to be retired where they exist."""

    promoted: tuple[Promoted, ...]
    discarded: tuple[Discarded, ...]
    withdrawn: tuple[Withdrawn, ...] = ()


class _Batch(NamedTuple):
    """What the filters hand on."""

    session: Observation
    candidates: list[Candidate]
    known: frozenset[str]  # external ids of candidates that refresh a memory
    discarded: list[Discarded]
    withdrawn: list[Withdrawn]


Filter = Callable[[_Batch], _Batch]


def tallies(session: Observation) -> tuple[Signal, ...]:
    """Return what a session adds to the counts besides its own signals; count them before promoting."""
    return (*recipes.habits(session), *calibration.costs(session))


def promote(
    session: Observation,
    seen: Seen,
    *,
    similar: Similar | None = None,
    overtaken: Overtaken = lambda _: "",
    limits: Mapping[str, int] = LIMITS,
    more: Iterable[Candidate] = (),
) -> Promotion:
    """Return the memories of a session with reasons, and what was discarded and why.

    Args:
        session: what it added up to.
        seen: the counts over all sessions, this one included.
        similar: the memory closest to a draft and how close (cosine, 0..1), named by its external id,
            or by its id where it has none; None when nothing is there. Without it only the candidates
            of this session are compared.
        overtaken: why a candidate no longer holds, empty where it does; asked of the code as it is now.
        limits: the most new memories a kind of session may give; a kind that is missing gives none.
        more: candidates of a methodology's plugin; they pass the same filters.
    """
    batch = _gathered(session, seen, more)
    for step in (
        _validated,
        _frequent,
        _standing(overtaken),
        _novel(similar),
        _trusted,
        _scored,
        _capped(limits),
    ):
        batch = step(batch)
    promoted = (
        Promoted(
            c.draft, c.why, c.priority, c.draft.external_id in batch.known, _showing(c, seen), c.replaces
        )
        for c in batch.candidates
    )
    return Promotion(tuple(promoted), tuple(batch.discarded), tuple(batch.withdrawn))


def _showing(c: Candidate, seen: Seen) -> tuple[str, ...]:
    if c.seen.sessions < 2:
        return ()
    shown = [one.session_id for one in seen.shown(c.signal, c.key)]
    return tuple(dict.fromkeys((*shown, *(one.session_id for one in seen.errors(c.key)))))


def _gathered(session: Observation, seen: Seen, more: Iterable[Candidate]) -> _Batch:
    batch = _Batch(session, list(more), frozenset(), [], [])
    for source in SOURCES:
        for item in source(session, seen):
            if isinstance(item, Rejected):
                batch.discarded.append(Discarded(item.what, "worth", item.why))
            elif isinstance(item, Withdrawn):
                batch.withdrawn.append(item)
            else:
                batch.candidates.append(item)
    return batch


def _validated(batch: _Batch) -> _Batch:
    if batch.session.outcome not in ("failure", "abandoned"):
        return batch
    why = f"the session ended as {batch.session.outcome}: {batch.session.outcome_why}"

    def failed(c: Candidate) -> str:
        return "" if c.draft.type == "dead_end" or c.signal in ("user_words", "written") else why

    return _kept(batch, "validation", failed)


def _frequent(batch: _Batch) -> _Batch:
    def short(c: Candidate) -> str:
        if c.score < WEAKEST:
            return f"its signal is worth {c.score:.2f}, at least {WEAKEST} is needed"
        missing = c.needs - max(1, c.seen.sessions)
        return too_few(c.seen.sessions, c.needs) if missing > 0 else ""

    return _kept(batch, "frequency", short)


def _standing(overtaken: Overtaken) -> Filter:
    return lambda batch: _kept(batch, "standing", overtaken)


def _novel(similar: Similar | None) -> Filter:
    def novel(batch: _Batch) -> _Batch:
        known: set[str] = set()
        kept: list[Candidate] = []

        def why_not(c: Candidate) -> str:
            close = similar(c.draft) if similar is not None else None
            if close is not None and close[0] == c.draft.external_id:
                known.add(close[0])
            elif close is not None and close[1] > NOVEL:
                return f"a memory says it already ({close[0]}, {close[1]:.2f})"
            if any(_same(c, k) for k in kept):
                return "another memory of this session says the same"
            kept.append(c)
            return ""

        first = sorted(batch.candidates, key=_rank)
        batch = _kept(batch._replace(candidates=first), "novelty", why_not)
        return batch._replace(known=frozenset(known))

    return novel


def _same(one: Candidate, other: Candidate) -> bool:
    """Return whether two candidates of a session say the same, the one perhaps within the other."""
    ran = [found[0] if (found := _FAILS.match(c.draft.content)) else "" for c in (one, other)]
    if ran[0] != ran[1] and all(ran):  # what helped may be the same, and most of the words
        return False
    a, b = (frozenset(words(_SEEN.sub("", c.draft.content))) - STOP_WORDS for c in (one, other))
    if one.signal == other.signal == "user_words":  # each may be another rule
        return a <= b or b <= a
    if jaccard(a, b) > ALIKE:  # two that differ in a number or a name only are two
        return salient(one.draft.content) == salient(other.draft.content)
    if one.signal not in TOLD or other.signal not in TOLD or min(len(a), len(b)) < 6:
        return False
    return len(a & b) > INSIDE * min(len(a), len(b))


def _trusted(batch: _Batch) -> _Batch:
    def rule(c: Candidate) -> str:
        if c.draft.taint is not None and c.draft.type in RULES:
            return f"it rests on text from outside ({c.draft.taint.source}) and would be a rule"
        return ""

    batch = _kept(batch, "trust", rule)
    return batch._replace(candidates=[_gate(c) for c in batch.candidates])


def _gate(c: Candidate) -> Candidate:
    """Lower the confidence of what came after text from outside; once, whatever else touched it."""
    if c.draft.taint is None:
        return c
    why = f"{c.why}; after text from outside ({c.draft.taint.source})"
    return c._replace(draft=doubted(c.draft), why=why)


def _scored(batch: _Batch) -> _Batch:
    scored = [_score(c) for c in batch.candidates]
    low = f"its confidence is below {LOWEST}"
    batch = _kept(
        batch._replace(candidates=scored), "scoring", lambda c: low if c.draft.confidence < LOWEST else ""
    )
    return batch._replace(candidates=sorted(batch.candidates, key=_rank))


def _score(c: Candidate) -> Candidate:
    further = min(MOST, MORE * max(0, c.seen.sessions - c.needs))
    confidence = min(1.0, c.draft.confidence * c.score + 0.1 + further)
    memory = c.draft._replace(confidence=round(confidence, 4))
    return c._replace(draft=memory, priority=round(0.6 * c.priority + 0.4 * c.score, 4))


def _capped(limits: Mapping[str, int]) -> Filter:
    def capped(batch: _Batch) -> _Batch:
        kind = batch.session.kind
        limit = limits.get(kind, 0)
        taken = 0

        def over(c: Candidate) -> str:
            nonlocal taken
            # What a person says holds whatever the session was about.
            if c.signal == "user_words" or (limit and c.draft.external_id in batch.known):
                return ""
            taken += 1
            return f"a session of kind {kind} gives {limit} at most" if taken > limit else ""

        return _kept(batch, "cap", over)

    return capped


def _kept(batch: _Batch, name: str, why_not: Callable[[Candidate], str]) -> _Batch:
    """Return the batch without the candidates for which there is a reason."""
    kept: list[Candidate] = []
    for c in batch.candidates:
        why = why_not(c)
        if why:
            batch.discarded.append(Discarded(c.draft.content, name, why, c.draft.external_id or ""))
        else:
            kept.append(c)
    return batch._replace(candidates=kept)


def _rank(c: Candidate) -> tuple[float, float, str, str]:
    return (-c.priority, -c.draft.confidence, c.draft.external_id or "", c.draft.content)
