"""Variables that a line of commands sets."""

from __future__ import annotations

import pytest

from remora.core.variables import bare, name_of


@pytest.mark.parametrize(
    ("line", "without"),
    [
        ("A=1 make test", "make test"),
        ("A=1 B=\"x y\" C='p && q' make lint && D= make test", "make lint && make test"),
        ("make test A=1", "make test A=1"),
        ("echo a && make -j B=2 && C=3 make", "echo a && make -j B=2 && make"),
        ("A=1", "A=1"),
        ("", ""),
    ],
)
def test_a_line_without_its_variables(line: str, without: str):
    """Only those that stand before a program go; what stands behind is its own argument."""
    assert bare(line) == without


def test_the_name_of_a_variable():
    """It ends at the first equals sign."""
    assert name_of("A=b=c") == "A"
