"""The filters of promotion, one by one and in their order."""

from __future__ import annotations

from typing import Any

import pytest

from remora.core.events import SeenCount
from remora.core.values import MemoryDraft, Taint
from remora.observer.candidate import Candidate, external_id
from remora.observer.promotion import LIMITS, Promotion, promote
from tests.observer.seen_here import SeenHere
from tests.observer.sessions import session, shows, stated

WORDS = (
    "amber basil cedar delta ember fjord grove haven iris jade karst lotus maple nadir olive pearl quartz "
    "raven sable topaz umber vivid walnut xenon yarrow zinc acorn birch clove dune"
).split()


def candidate(number: int = 0, memory_type: str = "gotcha", **fields: Any) -> Candidate:
    """Return a candidate that says something of its own; `draft_` fields go to its draft."""
    key = f"key{number}"
    memory = MemoryDraft(
        content=f"`{WORDS[number % 30]}{number}` {WORDS[(number + 7) % 30]} {WORDS[(number + 13) % 30]}",
        type=memory_type,
        confidence=0.8,
        external_id=external_id(memory_type, "self_correction", key),
    )._replace(**{k.removeprefix("draft_"): v for k, v in fields.items() if k.startswith("draft_")})
    rest = {k: v for k, v in fields.items() if not k.startswith("draft_")}
    given = {"priority": 0.9, "score": 0.88, "needs": 1, "seen": SeenCount(1), "why": "seen"}
    return Candidate("self_correction", key, memory, **{**given, **rest})


def of(*candidates: Candidate, similar: Any = None, **fields: Any) -> Promotion:
    """Return what comes of some candidates in a session that was the first."""
    more = {} if similar is None else {"similar": similar}
    return promote(session(**fields), SeenHere(), more=candidates, **more)


def same_name(draft: MemoryDraft) -> tuple[str, float]:
    """Find every draft to be the memory of its own name."""
    return draft.external_id or "", 1.0


@pytest.mark.parametrize("outcome", ["failure", "abandoned"])
def test_failed_sessions_prove_only_dead_ends(outcome: str) -> None:
    """Validation: whatever else they showed is discarded with the outcome as the reason."""
    found = of(candidate(1), candidate(2, "dead_end"), outcome=outcome, outcome_why="`make test` failed")
    assert [p.draft.type for p in found.promoted] == ["dead_end"]
    (dropped,) = found.discarded
    assert dropped.filter == "validation"
    assert dropped.why == f"the session ended as {outcome}: `make test` failed"


def test_what_the_user_said_stands_whatever_came_of_the_session() -> None:
    """Validation: a rule and a correction in the user's words pass, what the model corrected does not."""
    believed = "Actually, `b.py` is read by `load()` and not by `run()`"
    failed = session(
        outcome="abandoned",
        signals=(
            stated("From now on write commit messages in the imperative mood."),
            stated("no, never edit `a.py` by hand"),
            shows("self_correction", "b", detail={"kind": "belief", "sentence": believed}),
        ),
    )
    found = promote(failed, SeenHere())
    assert sorted(p.draft.content[:10] for p in found.promoted) == ["From now o", "Never edit"]
    assert found.discarded == ()


def test_too_few_sessions_wait() -> None:
    """Frequency: the count includes this session; acute candidates need one; worthless signals never pass."""
    waits, enough = candidate(1, needs=3, seen=SeenCount(2)), candidate(2, needs=3, seen=SeenCount(3))
    worthless = candidate(3, score=0.3)
    found = of(waits, enough, worthless)
    assert [p.draft.content for p in found.promoted] == [enough.draft.content]
    assert [(d.filter, d.why) for d in found.discarded] == [
        ("frequency", "seen in 2 sessions, 3 are needed"),
        ("frequency", "its signal has score 0.30; the minimum is 0.4"),
    ]


