"""Our own events as lines: written and read without loss, by any host."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from remora.core.events import Event
from remora.sources.transcripts.plain import dump, header, line_of
from remora.sources.transcripts.reader import read
from tests.sources.transcripts.records import reading

EVENTS = [
    Event("session_start", "s1", "s1:start", at="2026-01-05T12:00:00.000Z", extra={"cwd": "/w/app"}),
    Event("user_prompt", "s1", "p1", text="naïve ☃"),
    Event(
        "tool_call",
        "s1",
        "c1:call",
        step=1,
        tool="sh",
        action="run",
        call_id="c1",
        paths=("a.py", "b c.py"),
        command="make\ntest",
        branch="main",
        agent="x",
    ),
    Event("tool_result", "s1", "c1:result", step=1, text="no", error=True, extra={"exit_code": 2}),
    Event("step", "s1", "m1:step", step=1, tokens=0),
]


def test_what_is_written_is_read(tmp_path: Path) -> None:
    """Every field comes back, and the writer's name."""
    path = tmp_path / "log.jsonl"
    path.write_text("".join(dump(EVENTS, "my-agent")), "utf-8")
    opened = read(path)
    assert list(opened) == EVENTS
    assert (opened.host, opened.program) == ("plain", "my-agent")
    assert opened.counts.bad == 0


def test_what_a_later_version_writes_is_no_error(tmp_path: Path) -> None:
    """An unknown field goes into the event's extra, where what is there already wins; a kind is counted."""
    line = {"kind": "reply", "session_id": "s", "key": "k", "model": "m", "mood": 3, "extra": {"mood": 5}}
    opened, found = reading(
        tmp_path / "a.jsonl", header("x"), line, {**line, "kind": "dream"}, {"session_id": "s"}
    )
    assert [event.extra for event in found] == [{"mood": 5, "model": "m"}]
    assert opened.counts.skipped == {"dream": 1, "no kind": 1}


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ({"kind": "reply", "key": "k"}, "an event without session_id"),
        ({"kind": "reply", "session_id": "s", "key": ""}, "an event without key"),
    ],
)
def test_events_without_a_name_are_bad_lines(tmp_path: Path, line: dict[str, Any], reason: str) -> None:
    """They are counted with their place; the next line is read."""
    opened, found = reading(tmp_path / "a.jsonl", header("x"), line, json.loads(line_of(EVENTS[1])))
    assert [e.key for e in found] == ["p1"]
    assert [(bad.line, bad.reason) for bad in opened.counts.bad_lines] == [(2, reason)]


def test_a_newer_version_is_not_read(tmp_path: Path) -> None:
    """What may mean something else is left alone, and the file says why."""
    first = {"remora": "events", "version": 2, "host": "x"}
    opened, found = reading(tmp_path / "a.jsonl", first, json.loads(line_of(EVENTS[1])))
    assert found == []
    assert opened.counts.bad_lines[0].reason == "unknown format version 2"
    assert opened.counts.skipped == {"newer version": 1}


def test_values_of_the_wrong_kind_become_sane(tmp_path: Path) -> None:
    """Nothing that a program writes can break what reads the events."""
    named = {"session_id": "s", "key": "k"}
    wrong = {"step": -5, "at": "soon", "text": 7, "action": "dance", "paths": ["a", 5, ""], "error": "yes"}
    wrong |= {"tokens": "many", "branch": 5, "extra": [1]}
    _, found = reading(tmp_path / "a.jsonl", header("x"), {"kind": "tool_call", **named, **wrong})
    assert found == [Event("tool_call", "s", "k", action="other", paths=("a",))]
    long = {"kind": "reply", **named, "text": "x" * 100_000, "extra": {"a": "x" * 100_000}}
    _, cut = reading(tmp_path / "b.jsonl", header("x"), long)
    assert (len(cut[0].text) <= 8_000, cut[0].extra) == (True, None)
