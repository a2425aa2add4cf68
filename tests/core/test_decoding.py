"""Bytes become the text that was meant, or are refused; nothing in between."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.core.decoding import READ_AS_UTF16, READ_AS_WESTERN, READ_WITH_GAPS, decode, text_of

WRITTEN = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufeff"))


@given(WRITTEN, st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"]))
def test_text_comes_back(text: str, encoding: str) -> None:
    """UTF-8, and whatever opens with a mark, is read exactly and without a word."""
    assert decode(text.encode(encoding)) == (text, "")


@given(st.binary())
def test_any_bytes(raw: bytes) -> None:
    """Any bytes are text that UTF-8 can hold, or refused as no text where that is asked."""
    text_of(raw).encode()
    try:
        text, note = decode(raw)
    except ValueError:
        return
    text.encode()
    assert note in ("", READ_AS_UTF16, READ_AS_WESTERN, READ_WITH_GAPS)


@pytest.mark.parametrize(
    ("raw", "text", "note"),
    [
        (b"", "", ""),
        ("Use tabs".encode("utf-16-le"), "Use tabs", READ_AS_UTF16),
        ("Use tabs".encode("utf-16-be"), "Use tabs", READ_AS_UTF16),
        (codecs.BOM_UTF16_LE + b"odd", "\u646f\ufffd", ""),
        ("naïve".encode("latin-1"), "naïve", READ_AS_WESTERN),
        ("größer für".encode() + b"\xc3", "größer für\ufffd", READ_WITH_GAPS),
        (b"one\0two, and more words than signs", "one\0two, and more words than signs", ""),
        (b"\x1b[31mred\x1b[0m caf\xe9", "\x1b[31mred\x1b[0m café", READ_AS_WESTERN),
        (b"\x01\x02\x03 caf\xe9 and more words", None, ""),
    ],
)
def test_odd_bytes(raw: bytes, text: str | None, note: str) -> None:
    """UTF-16 without a mark, Western text and damage are told apart; too many control signs are no text."""
    if text is None:
        with pytest.raises(ValueError, match="binary"):
            decode(raw)
        return
    assert decode(raw) == (text, note)
