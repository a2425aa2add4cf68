"""The parts of payloads: which answers show a failure, what a call names, how answers are made to fit."""

from __future__ import annotations

import json
from typing import Any

import pytest

from remora.core.moments import Moment
from remora.interfaces.hooks.hosts import host_named
from remora.interfaces.hooks.payloads import LIMIT, code_told, fitted, mapping, words
from tests.tables import table


def _answered(host: str, answer: Any) -> Moment:
    """Return the moment after a command, with an answer in the form of a host."""
    ran = {"session_id": "s", "tool_input": {"command": "make"}, "tool_response": answer}
    payload = {
        "codex": {"hook_event_name": "PostToolUse", "tool_name": "Bash", **ran},
        "cursor": {"hook_event_name": "postToolUse", "tool_name": "Shell", **ran, "tool_output": answer},
        "gemini": {"hook_event_name": "AfterTool", "tool_name": "run_shell_command", **ran},
        "copilot": {"sessionId": "s", "toolName": "bash", "toolArgs": {"command": "make"}},
        "vscode": {"hookEventName": "PostToolUse", "tool_name": "run_in_terminal", **ran},
        "opencode": {"event": "tool.execute.after", "input": {"tool": "bash"}, "output": answer},
    }[host]
    if host == "copilot":
        payload["toolResult"] = answer
    moment: Moment = host_named(host).parse(payload, {})
    assert (moment.kind, moment.action) == ("after", "run")
    return moment


@pytest.mark.parametrize(("host", "which", "answer"), table(__file__, "failures"))
def test_a_failure_is_what_the_answer_shows(host: str, which: str, answer: str) -> None:
    """By a code, a mark or the host's own words at their place; never by what the output talks about."""
    assert _answered(host, json.loads(answer)).failed is (which == "failed")


def test_what_only_the_host_itself_says_of_a_tool_counts() -> None:
    """What a tool found is no failure; Gemini CLI names a server, from which comes external text."""
    told = '{"error": "E", "exitCode": 3}'
    read = {"hook_event_name": "postToolUse", "tool_name": "Read", "tool_output": told}
    assert not host_named("cursor").parse(read, {}).failed
    found = {"hookEventName": "PostToolUse", "tool_name": "read_file", "tool_response": {"error": "E1"}}
    assert not host_named("vscode").parse(found, {}).failed
    payload = {"hook_event_name": "AfterTool", "session_id": "s", "tool_name": "read_file"}
    gemini = host_named("gemini")
    assert gemini.parse(payload, {}).action == "read"
    assert gemini.parse({**payload, "mcp_context": {"server_name": "drive"}}, {}).action == "fetch"


def test_a_code_counts_at_the_end_and_the_last_one() -> None:
    """A host tells the code when all is over; what stands far before it was printed by the command."""
    pattern = r"^Exit Code: (\d{1,9})$"
    assert code_told("Exit Code: 0\nExit Code: 1", pattern)
    assert not code_told("Exit Code: 1\nExit Code: 0", pattern)
    assert not code_told("Exit Code: 1\n" + "." * 600, pattern)
    assert not code_told("Exit Code: 130", pattern)
    assert not code_told("Exit Code: " + "9" * 5_000, pattern)


def test_words_are_found_wherever_an_answer_has_them() -> None:
    """Texts, blocks, objects with either; the same words twice in a row once; nothing of what is no text."""
    assert words("a") == "a"
    assert words([{"type": "text", "text": "a"}, "b", {"type": "image", "data": "…"}, 5]) == "a\nb"
    assert words({"output": "a", "text": "a"}) == "a"
    assert words({"file": {"content": "a"}}) == "a"
    assert words({"file": {"content": "a"}}, contents=False) == ""
    assert words({"stdout": "\x1b[1mok\x1b[0m"}) == "ok"
    assert words(None) == words({"content": {"x": {"y": 1}}}) == ""


def test_arguments_come_as_an_object_or_as_its_json() -> None:
    """What is no object is kept under a name of its own."""
    assert mapping({"a": 1}) == mapping('{"a": 1}') == {"a": 1}
    assert mapping("[1]") == {"input": "[1]"}
    assert mapping("{broken") == {"input": "{broken"}
    assert mapping(5) == mapping(None) == {}
    assert mapping("{" * 100_000) == {"input": "{" * 100_000}


def test_a_patch_is_known_in_whatever_argument_it_comes() -> None:
    """Files, folder, what goes in and what goes out; a patch that only adds files writes."""
    patch = "*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n@@\n-1\n+2\n*** End Patch"
    for tool_input in (patch, {"input": patch}, {"patch": patch}, {"patchText": patch}, {"command": patch}):
        event = {"hook_event_name": "PreToolUse", "tool_name": "apply_patch", "tool_input": tool_input}
        made = host_named("codex").parse(event, {})
        assert (made.action, made.paths, made.changed, made.removed) == ("edit", ("a.py", "b.py"), "2", "1")
    listed = {"command": ["bash", "-lc", f"cd /w/x && apply_patch <<'E'\n{patch}\nE"]}
    ran = {"hook_event_name": "PreToolUse", "tool_name": "shell", "tool_input": listed}
    assert host_named("codex").parse(ran, {}).paths == ("/w/x/a.py", "/w/x/b.py")
    added = {"input": "*** Begin Patch\n*** Add File: n.md\n+x\n*** End Patch"}
    event = {"hookEventName": "PreToolUse", "tool_name": "apply_patch", "tool_input": added}
    assert host_named("vscode").parse(event, {}).action == "write"
    shown = {"command": "cat patches/one  # *** Begin Patch"}
    event = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": shown}
    assert host_named("codex").parse(event, {}).command == shown["command"]


def test_a_text_that_fits_stays() -> None:
    """One that does not is cut at a line end, else at a word, else anywhere; never within a sign."""
    assert fitted("a" * LIMIT) == "a" * LIMIT
    assert fitted("ä" * 5_000) == "ä" * 5_000
    for said in ("line\n" * 9_000, "word " * 9_000, "x" * 90_000, "😀" * 9_000, "\ud83d" * 9_000):
        cut = fitted(said)
        assert len(cut.encode()) <= LIMIT
        assert cut.endswith("\n[Truncated; search_memory or `remora search` finds the rest.]")
    assert "line\n[Truncated" in fitted("line\n" * 9_000)
    assert "word\n[Truncated" in fitted("word " * 9_000)
