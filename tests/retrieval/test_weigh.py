"""What raises and lowers a hit for what it is, and that the hit says so."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.core.clock import from_iso, to_iso
from remora.core.cochange import FileStat
from remora.core.values import MEMORY_SOURCES, MEMORY_TYPES, PHASES, Reason, Turn
from remora.retrieval.fusion import with_odds
from remora.retrieval.request import Candidate, Reader
from remora.retrieval.weigh import BUSYNESS, DOUBTS, PHASE_WEIGHTS, weigh
from remora.store.chunks import ChunkRow
from tests.retrieval.worlds import NOW, candidate, request, stages

TODAY = from_iso(NOW)
DAY = 86_400.0


def reader(**modified):
    """Return a reader of now; keywords are file stems and when they were modified."""
    times = {f"{stem}.py": when for stem, when in modified.items()}
    return Reader(databases=(), embed=lambda text: (None, ""), now=TODAY, mtime=times.get)


def weighed(phase=None, *, files=None, modified=None, **fields):
    """Return a candidate of relevance 0.5 after weighing."""
    return weigh(candidate("m", 0.5, **fields), request(phase=phase), reader(**(modified or {})), files or {})


def days_ago(days):
    """Return the instant so many days before now."""
    return to_iso(TODAY - days * DAY)


def reason(found, stage):
    """Return the one reason of a stage."""
    (wanted,) = [r for r in found.reasons if r.stage == stage]
    return wanted


@pytest.mark.parametrize("phase", [None, *PHASES])
def test_each_phase_weighs_each_type(phase):
    """The odds are multiplied by the phase's weight of the type; without one nothing is said of a phase."""
    for kind in MEMORY_TYPES:
        weight = PHASE_WEIGHTS.get(phase, {}).get(kind, 1.0)
        found = weighed(phase, type=kind)
        assert found.score == pytest.approx(with_odds(0.5, weight))
        said = (Reason("phase", weight, None, f"{kind} in {phase}"),)
        assert found.reasons == (said if weight != 1.0 else ())
    turn = Turn(1, "cli:1", 1, 0, "user", "hello")
    spoken = Candidate(("turn", "project", "1"), "hello", turn=turn, score=0.4)
    assert weigh(spoken, request(phase=phase), reader(), {}) == spoken


def test_use_raises_and_disuse_lowers_a_hit():
    """More uses than a hundred add nothing; disuse counts more for a file that changes daily."""
    often = weighed(access_count=100)
    assert often.score > weighed(access_count=5).score > 0.5
    assert often.score == weighed(access_count=5000).score
    assert reason(often, "use").score == pytest.approx(1.0 / 0.85)
    old = weighed(last_accessed_at=days_ago(730), created_at=days_ago(730))
    assert old.score < weighed(last_accessed_at=days_ago(90)).score < 0.5
    assert reason(old, "use").note == "last used 730 days ago, 0 uses in total"
    assert reason(old, "use").score == pytest.approx((0.6 + 0.25 * math.exp(-730 / 180)) / 0.85)
    busy = FileStat("busy.py", commits=300, first_date=days_ago(300), last_date=days_ago(60))
    used = {"last_accessed_at": days_ago(30), "related_files": ("busy.py",)}
    assert weighed(files={"busy.py": busy}, **used).score < weighed(**used).score


REPLACED = "it rests on 1234abcd, which was superseded"
FADED = {"decay_half_life_days": 60.0, "last_accessed_at": days_ago(60)}


@pytest.mark.parametrize(
    ("fields", "stage", "factor", "note"),
    [
        ({"source": "observer_inferred"}, "source", 0.85 / 1.2, "observer_inferred"),
        ({"confidence": 0.4}, "confidence", 0.5, "0.40, after decay 0.40"),
        ({"confidence": 1.0}, "confidence", 1.25, "1.00, after decay 1.00"),
        (FADED, "confidence", 0.5, "0.80, after decay 0.40"),
        ({**FADED, "pinned": True}, "pinned", 1.2, ""),
        ({"stale_at": days_ago(3)}, "stale", 0.5, f"marked stale on {days_ago(3)[:10]}"),
        ({"stale_at": days_ago(3)}, "review", 0.9, f"marked stale on {days_ago(3)[:10]}"),
        (
            {"decay_half_life_days": 7.0, "last_accessed_at": days_ago(10)},
            "stale",
            0.9,
            "not used for 10 days (half-life 7)",
        ),
        ({"needs_review": True}, "review", 0.9, "not confirmed yet"),
        ({"needs_review": True, "review_reason": REPLACED}, "review", 0.6, REPLACED),
    ],
)
def test_a_field_has_its_factor(fields, stage, factor, note):
    """Factors multiply the odds, those of doubts the relevance; confidence is relative to the usual 0.8."""
    found = weighed(**fields)
    why = reason(found, stage)
    assert (why.score, why.note) == (pytest.approx(factor), note)
    score = 0.5
    assert not {"pinned", "confidence"} <= set(stages(found.reasons))
    for one in found.reasons:
        score = score * one.score if one.stage in DOUBTS else with_odds(score, one.score)
    assert found.score == pytest.approx(score)


