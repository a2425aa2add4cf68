"""The arithmetic of merging: ranks, evidence, odds."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.core.query import WEIGHTS
from remora.retrieval.fusion import (
    MEMORY_SCALE,
    TURN_SCALE,
    cosine_or_expected,
    idf,
    logistic,
    relevance,
    trust,
    weighted_rrf,
    with_odds,
)

shares = st.floats(0.0, 1.0)


def test_rrf_of_nothing_is_nothing():
    """No lists, or empty ones, score nothing."""
    assert weighted_rrf([]) == {}
    assert weighted_rrf([([], 1.0)]) == {}


def test_path_weights_are_those_of_the_specification():
    """Keywords lead for identifiers, vectors for questions, the graph for structure."""
    assert WEIGHTS["identifier"] == (0.5, 0.2, 0.3)
    assert WEIGHTS["semantic"] == (0.25, 0.5, 0.25)
    assert WEIGHTS["structural"] == (0.25, 0.15, 0.6)


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


@given(st.lists(shares, max_size=40), st.randoms())
def test_trust_is_a_share_and_blind_to_order(covered, random):
    """Whatever the matches and their order, trust is one number from 0 to 1."""
    before = trust(covered)
    random.shuffle(covered)
    assert trust(covered) == before
    assert 0.0 <= before <= 1.0


@given(st.floats(-1e300, 1e300))
def test_logistic_never_overflows(x):
    """Any finite evidence gives a share, and the mirror image of its opposite."""
    assert 0.0 <= logistic(x) <= 1.0
    assert logistic(x) + logistic(-x) == pytest.approx(1.0)


def test_the_middle_of_a_scale_is_one_half():
    """Relevance 0.5 lies at the middle of each scale, and more evidence is more relevance."""
    for scale in (MEMORY_SCALE, TURN_SCALE):
        assert relevance(scale.middle, scale) == 0.5
        assert relevance(scale.middle + scale.spread, scale) == pytest.approx(logistic(1.0))


@given(shares, st.floats(0.0, 1e6))
def test_odds_keep_a_probability_a_probability(probability, factor):
    """Multiplied odds stay within 0 and 1; a factor below 1 lowers, one above 1 raises."""
    after = with_odds(probability, factor)
    assert 0.0 <= after <= 1.0
    assert math.isfinite(after)
    if factor <= 1.0:
        assert after <= probability + 1e-9
    else:
        assert after >= probability - 1e-9


@given(shares, shares, st.floats(0.01, 100.0))
def test_odds_keep_the_order(a, b, factor):
    """Two scores multiplied by one factor keep their order."""
    low, high = sorted((a, b))
    assert with_odds(low, factor) <= with_odds(high, factor)


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
