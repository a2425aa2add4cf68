"""The trial's arithmetic against streams whose truth is known."""

from __future__ import annotations

import random

import pytest

from remora.core.trial import HELD, SAID, compare, factor, interval, wilson
from remora.injection.trial import arm_of_session, draw

SEEDS = 50


def stream(seed: int, told: float, held: float, moments: int = 2_000) -> list[tuple[str, float]]:
    """Return moments with failures of known rates, one in ten of them held back."""
    chance = random.Random(seed)
    arms = [HELD if draw(f"salt{seed}", "s", str(n)) < 0.1 else SAID for n in range(moments)]
    return [(arm, float(chance.random() < (held if arm == HELD else told))) for arm in arms]


@pytest.mark.slow
def test_a_known_effect_is_found() -> None:
    """Advice that halves failures is found in at least 93 of 100 runs, and the interval holds the truth."""
    found = [compare("failures", stream(seed, 0.15, 0.30), shares=True) for seed in range(SEEDS)]
    assert sum(one.verdict == "helps" for one in found) >= 46
    assert sum(one.low <= -0.15 <= one.high for one in found) >= 46


@pytest.mark.slow
def test_no_effect_is_not_claimed() -> None:
    """Where advice changes nothing, help is claimed in at most 6 of 100 runs, and harm as well."""
    found = [compare("failures", stream(seed, 0.25, 0.25), shares=True).verdict for seed in range(SEEDS)]
    assert found.count("helps") <= 3
    assert found.count("hurts") <= 3


def test_one_moment_in_ten_is_held_back() -> None:
    """Over 5,000 moments the share is 10 ± 2 %, and the same moment draws the same again."""
    drawn = [draw("salt", "session", str(n)) for n in range(5_000)]
    assert 0.08 <= sum(one < 0.1 for one in drawn) / 5_000 <= 0.12
    assert drawn[:10] == [draw("salt", "session", str(n)) for n in range(10)]
    assert [draw("other", "session", str(n)) for n in range(10)] != drawn[:10]


def test_sessions_have_arms() -> None:
    """Five in a hundred sessions are told nothing, ten in a hundred the brief alone."""
    arms = [arm_of_session("salt", str(n)) for n in range(5_000)]
    assert 0.03 <= arms.count("control") / 5_000 <= 0.07
    assert 0.08 <= arms.count("passive") / 5_000 <= 0.12


@pytest.mark.parametrize("units", [[], [(SAID, 1.0)] * 20, [(SAID, 1.0)] * 500 + [(HELD, 0.0)] * 10])
def test_too_few_to_tell(units: list[tuple[str, float]]) -> None:
    """Nothing is said of figures with fewer than 30 moments in an arm."""
    assert compare("failures", units, shares=True).verdict == "few"


def test_a_figure_that_should_rise() -> None:
    """Of checks that pass more is better."""
    units = [(arm, 1.0 - value) for arm, value in stream(3, 0.1, 0.5)]
    assert compare("passed", units, shares=True, less_is_better=False).verdict == "helps"


def test_means_are_compared_as_well() -> None:
    """Tool calls are no shares: their means differ by what they differ by."""
    chance = random.Random(5)
    units = [(HELD, chance.gauss(12, 3)) for _ in range(300)] + [
        (SAID, chance.gauss(10, 3)) for _ in range(300)
    ]
    chance.shuffle(units)
    found = compare("calls", units, shares=False)
    assert found.low <= -2 <= found.high
    assert found.verdict == "helps"


def test_wilson_as_published() -> None:
    """The interval of 81 of 263, as Newcombe prints it (1998, table I)."""
    low, high = wilson(81, 263)
    assert (round(low, 4), round(high, 4)) == (0.2553, 0.3662)


def test_newcombe_as_published() -> None:
    """The difference of 56/70 and 48/80, as Newcombe prints it for method 10 (1998, table II)."""
    low, high = interval([1.0] * 56 + [0.0] * 14, [1.0] * 48 + [0.0] * 32, shares=True)
    assert (round(low, 4), round(high, 4)) == (0.0524, 0.3339)


@pytest.mark.parametrize(
    ("helped", "unhelped", "prior", "wanted"),
    [
        (0, 0, 0.5, 1.0),
        (0, 10, 0.5, 0.75),
        (0, 100, 0.5, 0.7),
        (100, 0, 0.5, 1.5),
        (1, 0, 0.9, 1.0),
        (3, 3, 0.0, 1.0),
    ],
)
def test_a_factor_is_shrunk_and_bounded(helped: int, unhelped: int, prior: float, wanted: float) -> None:
    """Little evidence moves little, and no memory counts less than 0.7 or more than 1.5."""
    assert factor(helped, unhelped, prior) == pytest.approx(wanted, abs=0.01)
