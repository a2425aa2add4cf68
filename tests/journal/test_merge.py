"""A model's change and a person's edit in one text: the person wins, and nothing is lost."""

from __future__ import annotations

import time
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.journal.merge import MOST_LINES, merge

LINES = st.lists(st.sampled_from(["", "a", "b", "c", "d", "- e"]), max_size=8).map("\n".join)


@pytest.mark.parametrize(
    ("base", "person", "update", "text", "unmerged"),
    [
        ("a\nb\nc", "a\nmine\nb\nc", "a\nb\nC", "a\nmine\nb\nC", ()),  # apart: both
        ("a\nb", "a\nb\nmine", "a\nb\ntheirs", "a\nb\nmine\ntheirs", ()),  # both added at one place: both
        ("a\nb", "a\nb\nsame", "a\nb\nsame", "a\nb\nsame", ()),
        ("a\nb", "a\nb\nmine", "a\nb\nmine\nmore", "a\nb\nmine\nmore", ()),
        ("a\nb", "mine\nb", "theirs\nb", "mine\nb", ("theirs",)),  # both changed one line
        ("a\nb", "b", "changed\nb", "b", ("changed",)),  # removed by hand, changed by the model
        ("a\nb\nc", "a\nc", "a\nb\nc\nd", "a\nc\nd", ()),  # removed by hand: stays removed
        ("a\nb", "a\nb\nmine", "b", "b\nmine", ()),  # removed by the model, untouched by hand
        ("", "mine", "theirs", "mine\ntheirs", ()),  # both began
        ("a", "mine", "theirs", "mine", ("theirs",)),  # no line in common
        ("a", "", "a\nb", "", ("b",)),
    ],
)
def test_merges(base, person, update, text, unmerged):
    """Changes at different places are both in; at one place the person's stand."""
    assert merge(base, person, update) == (text, unmerged)


@given(LINES, LINES)
def test_one_side_only(base, changed):
    """Where only one of the two changed something, its text is the result."""
    assert merge(base, changed, base) == (changed, ())
    assert merge(base, base, changed) == (changed, ())
    assert merge(base, changed, changed) == (changed, ())


@given(LINES, LINES, LINES)
def test_what_a_person_wrote_stays(base, person, update):
    """A line that a person added is in the result; one that the update added is in it or handed back."""
    merged = merge(base, person, update)
    result = Counter(merged.text.split("\n"))
    added = Counter(person.split("\n")) - Counter(base.split("\n"))
    del added[""]
    assert not added - result
    new = {line for line in update.split("\n") if line.strip() and line not in base.split("\n")}
    assert new <= set(result) | set(merged.unmerged)


def test_a_huge_text_is_left_to_the_person():
    """What would take too long to compare is not merged; the update is handed back whole."""
    base = "\n".join(f"line {n}" for n in range(MOST_LINES + 1))
    merged = merge(base, base + "\nmine", "theirs")
    assert merged.text.endswith("\nmine")
    assert merged.unmerged == ("theirs",)


def test_many_equal_lines_are_merged_in_time():
    """The longest text that is merged, with lines that repeat, takes no more than a few seconds."""
    base = "\n".join(f"line {n % 50}" for n in range(2000))
    began = time.perf_counter()
    merged = merge(base, base + "\nmine", "first\n" + base)
    assert merged.text == "first\n" + base + "\nmine"
    assert time.perf_counter() - began < 5
