"""Ids become file names that are safe everywhere, and come back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.core.errors import InvalidInput
from remora.disk.names import MAX_NAME, original_name, safe_name

ANY_TEXT = st.text(st.characters(), min_size=1, max_size=40)  # lone surrogates included


@pytest.mark.parametrize(
    ("name", "file_name"),
    [
        ("cli:42", "cli%3a42"),
        ("a b", "a%20b"),
        ("..", "%2e%2e"),
        ("con", "%63on"),
        ("console", "console"),
        ("é", "%c3%a9"),
    ],
)
def test_known_names(name: str, file_name: str) -> None:
    """What is readable stays; what some file system would misread is encoded; both ways agree."""
    assert safe_name(name) == file_name
    assert original_name(file_name) == name


@given(ANY_TEXT)
def test_every_name_comes_back(name: str) -> None:
    """Any text, also with control characters and lone surrogates, is found again from its file name."""
    file_name = safe_name(name)
    if "~" in file_name:
        assert len(file_name) <= MAX_NAME
    else:
        assert original_name(file_name) == name


@given(ANY_TEXT, ANY_TEXT)
def test_no_two_names_collide(one: str, other: str) -> None:
    """Different ids have names that differ even where capitals do not count."""
    assert (safe_name(one).casefold() == safe_name(other).casefold()) == (one == other)


def test_a_long_name_is_cut_and_told_apart_by_a_hash() -> None:
    """Names over the limit keep their beginning, stay within the limit and still differ."""
    one, other = safe_name("x" * 500), safe_name("x" * 501)
    assert len(one) == MAX_NAME
    assert one.startswith("xxxxxxxx")
    assert one != other
    assert original_name(one) is None
    assert safe_name("y" * MAX_NAME) == "y" * MAX_NAME
    with pytest.raises(InvalidInput, match="empty"):
        safe_name("")


@pytest.mark.parametrize("length", range(25, 45))
def test_a_long_name_is_never_cut_inside_an_escape(length: int) -> None:
    """The kept beginning holds whole escapes, wherever the cut falls."""
    head = safe_name("b" * length + "Ä" * 100).partition("~")[0]
    assert original_name(head.removesuffix("%c3")) is not None


@pytest.mark.parametrize("file_name", ["", "a b", "A", "%4", "%zz", "%ff", "%61", "a~b", "é", "con", ".x"])
def test_a_name_of_somebody_else_is_no_id(file_name: str) -> None:
    """A file name that `safe_name` would never make stands for no id."""
    assert original_name(file_name) is None
