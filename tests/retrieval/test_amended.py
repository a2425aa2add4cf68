"""What was said again later comes before what it replaces, and both stay."""

from __future__ import annotations

import pytest

from remora.core.values import Hit, Turn
from remora.retrieval.amended import mark

WEIGHTS = {"database": 2.0, "use": 1.0}
OLD, NEW = "We use Postgres as our database.", "We use MySQL as a database."


def turn(number: int, text: str, session: str = "s", role: str = "user", at: str | None = "2026") -> Turn:
    """Return a turn, by default of one session, whose numbers are its order."""
    return Turn(number, session, number, number, role, text, at=at)


def marked(*turns: Turn) -> list[Hit]:
    """Return the hits of turns, best first, as they are marked."""
    hits = [Hit(str(one.id), "turn", one.content, 0.9 - place / 10) for place, one in enumerate(turns)]
    return mark(hits, {str(one.id): one for one in turns}, WEIGHTS)


def test_the_later_one_comes_first() -> None:
    """It takes the place of the earlier one, which names it and keeps its score."""
    found = marked(turn(1, OLD), turn(2, "Something else"), turn(3, NEW))
    assert [hit.id for hit in found] == ["3", "1", "2"]
    assert found[1].amended_by == ("3",)
    assert (found[0].score, found[1].score) == (0.9, 0.9)
    assert marked(turn(3, NEW), turn(1, OLD))[1].amended_by == ("3",)


@pytest.mark.parametrize(
    "later",
    [
        turn(3, NEW, role="assistant"),  # somebody else
        turn(3, "We use it daily. The weather is fine."),  # of another matter
        turn(3, "Our database is slow."),  # says less than most of it
        turn(3, "Since the move last week the new shop use MySQL database dumps daily"),  # says more
        turn(3, NEW, session="t", at=None),  # nobody knows when
        turn(3, NEW, session="t"),  # at the same time
    ],
)
def test_what_restates_nothing_stays_where_it_is(later: Turn) -> None:
    """Another speaker, another matter or another time is no amendment."""
    found = marked(turn(2, OLD), later)
    assert [hit.id for hit in found] == ["2", "3"]
    assert not any(hit.amended_by for hit in found)


def test_two_amendments_keep_their_order() -> None:
    """The newest comes first, and nothing is lost."""
    found = marked(turn(1, OLD), turn(2, NEW), turn(3, "We use SQLite as the database."))
    assert [hit.id for hit in found] == ["3", "2", "1"]
    assert [hit.amended_by for hit in found] == [(), ("3",), ("2", "3")]


def test_other_hits_are_left_alone() -> None:
    """Memories have revisions of their own; a page without turns is as it was."""
    hits = [Hit("a", "memory", OLD, 0.9), Hit("b", "memory", NEW, 0.8)]
    assert mark(hits, {}, WEIGHTS) == hits
    assert mark(hits, {}, {}) == hits
