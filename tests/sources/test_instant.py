"""Times of foreign records, in every form in which hosts and other systems write them."""

from __future__ import annotations

import pytest

from remora.sources.instant import instant


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-02-07", "2026-02-07T00:00:00.000Z"),
        (" 2026-02-07T14:15:00+01:00 ", "2026-02-07T13:15:00.000Z"),
        ("2026-01-05T14:17:31.4591234+02:00", "2026-01-05T12:17:31.459Z"),
        (1_577_836_800_000, "2020-01-01T00:00:00.000Z"),
        ("0001-01-01T00:00:00Z", None),
        ("9999-12-31T23:59:59-10:00", None),
        ("soon", None),
        (10**400, None),
        (True, None),
        (None, None),
    ],
)
def test_times_are_understood_or_not_there(value: object, expected: str | None) -> None:
    """Nobody guesses: a time that is none is nothing."""
    assert instant(value) == expected
