"""The neighbourhood boost: who is raised, and by how much."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.retrieval.boost import GAIN, SEEDS, boost
from remora.retrieval.fusion import with_odds
from tests.retrieval.worlds import candidate


def near(**table):
    """Return a graph: the neighbours of each file with how close they are; "_" stands for a dot."""
    return lambda file: table.get(file.replace(".", "_"), {})


def about(number, score, *files):
    """Return a candidate about files."""
    return candidate(f"{number:02}", score, related_files=files)


def names(order):
    """Return the candidates' names, in order."""
    return [c.key[2] for c in order]


def test_neighbours_share_by_closeness_and_seeds_add_up():
    """A quarter of one seed and all of another multiply the odds together; the larger part is named."""
    found = [about(1, 0.8, "a.py"), about(2, 0.6, "b.py"), about(3, 0.1, "e.py", "c.py")]
    order = boost(found, near(a_py={"c.py": 1.0, "d.py": 3.0}, b_py={"c.py": 0.2}))
    raised = next(c for c in order if c.key[2] == "03")
    assert raised.score == pytest.approx(with_odds(0.1, math.exp(GAIN * (0.25 * 0.8 + 0.6))))
    assert raised.reasons[0].note == "c.py is linked to b.py"


def test_all_hits_about_one_file_are_raised_alike():
    """Two hits of one file keep their order; the file hands on the relevance of its best."""
    found = [about(1, 0.9, "a.py"), about(2, 0.3, "b.py"), about(3, 0.2, "b.py"), about(4, 0.1, "a.py")]
    order = boost(found, near(a_py={"b.py": 1.0}))
    factor = math.exp(GAIN * 0.9)
    assert {c.key[2]: c.score for c in order} == pytest.approx(
        {"01": 0.9, "02": with_odds(0.3, factor), "03": with_odds(0.2, factor), "04": 0.1}
    )


def test_only_the_first_files_hand_on():
    """The neighbour of the tenth file is raised, that of the eleventh is not."""
    found = [about(n, 0.9 - n / 100, f"f{n}.py") for n in range(1, SEEDS + 2)]
    found += [about(90, 0.1, "near.py"), about(91, 0.1, "far.py")]
    table = {f"f{SEEDS}_py": {"near.py": 1.0}, f"f{SEEDS + 1}_py": {"far.py": 1.0}}
    scores = {c.key[2]: c.score for c in boost(found, near(**table))}
    assert scores["90"] > 0.1 == scores["91"]


def test_without_neighbours_nothing_changes():
    """Nobody is raised by a file that nothing stands next to, nor by itself; nor are hits about no file."""
    found = [about(n, 0.9 - n / 100, f"f{n}.py") for n in range(5)]
    assert boost(list(reversed(found)), near()) == found
    assert boost(found, near(f1_py={"f1.py": 1.0})) == found
    bare = [about(n, 0.9 - n / 100) for n in range(5)]
    assert boost(bare, near(f1_py={"f2.py": 1.0})) == bare
    assert boost([], near()) == []


@given(
    st.lists(st.tuples(st.floats(0.0, 1.0), st.integers(0, 5)), max_size=60),
    st.randoms(use_true_random=False),
)
def test_the_boost_is_blind_to_order_and_stays_in_scale(rows, random):
    """Shuffled candidates give the same order; nobody falls, and scores stay within 0 and 1."""
    found = [about(n, score, f"f{file}.py") for n, (score, file) in enumerate(rows)]
    neighbours = near(f0_py={"f1.py": 0.5, "f2.py": 0.1}, f2_py={"f3.py": 1.0}, f4_py={"f0.py": 2.0})
    expected = boost(list(found), neighbours)
    random.shuffle(found)
    assert boost(found, neighbours) == expected
    before = {c.key: c.score for c in found}
    assert all(before[c.key] <= c.score <= 1.0 for c in expected)
