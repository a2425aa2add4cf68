"""Promotion: the filters that turn the findings of a session into memories, in their order.

    sources      every module that proposes memories, in SOURCES
    validation   a failed or abandoned session yields only dead ends, the user's words, and memories written
                 by a model, which read how it failed
    frequency    enough sessions must have shown it (candidate.KINDS); acute signals need one session; each
                 further agent of a session that showed it independently counts as a session
    standing     its claims about the code must still hold, if there is code to check
    novelty      closer than 0.88 to a stored memory, or to a better candidate: dropped.
                 The same external id is the same memory seen again: an update, never a duplicate
    trust        a memory that rests on external text: confidence x 0.7 once, review, taint kept;
                 and it never becomes a rule or a recipe
    scoring      priority 0.6 p + 0.4 s; confidence c s + 0.1, and more with every further session
    cap          by the kind of session, the best first; updates and the user's words take no room

Memories written by a model (writer.py) come in as further candidates. Embedding and the transaction come
later. Everything here is pure: the same session and the same counts give the same promotion.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from remora.core.events import Observation, Signal
from remora.core.text import STOP_WORDS, jaccard, salient, words
from remora.core.values import MemoryDraft
from remora.observer import calibration, couplings, failures, places, producers, recipes
from remora.observer.candidate import Candidate, Rejected, Withdrawn, doubted, too_few
from remora.store.session_reader import SessionReader

NOVEL = 0.88  # cosine; above it a candidate repeats a memory
ALIKE = 0.8  # share of common words above which two candidates of a session may be the same
INSIDE = 0.7  # share of the shorter one's words above which a candidate of TOLD repeats another
TOLD = ("written", "user_words", "error_retry")
LOWEST = 0.2  # confidence below which nothing is promoted
MORE, MOST = 0.02, 0.1  # confidence for each further session, and its maximum
WEAKEST = 0.4  # score of a signal; signals below it are dropped
LIMITS: Mapping[str, int] = {
    "build": 20,
    "insights": 5,
    "roadmap": 3,
    "terminal": 3,
    "changelog": 0,
    "spec_creation": 3,
    "pr_review": 8,
}
_SEEN = re.compile(r"(?<!\s)\s*\((?:seen|said|committed)\b[^()]*\)\W*\Z")  # the same in all of a session
_FAILS = re.compile(r"`[^`]+` fails with")
RULES = ("preference", "decision", "requirement", "workflow_recipe")  # external text never becomes these

Similar = Callable[[MemoryDraft], tuple[str, float] | None]
Overtaken = Callable[[Candidate], str]
Source = Callable[[Observation, SessionReader], Iterator[Candidate | Rejected | Withdrawn]]

SOURCES: tuple[Source, ...] = (
    producers.said,
    failures.failures,
    couplings.coupled,
    recipes.recipes,
    places.places,
    calibration.calibrations,
)


class Promoted(NamedTuple):
    """A memory to store.

    Attributes:
        draft: the memory, with the id of the judged session.
        why: the evidence in words.
        update: it refreshes a stored memory.
        sessions: ids of the newest sessions that showed it, oldest first; empty if only this one did.
        replaces: ids of memories that it replaces.
    """

    draft: MemoryDraft
    why: str
    priority: float
    update: bool = False
    sessions: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()


class Discarded(NamedTuple):
    """A finding that was not promoted: its text, the filter, the reason, and its external id if any."""

    what: str
    filter: str
    why: str
    external_id: str = ""


class Promotion(NamedTuple):
    """The result of one session; `withdrawn` names memories to retire if they exist."""

    promoted: tuple[Promoted, ...]
    discarded: tuple[Discarded, ...]
    withdrawn: tuple[Withdrawn, ...] = ()


class _Passed:
    """The candidates of a session that passed the filters so far, and what they dropped."""

    def __init__(self, candidates: Iterable[Candidate]) -> None:
        self.candidates = list(candidates)
        self.discarded: list[Discarded] = []

    def filter(self, name: str, why_not: Callable[[Candidate], str]) -> None:
        """Drop the candidates for which `why_not` returns a reason."""
        kept: list[Candidate] = []
        for c in self.candidates:
            if why := why_not(c):
                self.discarded.append(Discarded(c.draft.content, name, why, c.draft.external_id or ""))
            else:
                kept.append(c)
        self.candidates = kept


def tallies(session: Observation) -> tuple[Signal, ...]:
    """Return the signals that a session adds to the counts besides its own; count them before promoting."""
    return (*recipes.habits(session), *calibration.costs(session))


def promote(
    session: Observation,
    seen: SessionReader,
    *,
    similar: Similar | None = None,
    overtaken: Overtaken = lambda _: "",
    limits: Mapping[str, int] = LIMITS,
    more: Iterable[Candidate] = (),
) -> Promotion:
    """Return the memories of a session and the discarded findings, each with its reason.

    Args:
        session: the observation of the session.
        seen: the counts over all sessions, including this one.
        similar: returns the memory closest to a draft, by its external id (or its id without one), and the
            cosine similarity (0..1); None if nothing is stored. Without it only the candidates of this
            session are compared.
        overtaken: returns why a candidate no longer holds for the current code; empty if it holds.
        limits: the maximum of new memories by kind of session; a missing kind gives none.
        more: further candidates, as of a methodology's plugin; they pass the same filters.
    """
    passed, withdrawn = _Passed(more), list[Withdrawn]()
    for item in (item for source in SOURCES for item in source(session, seen)):
        if isinstance(item, Rejected):
            passed.discarded.append(Discarded(item.what, "worth", item.why))
        elif isinstance(item, Withdrawn):
            withdrawn.append(item)
        else:
            passed.candidates.append(item)
    if session.outcome in ("failure", "abandoned"):
        passed.filter("validation", lambda c: _failed(c, session))
    passed.filter("frequency", _short)
    passed.filter("standing", overtaken)
    passed.candidates.sort(key=_rank)
    novel = _Novel(similar)
    passed.filter("novelty", novel.why_not)
    passed.filter("trust", _rule)
    passed.candidates = [_score(_doubted(c)) for c in passed.candidates]
    passed.filter("scoring", _low)
    passed.candidates.sort(key=_rank)
    passed.filter("cap", _cap(session.kind, limits.get(session.kind, 0), novel.known))
    promoted = (
        Promoted(
            c.draft, c.why, c.priority, c.draft.external_id in novel.known, _showing(c, seen), c.replaces
        )
        for c in passed.candidates
    )
    return Promotion(tuple(promoted), tuple(passed.discarded), tuple(withdrawn))


def _showing(c: Candidate, seen: SessionReader) -> tuple[str, ...]:
    if c.seen.sessions < 2:
        return ()
    shown = [one.session_id for one in seen.signals(c.signal, c.key)]
    return tuple(dict.fromkeys((*shown, *(one.session_id for one in seen.errors(c.key)))))


def _failed(c: Candidate, session: Observation) -> str:
    if c.draft.type == "dead_end" or c.signal in ("user_words", "written"):
        return ""
    return f"the session ended as {session.outcome}: {session.outcome_why}"


def _short(c: Candidate) -> str:
    if c.score < WEAKEST:
        return f"its signal has score {c.score:.2f}; the minimum is {WEAKEST}"
    return too_few(c.seen.sessions, c.needs) if c.needs > max(1, c.seen.sessions) else ""


class _Novel:
    """The novelty of candidates, the best first: what they repeat of the store and of each other.

    `known` contains the external ids of candidates that refresh a memory.
    """

    def __init__(self, similar: Similar | None) -> None:
        self._similar = similar
        self._kept: list[Candidate] = []
        self.known: set[str] = set()

    def why_not(self, c: Candidate) -> str:
        """Return what a candidate repeats; empty if it is new or refreshes a memory."""
        close = self._similar(c.draft) if self._similar is not None else None
        if close is not None and close[0] == c.draft.external_id:
            self.known.add(close[0])
        elif close is not None and close[1] > NOVEL:
            return f"a stored memory says the same ({close[0]}, {close[1]:.2f})"
        if any(_same(c, k) for k in self._kept):
            return "another memory of this session says the same"
        self._kept.append(c)
        return ""


def _same(one: Candidate, other: Candidate) -> bool:
    """Return whether two candidates of a session say the same, or one contains the other."""
    ran = [found[0] if (found := _FAILS.match(c.draft.content)) else "" for c in (one, other)]
    if ran[0] != ran[1] and all(ran):  # two errors may share the remedy and most words
        return False
    a, b = (frozenset(words(_SEEN.sub("", c.draft.content))) - STOP_WORDS for c in (one, other))
    if one.signal == other.signal == "user_words":  # each may be another rule
        return a <= b or b <= a
    if jaccard(a, b) > ALIKE:  # a different number or name makes them different
        return salient(one.draft.content) == salient(other.draft.content)
    if one.signal not in TOLD or other.signal not in TOLD or min(len(a), len(b)) < 6:
        return False
    return len(a & b) > INSIDE * min(len(a), len(b))


def _rule(c: Candidate) -> str:
    if c.draft.taint is not None and c.draft.type in RULES:
        return f"it is a rule that rests on external text ({c.draft.taint.source})"
    return ""


def _doubted(c: Candidate) -> Candidate:
    if c.draft.taint is None:
        return c
    why = f"{c.why}; after external text ({c.draft.taint.source})"
    return c._replace(draft=doubted(c.draft), why=why)


def _score(c: Candidate) -> Candidate:
    further = min(MOST, MORE * max(0, c.seen.sessions - c.needs))
    confidence = min(1.0, c.draft.confidence * c.score + 0.1 + further)
    memory = c.draft._replace(confidence=round(confidence, 4))
    return c._replace(draft=memory, priority=round(0.6 * c.priority + 0.4 * c.score, 4))


def _low(c: Candidate) -> str:
    return f"its confidence is below {LOWEST}" if c.draft.confidence < LOWEST else ""


def _cap(kind: str, limit: int, known: Collection[str]) -> Callable[[Candidate], str]:
    taken = 0

    def over(c: Candidate) -> str:
        nonlocal taken
        # A person's words hold for any kind of session.
        if c.signal == "user_words" or (limit and c.draft.external_id in known):
            return ""
        taken += 1
        return f"a session of kind {kind} yields at most {limit}" if taken > limit else ""

    return over


def _rank(c: Candidate) -> tuple[float, float, str, str]:
    return (-c.priority, -c.draft.confidence, c.draft.external_id or "", c.draft.content)
