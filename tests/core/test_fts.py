"""Queries for FTS5 hold terms and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.core.fts import any_of, quoted


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ("jwt", '"jwt"'),
        ('5" disk', '"5"" disk"'),
        ('"', '""""'),
        ("NEAR(", '"NEAR("'),
        ("a\x00b", '"a b"'),
        ("half \ud800", '"half \ufffd"'),
        ("", '""'),
    ],
)
def test_quoted(term: str, expected: str):
    """A term becomes one string: its quotes doubled, nothing in it that ends a string early."""
    assert quoted(term) == expected


@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        ([], ""),
        (["jwt"], '"jwt"'),
        (["jwt", "AND"], '"jwt" OR "AND"'),
        (["", "...", "\x00", '"'], ""),
        (["a", "...", "b"], '"a" OR "b"'),
        (["数据", "é", "1"], '"数据" OR "é" OR "1"'),
    ],
)
def test_joined(terms: list[str], expected: str):
    """Terms are joined by OR; those without a word in them do not count."""
    assert any_of(terms) == expected


@given(st.lists(st.text(st.characters(), max_size=8), max_size=5))
def test_outside_strings_stand_operators_only(terms: list[str]):
    """Take the strings out of a query, and only its own operators are left."""
    query = any_of(terms)
    pieces = query.replace('""', "").split('"')
    assert len(pieces) % 2 == 1
    assert {p.strip() for p in pieces[::2]} <= {"", "OR"}
    query.encode()
    assert "\x00" not in query
