"""The benchmarks' arithmetic on cases worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.metrics import (
    Interval,
    all_at,
    mean,
    paired_interval,
    percentile,
    recall_at,
    reciprocal_rank,
    rrf,
    unique,
)

RANKED = ["d", "a", "x", "b", "y"]


@pytest.mark.parametrize(
    ("gold", "k", "recall", "complete"),
    [
        (["a", "b"], 1, 0.0, 0.0),
        (["a", "b"], 2, 0.5, 0.0),
        (["a", "b"], 4, 1.0, 1.0),
        (["a", "b", "z"], 5, 2 / 3, 0.0),
        (["a", "a"], 2, 1.0, 1.0),
        (["z"], 100, 0.0, 0.0),
    ],
)
def test_recall_is_the_share_of_gold_in_the_first_k(gold, k, recall, complete):
    """Recall counts each gold key once, and `all` asks for every one of them."""
    assert recall_at(RANKED, gold, k) == pytest.approx(recall)
    assert all_at(RANKED, gold, k) == complete


def test_recall_without_gold_is_an_error():
    """A question without evidence has no recall, rather than a perfect or a bad one."""
    with pytest.raises(ValueError, match="gold"):
        recall_at(RANKED, [], 5)


def test_reciprocal_rank_looks_at_the_first_gold_key_only():
    """The place of the best gold key decides, and none found is zero."""
    assert reciprocal_rank(RANKED, {"b", "y"}) == 0.25
    assert reciprocal_rank(RANKED, {"d"}) == 1.0
    assert reciprocal_rank(RANKED, {"z"}) == 0.0
    assert reciprocal_rank([], {"z"}) == 0.0


def test_a_key_counts_at_its_best_place_only():
    """A text that was found in two parts is one result, and hits without a key are none."""
    assert unique(["a", None, "b", "a", None, "c", "b"]) == ["a", "b", "c"]


def test_percentiles_interpolate_between_neighbours():
    """The 95th percentile of 1..21 is 20, and half-way places lie half-way between two values."""
    assert percentile(range(1, 22), 95) == 20.0
    assert percentile([10.0, 20.0], 50) == 15.0
    assert percentile([7.0], 99) == 7.0
    with pytest.raises(ValueError, match="percentile"):
        percentile([], 50)
    with pytest.raises(ValueError, match="percentile"):
        percentile([1.0], 101)


def test_naive_fusion_adds_reciprocal_ranks():
    """A key that two lists have in the middle passes keys that one list has on top."""
    assert rrf([["a", "m", "b"], ["c", "m", "d"]]) == ["m", "a", "c", "b", "d"]
    assert rrf([["a"], []]) == ["a"]


@given(st.lists(st.integers(0, 20), unique=True))
def test_fusing_a_list_with_itself_changes_nothing(ranked):
    """Two judges of one opinion give that opinion."""
    assert rrf([ranked, ranked]) == ranked


def test_the_mean_of_nothing_is_zero():
    """An empty category prints as zero instead of failing the whole table."""
    assert mean([]) == 0.0
    assert mean([1.0, 0.0, 0.5]) == 0.5


def test_the_interval_of_a_constant_gain_is_that_gain():
    """When every group gains the same, sampling groups changes nothing."""
    found = paired_interval([[0.5, 0.5], [1.0]], [[0.25, 0.25], [0.75]])
    assert found == pytest.approx((0.25, 0.25, 0.25))


def test_the_interval_weighs_scores_and_draws_groups():
    """The mean is over all scores; the interval holds it and repeats exactly with the same seed."""
    ours, theirs = [[1.0, 1.0, 1.0], [0.0]], [[0.0, 0.0, 0.0], [1.0]]
    found = paired_interval(ours, theirs, rounds=200)
    assert found.mean == pytest.approx(0.5)
    assert (found.low, found.high) == (-1.0, 1.0)
    assert found == paired_interval(ours, theirs, rounds=200)
    assert paired_interval([], []) == Interval(0.0, 0.0, 0.0)
