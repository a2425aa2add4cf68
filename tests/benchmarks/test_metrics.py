"""The benchmarks' arithmetic on cases worked out by hand."""

from __future__ import annotations

import pytest

from benchmarks.metrics import (
    Interval,
    all_at,
    paired_interval,
    percentile,
    recall_at,
    reciprocal_rank,
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


def test_reciprocal_rank_looks_at_the_first_gold_key_only():
    """The place of the best gold key decides, and none found is zero."""
    assert reciprocal_rank(RANKED, {"b", "y"}) == 0.25
    assert reciprocal_rank(RANKED, {"d"}) == 1.0
    assert reciprocal_rank(RANKED, {"z"}) == 0.0
    assert reciprocal_rank([], {"z"}) == 0.0


def test_percentiles_interpolate_between_neighbours():
    """The 95th percentile of 1..21 is 20, and half-way places lie half-way between two values."""
    assert percentile(range(1, 22), 95) == 20.0
    assert percentile([10.0, 20.0], 50) == 15.0
    assert percentile([7.0], 99) == 7.0
    with pytest.raises(ValueError, match="percentile"):
        percentile([], 50)
    with pytest.raises(ValueError, match="percentile"):
        percentile([1.0], 101)


def test_the_interval_weighs_scores_and_draws_groups():
    """The mean is over all scores; the interval holds it and repeats exactly with the same seed."""
    ours, theirs = [[1.0, 1.0, 1.0], [0.0]], [[0.0, 0.0, 0.0], [1.0]]
    found = paired_interval(ours, theirs, rounds=200)
    assert found.mean == pytest.approx(0.5)
    assert (found.low, found.high) == (-1.0, 1.0)
    assert found == paired_interval(ours, theirs, rounds=200)
    assert paired_interval([], []) == Interval(0.0, 0.0, 0.0)
