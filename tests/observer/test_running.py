"""Commands that go on after their first answer: how they went is what the last answer says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from remora.core.events import Event, Observation
from remora.observer.calls import Calls
from remora.observer.observer import Observer
from tests.sources.transcripts.records import claude, codex, events, result, use

PROMPT = "change the cache so that it forgets"
EDIT = {"file_path": "/w/app/src/a.py", "old_string": "a", "new_string": "b"}


def of_claude(path: Path, *answers: tuple[str, str], notices: tuple[Any, ...] = ()) -> Observation:
    """Return a session that changes a file, tests in the background, asks how it goes, and is told."""
    lines: list[Any] = [
        claude("user", "u1", PROMPT, promptId="p1"),
        claude("assistant", "a1", use("Edit", "t1", **EDIT), mid="m1"),
        claude("user", "u2", result("t1", "done")),
        claude("assistant", "a2", use("Bash", "t2", command="pytest -q", run_in_background=True), mid="m2"),
        claude("user", "u3", result("t2", "Command running in background with ID: b1")),
    ]
    for number, (tool, text) in enumerate(answers):
        key = "bash_id" if tool == "BashOutput" else "task_id"
        lines.append(
            claude("assistant", f"b{number}", use(tool, f"k{number}", **{key: "b1"}), mid=f"n{number}")
        )
        lines.append(claude("user", f"v{number}", result(f"k{number}", text)))
    lines += notices
    lines.append(claude("assistant", "z", [{"type": "text", "text": "Done."}], mid="z"))
    return seen(events(path / "s1.jsonl", *lines))


def of_codex(path: Path, *answers: str) -> Observation:
    """Return a session whose test hands back before it ends."""
    patch = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-a\n+b\n*** End Patch"
    lines: list[Any] = [
        codex("session_meta", id="s1", cwd="/w/app"),
        codex("event_msg/user_message", message=PROMPT),
        codex("response_item/custom_tool_call", call_id="k0", name="apply_patch", input=patch),
        codex("response_item/custom_tool_call_output", call_id="k0", output="Success."),
    ]
    for number, text in enumerate(answers):
        name = "write_stdin" if number else "exec_command"
        given = '{"session_id": 5, "chars": ""}' if number else '{"cmd": "pytest -q"}'
        call: dict[str, Any] = {"call_id": f"c{number}", "name": name, "arguments": given}
        lines.append(codex("response_item/function_call", **call))
        output = f"Chunk ID: x\nWall time: 1.0 seconds\n{text}\nOutput:\n1 of the tests"
        lines.append(codex("response_item/function_call_output", call_id=f"c{number}", output=output))
    said = [{"type": "output_text", "text": "Done."}]
    lines.append(codex("response_item/message", role="assistant", content=said))
    return seen(events(path / "rollout-1.jsonl", *lines))


def seen(found: list[Event]) -> Observation:
    """Return what the events of a session add up to."""
    observer = Observer("s1", "codex", strict=True)
    for event in found:
        observer.observe(event)
    return observer.finalize()


def checked(session: Observation) -> list[tuple[str, int, int]]:
    """Return the checks of a session with how often they ran and failed."""
    return [(run.command, run.runs, run.failures) for run in session.commands if run.purpose == "test"]


RUNS = "<status>running</status>"
FAILED = "<status>failed</status>\n<exit_code>1</exit_code>\n<output>1 failed</output>"
FINE = "<status>completed</status>\n<exit_code>0</exit_code>\n<output>3 passed</output>"


@pytest.mark.parametrize("tool", ["BashOutput", "TaskOutput"])
def test_a_background_command_ends_with_what_asks_for_it(tmp_path: Path, tool: str):
    """It failed, or it passed; until somebody asks, or when it was stopped, nobody knows."""
    failed = of_claude(tmp_path, (tool, RUNS), (tool, FAILED))
    assert (failed.outcome, checked(failed)) == ("failure", [("pytest -q", 1, 1)])
    fine = of_claude(tmp_path, (tool, FINE))
    assert (fine.outcome, checked(fine)) == ("success", [("pytest -q", 1, 0)])
    assert "passed" in fine.outcome_why
    assert checked(of_claude(tmp_path, (tool, RUNS))) == []
    assert checked(of_claude(tmp_path, (tool, "<status>killed</status>"))) == []
    assert "passed" not in of_claude(tmp_path).outcome_why


def notice(status: str, summary: str, task: str = "b1") -> str:
    """Return what the host says when a task in the background is over."""
    return (
        f"<task-notification>\n<task-id>{task}</task-id>\n<tool-use-id>t2</tool-use-id>\n"
        f"<output-file>/tmp/{task}.output</output-file>\n<status>{status}</status>\n"
        f'<summary>Background command "pytest -q" {summary}</summary>\n</task-notification>\n'
        f"Read the output file to retrieve the result: /tmp/{task}.output"
    )


BAD = notice("failed", "failed with exit code 1")
GOOD = notice("completed", "completed (exit code 0)")


def test_a_background_command_ends_with_the_hosts_notice(tmp_path: Path):
    """What the notice says is how it went, once, and it is nothing that the user said."""
    failed = of_claude(tmp_path, notices=(claude("user", "n", BAD),))
    assert (failed.outcome, checked(failed)) == ("failure", [("pytest -q", 1, 1)])
    assert (failed.errors, failed.prompts) == ((), (PROMPT,))
    fine = of_claude(tmp_path, ("TaskOutput", RUNS), notices=(claude("user", "n", GOOD),))
    assert (fine.outcome, checked(fine)) == ("success", [("pytest -q", 1, 0)])
    assert "passed" in fine.outcome_why
    asked = of_claude(tmp_path, ("TaskOutput", FAILED), notices=(claude("user", "n", GOOD),))
    assert checked(asked) == [("pytest -q", 1, 1)]


@pytest.mark.parametrize(
    "said", [notice("killed", "was stopped"), notice("failed", "failed with exit code 1", "b2")]
)
def test_a_notice_that_tells_no_end(tmp_path: Path, said: str):
    """What was stopped, or is another task, leaves open how the command went."""
    session = of_claude(tmp_path, notices=(claude("user", "n", said),))
    assert checked(session) == []
    assert (session.errors, session.prompts) == ((), (PROMPT,))


def test_a_command_that_hands_back_ends_later(tmp_path: Path):
    """Its exit code comes with the answer to the last poll."""
    running, bad, good = (f"Process {how}" for how in RUNNING)
    assert of_codex(tmp_path, running, running, bad).outcome == "failure"
    fine = of_codex(tmp_path, running, good)
    assert (fine.outcome, checked(fine)) == ("success", [("pytest -q", 1, 0)])
    assert checked(of_codex(tmp_path, running)) == []
    assert checked(of_codex(tmp_path, bad)) == [("pytest -q", 1, 1)]


RUNNING = ("running with session ID 5", "exited with code 1", "exited with code 0")


def test_what_never_ends_is_told_at_the_end():
    """What still runs is kept; an answer that says nothing of it ends nothing."""
    calls = Calls()
    run = Event("tool_call", "s", "k1", 1, tool="Bash", action="run", command="make", call_id="1")
    assert calls.feed(run) == []
    assert calls.feed(run._replace(kind="tool_result", key="k1r", extra={"running": "b1"})) == []
    poll = Event(
        "tool_call", "s", "k2", 2, tool="BashOutput", action="other", call_id="2", extra={"of": "b9"}
    )
    calls.feed(poll)
    assert [c.tool for c in calls.feed(poll._replace(kind="tool_result", extra=None))] == ["BashOutput"]
    assert [(c.command, c.failed) for c in calls.flush()] == [("make", None)]
    assert calls.flush() == []
