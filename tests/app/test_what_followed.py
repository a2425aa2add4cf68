"""What an agent did after something was said to it, read from the lines of its session's live file."""

from __future__ import annotations

import pytest

from remora.app.agent.injection_log import injections_of
from remora.disk.live import Head, Line

HEAD = Head("claude-code", "s1", "/w/app", "/data/app")
WARNED: Line = {"k": "before", "a": "run", "said": ["m1"], "t": "command", "x": "It fails.", "w": "", "at": 0}


def ran(kind: str, **more: str) -> Line:
    """Return the line of a command that is over."""
    return {"k": kind, "a": "run", "at": 1, **more}


def followed(*lines: Line) -> str:
    """Return what followed the first thing that was said."""
    return injections_of(HEAD, lines)[0].followed


@pytest.mark.parametrize("name", ["i", "n"])
def test_the_command_that_was_warned_of_is_no_answer_to_the_warning(name: str):
    """Hosts hand over what is said before a command with its result: what counts is the one after it."""
    warned = WARNED | {name: "c1"}
    assert followed(warned, ran("failed", **{name: "c1"}), ran("after", **{name: "c2"})) == (
        "the next command worked"
    )
    assert followed(warned, ran("failed", **{name: "c1"})) == "no command was run afterwards"


def test_the_next_command_is_known():
    """Without an id by what was asked; where the one that was warned of never ran the next counts."""
    warned = WARNED | {"n": "1f"}
    assert followed(warned, ran("failed", n="1f"), ran("failed", n="1f")) == "the next command failed"
    assert followed(WARNED | {"i": "c1"}, ran("after", i="c2")) == "the next command worked"
    counted = WARNED | {"i": "call_0", "n": "1f"}  # an id that other calls have too
    assert followed(counted, ran("after", i="call_0", n="2e")) == "the next command worked"
    said = WARNED | {"k": "failed", "t": "error", "i": "c1"}
    assert followed(said, ran("after", i="c2")) == "the next command worked"
