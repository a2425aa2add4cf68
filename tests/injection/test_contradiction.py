"""Which statements contradict each other, by their words."""

from __future__ import annotations

import pytest

from remora.injection.contradiction import contradicted


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Tokens expire after 24 hours", "Tokens expire after 12 hours"),
        ("The cache is shared between tenants", "The cache isn't shared between tenants"),
        ("We never squash commits on main", "It is not true that we never squash commits on main"),
        ("Use tabs in Makefiles (said by the user, 2026-01-01)", "Use no tabs in Makefiles (seen 3 times)"),
    ],
)
def test_contradictions(one: str, other: str):
    """The same matter with another number, or denied once more."""
    assert contradicted([one, other]) == {0, 1}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Tokens expire after 24 hours", "Logs are kept for 7 days"),
        ("Run the linter before a commit", "Run the linter and the tests before a commit"),
        ("The port is 8080", "The port is 8080 in tests, too"),
        ("", ""),
        ("Do not retry writes", "The parser reads UTF-8"),
    ],
)
def test_no_contradictions(one: str, other: str):
    """Another matter, or the same said twice."""
    assert contradicted([one, other]) == set()


def test_a_third_one_is_left_alone():
    """Only the two that disagree are named."""
    assert contradicted(["The port is 80 here", "Use tabs", "The port is 81 here"]) == {0, 2}
