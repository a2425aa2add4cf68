"""A GolemCore workspace is read whole: JSON and binary sessions, MEMORY.md, daily notes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from remora.sources.others import golemcore
from remora.sources.others.formats import detect
from tests.sources.others.looks import check, counts, why, write
from tests.wire import data, time, whole

SESSION: dict[str, Any] = {
    "id": "telegram:12345",
    "channelType": "telegram",
    "chatId": "12345",
    "state": "PAUSED",
    "createdAt": "2026-02-07T14:00:00.123456789Z",
    "updatedAt": "2026-02-07T15:00:00Z",
    "messageCount": 2,  # a computed getter
    "messages": [
        {
            "id": "m1",
            "role": "user",
            "content": "Which port?",
            "senderId": "u1",
            "timestamp": "2026-02-07T14:15:00Z",
        },
        {
            "id": "m2",
            "role": "assistant",
            "content": None,
            "toolCalls": [{"id": "c1", "name": "grep", "arguments": {"q": "port"}}],
            "metadata": {"model": "small"},
            "timestamp": 1770473701.5,
            "hasToolCalls": True,
        },
        {"id": "m3", "role": "tool", "content": "5432", "toolCallId": "c1", "toolName": "grep"},
    ],
}
DAY = "[14:15] User: How? | Assistant: So.\n[14:30] User: And? | Assistant: Thus.\n"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace with a session, a long-term memory and two days."""
    return write(
        tmp_path / "workspace",
        {
            "sessions/telegram:12345.json": json.dumps(SESSION),
            "memory/MEMORY.md": "Database is PostgreSQL.\n",
            "memory/2026-02-07.md": DAY,
            "memory/2026-02-06.md": "[10:00] User: CI? | Assistant: Done.\n\n",
        },
    )


def test_everything_of_a_workspace_comes_over(workspace: Path) -> None:
    """Sessions, the long-term memory and the notes of the days are found."""
    assert detect(workspace) == ["golemcore"]
    found = check(golemcore.read(workspace))
    assert found.longterm == "Database is PostgreSQL."
    assert found.daily == (
        ("2026-02-06", ("[10:00] User: CI? | Assistant: Done.",)),
        ("2026-02-07", ("[14:15] User: How? | Assistant: So.", "[14:30] User: And? | Assistant: Thus.")),
    )
    (session,) = found.sessions
    assert session[:3] == ("telegram:12345", "2026-02-07T14:00:00.123Z", "PAUSED")
    assert session.messages == (
        {
            "role": "user",
            "content": "Which port?",
            "external_id": "golemcore:m1",
            "time": "2026-02-07T14:15:00.000Z",
            "metadata": {"senderId": "u1"},
        },
        {
            "role": "assistant",
            "content": "",
            "external_id": "golemcore:m2",
            "time": "2026-02-07T14:15:01.500Z",
            "tool_calls": [{"id": "c1", "name": "grep", "arguments": {"q": "port"}}],
            "metadata": {"model": "small"},
        },
        {
            "role": "tool",
            "content": "5432",
            "external_id": "golemcore:m3",
            "time": "2026-02-07T14:15:01.500Z",
            "tool_call_id": "c1",
            "tool_name": "grep",
        },
    )
    assert found.skipped == ()


