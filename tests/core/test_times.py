"""Times as people write them, and the days that a sentence names."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from remora.core.clock import from_iso
from remora.core.times import Days, bound, days_in, instant_of
from tests.tables import table

NOW = from_iso("2026-11-27T12:00:00Z")  # a Friday
MAY = Days("2000-05-01", "2000-05-31", yearly=True)


@pytest.mark.parametrize(("text", "instant"), table(__file__, "instants"))
def test_instants(text: str, instant: str) -> None:
    """Text that names a whole day is an instant in UTC; anything else is unknown."""
    assert (instant_of(text) or "") == instant


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("What did Ann say on 8 May, 2023?", [Days("2023-05-08", "2023-05-08")]),
        ("the release of 2023-05-08", [Days("2023-05-08", "2023-05-08")]),
        ("who joined in May?", [MAY]),
        ("since 2021", [Days("2021-01-01", "2021-12-31")]),
        ("between May and July 2023", [Days("2023-07-01", "2023-07-31"), MAY]),
        ("yesterday", [Days("2026-11-26", "2026-11-26")]),
        ("last Friday", [Days("2026-11-20", "2026-11-20")]),
        ("last week", [Days("2026-11-16", "2026-11-22")]),
        ("this month", [Days("2026-11-01", "2026-11-30")]),
        ("11 months ago", [Days("2025-12-01", "2025-12-31")]),
        ("two years back, or 2 years ago", [Days("2024-01-01", "2024-12-31")]),
        ("may I march into it", []),
        ("port 2023, 1900 users", []),
        ("31 February 2023", []),
        ("v2023-05-08-rc1", []),
    ],
)
def test_days_that_a_sentence_names(text: str, days: list[Days]) -> None:
    """Dates, months, years and days counted from today; words that only look like them are none."""
    assert list(days_in(text, NOW)) == days


def test_a_day_without_a_year_holds_in_every_year() -> None:
    """Where no year is named the month and the day decide."""
    (may,) = days_in("in May", NOW)
    assert may.hold("2023-05-31T23:00:00.000Z")
    assert may.hold("1999-05-01")
    assert not may.hold("2023-06-01T00:00:00.000Z")


@pytest.mark.parametrize(
    ("value", "since", "until"),
    [
        ("2023-05-08", "2023-05-08", "2023-05-09"),
        ("2023-05-08T14:00", "2023-05-08T14:00:00.000Z", "2023-05-08T14:00:00.000Z"),
        ("December 2023", "2023-12-01", "2024-01-01"),
        ("2023", "2023-01-01", "2024-01-01"),
        ("may", "2026-05-01", "2026-06-01"),  # the last one
        ("29 February", "2026-02-29", "2026-03-01"),
        ("last week", "2026-11-16", "2026-11-23"),
        (date(2023, 5, 8), "2023-05-08", "2023-05-09"),
        (datetime(2023, 5, 8, 14, tzinfo=UTC), "2023-05-08T14:00:00.000Z", "2023-05-08T14:00:00.000Z"),
    ],
)
def test_bounds(value: object, since: str, until: str) -> None:
    """Days that are named lie within their bounds; without a year it is the last one that has begun."""
    assert (bound(value, NOW), bound(value, NOW, end=True)) == (since, until)


@pytest.mark.parametrize("value", ["soon", "", 7, "31 February 2023"])
def test_what_names_no_day_is_no_bound(value: object) -> None:
    """A bound that nobody understands is an error, never now."""
    with pytest.raises(ValueError, match=r"day|time"):
        bound(value, NOW)
