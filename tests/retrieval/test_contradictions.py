"""Where the user's own memories and the project's say different things."""

from __future__ import annotations

import pytest

from remora.core.values import Relation
from remora.retrieval.contradictions import cut, mark
from tests.retrieval.worlds import hit_of, record

EARLIER, LATER = "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"


def near(cosine):
    """Return a similarity that is the same for all pairs."""
    return lambda a, b: cosine


def project(content, score=0.9, **fields):
    """Return a hit on a decision of the project."""
    return hit_of(record(content, **{"type": "decision", **fields}), score)


def user(content, score=0.5, **fields):
    """Return a hit on a preference of the user."""
    known = {"type": "preference", "source": "user_taught", "realm": "user"}
    return hit_of(record(content, **{**known, **fields}), score)


def pairs(hits):
    """Return who disagrees with whom, by id."""
    return {h.id: h.disagrees_with for h in hits if h.disagrees_with}


POSTGRES, SQLITE = "Use PostgreSQL for storage", "Use SQLite for storage"


@pytest.mark.parametrize("cosine", [0.8, None])
def test_a_surer_and_newer_personal_memory_goes_first(cosine):
    """It moves up to the place of the first of the project's that it disagrees with; each names the other."""
    theirs = project(POSTGRES, 0.9, confidence=0.8, created_at=EARLIER)
    too = project("Use MariaDB for storage", 0.8, confidence=0.8, created_at=EARLIER)
    between = project("Deploy on Fridays only with a second pair of eyes", 0.7)
    mine = user(SQLITE, 0.5, confidence=1.0, created_at=LATER)
    found = mark([theirs, too, between, mine], lambda a, b: 0.1 if between in (a, b) else cosine)
    assert [h.id for h in found] == [mine.id, theirs.id, too.id, between.id]
    assert [h.score for h in found] == [0.9, 0.9, 0.8, 0.7]
    assert pairs(found) == {mine.id: (theirs.id, too.id), theirs.id: (mine.id,), too.id: (mine.id,)}


@pytest.mark.parametrize(
    ("own", "other"),
    [
        ({"confidence": 1.0, "created_at": EARLIER}, {"confidence": 0.8, "created_at": LATER}),
        ({"confidence": 0.8, "created_at": LATER}, {"confidence": 0.8, "created_at": EARLIER}),
    ],
)
def test_otherwise_the_order_stays(own, other):
    """Only surer, or only newer: the disagreement is shown, the order is not touched, nobody moves down."""
    theirs, mine = project(POSTGRES, **other), user(SQLITE, **own)
    for hits in ([theirs, mine], [mine, theirs]):
        found = mark(hits, near(0.8))
        assert [h.id for h in found] == [h.id for h in hits]
        assert set(pairs(found)) == {theirs.id, mine.id}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use tabs in every file", "Do not use tabs in any file"),
        ("Log lines are plain text", "Never log lines as plain text"),
        ("Requests time out after 30 s", "Requests time out after 5 s"),
        ("Use PostgreSQL for storage", "Use SQLite for storage"),
        ("Write strings with single quotes", "Write strings with double quotes"),
        ("Use tabs in every file", "Don\u2019t use tabs in every file"),
    ],
)
def test_opposites_on_one_matter_disagree(one, other):
    """A negation, a number, a name or the one word that is chosen differently."""
    theirs, mine = project(one), user(other)
    assert set(pairs(mark([theirs, mine], near(0.75)))) == {theirs.id, mine.id}
    assert set(pairs(mark([theirs, mine], near(None)))) == {theirs.id, mine.id}


@pytest.mark.parametrize(
    ("one", "other", "cosine"),
    [
        ("Use PostgreSQL for storage", "Prefer small functions with early returns", 0.15),
        ("Use PostgreSQL for storage", "use postgresql  for STORAGE", 1.0),
        ("Tokens expire after 24 h", "Invoices are sent 14 days before they are due", 0.1),
        ("Never use tabs in source files", "Do not use tabs in source files", 0.9),
        ("Tests must pass before a merge", "Tests pass before a merge", 0.9),
        ("Use ruff for linting", "Use ruff 0.9 for linting in CI", 0.9),
        ("Use React", "Use vim", 0.4),
    ],
)
def test_unrelated_or_agreeing_memories_do_not_disagree(one, other, cosine):
    """No false alarm: other matters, the same statement, and the same with more to it stay unmarked."""
    hits = [project(one), user(other)]
    assert pairs(mark(hits, near(cosine))) == {}
    assert pairs(mark(hits, near(None))) == {}
    assert mark(hits, near(cosine)) == hits


def test_only_opinions_of_the_project_and_the_user_disagree():
    """An outcome contradicts nobody, nor do two memories of one realm."""
    outcome = project(POSTGRES, type="work_unit_outcome")
    for hits in ([outcome, user(SQLITE)], [project(POSTGRES), project(SQLITE)]):
        assert mark(hits, near(0.9)) == hits


@pytest.mark.parametrize("holder", ["project", "user"])
def test_a_recorded_conflict_is_shown_whatever_the_words(holder):
    """A relation conflicts_with counts from either side and for any type."""
    theirs = project("Order of imports", id="t", type="module_insight")
    mine = user("Quite another thing", id="u")
    link = {"project": (theirs, "u"), "user": (mine, "t")}[holder]
    relations = (Relation("conflicts_with", target_memory_id=link[1]),)
    told = link[0]._replace(memory=link[0].memory._replace(relations=relations))
    hits = [told if h.id == told.id else h for h in (theirs, mine)]
    assert pairs(mark(hits, near(0.0))) == {"t": ("u",), "u": ("t",)}


def test_the_other_side_of_a_disagreement_is_never_cut_off():
    """Where only one of two fits, the last hit that disagrees with nobody makes room."""
    theirs, mine = project(POSTGRES, 0.9), user(SQLITE, 0.3)
    others = [project(f"Another matter altogether {n}", 0.8 - n / 10) for n in range(3)]
    marked = mark([theirs, *others, mine], lambda a, b: 0.8 if b.id == theirs.id else 0.1)
    assert [h.id for h in cut(marked, 3)] == [theirs.id, others[0].id, mine.id]
    assert [h.id for h in cut(marked, 1)] == [theirs.id]
    assert cut(marked, 5) == marked
    assert cut([theirs, *others], 2) == [theirs, others[0]]