def test_a_binary_session_is_read(workspace: Path) -> None:
    """A .pb file gives the same session; the JSON that was there before it is passed over and named."""
    said = data(1, "m9") + data(2, "user") + data(3, "hello") + time(11, 1_770_473_700) + data(12, b"\x01")
    raw = data(1, "telegram:12345") + data(4, said) + whole(6, 1) + time(7, 1_770_473_000)
    write(workspace, {"sessions/telegram:12345.pb": raw})
    found = check(golemcore.read(workspace))
    (session,) = found.sessions
    assert session.messages[0]["external_id"] == "golemcore:m9"
    assert (session.state, session.created_at) == ("ACTIVE", "2026-02-07T14:03:20.000Z")
    assert why(found) == {
        "sessions/telegram:12345.pb:1": "only the transcription of audio is imported",
        "sessions/telegram:12345.json": "a session with this name was already imported",
    }
    assert detect(workspace / "sessions" / "telegram:12345.pb") == ["golemcore"]
    assert golemcore.read(workspace / "sessions" / "telegram:12345.pb").sessions == found.sessions


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"", "empty"),
        (b"  \n", "empty"),
        (b"null", "contains no session"),
        (b"{", "not JSON"),
        (json.dumps(SESSION).encode()[:-40], "not JSON"),
        (b'{"id": "a", "messages": []}', "contains no messages"),
        (b"[" * 100_000, "not JSON"),
        (b'{"id": "\xff"}', "not UTF-8"),
    ],
)
def test_a_session_that_cannot_be_read_costs_only_itself(workspace: Path, raw: bytes, reason: str) -> None:
    """Corrupt, blank, cut and empty sessions are named with the reason; the others come over."""
    write(workspace, {"sessions/a.json": raw, "sessions/b.pb": b"\x0a\xff", "sessions/c.tmp": b""})
    found = check(golemcore.read(workspace))
    assert counts(found)["sessions"] == (3, 1, 2)
    assert why(found) == {
        "sessions/a.json": reason,
        "sessions/b.pb": "truncated, or not a session",
        "sessions/c.tmp": "not a session of GolemCore",
    }


def test_the_second_chance_takes_what_makes_sense(workspace: Path) -> None:
    """An unknown state is ACTIVE, a bad time is left out, arguments count only as an object."""
    odd = {
        "state": "SLEEPING",
        "createdAt": "yesterday",
        "messages": [
            {
                "role": "assistant",
                "content": "x",
                "toolCalls": [{"name": "a", "arguments": "[1"}, {"id": "b"}, 7],
            },
            {"role": "user", "content": "y", "timestamp": "soon", "metadata": "none", "toolCalls": {}},
            {"role": " ", "content": "z"},
            "text",
        ],
    }
    write(workspace, {"sessions/web/7.json": json.dumps(odd)})
    found = check(golemcore.read(workspace))
    session = next(one for one in found.sessions if one.id == "web:7")
    assert (session.state, session.created_at) == ("ACTIVE", "")
    first, second = session.messages
    assert first["tool_calls"] == [{"id": "", "name": "a", "arguments": None}]
    assert (second["time_text"], "time" in second, "metadata" in second) == ("soon", False, False)
    assert why(found) == {
        "sessions/web/7.json:3": "no role, or no content",
        "sessions/web/7.json:4": "no role, or no content",
    }


def test_messages_that_share_an_id_all_come_over(workspace: Path) -> None:
    """An id given twice there is made different, the same way at every reading."""
    twice = SESSION | {"messages": [SESSION["messages"][0], SESSION["messages"][0] | {"content": "b"}]}
    write(workspace, {"sessions/telegram:12345.json": json.dumps(twice)})
    (session,) = check(golemcore.read(workspace)).sessions
    assert [m["external_id"] for m in session.messages] == ["golemcore:m1", "golemcore:m1~2"]


def test_files_that_only_look_like_days_are_named(workspace: Path) -> None:
    """A date that does not exist, an empty day and a foreign file are reported."""
    write(
        workspace,
        {
            "memory/2026-02-30.md": "x",
            "memory/2026-02-05.md": "\n",
            "memory/old/2026-02-04.md": "x",
            "memory/a.db": b"\0",
        },
    )
    found = check(golemcore.read(workspace))
    assert counts(found)["daily lines"] == (3, 3, 0)
    assert why(found) == {
        "memory/2026-02-05.md": "empty",
        "memory/2026-02-30.md": "not a file of GolemCore's memory",
        "memory/a.db": "not a file of GolemCore's memory",
        "memory/old/2026-02-04.md": "not a file of GolemCore's memory",
    }
