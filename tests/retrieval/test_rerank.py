"""The second judge: its order counts, its scores do not, and without an answer nothing changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.retrieval.rerank import rerank
from tests.retrieval.worlds import Judge, LateJudge, candidate, stages


def four():
    """Return four candidates, a best."""
    return [candidate(name, 0.8 - n / 10) for n, name in enumerate("abcd")]


def test_the_judge_reads_type_files_and_text():
    """Documents are "[type] files: content"; the query is as asked."""
    judge = Judge()
    files = ("x.py", "y.py")
    made = [candidate("a", 0.9, type="gotcha", related_files=files), candidate("b", 0.8, type="decision")]
    rerank(made, "why?", judge, limit=20, seconds=0.25)
    assert judge.saw == [("why?", ("[gotcha] x.py, y.py: text of a", "[decision]: text of b"), 0.25)]


@pytest.mark.parametrize(("limit", "seen"), [(30, 30), (31, 30), (2, 2)])
def test_at_most_thirty_are_judged(limit, seen):
    """The limit is the setting's, 30 at most; what is beyond keeps its place."""
    judge = Judge("text of 39")
    made = [candidate(f"{n:02}", 0.9 - n / 100) for n in range(40)]
    order, _ = rerank(made, "query", judge, limit=limit, seconds=0.4)
    assert len(judge.saw[0][1]) == seen
    assert [c.key[2] for c in order][seen:] == [f"{n:02}" for n in range(seen, 40)]


@pytest.mark.parametrize(("count", "limit"), [(0, 20), (1, 20), (4, 0), (4, 1)])
def test_fewer_than_two_are_not_worth_a_call(count, limit):
    """One candidate has only one order; a setting of 0 or 1 candidates switches the judge off."""
    judge = Judge("text of d")
    assert rerank(four()[:count], "query", judge, limit=limit, seconds=0.4) == (four()[:count], "")
    assert judge.saw == []


@pytest.mark.parametrize("scores", [[1.0], [1.0] * 5, [], [1.0, float("nan"), 2.0, 3.0]])
def test_an_answer_that_cannot_be_used_changes_nothing(scores):
    """A judge that miscounts, gives no numbers or is late spoils no search; a note says what was wrong."""

    class Numbers:
        def rerank(self, query, documents, *, timeout):
            return scores

    order, note = rerank(four(), "query", Numbers(), limit=20, seconds=0.4)
    assert order == four()
    assert note.startswith("not reranked: ")
    late = rerank(four(), "query", LateJudge(), limit=20, seconds=0.4)
    assert late == (four(), "not reranked: no answer within 0.4 s")


@given(
    st.lists(st.floats(0.0, 1.0), min_size=2, max_size=40),
    st.lists(st.floats(-1e6, 1e6), min_size=40, max_size=40),
    st.integers(0, 40),
    st.randoms(use_true_random=False),
)
def test_any_judge_keeps_the_candidates_and_the_scale(scores, judged, limit, random):
    """Nothing is lost or doubled, scores stay sorted and the same, and input order does not matter."""
    made = [candidate(f"{n:02}", score) for n, score in enumerate(scores)]
    worth = dict(zip((c.text for c in made), judged, strict=False))

    class Fixed:
        def rerank(self, query, documents, *, timeout):
            return [worth[d.partition(": ")[2]] for d in documents]

    order, _ = rerank(made, "query", Fixed(), limit=limit, seconds=0.4)
    assert [c.score for c in order] == sorted(scores, reverse=True)
    assert sorted(c.key for c in order) == sorted(c.key for c in made)
    random.shuffle(made)
    assert rerank(made, "query", Fixed(), limit=limit, seconds=0.4)[0] == order
    assert all(stages(c.reasons) in ([], ["rerank"]) for c in order)
