"""Which triggers a line of shell sets off: its programs, wherever they stand in it."""

from __future__ import annotations

import pytest

from remora.shell.trigger_match import asks
from tests.tables import table


@pytest.mark.parametrize(("line", "words", "asked"), table(__file__, "asks"))
def test_one_command_of_a_line_has_all_the_words(line: str, words: str, asked: str):
    """Quoted text and the next line are part of it; another command, or one behind `--`, is not."""
    assert asks(line, words.split()) is (asked == "yes")