def test_what_a_memory_says_already_is_dropped() -> None:
    """Novelty: strictly above 0.88 by the caller's measure; one of the same name is refreshed."""
    for close, kept in ((0.88, True), (0.881, False), (1.0, False)):
        found = of(candidate(), similar=lambda _, close=close: ("other", close))
        assert bool(found.promoted) is kept
        assert [d.filter for d in found.discarded] == ([] if kept else ["novelty"])
    assert [p.update for p in of(candidate(), similar=same_name).promoted] == [True]


def test_two_candidates_that_say_the_same_are_one() -> None:
    """Novelty: the better of two stays; different numbers keep two apart."""
    text = "`mise run test` takes the whole of {} minutes on a cold machine with an empty cache"
    same = [candidate(n, draft_content=text.format(9), priority=0.5 + n / 10) for n in (1, 2)]
    found = of(*same, candidate(3, draft_content=text.format(5)))
    kept = [round(0.6 * priority + 0.4 * 0.88, 4) for priority in (0.7, 0.9)]
    assert sorted(p.priority for p in found.promoted) == kept
    assert [d.why for d in found.discarded] == ["another memory of this session says the same"]


def test_text_from_outside_lowers_trust_once() -> None:
    """Trust: confidence x 0.7 before scoring, review, taint kept; the candidate itself is untouched."""
    tainted = candidate(draft_taint=Taint("https://x", 4))
    (found,) = of(tainted).promoted
    assert found.draft.confidence == pytest.approx(0.8 * 0.7 * 0.88 + 0.1)
    assert (found.draft.needs_review, found.draft.taint) == (True, Taint("https://x", 4))
    assert "after external text (https://x)" in found.why
    assert tainted.draft.confidence == 0.8


@pytest.mark.parametrize("memory_type", ["preference", "decision", "requirement", "workflow_recipe"])
def test_text_from_outside_never_becomes_a_rule(memory_type: str) -> None:
    """Trust: a rule or a recipe that rests on it is discarded."""
    found = of(candidate(1, memory_type, draft_taint=Taint("https://x", 4)))
    assert found.promoted == ()
    assert [d.filter for d in found.discarded] == ["trust"]


def test_scores_of_the_specification() -> None:
    """Scoring: self-correction 0.8 and 0.9 give 0.804 and 0.892; further sessions add a little, up to 0.1."""
    (one,) = of(candidate()).promoted
    assert (one.draft.confidence, one.priority) == (0.804, 0.892)
    (four,) = of(candidate(seen=SeenCount(4))).promoted
    (many,) = of(candidate(seen=SeenCount(99), draft_confidence=0.9)).promoted
    assert four.draft.confidence == pytest.approx(0.864)
    assert many.draft.confidence == pytest.approx(0.9 * 0.88 + 0.2)
    assert of(candidate(draft_confidence=0.05, score=0.5)).promoted == ()


@pytest.mark.parametrize(("kind", "limit"), sorted(LIMITS.items()))
def test_the_kind_of_session_caps(kind: str, limit: int) -> None:
    """Cap: the best first; a changelog gives nothing, not even updates."""
    candidates = [candidate(n, priority=0.5 + n / 100) for n in range(30)]
    found = of(*candidates, kind=kind)
    best = [c.draft.content for c in reversed(candidates)][:limit]
    assert [p.draft.content for p in found.promoted] == best
    assert {d.filter for d in found.discarded} == {"cap"}
    updates = of(*candidates, similar=same_name, kind=kind)
    assert len(updates.promoted) == (30 if limit else 0)


def test_what_the_user_said_is_beyond_the_cap() -> None:
    """It holds whatever the session was about, and takes no room of the rest."""
    said_so = [candidate(n)._replace(signal="user_words") for n in range(12)]
    others = [candidate(n) for n in range(12, 20)]
    found = of(*said_so, *others, kind="insights")
    assert len(found.promoted) == 12 + LIMITS["insights"]
    told = of(*said_so, *others, kind="changelog")
    assert {p.draft.content for p in told.promoted} == {c.draft.content for c in said_so}
