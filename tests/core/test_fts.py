"""Queries for FTS5 hold terms and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remora.core.fts import all_of, any_of, quoted


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
    ("terms", "any_expected", "all_expected"),
    [
        ([], "", ""),
        (["jwt"], '"jwt"', '"jwt"'),
        (["jwt", "AND"], '"jwt" OR "AND"', '"jwt" AND "AND"'),
        (["", "...", "\x00", '"'], "", ""),
        (["a", "...", "b"], '"a" OR "b"', '"a" AND "b"'),
        (["数据", "é", "1"], '"数据" OR "é" OR "1"', '"数据" AND "é" AND "1"'),
    ],
)
def test_joined(terms: list[str], any_expected: str, all_expected: str):
    """Terms are joined by one operator; those without a word in them do not count."""
    assert any_of(terms) == any_expected
    assert all_of(terms) == all_expected


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(st.characters(), max_size=8), max_size=5))
def test_outside_strings_stand_operators_only(terms: list[str]):
    """Take the strings out of a query, and only its own operators are left."""
    for query, operator in ((any_of(terms), "OR"), (all_of(terms), "AND")):
        pieces = query.replace('""', "").split('"')
        assert len(pieces) % 2 == 1
        assert {p.strip() for p in pieces[::2]} <= {"", operator}
        query.encode()
        assert "\x00" not in query
