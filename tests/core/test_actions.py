"""Actions: what a tool's name means, and the words of a command."""

from __future__ import annotations

import pytest

from remora.core.actions import ACTION_OF, OTHER, action_of, names_a_file, words_of
from remora.core.events import ACTIONS


@pytest.mark.parametrize(
    ("tool", "action"),
    [
        ("Read", "read"),
        ("Edit", "edit"),
        ("MultiEdit", "edit"),
        ("NotebookEdit", "edit"),
        ("Write", "write"),
        ("Bash", "run"),
        ("BashOutput", "other"),
        ("Grep", "search"),
        ("Glob", "glob"),
        ("LS", "glob"),
        ("WebFetch", "fetch"),
        ("WebSearch", "fetch"),
        ("Task", "task"),
        ("Agent", "task"),
        ("TodoWrite", "plan"),
        ("TaskCreate", "plan"),
        ("TaskUpdate", "plan"),
        ("mcp__remora__search_memory", "memory"),
        ("mcp__basic-memory__read_note", "memory"),
        ("mcp__mem0__add", "memory"),
        ("mcp__anything__store_memory", "memory"),
        ("mcp__ide__getDiagnostics", "other"),
        ("mcp__filesystem__read_text_file", "read"),
        ("mcp__filesystem__write_file", "write"),
        ("mcp__context7__query-docs", "fetch"),
        ("mcp__linear__get_issue", "fetch"),
        ("mcp__linear__update_issue", "fetch"),
        ("mcp__linear__create_issue", "other"),
        ("mcp__slack__postMessage", "other"),
        ("mcp__unknown__frobnicate", "fetch"),
        ("mcp__", "fetch"),
        ("SomethingNew", "other"),
        ("", "other"),
    ],
)
def test_a_name_means_an_action(tool: str, action: str) -> None:
    """Known names by table; a server's tool is from outside unless its name says otherwise."""
    assert action_of(tool) == action


def test_the_table_holds_actions_only() -> None:
    """No name means something that events do not know."""
    assert set(ACTION_OF.values()) <= set(ACTIONS)
    assert OTHER.isdisjoint(ACTION_OF)


@pytest.mark.parametrize("path", ["a.py", "src/.env", "C:\\w\\a.py", "a.d_ts", "x.tar.gz"])
def test_a_file_is_told_by_its_ending(path: str) -> None:
    """A short ending of letters, digits and underscores makes a file."""
    assert names_a_file(path)


@pytest.mark.parametrize("path", ["", "src", "v1.2/src", ".", "..", "a.", "a.b c", "a.verylongending", "a.é"])
def test_a_folder_has_no_ending(path: str) -> None:
    """Anything else may be a folder."""
    assert not names_a_file(path)


def test_words_of_a_command() -> None:
    """A script handed to a shell is the command; other words are quoted where they need it."""
    assert words_of(["/bin/zsh", "-lc", "a && b"]) == "a && b"
    assert words_of(["rg", "two words", 5]) == "rg 'two words'"
    assert words_of([]) == ""
