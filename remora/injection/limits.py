"""The step limit of an agent, scaled by the calibrations of earlier work (section 9)."""

from __future__ import annotations

import math
from collections.abc import Iterable

from remora.core.errors import InvalidInput
from remora.core.values import MemoryRecord

MOST_FACTOR = 2.0  # section 9: a limit is at most doubled
MOST_STEPS = 2_000  # of a session, in any case: a run-away agent must end
_ROUNDING = 1e-9  # 100 x 1.1 is a little more than 110 to a float


def step_limit(base: int, calibration: float | None, most: int = MOST_STEPS) -> int:
    """Return the step limit of an agent: the base times the ratio of actual to planned steps.

    A ratio below 1 lowers the limit. An invalid ratio (none, not above 0, not a number) changes nothing.

    Args:
        base: the limit without memory.
        calibration: actual by planned steps; None if unknown.
        most: the upper bound of the limit.

    Raises:
        InvalidInput: a limit is not a whole number above 0.

    >>> step_limit(100, 1.1), step_limit(100, 5.0), step_limit(100, 0.5), step_limit(100, None)
    (110, 200, 50, 100)
    """
    for name, value in (("base", base), ("most", most)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise InvalidInput(f"{name} must be a whole number of steps, 1 or more, not {value!r}")
    known = calibration is not None and math.isfinite(calibration) and calibration > 0
    factor = min(calibration, MOST_FACTOR) if known and calibration is not None else 1.0
    return min(max(1, math.ceil(base * factor - _ROUNDING)), most)


def step_factor(calibrations: Iterable[MemoryRecord]) -> float | None:
    """Return actual by planned steps over some calibrations, weighted by samples; None if none has a ratio.

    Tainted calibrations never change a limit.
    """
    total = weight = 0.0
    for record in calibrations:
        found = ratio(record)
        if found is not None and record.taint is None:
            samples = samples_of(record)
            total, weight = total + found * samples, weight + samples
    return total / weight if weight else None


def ratio(record: MemoryRecord) -> float | None:
    """Return actual by planned steps of a calibration; None if its payload has no valid ratio."""
    value = (record.payload or {}).get("ratio")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) and value > 0 else None


def samples_of(record: MemoryRecord) -> int:
    """Return the number of samples of a calibration, at least 1."""
    value = (record.payload or {}).get("sample_count")
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 1
