"""Step limits that follow from what work took before."""

from __future__ import annotations

import math

import pytest

from remora.core.errors import InvalidInput
from remora.core.values import Taint
from remora.injection.limits import MOST_STEPS, step_factor, step_limit
from tests.retrieval.worlds import record


def calibration(ratio: object, samples: object = 1, **fields):
    """Return a calibration."""
    return record(type="task_calibration", payload={"ratio": ratio, "sample_count": samples}, **fields)


@pytest.mark.parametrize(
    ("base", "calibration", "limit"),
    [
        (100, None, 100),
        (33, 1.01, 34),
        (100, 9.0, 200),
        (100, 0.5, 50),
        (1, 0.01, 1),
        (1_500, 2.0, MOST_STEPS),
        (100, 0.0, 100),
        (100, math.nan, 100),
    ],
)
def test_the_formula(base: int, calibration: float | None, limit: int) -> None:
    """Base times the factor, rounded up; the factor at most 2, the limit within its bound."""
    assert step_limit(base, calibration) == limit


@pytest.mark.parametrize("base", [0, -1, 2.5, True, "10", None])
def test_a_base_that_is_none(base: object) -> None:
    """What is no number of steps is refused."""
    with pytest.raises(InvalidInput, match="whole number of steps"):
        step_limit(base, None)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="most"):
        step_limit(10, None, most=base)  # type: ignore[arg-type]


def test_factors_add_up_by_their_samples() -> None:
    """A calibration over more work counts more."""
    assert step_factor([calibration(2.0, 3), calibration(1.0, 1)]) == pytest.approx(1.75)
    assert step_factor([calibration(2.0, "many"), calibration(1.0)]) == pytest.approx(1.5)


def test_what_says_nothing_counts_nothing() -> None:
    """A calibration without a ratio, with one that makes no sense, or from outside moves no limit."""
    assert step_factor([]) is None
    odd = [calibration(value) for value in (None, "2", True, 0, -1.0, math.inf)]
    assert step_factor([*odd, record(type="task_calibration")]) is None
    assert step_factor([calibration(9.0, 50, taint=Taint("web_fetch")), calibration(1.2)]) == 1.2
