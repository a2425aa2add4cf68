"""Turns of any host become events alike."""

from __future__ import annotations

import pytest

from remora.sources.transcripts.hosts import OTHERS
from remora.sources.transcripts.paths import Roots
from remora.sources.transcripts.turns import Called, Session, events


@pytest.mark.parametrize("host", OTHERS)
def test_a_tool_that_a_host_does_not_have_is_a_servers(host: str) -> None:
    """Servers name their tools as they like, and what they answer comes from outside."""
    own = OTHERS[host].ACTIONS
    tools = ("search", "find", "view", "execute", "cat", "read", "Read", "fetch_issue")
    called = [Called(f"toolu_01Ab2cD3eF{number}", tool) for number, tool in enumerate(tools)]
    calls = events(Session("s1"), called, own, Roots([]))
    actions = {event.tool: event.action for event in calls if event.kind == "tool_call"}
    assert actions == {tool: own.get(tool, "fetch") for tool in tools}


def test_an_editor_of_files_is_told_by_its_command() -> None:
    """One tool of Copilot and Goose reads, writes and edits."""
    for command, action in (("view", "read"), ("create", "write"), ("str_replace", "edit")):
        called = Called("toolu_01Ab2cD3eF4", "str_replace_editor", {"command": command, "path": "a.py"})
        made = events(Session("s1"), [called], OTHERS["copilot"].ACTIONS, Roots([]))
        assert [event.action for event in made if event.kind == "tool_call"] == [action]
