"""What a session did and was told, added up from the lines of its live file."""

from __future__ import annotations

import pytest

from remora.injection.state import RECENT, Call, state_of


def test_what_was_done_adds_up():
    """Calls that are over count as steps; failed edits change nothing."""
    state = state_of(
        [
            {"k": "prompt"},
            {"k": "before", "a": "edit", "p": ["a.py"]},
            {"k": "after", "a": "edit", "p": ["a.py"]},
            {"k": "failed", "a": "edit", "p": ["b.py"]},
            {"k": "after", "a": "read", "p": ["c.md"]},
            {"k": "after", "a": "search", "q": "foo"},
        ]
    )
    assert (state.steps, state.edited) == (4, {"a.py"})
    assert state.recent[-1] == Call("search", (), "foo", failed=False)


def test_what_was_told_adds_up():
    """The brief is no advice; it counts as said all the same."""
    state = state_of(
        [
            {"k": "start", "said": ["m1"], "t": "brief", "x": "x" * 900},
            {"k": "prompt", "said": ["m2"], "t": "task", "x": "y"},
            {"k": "before", "said": ["m3"], "t": "gotchas", "x": "four"},
        ]
    )
    assert state.said == {"m1", "m2", "m3"}
    assert (state.spoken, state.characters) == (1, 4)


def test_each_agent_of_a_session_counts_for_itself():
    """What one recorded is for all of them."""
    lines: list[dict[str, object]] = [
        {"k": "after", "a": "edit", "p": ["a"], "g": "sub"},
        {"k": "after", "a": "edit", "p": ["b"]},
        {"k": "recorded", "x": "port 1", "m": "m1", "g": "sub"},
    ]
    assert (state_of(lines).edited, state_of(lines, "sub").edited) == ({"b"}, {"a"})
    assert state_of(lines).recorded == ["port 1"] == state_of(lines, "sub").recorded
    assert (state_of(lines).said, state_of(lines, "sub").said) == ({"m1"}, set())


def test_only_the_last_calls_are_kept():
    """A long session costs no more than a short one."""
    state = state_of([{"k": "after", "a": "read", "p": [str(n)]} for n in range(50)])
    assert [call.paths for call in state.recent] == [(str(n),) for n in range(50 - RECENT, 50)]


@pytest.mark.parametrize(
    "line", [{}, {"k": 3}, {"k": "after"}, {"k": "after", "p": 3}, {"said": "m"}, {"said": [1], "t": None}]
)
def test_a_strange_line_does_no_harm(line: dict[str, object]):
    """Lines come from a file that anybody may have written to."""
    assert state_of([line]).characters == 0
