"""The short names of memories."""

from __future__ import annotations

import pytest

from remora.core.citation import CHARS, short_name


@pytest.mark.parametrize(
    "citation",
    [
        None,
        "",
        "3 sessions, 2026-11-22; session…",
        "the user, session 94bd1e26-1f0c-4d5e…",
        "commit “Refresh tokens through the…",
    ],
)
def test_the_beginning_of_what_it_says(citation: str | None):
    """Where nobody gave it a name; the place where it was seen is none."""
    assert short_name(citation, "Tokens expire\nafter 24 h") == "Tokens expire after 24 h"


@pytest.mark.parametrize(
    "citation", ["24 h", "3 sessions at once", "the user, and sessions", "commit messages"]
)
def test_a_name_of_its_own(citation: str):
    """It is kept, also where it speaks of sessions."""
    assert short_name(citation, "Tokens expire after 24 h") == citation


def test_it_is_short():
    """A long text is cut at a word."""
    assert len(short_name(None, "word " * 50)) <= CHARS
