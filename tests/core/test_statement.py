"""What states anything, and what is left of it without its secret."""

from __future__ import annotations

import pytest

from remora.core.statement import is_statement, tells
from tests.tables import table


@pytest.mark.parametrize(("expected", "text"), table(__file__, "statements"))
def test_two_words_are_a_statement(expected: str, text: str):
    """In any script; one that told no more than its secret is stored, and told to nobody who did not ask."""
    assert (is_statement(text), tells(text)) == (expected != "none", expected == "told")
