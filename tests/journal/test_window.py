"""Where a conversation is cut, and the recap of what stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.core.values import Message
from remora.journal.window import RECAP_SENTENCE, recap, window_cut


@pytest.mark.parametrize(
    ("count", "window", "done", "expected"),
    [
        # count, window, already consolidated -> first, end, kept, due
        (52, 50, 0, (0, 27, 25, True)),
        (51, 51, 0, (0, 26, 25, False)),
        (52, 51, 0, (0, 27, 25, True)),
        (2, 1, 0, (0, 2, 0, True)),
        (50, 50, 0, (0, 25, 25, False)),
        (60, 50, 0, (0, 35, 25, True)),
        (70, 50, 30, (30, 45, 25, True)),
        (26, 50, 0, (0, 1, 25, False)),
        (25, 50, 0, (0, 0, 25, False)),
        (10, 50, 20, (0, 0, 10, False)),
        (1000, 50, 0, (0, 975, 25, True)),
        (60, 50, 10, (10, 35, 25, True)),
        (0, 50, 0, (0, 0, 0, False)),
        (60, 50, -5, (0, 35, 25, True)),
        (60, 50, 50, (35, 35, 25, True)),
    ],
)
def test_cuts(count, window, done, expected):
    """Half of the window stays, rounded down; what was consolidated before is left out."""
    assert window_cut(count, window, done) == expected


@given(st.integers(0, 5000), st.integers(1, 500), st.integers(0, 6000))
def test_a_cut_is_within_the_conversation(count, window, done):
    """Never a negative place, never a message twice, and what stays fits into the window."""
    cut = window_cut(count, window, done)
    assert 0 <= cut.start <= cut.end <= count
    assert cut.end + cut.kept == count
    assert cut.kept <= max(0, window // 2)


def test_recap():
    """Roles in capitals, no times, nothing cut, messages without content left out."""
    talk = [
        Message(1, "user", "x" * 5000, time="2026-02-27T14:30:00.000Z"),
        Message(2, "assistant", " "),
        Message(3, "Melanie", "two\nlines"),
    ]
    assert recap(talk) == "\n".join(
        ["## Recent Conversation Recap", RECAP_SENTENCE, "", "USER: " + "x" * 5000, "MELANIE: two\nlines"]
    )
    assert recap(talk[1:2]) == recap([]) == ""
