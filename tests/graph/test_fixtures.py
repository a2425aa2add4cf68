"""Fixtures of pytest: what a test takes leads to them."""

from __future__ import annotations

import pytest

from tests.graph.projects import facts_of


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def test_a(a, b: B, *, c): pass", ["a", "b", "c"]),
        ("class TestA:\n    def test_a(self, a): pass", ["a"]),
        ("@pytest.fixture\ndef one(a): pass", ["a"]),
        ("class Helper:\n    def test_a(self, a): pass", []),
    ],
)
def test_what_tests_take(source: str, expected: list[str]) -> None:
    """Parameters of tests and fixtures without a default take fixtures."""
    uses = facts_of(source.encode(), "python").uses.references
    assert [row.name for row in uses if row.kind == "fixture"] == expected
