"""Texts that are added to, and taken apart again."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from remora.interfaces.install.insertions import Draft, Text, line_end, without


@given(st.text(max_size=40), st.lists(st.tuples(st.integers(0, 200), st.text(max_size=9)), max_size=12))
def test_what_was_inserted_can_be_taken_out(text: str, pieces: list[tuple[int, str]]) -> None:
    """Whatever is inserted wherever, the spans give back the old text, and none touches another."""
    draft = Draft(text)
    for at, piece in pieces:
        draft.insert(at % (len(draft.text) + 1), piece)
    assert without(draft.text, draft.inserted) == text
    spans = draft.inserted
    assert all(end < start for (_, end), (start, _) in pairwise(spans))


@given(st.text(max_size=40), st.booleans())
def test_text_and_bytes(text: str, bom: bool) -> None:
    """A file's text makes the same bytes again, with its byte order mark; its first line end is used."""
    data = (("\ufeff" if bom else "") + text.lstrip("\ufeff")).encode("utf-8")
    assert Text.of(data, "a").encoded() == data
    assert [line_end(one) for one in ("\n", "a\r\nb\n")] == ["\n", "\r\n"]
