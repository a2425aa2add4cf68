"""Long texts come apart into pieces that a small model can read whole."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.core.cut import MOST, PIECE, WHOLE, pieces


def test_short_texts_are_one_piece():
    """Up to the limit a text is one piece, trimmed; a blank one is none."""
    assert pieces("  short \n") == ["short"]
    assert pieces("x" * WHOLE) == ["x" * WHOLE]
    assert pieces("") == pieces(" \n\t ") == []
    assert len(pieces("x" * (WHOLE + 1))) > 1


@pytest.mark.parametrize(("second", "number"), [(PIECE - 241, 1), (PIECE - 240, 2)])
def test_a_piece_is_full_at_its_limit(second: int, number: int):
    """Two lines and the break between them fill a piece to its last sign, and no farther."""
    head = "\n".join(["a" * 240, "b" * second])
    found = pieces(head + "\n" + "c" * PIECE + "\n" + "d" * PIECE)
    assert len(found) == number + 2
    assert max(len(piece) for piece in found) == PIECE


def test_cuts_fall_between_sentences_then_words():
    """A long line is cut after sentences; a long sentence between words; a long word anywhere."""
    sentence = "word " * 50 + "end."
    assert all(piece.endswith("end.") for piece in pieces(" ".join([sentence] * 8)))
    assert all(not piece.startswith("ord") for piece in pieces("word " * 500))
    assert [len(p) for p in pieces("x" * 1_200)] == [480, 480, 240]


@given(st.lists(st.text("ab.!? \n\r数", max_size=300), max_size=12).map("".join))
def test_nothing_is_lost(text: str):
    """Every sign of a text is in its pieces, in order, and no piece of a cut text is too long or blank."""
    found = pieces(text)
    assert "".join("".join(found).split()) == "".join(text.split())
    assert all(piece.strip() for piece in found)
    if len(found) > 1:
        assert all(len(piece) <= PIECE for piece in found)


@pytest.mark.parametrize("unit", ["x", "word ", "a. ", "a\n", "数"])
def test_huge_texts_are_read_in_part(unit: str):
    """Of ten megabytes the beginning is cut, at once."""
    started = time.monotonic()
    assert len(pieces(unit * (10_000_000 // len(unit)))) == MOST
    assert time.monotonic() - started < 1.0
