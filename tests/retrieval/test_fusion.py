"""The arithmetic of merging: ranks, evidence, odds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.retrieval.fusion import (
    MEMORY_SCALE,
    TURN_SCALE,
    cosine_or_expected,
    idf,
    logistic,
    relevance,
    trust,
    with_odds,
)

shares = st.floats(0.0, 1.0)


@pytest.mark.parametrize(
    ("covered", "expected"),
    [
        ([], 0.0),
        ([0.0, 0.0], 0.0),
        ([0.4], 1.0),  # alone
        ([0.9] + [0.2] * 20, 1.0),  # stands far out
        ([0.5] * 10, 0.0),  # ten alike
        ([1.0] + [0.6] * 9, 0.5),  # 40 % above the tenth: half way between 30 and 50
    ],
)
def test_words_are_trusted_as_far_as_the_best_stands_out(covered, expected):
    """Trust is how far the best match stands above the tenth."""
    assert trust(covered) == pytest.approx(expected)


@given(st.floats(-1e300, 1e300))
def test_evidence_of_any_size_is_a_share(x):
    """Any finite evidence gives a relevance from 0 to 1; the middle of a scale is one half."""
    assert 0.0 <= logistic(x) <= 1.0
    assert logistic(x) + logistic(-x) == pytest.approx(1.0)
    for scale in (MEMORY_SCALE, TURN_SCALE):
        assert relevance(scale.middle, scale) == 0.5
        assert relevance(scale.middle + scale.spread, scale) == pytest.approx(logistic(1.0))


@given(shares, shares, st.floats(0.0, 1e6))
def test_odds_keep_a_probability_a_probability(one, other, factor):
    """Multiplied odds stay within 0 and 1 and in order; a factor below 1 lowers, one above 1 raises."""
    low, high = (with_odds(probability, factor) for probability in sorted((one, other)))
    assert 0.0 <= low <= high <= 1.0
    if factor <= 1.0:
        assert high <= max(one, other) + 1e-9
    else:
        assert low >= min(one, other) - 1e-9


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_idf_is_positive(rows, holding):
    """No term has a weight of zero or below, however common it is."""
    holding = min(rows, holding)
    assert idf(rows, holding) >= 1e-6
    assert idf(rows + 1, holding) >= idf(rows, holding)


def test_a_missing_vector_counts_as_what_its_words_let_one_expect():
    """Without a vector the cosine is guessed from the words; with one it is taken as it is."""
    assert cosine_or_expected(0.7, 0.0) == 0.7
    assert cosine_or_expected(-0.1, 1.0) == -0.1
    assert cosine_or_expected(None, 0.0) == 0.2
    assert cosine_or_expected(None, 1.0) == 0.7
