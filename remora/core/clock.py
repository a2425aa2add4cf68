"""Time as an argument: the system clock, a clock for tests, and ISO 8601 text in UTC."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Protocol

DAY_SECONDS = 86_400.0


class Clock(Protocol):
    """A source of the current time."""

    def now(self) -> float:
        """Return seconds since the Unix epoch, UTC."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> float:
        """Return seconds since the Unix epoch, UTC."""
        return time.time()


class FixedClock:
    """A clock for tests, ours and users': its time changes only by `advance`."""

    def __init__(self, now: float | str = "2026-01-01T00:00:00Z") -> None:
        self._now = from_iso(now) if isinstance(now, str) else now

    def now(self) -> float:
        """Return the set time."""
        return self._now

    def advance(self, *, days: float = 0.0, seconds: float = 0.0) -> None:
        """Move the clock forward, or back by negative amounts."""
        self._now += days * DAY_SECONDS + seconds


def to_iso(seconds: float) -> str:
    """Return an instant as `2026-01-01T00:00:00.000Z`: the width is fixed, so text order is time order.

    Raises:
        ValueError, OverflowError: the instant lies outside the years 1000 to 9999.

    >>> to_iso(0)
    '1970-01-01T00:00:00.000Z'
    """
    stamp = datetime.fromtimestamp(seconds, UTC)
    if stamp.year < 1000:
        raise ValueError(f"the year {stamp.year} is before 1000")
    return f"{stamp:%Y-%m-%dT%H:%M:%S}.{stamp.microsecond // 1000:03d}Z"


def from_iso(text: str) -> float:
    """Return the seconds of an ISO 8601 instant; a time without zone is taken as UTC.

    Raises:
        ValueError: the text is not an ISO 8601 date or instant.

    >>> from_iso("1970-01-02") == DAY_SECONDS
    True
    """
    stamp = datetime.fromisoformat(text)
    if stamp.tzinfo is None:
        stamp = stamp.replace(tzinfo=UTC)
    return stamp.timestamp()


def days_between(earlier: str, later: float) -> float:
    """Return the days from an ISO instant to `later` (seconds), never below 0.

    A clock that went backwards gives 0, so nothing ages or rejuvenates by accident.

    >>> days_between("1970-01-01T00:00:00Z", 43_200.0)
    0.5
    """
    return max(0.0, (later - from_iso(earlier)) / DAY_SECONDS)
