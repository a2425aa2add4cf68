"""Fixtures of pytest: what a test takes leads to them, and what they give is known."""

from __future__ import annotations

import pytest

from tests.graph.projects import facts_of
from tests.tables import table

TOTAL, TEST = "app/cart.py:Cart.total", "tests/test_money.py"


@pytest.mark.parametrize(("source", "expected"), table(__file__, "fixtures"))
def test_what_a_fixture_gives(source: str, expected: str) -> None:
    """A fixture has a name for tests and the one type of all that it returns or yields."""
    definition = facts_of(source.encode(), "python").outline.definitions[0]
    assert f"{definition.fixture} {definition.gives}" == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def test_a(a, b: B, *, c): pass", ["a", "b", "c"]),
        ("class TestA:\n    def test_a(self, a): pass", ["a"]),
        ("@pytest.fixture\ndef one(a): pass", ["a"]),
        ("@pytest.mark.usefixtures('a', \"b\")\nclass TestA: pass", ["a", "b"]),
        ("@pytest.mark.parametrize('a, b', [])\ndef test_a(a, b, c): pass", ["c"]),
        ("@pytest.mark.parametrize(['a'], [], indirect=True)\ndef test_a(a): pass", ["a"]),
        ("class Helper:\n    def test_a(self, a): pass", []),
    ],
)
def test_what_tests_take(source: str, expected: list[str]) -> None:
    """Parameters of tests and fixtures without a default take fixtures, and so do marks."""
    uses = facts_of(source.encode(), "python").uses.references
    assert [row.name for row in uses if row.kind == "fixture"] == expected
