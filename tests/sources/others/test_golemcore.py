"""A GolemCore workspace is read whole: JSON sessions, MEMORY.md, daily notes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from remora.sources.others import golemcore
from remora.sources.others.formats import detect
from tests.sources.others.looks import Files, check, counts, why, write

MESSAGES: list[dict[str, Any]] = [
    {"id": "m1", "role": "user", "content": "Which port?", "timestamp": "2026-02-07T14:15:00Z"},
    {
        "id": "m2",
        "role": "assistant",
        "content": None,
        "toolCalls": [{"id": "c1", "name": "grep", "arguments": {"q": "port"}}],
        "metadata": {"model": "small"},
        "timestamp": 1770473701.5,
        "hasToolCalls": True,
    },
    {"id": "m3", "role": "tool", "content": "5432", "toolCallId": "c1", "toolName": "grep", "senderId": "u1"},
]
SESSION: dict[str, Any] = {
    "id": "telegram:12345",
    "channelType": "telegram",
    "chatId": "12345",
    "state": "PAUSED",
    "createdAt": "2026-02-07T14:00:00.123456789Z",
    "updatedAt": "2026-02-07T15:00:00Z",
    "messageCount": 3,  # a computed getter
    "messages": MESSAGES,
}
DAY = "[14:15] User: How? | Assistant: So.\n[14:30] User: And? | Assistant: Thus.\n"


WORKSPACE: Files = {
    "sessions/telegram:12345.json": json.dumps(SESSION),
    "memory/MEMORY.md": "Database is PostgreSQL.\n",
    "memory/2026-02-06.md": "[10:00] User: CI? | Assistant: Done.\n\n",
    "memory/2026-02-07.md": DAY,
}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace with a session, a long-term memory and two days."""
    return write(tmp_path / "workspace", WORKSPACE)


def test_everything_of_a_workspace_comes_over(workspace: Path) -> None:
    """Sessions, the long-term memory and the notes of the days are found."""
    assert detect(workspace) == ["golemcore"]
    found = check(golemcore.read(workspace))
    assert counts(found)["daily lines"] == (3, 3, 0)
    assert (found.longterm, found.skipped) == ("Database is PostgreSQL.", ())
    assert found.daily == (
        ("2026-02-06", ("[10:00] User: CI? | Assistant: Done.",)),
        ("2026-02-07", ("[14:15] User: How? | Assistant: So.", "[14:30] User: And? | Assistant: Thus.")),
    )
    (session,) = found.sessions
    assert session[:3] == ("telegram:12345", "2026-02-07T14:00:00.123Z", "PAUSED")
    began = {"role": "user", "content": "Which port?", "external_id": "golemcore:m1"}
    called = {"role": "assistant", "content": "", "external_id": "golemcore:m2"}
    answered = {"role": "tool", "content": "5432", "external_id": "golemcore:m3", "tool_call_id": "c1"}
    second = {"time": "2026-02-07T14:15:01.500Z"}  # the third has no time of its own
    assert session.messages == (
        {**began, "time": "2026-02-07T14:15:00.000Z"},
        {**called, **second, "tool_calls": MESSAGES[1]["toolCalls"], "metadata": {"model": "small"}},
        {**answered, **second, "tool_name": "grep", "metadata": {"senderId": "u1"}},
    )


def test_a_binary_session_is_named(workspace: Path) -> None:
    """A .pb file is reported; it is not read."""
    write(workspace, {"sessions/web:1.pb": b"\x0a\x05web:1"})
    found = check(golemcore.read(workspace))
    assert counts(found)["sessions"] == (2, 1, 1)
    assert why(found) == {"sessions/web:1.pb": "a session in protocol buffers"}
    assert [session.id for session in found.sessions] == ["telegram:12345"]


def test_the_second_chance_takes_what_makes_sense(workspace: Path) -> None:
    """An unknown state is ACTIVE, a bad time is left out, arguments count only as an object."""
    calls = [{"name": "a", "arguments": "[1"}, {"id": "b"}, 7]
    messages = [
        {"role": "assistant", "content": "x", "toolCalls": calls, "id": "m1"},
        {"role": "user", "content": "y", "timestamp": "soon", "metadata": "none", "toolCalls": {}},
        {"role": " ", "content": "z"},
        "text",
        {"role": "user", "content": "an id that was given before", "id": "m1"},
    ]
    odd = json.dumps({"state": "SLEEPING", "createdAt": "yesterday", "messages": messages})
    found = check(golemcore.read(write(workspace, {"sessions/web/7.json": odd})))
    session = next(one for one in found.sessions if one.id == "web:7")
    assert (session.state, session.created_at) == ("ACTIVE", "")
    first, second, third = session.messages
    assert first["tool_calls"] == [{"id": "", "name": "a", "arguments": None}]
    assert (second["time_text"], "time" in second, "metadata" in second) == ("soon", False, False)
    assert [first["external_id"], third["external_id"]] == ["golemcore:m1", "golemcore:m1~2"]
    neither = "no role, or no content"
    assert why(found) == {"sessions/web/7.json:3": neither, "sessions/web/7.json:4": neither}
