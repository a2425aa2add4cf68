"""Estimates of tokens."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remora.core.tokens import ESTIMATORS, ceil_chars_4, count, scripts


@pytest.mark.parametrize(
    ("text", "tokens"), [("hello world", 3), ("", 0), ("a" * 1000, 250), ("abc", 1), ("abcde", 2)]
)
def test_four_characters_a_token(text: str, tokens: int):
    """The specification's estimate is a quarter of the characters, rounded up."""
    assert ceil_chars_4(text) == count(text) == tokens


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("hello world", 3), ("日本語", 3), ("日本 x", 3), ("é", 1)]
)
def test_scripts(text: str, tokens: int):
    """Outside ASCII a character is a token."""
    assert scripts(text) == count(text, "scripts") == tokens


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=30), st.text(max_size=30))
def test_estimates_only_grow(first: str, second: str):
    """More text is never fewer tokens, and two texts together are never more than each alone."""
    for name in ESTIMATORS:
        both = count(first + second, name)
        assert (
            max(count(first, name), count(second, name)) <= both <= count(first, name) + count(second, name)
        )


def test_unknown_estimator():
    """An estimator that does not exist is a KeyError, never a guess."""
    with pytest.raises(KeyError):
        count("text", "guess")
