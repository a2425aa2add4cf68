"""Parse human-written times: a text that is an instant, and the days that a sentence names."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

from remora.core.clock import from_iso, to_iso

MOST_TIME = 100  # characters of a time in words
_ISO_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")  # the beginning of a text in ISO 8601
_CANONICAL = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")
_DOTTED = re.compile(r"\b\d{1,2}\.\d{1,2}\.\d{2,4}\b")


def is_canonical(stamp: str) -> bool:
    """Return whether a text is an instant in the form of `to_iso`."""
    return _CANONICAL.fullmatch(stamp) is not None


def instant_of(text: str) -> str | None:
    """Return the instant that a text denotes, ISO 8601 in UTC; None if it names no complete day.

    ISO 8601 and common written forms; a time without a zone is taken as UTC.

    >>> instant_of("1:56 pm on 8 May, 2023"), instant_of("last Friday")
    ('2023-05-08T13:56:00.000Z', None)
    """
    return iso_of(text) or _as_people_write(text)


def iso_of(text: str) -> str | None:
    """Return ISO 8601 text that begins with a day in canonical form; None for other text."""
    text = text.strip()
    if not _ISO_DAY.match(text):
        return None
    try:
        seconds = from_iso(text)
        return text if is_canonical(text) else to_iso(seconds)
    except (ValueError, OverflowError, OSError):
        return None


def _as_people_write(text: str) -> str | None:
    """Return the time in a text such as "7:31 pm on 21 January, 2022"; None if it names no complete day.

    In numeric dates the day comes first with dots, the month with slashes.
    """
    if len(text) > MOST_TIME or not any(sign.isdigit() for sign in text):
        return None
    from dateutil import parser  # most messages have an ISO time or none

    dayfirst = bool(_DOTTED.search(text))
    defaults = datetime(1001, 1, 1, tzinfo=UTC), datetime(1002, 2, 2, tzinfo=UTC)
    try:
        # Parts that the text does not name differ between the two.
        one, other = (parser.parse(text, default=default, dayfirst=dayfirst) for default in defaults)
        return to_iso(one.timestamp()) if one == other else None
    except (ValueError, OverflowError, TypeError, OSError):
        return None


class Days(NamedTuple):
    """The days that a text names, first and last, ISO dates; `yearly` if it names no year."""

    first: str
    last: str
    yearly: bool = False

    def hold(self, time: str) -> bool:
        """Return whether an instant, ISO 8601, is in these days.

        >>> Days("2000-05-01", "2000-05-31", yearly=True).hold("2023-05-08T13:56:00.000Z")
        True
        """
        if self.yearly:
            return self.first[5:] <= time[5:10] <= self.last[5:]
        return self.first <= time[:10] <= self.last


_MONTHS = "january february march april may june july august september october november december".split()
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_LEAP = 2000  # the year of days without one: it has a 29 February
_MONTH = rf"(?P<month>{'|'.join(f'{m}|{m[:3]}' for m in _MONTHS)}|sept)\.?"
_DAY = r"(?P<day>[0-3]?[0-9])(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)[0-9]{2})"
_BEFORE = (
    "in of on since until till by during from to and or between before after last this next early mid late"
)
_LEADING = rf"(?:{'|'.join(_BEFORE.split())})"
_NAMED = tuple(
    re.compile(rf"(?<![\w-]){pattern}(?![\w-])", re.IGNORECASE)
    for pattern in (
        rf"{_YEAR}-(?P<number>[01][0-9])(?:-{_DAY})?",
        rf"{_DAY}(?:\s+of)?\s+{_MONTH},?(?:\s+{_YEAR})?",
        rf"{_MONTH}\s+{_DAY}(?:,?\s+{_YEAR})?",
        rf"{_MONTH},?\s+{_YEAR}",
        rf"{_LEADING}[\s-]+{_MONTH}",
        rf"{_LEADING}\s+{_YEAR}",
    )
)
_RELATIVE = re.compile(
    r"\b(?P<word>today|yesterday)\b"
    r"|\b(?P<which>last|this|past|previous)\s+(?P<unit>week|month|year)\b"
    rf"|\blast\s+(?P<weekday>{'|'.join(_WEEKDAYS)})\b"
    r"|\b(?P<count>[0-9]{1,3}|an?)\s+(?P<units>day|week|month|year)s?\s+ago\b",
    re.IGNORECASE,
)


def days_in(text: str, now: float) -> tuple[Days, ...]:
    """Return the days that a sentence in English names: dates, months, years, "yesterday", "last week".

    Args:
        text: a question, or a bound from a caller.
        now: seconds since the epoch, the reference of "yesterday".

    >>> days_in("What did Ann say in May 2023?", 0.0)
    (Days(first='2023-05-01', last='2023-05-31', yearly=False),)
    >>> days_in("When may I march?", 0.0)
    ()
    """
    found: list[Days] = []
    left = text[: 10 * MOST_TIME]
    for pattern in _NAMED:
        for match in pattern.finditer(left):
            days = _named(match.groupdict())
            if days is not None and days not in found:
                found.append(days)
        left = pattern.sub(" ", left)
    today = datetime.fromtimestamp(now, UTC).date()
    found += [_relative(match.groupdict(), today) for match in _RELATIVE.finditer(left)]
    return tuple(found)


def _named(told: dict[str, str | None]) -> Days | None:
    month_name, number = told.get("month"), told.get("number")
    year, day = told.get("year"), told.get("day")
    if month_name:
        month = next(n for n, name in enumerate(_MONTHS, 1) if name.startswith(month_name[:3].lower()))
    else:
        month = int(number) if number else 0
    whole = int(year) if year else _LEAP
    try:
        if not month:
            return Days(f"{whole}-01-01", f"{whole}-12-31")
        if day:
            one = date(whole, month, int(day)).isoformat()
            return Days(one, one, not year)
        first = date(whole, month, 1)
    except ValueError:
        return None
    return Days(first.isoformat(), _month_end(first).isoformat(), not year)


def _relative(told: dict[str, str | None], today: date) -> Days:
    word, which = (told["word"] or "").lower(), (told["which"] or "").lower()
    count, unit = told["count"] or "", (told["unit"] or told["units"] or "day").lower()
    ago = int(count) if count.isdigit() else 1
    if word == "today" or which == "this":
        ago = 0
    elif told["weekday"]:
        ago = (today.weekday() - _WEEKDAYS.index(told["weekday"].lower()) - 1) % 7 + 1
    if unit == "day":
        first = last = today - timedelta(days=ago)
    elif unit == "week":
        first = today - timedelta(days=today.weekday() + 7 * ago)
        last = first + timedelta(days=6)
    elif unit == "month":
        months = today.year * 12 + today.month - 1 - ago
        first = date(months // 12, months % 12 + 1, 1)
        last = _month_end(first)
    else:
        first, last = date(today.year - ago, 1, 1), date(today.year - ago, 12, 31)
    return Days(first.isoformat(), last.isoformat())


def _month_end(first: date) -> date:
    return first.replace(day=monthrange(first.year, first.month)[1])


def bound(value: object, now: float, *, end: bool = False) -> str:
    """Return a caller's time bound in ISO 8601.

    Args:
        value: a date, a datetime, or text: a time for `instant_of`, or days for `days_in`.
        now: seconds since the epoch.
        end: return the time right after the named days, instead of their beginning.

    Raises:
        ValueError: it names no day.

    >>> bound("May 2023", 0.0), bound("May 2023", 0.0, end=True), bound("2023-05-08 14:00", 0.0)
    ('2023-05-01', '2023-06-01', '2023-05-08T14:00:00.000Z')
    """
    if isinstance(value, datetime):
        return to_iso((value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp())
    text = value.isoformat() if isinstance(value, date) else value
    if not isinstance(text, str):
        raise ValueError(f"a time is a date or text, not {type(value).__name__}")
    instant = instant_of(text)
    if instant is not None and (":" in text or not instant.endswith("T00:00:00.000Z")):
        return instant
    named = [Days(instant[:10], instant[:10])] if instant else days_in(f"in {text.strip()}", now)
    if not named:
        raise ValueError(f"{text[:MOST_TIME]!r} names no day")
    days = named[0]
    if days.yearly:
        today = to_iso(now)[:10]
        year = int(today[:4]) - (days.first[5:] > today[5:])
        days = Days(f"{year:04d}{days.first[4:]}", f"{year:04d}{days.last[4:]}")
    if not end:
        return days.first
    year, month, day = map(int, days.last.split("-"))
    day = min(day, monthrange(year, month)[1])  # a year without a 29 February
    return (date(year, month, day) + timedelta(days=1)).isoformat()
