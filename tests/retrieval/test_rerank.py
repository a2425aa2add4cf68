"""The second judge: its order counts, its scores do not, and without an answer nothing changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.core.errors import ProviderError
from remora.retrieval.rerank import MOST, rerank
from tests.retrieval.worlds import Judge, LateJudge, candidate, stages


class Numbers:
    """A judge that gives a list of numbers, whatever it is asked."""

    def __init__(self, scores):
        self.scores = scores

    def rerank(self, query, documents, *, timeout):
        """Return the numbers."""
        return self.scores


def four():
    """Return four candidates, a best."""
    return [candidate(name, 0.8 - n / 10) for n, name in enumerate("abcd")]


def reranked(candidates, judge, limit=20):
    """Return the ids in the judge's order."""
    order, note = rerank(candidates, "query", judge, limit=limit, seconds=0.4)
    assert note == ""
    return [c.key[2] for c in order]


def test_the_judges_order_counts():
    """The hit that the judge likes best comes first."""
    assert reranked(four(), Judge("text of c", "text of b")) == ["c", "b", "a", "d"]


def test_the_scores_that_the_top_had_are_dealt_out_again():
    """Scores stay on our scale: the best score goes to the judge's best, and so on."""
    order, _ = rerank(four(), "query", Judge("text of c", "text of b"), limit=20, seconds=0.4)
    assert [round(c.score, 3) for c in order] == [0.8, 0.7, 0.6, 0.5]
    best = order[0].reasons[-1]
    assert (best.stage, best.score, best.rank, best.note) == ("rerank", 193.0, 1, "from #3")


def test_the_judge_reads_type_files_and_text():
    """Documents are "[type] files: content", as the specification words them; the query is as asked."""
    judge = Judge()
    made = [
        candidate("a", 0.9, type="gotcha", related_files=("x.py", "y.py")),
        candidate("b", 0.8, type="decision"),
    ]
    rerank(made, "why?", judge, limit=20, seconds=0.25)
    assert judge.saw == [("why?", ("[gotcha] x.py, y.py: text of a", "[decision]: text of b"), 0.25)]


@pytest.mark.parametrize(("limit", "seen"), [(20, 20), (30, 30), (31, 30), (500, 30), (2, 2)])
def test_at_most_thirty_are_judged(limit, seen):
    """The limit is the setting's, 30 at most; what is beyond keeps its place."""
    judge = Judge("text of 39")
    made = [candidate(f"{n:02}", 0.9 - n / 100) for n in range(40)]
    order = reranked(made, judge, limit)
    assert len(judge.saw[0][1]) == seen
    assert MOST == 30
    assert order[seen:] == [f"{n:02}" for n in range(seen, 40)]


@pytest.mark.parametrize(("count", "limit"), [(0, 20), (1, 20), (4, 0), (4, 1)])
def test_fewer_than_two_are_not_worth_a_call(count, limit):
    """One candidate has only one order; a setting of 0 or 1 candidates switches the judge off."""
    judge = Judge("text of d")
    assert rerank(four()[:count], "query", judge, limit=limit, seconds=0.4) == (four()[:count], "")
    assert judge.saw == []


class Refusing:
    """A judge whose server does not know the key."""

    def rerank(self, query, documents, *, timeout):
        """Refuse."""
        raise ProviderError("the key is not valid", status=401)


@pytest.mark.parametrize(
    ("judge", "note"), [(LateJudge(), "no answer within 0.4 s"), (Refusing(), "the key is not valid")]
)
def test_a_judge_without_an_answer_changes_nothing_and_leaves_a_note(judge, note):
    """Too late counts as not asked; what a server said is in the note."""
    assert rerank(four(), "query", judge, limit=20, seconds=0.4) == (four(), f"not reranked: {note}")


@pytest.mark.parametrize(
    "scores",
    [[1.0], [1.0, 2.0, 3.0, 4.0, 5.0], [], [1.0, float("nan"), 2.0, 3.0], [1.0, float("inf"), 2.0, 3.0]],
)
def test_an_answer_that_cannot_be_used_changes_nothing(scores):
    """A judge of one's own that miscounts or gives no numbers spoils no search."""
    order, note = rerank(four(), "query", Numbers(scores), limit=20, seconds=0.4)
    assert order == four()
    assert note.startswith("not reranked: ")


def test_equal_scores_of_the_judge_are_ordered_by_key():
    """A judge that cannot decide leaves a total order."""
    assert reranked(list(reversed(four())), Numbers([1.0] * 4)) == ["a", "b", "c", "d"]


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
