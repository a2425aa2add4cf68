"""Instants as text of one width, and days that never run backwards."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.core.clock import days_between, from_iso, to_iso

FIRST, LAST = from_iso("1800-01-01"), from_iso("2200-01-01")  # farther away floats are too coarse


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (0.9999, "1970-01-01T00:00:00.999Z"),
        (-0.001, "1969-12-31T23:59:59.999Z"),
    ],
)
def test_to_iso(seconds: float, text: str):
    """An instant is UTC text with milliseconds, cut off and not rounded."""
    assert to_iso(seconds) == text


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1970-01-01", 0.0),
        ("1970-01-01T00:00:01Z", 1.0),
        ("1970-01-01T02:00:00+02:00", 0.0),
        ("1970-01-01 00:00:00.250", 0.25),
    ],
)
def test_from_iso(text: str, seconds: float):
    """ISO 8601 is read with any zone; without one it is UTC."""
    assert from_iso(text) == seconds


@pytest.mark.parametrize("text", ["", "yesterday", "2026-13-01", "2026-02-30", "12:30"])
def test_what_is_no_time(text: str):
    """Anything else is a ValueError."""
    with pytest.raises(ValueError):
        from_iso(text)


@pytest.mark.parametrize("seconds", [from_iso("0999-12-31"), 1e12, -1e12, 1e300, float("nan"), float("inf")])
def test_instants_that_have_no_text(seconds: float):
    """Outside the years 1000 to 9999 there is no text of this width."""
    with pytest.raises((ValueError, OverflowError)):
        to_iso(seconds)


@given(st.floats(FIRST, LAST), st.floats(FIRST, LAST))
def test_text_order_is_time_order(a: float, b: float):
    """Texts sort as their instants do, have one width, and are read and written again alike."""
    first, second = sorted((a, b))
    assert to_iso(first) <= to_iso(second)
    assert len(to_iso(a)) == 24
    assert to_iso(from_iso(to_iso(a))) == to_iso(a)
    assert abs(from_iso(to_iso(a)) - a) <= 0.001 + 1e-5


@pytest.mark.parametrize(
    ("later", "days"),
    [("2026-01-02T12:00:00Z", 1.5), ("2026-01-01T00:00:00Z", 0.0), ("2025-06-01T00:00:00Z", 0.0)],
)
def test_days_between(later: str, days: float):
    """Days are counted in parts, and a clock that went backwards counts none."""
    assert days_between("2026-01-01T00:00:00.000Z", from_iso(later)) == days
