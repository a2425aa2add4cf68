"""What states anything, and what is left of it without its secret."""

from __future__ import annotations

import pytest

from remora.core.statement import is_statement, same_statement, tells, word_set
from tests.tables import table


@pytest.mark.parametrize(("expected", "text"), table(__file__, "statements"))
def test_two_words_are_a_statement(expected: str, text: str):
    """In any script; one that told no more than its secret is stored, and told to nobody who did not ask."""
    assert (is_statement(text), tells(text)) == (expected != "none", expected == "told")


def test_word_set_leaves_function_words_out():
    """What counts when texts are compared are the words that say something."""
    assert word_set("The tokens are for the user_store") == {"tokens", "user_store"}
    assert word_set("of the") == frozenset()


@pytest.mark.parametrize(("expected", "first", "second"), table(__file__, "same_statement"))
def test_the_same_statement(expected: str, first: str, second: str):
    """Order, small words, numbers and negations tell texts apart; articles, signs and case do not."""
    assert same_statement(first, second) is same_statement(second, first) is (expected == "same")
