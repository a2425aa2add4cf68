"""What states anything, and what is left of it without its secret."""

from __future__ import annotations

import pytest

from remora.core.statement import is_statement, tells

GONE = "[REDACTED:password]"


@pytest.mark.parametrize(
    "text",
    ["Use tabs", "24 h", "don't panic", "使用制表符", "データベース", "用 tabs", "Всё проще", "`make` lints"],
)
def test_two_words_are_a_statement(text: str):
    """In any script; one without spaces has words all the same."""
    assert is_statement(text)
    assert tells(text)


@pytest.mark.parametrize(
    "text", ["", "x", "42", "…!", "tabs", "getUserById", "数据", f"password: {GONE}", GONE]
)
def test_a_word_is_none(text: str):
    """Nor is the name of a secret beside the place where it stood."""
    assert not is_statement(text)
    assert not tells(text)


@pytest.mark.parametrize(
    "text",
    [
        f"The admin password of the staging database is {GONE}",
        f"Log in with user admin and password {GONE}",
        f"API_KEY for production: {GONE}",
    ],
)
def test_what_told_a_secret_tells_nothing_without_it(text: str):
    """It may be stored, and is not worth saying to somebody who did not ask."""
    assert is_statement(text)
    assert not tells(text)


def test_what_says_more_than_its_secret_is_told():
    """A command, a reason, a place."""
    assert tells(f"Staging is reset every night at two; the password of its database stays {GONE}")
