"""An edit as what it takes out and what it brings in."""

from __future__ import annotations

from typing import Any

import pytest

from remora.core.edits import MOST, changed_lines, sides


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"old_string": "a", "new_string": "b"}, ("a", "b")),
        ({"oldText": "a", "newText": ""}, ("a", "")),
        ({"file_path": "a.py", "content": "b"}, ("", "b")),
        ({"replacements": [{"oldString": "a", "newString": "b"}, {"newString": "c"}, 5]}, ("a", "b\nc")),
        ({"edits": [], "new_str": "b"}, ("", "b")),
        ({"old_string": 5, "new_string": None}, ("", "")),
        ({"edits": [{"new_str": "x"}] * (MOST + 5)}, ("", "\n".join("x" * MOST))),
        ({}, ("", "")),
    ],
)
def test_both_sides_of_an_edit(given: dict[str, Any], found: tuple[str, str]) -> None:
    """Each host's names are known, single edits are joined, and what is no text is none."""
    assert sides(given, 1_000) == found


def test_long_sides_are_cut() -> None:
    """Neither one edit nor many together are longer than asked for."""
    edits = [{"old_str": "x " * 400, "new_str": "y"}] * 3
    assert [len(side) <= 500 for side in sides({"edits": edits}, 500)] == [True, True]


@pytest.mark.parametrize(
    ("old", "new", "differ"),
    [
        ("a\nb\nc", "a\nx\nc", ("b", "x")),
        ("a\nb", "a\nb\nc", ("", "c")),
        ("a\na", "a", ("a", "")),
        ("same", "same", ("", "")),
        ("", "new", ("", "new")),
    ],
)
def test_the_lines_that_differ(old: str, new: str, differ: tuple[str, str]) -> None:
    """What both sides share at their ends is left out, and nothing is taken for shared twice."""
    assert changed_lines(old, new) == differ
