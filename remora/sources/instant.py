"""Read the time of a foreign record: ISO 8601 text, or a number since 1970."""

from __future__ import annotations

MILLISECONDS_FROM = 1e11  # as seconds the year 5138; as milliseconds 1973


def instant(value: object) -> str | None:
    """Return a time as ISO 8601 in UTC, to the millisecond; None if it is not a time.

    Accepts ISO 8601 text and numbers (seconds since 1970, milliseconds from 1e11 on). A time
    without a zone is taken as UTC.

    >>> instant("2026-02-07T15:15:00.123456789+01:00"), instant(1577836800), instant(1577836800000.0)
    ('2026-02-07T14:15:00.123Z', '2020-01-01T00:00:00.000Z', '2020-01-01T00:00:00.000Z')
    >>> instant("soon"), instant(True), instant(10**30), instant(None)
    (None, None, None, None)
    """
    from remora.core.clock import from_iso, to_iso  # records of a live hook have no times

    try:
        if isinstance(value, str):
            stamp = to_iso(from_iso(value.strip()))
        elif isinstance(value, int | float) and not isinstance(value, bool):
            stamp = to_iso(value / 1000 if abs(value) >= MILLISECONDS_FROM else value)
        else:
            return None
    except (ValueError, OverflowError, OSError):
        return None
    return stamp if len(stamp) == len("2026-01-01T00:00:00.000Z") else None
