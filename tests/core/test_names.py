"""Names in code that texts speak of, and that searches are for."""

from __future__ import annotations

import pytest

from remora.core.names import MOST, marked, names_in, searched
from tests.tables import table


@pytest.mark.parametrize("row", table(__file__, "names"), ids=lambda row: f"{row[0]} {row[1]}")
def test_names_of_a_text_and_of_a_search(row: tuple[str, ...]):
    """What has a mark of names, or stands alone in backquotes; of a search itself and the names in it."""
    kind, text, *names = row
    assert (searched(text) if kind == "search" else [one.name for one in names_in(text)]) == names


def test_a_name_that_may_be_a_product():
    """A hump in a word with a capital is not sure to be code, unless it stands in backquotes."""
    names = names_in("GitHub, `GitLab`, parseHeader, Git_Hub, Git.Hub, HTTPServer")
    assert [one.sure for one in names] == [True, False, True, True, True, False]


def test_a_search_for_nothing_and_for_much():
    """Nothing is looked up for a blank pattern, and not without end for a long one."""
    assert searched("  ") == []
    assert len(searched("|".join(f"name_{n}" for n in range(1_000)))) == MOST
    assert not marked("")
