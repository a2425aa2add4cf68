"""Lines of shell: variables that are set in them, and commands they consist of."""

from __future__ import annotations

import pytest

from remora.core.shell import bare, commands_in, name_of


@pytest.mark.parametrize(
    ("line", "without"),
    [
        ("A=1 make test", "make test"),
        ("A=1 B=\"x y\" C='p && q' make lint && D= make test", "make lint && make test"),
        ("make test A=1", "make test A=1"),
        ("echo a && make -j B=2 && C=3 make", "echo a && make -j B=2 && make"),
        ("yes | A=1 make && B=2 make", "yes | make && make"),
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


@pytest.mark.parametrize(
    ("line", "commands"),
    [
        ("cd web && make check 2>&1 | tail -20", ["cd web", "make check", "tail -20"]),
        ("pytest tests -q >/tmp/out 2>/dev/null", ["pytest tests"]),
        ("(cd web; make check) &", ["cd web", "make check"]),
        ("export A=1 && export B=2 && make x", ["export A=1", "A=1 export B=2", "A=1 B=2 make x"]),
        ("A=1 make check", ["A=1 make check"]),
        ("python -m pytest tests", ["python -m pytest tests"]),
        ("git commit -m 'x; make check'", ["git commit -m 'x", "make check'"]),
        ("diff <(make a) b", ["diff <(make a) b"]),
        ("make\nmake", ["make"]),
        (" ;; ", []),
    ],
)
def test_the_commands_of_a_line(line: str, commands: list[str]):
    """Each whole, with the variables that it has; what becomes of the output is no part of it."""
    assert commands_in(line) == commands
