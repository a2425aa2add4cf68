"""The neighbourhood boost: who is raised, by how much, and who it may not pass."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.retrieval.boost import BOOST, REACH, TOP, boost
from tests.retrieval.worlds import candidate, stages


def near(**pairs):
    """Return a graph in which each file stands next to another."""
    table = {name.replace("_", "."): file for name, file in pairs.items()}
    return lambda files: {other: file for other, file in table.items() if file in files}


def ladder(count, *, step=0.01, top_files=("top.py",)):
    """Return candidates 01, 02 … with falling scores; the first ten speak of the top file."""
    return [
        candidate(f"{n:02}", 0.9 - step * n, related_files=top_files if n <= TOP else (f"file{n}.py",))
        for n in range(1, count + 1)
    ]


def test_up_to_ten_candidates_nothing_is_raised():
    """With ten candidates or fewer there is nobody to raise."""
    ten = ladder(10)
    assert boost(list(reversed(ten)), near(top_py="top.py")) == ten


def test_the_eleventh_is_raised_for_a_neighbouring_file():
    """A candidate in place 12 about a neighbour of the best hits' file overtakes place 11, no more."""
    order = boost(ladder(14), near(file13_py="top.py"))
    assert [c.key[2] for c in order][9:12] == ["10", "13", "11"]
    raised = order[10]
    assert stages(raised.reasons) == ["neighbourhood"]
    assert raised.reasons[0].note == "file13.py stands next to top.py"


def test_the_raise_is_a_share_of_the_best_score():
    """One of one neighbours adds 0.3 of the best score, as far as the tenth place lets it."""
    candidates = [*ladder(10, step=0.001), candidate("far", 0.1, related_files=("near.py",))]
    raised = boost(candidates, near(near_py="top.py"))[10]
    assert raised.score == pytest.approx(0.1 + BOOST * candidates[0].score)
    assert raised.reasons[-1].score == pytest.approx(BOOST * candidates[0].score)


def test_the_share_is_of_all_files_of_the_best():
    """One neighbour of a top ten with five files counts a fifth."""
    files = tuple(f"top{n}.py" for n in range(5))
    candidates = ladder(10, step=0.001, top_files=files)
    candidates.append(candidate("far", 0.1, related_files=("near.py",)))
    raised = boost(candidates, near(near_py="top3.py"))[10]
    assert raised.score == pytest.approx(0.1 + BOOST / 5 * candidates[0].score)


def test_no_raise_passes_or_ties_the_tenth():
    """However many are raised, and whatever their ids, the first ten stay the first ten."""
    others = "edcba"
    candidates = ladder(10, step=0.05) + [
        candidate(f"0{n}", 0.39 - place / 1000, related_files=(f"near{n}.py",))
        for place, n in enumerate(others)
    ]
    neighbours = near(**{f"near{n}_py": "top.py" for n in others})
    order = boost(candidates, neighbours)
    assert [c.key[2] for c in order][:10] == [f"{n:02}" for n in range(1, 11)]
    assert [c.key[2] for c in order][10:] == [f"0{n}" for n in others]
    assert all(c.score < order[9].score for c in order[10:])
    assert all(r.score > 0.0 for c in order for r in c.reasons)


def test_beyond_the_reach_nobody_is_raised():
    """Place 51 stays where it is, even next to the best file."""
    candidates = ladder(REACH + 1, step=0.001)
    order = boost(candidates, near(**{f"file{REACH + 1}_py": "top.py"}))
    assert order == candidates


def test_without_neighbours_nothing_changes():
    """Files that nothing stands next to raise nobody."""
    candidates = ladder(20)
    assert boost(candidates, near()) == candidates
    bare = [c._replace(memory=c.memory._replace(related_files=())) for c in candidates]
    assert boost(bare, near(file12_py="top.py")) == bare


@given(
    st.lists(st.tuples(st.floats(0.0, 1.0), st.integers(0, 5)), min_size=11, max_size=60),
    st.randoms(use_true_random=False),
)
def test_the_boost_is_blind_to_order_and_stays_in_scale(rows, random):
    """Shuffled candidates give the same order; scores stay within 0 and 1; the ten best stay."""
    candidates = [
        candidate(f"{n:02}", score, related_files=(f"f{file}.py",)) for n, (score, file) in enumerate(rows)
    ]
    neighbours = near(f0_py="f1.py", f2_py="f3.py")
    expected = boost(list(candidates), neighbours)
    random.shuffle(candidates)
    assert boost(candidates, neighbours) == expected
    assert all(0.0 <= c.score <= 1.0 for c in expected)
    before = sorted(candidates, key=lambda c: (-c.score, c.key))
    assert [c.key for c in expected[:TOP]] == [c.key for c in before[:TOP]]
