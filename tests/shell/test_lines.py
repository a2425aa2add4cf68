"""Lines of shell: variables that are set in them, commands they consist of, and words of one command."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from remora.shell.lines import bare, parts_in, programs_in, whole_of, wholes_in
from remora.shell.trigger_match import asks
from tests.tables import table

VIEWS: dict[str, Callable[[str], str | list[str]]] = {
    "without its variables": bare,
    "commands": lambda line: [one for one in wholes_in(line) if " | " not in one],
    "pipes": lambda line: [one for one in wholes_in(line) if " | " in one],
    "programs": programs_in,
    "whole": whole_of,
}


@pytest.mark.parametrize("row", table(__file__, "lines"), ids=lambda row: f"{row[0]} of {row[1]}")
def test_what_is_known_of_a_line(row: tuple[str, ...]):
    """Its commands and pipes, each whole with its variables, what it is without them, and its programs."""
    view, line, *expected = row
    found = VIEWS[view](line)
    assert ([found] if isinstance(found, str) else found) == expected


def test_the_parts_of_a_normal_form():
    """Pipes are whole; quotes, and another folder, keep together what is in them."""
    form = "jq 'a && b' c | d && (cd 'my web' && a | b) && e"
    assert parts_in(form) == ["jq 'a && b' c | d", "(cd 'my web' && a | b)", "e"]


def test_a_very_long_pipe_is_known_by_its_beginning():
    """Nobody warns of more."""
    assert len(wholes_in("a | " * 900)) == 6
    assert wholes_in(" " * 16_000) == []


@pytest.mark.parametrize(("line", "words", "asked"), table(__file__, "asks"))
def test_one_command_of_a_line_has_all_the_words(line: str, words: str, asked: str):
    """Quoted text and the next line are part of it; another command, or one behind `--`, is not."""
    assert asks(line, words.split()) is (asked == "yes")