def test_files_that_changed_since_lower_a_hit():
    """By the share that git changed since its commit; one modified long after asks for a review."""
    changed = FileStat("a.py", commits=2, first_date=days_ago(90), last_date=days_ago(1))
    stats = {"a.py": changed, "b.py": changed._replace(path="b.py", last_date=days_ago(80))}
    fields = {"related_files": ("a.py", "b.py"), "created_at": days_ago(40), "last_accessed_at": NOW}
    found = weighed(files=stats, commit_sha="abcdef0123", **fields)
    assert reason(found, "stale").note == "1 of 2 files changed since abcdef01"
    assert reason(found, "stale").score == pytest.approx(0.75)
    assert "stale" not in stages(weighed(files=stats, **fields).reasons)
    found = weighed(modified={"a": TODAY}, **fields)
    assert reason(found, "review").note == "a file changed 40 days after this was written"
    assert found.score == pytest.approx(0.5 * 0.9)
    assert weighed(modified={"a": TODAY - 15 * DAY}, **fields).score == 0.5


@pytest.mark.parametrize("fields", [{"stale_at": NOW}, {"review_reason": "its ground is gone"}])
def test_doubt_counts_however_well_a_text_fits(fields):
    """Near 1, where odds hardly move, an outdated text still falls behind a good fresh one."""
    sure = weigh(candidate("m", 0.999, **fields), request(), reader(), {})
    assert sure.score < weigh(candidate("n", 0.7), request(), reader(), {}).score


records = st.fixed_dictionaries(
    {
        "type": st.sampled_from(MEMORY_TYPES),
        "source": st.sampled_from(MEMORY_SOURCES),
        "confidence": st.floats(0.0, 1.0),
        "access_count": st.integers(0, 10**9),
        "last_accessed_at": st.floats(-1000.0, 20_000.0).map(days_ago),
        "created_at": st.floats(-1000.0, 20_000.0).map(days_ago),
        "decay_half_life_days": st.none() | st.floats(0.001, 1e6),
        "needs_review": st.booleans(),
        "pinned": st.booleans(),
        "stale_at": st.none() | st.just(NOW),
        "review_reason": st.none() | st.just("its ground is gone"),
        "commit_sha": st.none() | st.just("a" * 40),
        "related_files": st.lists(st.sampled_from(("a.py", "b.py", "gone.py")), unique=True).map(tuple),
    }
)


@given(st.floats(0.0, 1.0), records, st.sampled_from((None, *PHASES)), st.floats(-1e9, 1e10))
def test_any_memory_keeps_a_score_between_0_and_1(score, fields, phase, modified):
    """Whatever a record holds (clocks gone backwards, huge counts), the score is a finite share."""
    stats = {"a.py": FileStat("a.py", commits=10**6, first_date=days_ago(1), last_date=NOW)}
    found = weigh(
        candidate("m", score, **fields), request(phase=phase), reader(a=modified, b=modified), stats
    )
    assert math.isfinite(found.score)
    assert 0.0 <= found.score <= 1.0
    product = math.prod(r.score for r in found.reasons)
    assert math.isfinite(product)
    assert all(r.note or r.stage == "pinned" for r in found.reasons)


def part(**fields):
    """Return a candidate of relevance 0.5 that is a part of a file."""
    row = ChunkRow(1, "a.py", False, "f", 1, 2, "def f(): ...")._replace(**fields)
    return Candidate(("code", "project", "1"), row.text, chunk=row, score=0.5)


def test_a_part_of_a_busy_file_is_raised():
    """log2(1 + heat) counts in the logarithm of the odds; heat fades with the commits since."""
    heat = 3.0  # log2 of 8 commits' weight, as of commit 10
    files = {"a.py": FileStat("a.py", commits=8, heat=math.log2(7.0) + 10.0 / 40.0)}
    found = weigh(part(), request(), reader(), files, 10.0)
    factor = math.exp(BUSYNESS * heat)
    assert found.score == pytest.approx(with_odds(0.5, factor))
    why = reason(found, "busy")
    assert (why.score, why.note) == (pytest.approx(factor), "changed in 8 commits")
    assert weigh(part(), request(), reader(), {}, 10.0) == part()
    assert weigh(part(), request(without=frozenset({"busy"})), reader(), files, 0.0) == part()


def test_a_test_is_lowered_unless_tests_are_asked_for():
    """Tests repeat the names of what they test."""
    assert weigh(part(test=True), request("how is it parsed"), reader(), {}).score < 0.5
    assert weigh(part(test=True), request("the tests of parsing"), reader(), {}).score == 0.5
