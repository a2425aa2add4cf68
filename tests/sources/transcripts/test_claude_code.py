"""Claude Code's transcripts: each rule of the reader, on lines built for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from remora.sources.transcripts.reading import read
from tests.sources.transcripts.records import ROOT, brief, claude, events, put, reading, result, use


def _said(text: str, uuid: str = "u1", **fields: Any) -> dict[str, Any]:
    return claude("user", uuid, text, **fields)


def test_a_session_from_prompt_to_reply(tmp_path: Path) -> None:
    """Every event has its step, its time, its branch and a key that a hook can make too."""
    found = events(
        tmp_path / "s1.jsonl",
        _said("fix the cache test", promptId="p1"),
        claude("assistant", "a1", [{"type": "thinking", "thinking": "Look first."}], mid="m1", at=1),
        claude("assistant", "a2", use("Bash", "toolu_01AbCd01", command="pytest -q"), mid="m1", at=2),
        claude(
            "user",
            "u2",
            result("toolu_01AbCd01", "Exit code 1\n2 failed", is_error=True),
            at=3,
            promptId="p1",
        ),
        claude("assistant", "a3", [{"type": "text", "text": "Fixed."}], mid="m2", at=4),
    )
    assert [(e.kind, e.step, e.key) for e in found] == [
        ("session_start", 0, "s1:start"),
        ("user_prompt", 0, "p1:prompt"),
        ("reasoning", 1, "a1:0:reasoning"),
        ("tool_call", 1, "toolu_01AbCd01:call"),
        ("tool_result", 1, "toolu_01AbCd01:result"),
        ("step", 1, "m1:step"),
        ("reply", 2, "a3:0:reply"),
        ("step", 2, "m2:step"),
    ]
    call, answer = found[3], found[4]
    assert (call.tool, call.action, call.command, call.call_id) == (
        "Bash",
        "run",
        "pytest -q",
        "toolu_01AbCd01",
    )
    assert (answer.tool, answer.action, answer.command) == ("Bash", "run", "pytest -q")
    assert (answer.text, answer.error, answer.extra) == ("Exit code 1\n2 failed", True, {"exit_code": 1})
    assert {e.branch for e in found} == {"main"}
    assert found[1].at == "2026-01-05T12:00:00.000Z"
    assert found[0].extra == {"cwd": ROOT}


def test_blocks_of_a_message_are_one_step(tmp_path: Path) -> None:
    """Parallel calls share a step, also when results come between them; tokens count once."""
    usage = {"input_tokens": 10, "cache_read_input_tokens": 900, "cache_creation_input_tokens": 90}
    found = events(
        tmp_path / "s1.jsonl",
        claude(
            "assistant", "a1", use("Read", "toolu_01AbCd01", file_path=f"{ROOT}/a.py"), mid="m1", usage=usage
        ),
        claude("user", "u1", result("toolu_01AbCd01", "1")),
        claude(
            "assistant",
            "a2",
            use("Read", "toolu_01AbCd02", file_path=f"{ROOT}/b.py"),
            mid="m1",
            usage=usage,
            at=5,
        ),
        claude("user", "u2", result("toolu_01AbCd02", "2")),
        claude(
            "assistant", "a3", [{"type": "text", "text": "Done."}], mid="m2", usage={"input_tokens": True}
        ),
    )
    assert [(e.kind, e.step) for e in found if e.kind != "session_start"] == [
        ("tool_call", 1),
        ("tool_result", 1),
        ("tool_call", 1),
        ("tool_result", 1),
        ("step", 1),
        ("reply", 2),
        ("step", 2),
    ]
    assert [(e.tokens, e.at) for e in found if e.kind == "step"] == [
        (1000, "2026-01-05T12:00:05.000Z"),
        (None, "2026-01-05T12:00:00.000Z"),
    ]


def test_steps_without_message_ids(tmp_path: Path) -> None:
    """Where ids are missing, what hangs on a line of the reply is of it, what follows a result is not."""
    found = events(
        tmp_path / "s1.jsonl",
        claude("assistant", "a1", [{"type": "thinking", "thinking": "x"}]),
        claude("assistant", "a2", use("Read", "toolu_01AbCd01", file_path="a.py"), parentUuid="a1"),
        claude("user", "u1", result("toolu_01AbCd01", "1"), parentUuid="a2"),
        claude("assistant", "a3", use("Read", "toolu_01AbCd02", file_path="b.py"), parentUuid="a2"),
        claude("user", "u2", result("toolu_01AbCd02", "2"), parentUuid="a3"),
        claude("assistant", "a4", [{"type": "text", "text": "ok"}], parentUuid="u2"),
    )
    assert [e.step for e in found if e.kind in ("reasoning", "tool_call", "reply")] == [1, 1, 1, 2]
    assert [e.key for e in found if e.kind == "step"] == ["a1:step", "a4:step"]


@pytest.mark.parametrize(
    "text",
    [
        "<local-command-stdout>Bye!</local-command-stdout>",
        "<local-command-caveat>Caveat</local-command-caveat>",
        "<command-name>/exit</command-name>\n<command-message>exit</command-message>",
        "<command-message>review</command-message>\n<command-name>/review</command-name>",
        "<bash-input>ls</bash-input>",
        "<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>",
        "<system-reminder>remember</system-reminder>",
        "<task-notification>\n<task-id>b1</task-id>\n</task-notification>",
        "Caveat: The messages below were generated by the user while running local commands.",
        "This session is being continued from a previous conversation that ran out of context.",
        "Operation stopped by hook: another session is active",
        "Stop hook feedback:\nrun the tests",
        "[Subagent hand-back] The text below is the final report",
    ],
)
def test_what_no_person_typed_is_no_prompt(tmp_path: Path, text: str) -> None:
    """Commands of the program, its output, reminders and notes of hooks are left out and counted."""
    opened, found = reading(tmp_path / "s1.jsonl", _said(text), _said("real", "u2"))
    assert [e.text for e in found if e.kind == "user_prompt"] == ["real"]
    assert sum(opened.counts.skipped.values()) == (0 if text.startswith("<system-reminder") else 1)


@pytest.mark.parametrize("flag", ["isMeta", "isCompactSummary", "repeatsCompactSummary"])
def test_flagged_lines_are_left_out(tmp_path: Path, flag: str) -> None:
    """What the program wrote for the model is no prompt."""
    opened, found = reading(tmp_path / "s1.jsonl", claude("user", "u1", "summary", **{flag: True}))
    assert found == []
    assert opened.counts.skipped == {f"user:{flag}": 1}


def test_a_question_about_a_tag_is_a_prompt(tmp_path: Path) -> None:
    """A person may type a tag's name; only a closed one is the program's."""
    found = events(tmp_path / "s1.jsonl", _said("<command-name> appears in my log, why?"))
    assert found[1].text == "<command-name> appears in my log, why?"


def test_what_a_program_puts_before_a_prompt_is_left_out(tmp_path: Path) -> None:
    """A closed block with a program's name goes, whatever the name; what the person typed after it stays."""
    block = '<some_host_note kind="x">\nWork in /w/a.\n</some_host_note>'
    found = events(tmp_path / "s1.jsonl", _said(f"{block}\n\nUse bun."), _said(block, "u2"))
    assert [e.text for e in found if e.kind == "user_prompt"] == ["Use bun."]


def test_texts_of_other_origin_are_left_out(tmp_path: Path) -> None:
    """A line that says that a peer or the program wrote it is not a person's."""
    peer = _said("do it", origin={"kind": "peer"})
    assert events(tmp_path / "a.jsonl", peer) == []
    human = _said("do it", origin={"kind": "human"})
    assert brief(events(tmp_path / "b.jsonl", human))[1:] == [("user_prompt", 0, "do it")]


def test_the_editors_notes_are_taken_out_of_a_prompt(tmp_path: Path) -> None:
    """An open file or a selection that the editor adds is not what was typed; pictures are named."""
    blocks = [
        {"type": "text", "text": "<ide_opened_file>The user opened a.py</ide_opened_file>"},
        {"type": "text", "text": "look <system-reminder>x</system-reminder>here"},
        {"type": "image", "source": {"data": "A" * 100}},
    ]
    found = events(tmp_path / "s1.jsonl", claude("user", "u1", blocks))
    assert found[1].text == "look here\n[image]"


def test_a_prompt_typed_while_the_model_works(tmp_path: Path) -> None:
    """The one attachment that a person wrote is read; hooks' attachments never are."""

    def attachment(uuid: str, **held: Any) -> dict[str, Any]:
        line = claude("attachment", uuid, None, attachment={"type": "queued_command", **held})
        del line["message"]
        return line

    opened, found = reading(
        tmp_path / "s1.jsonl",
        attachment("x1", prompt="also check Windows", commandMode="prompt", origin={"kind": "human"}),
        attachment("x2", prompt="from a peer", commandMode="prompt", origin={"kind": "peer"}),
        attachment("x3", prompt="<task-notification>1</task-notification>", commandMode="task-notification"),
        attachment("x4", type="hook_additional_context", content=["Project memory: use tabs"]),
    )
    assert brief(found)[1:] == [("user_prompt", 0, "also check Windows")]
    assert opened.counts.skipped == {"attachment": 3}


NOTICE = (
    "<task-notification>\n<task-id>b1</task-id>\n<status>failed</status>\n"
    '<summary>Background command "print exit code 3" failed with exit code 2</summary>\n</task-notification>'
)


@pytest.mark.parametrize(
    "line",
    [
        _said(NOTICE, "n1"),
        _said(NOTICE, "n1", origin={"kind": "task-notification"}),
        claude("user", "n1", [{"type": "text", "text": NOTICE}]),
        {
            **claude("attachment", "n1", None),
            "attachment": {"type": "queued_command", "prompt": NOTICE, "commandMode": "task-notification"},
        },
    ],
    ids=["line", "origin", "blocks", "attachment"],
)
def test_a_notice_of_the_end_of_a_task(tmp_path: Path, line: dict[str, Any]) -> None:
    """However it comes, it is a result that nobody asked for, and no prompt."""
    found = events(tmp_path / "s1.jsonl", _said("go"), line)
    assert [e.text for e in found if e.kind == "user_prompt"] == ["go"]
    (ended,) = (e for e in found if e.kind == "tool_result")
    assert (ended.key, ended.call_id, ended.text, ended.error) == ("n1:b1:ended", "", "Exit code 2", True)
    assert ended.extra == {"of": "b1", "exit_code": 2}


@pytest.mark.parametrize(
    "text",
    [
        NOTICE.replace("failed</status>", "killed</status>").replace(
            "failed with exit code 2", "was stopped"
        ),
        "<task-notification>\n<task-id>b1</task-id>\n</task-notification>",
        f"why do I see {NOTICE}?",
    ],
    ids=["stopped", "no status", "asked about"],
)
def test_a_notice_that_tells_no_end(tmp_path: Path, text: str) -> None:
    """A task that was stopped did not end by itself, and a person may ask what a notice means."""
    assert [e for e in events(tmp_path / "s1.jsonl", _said(text)) if e.kind == "tool_result"] == []


def test_an_interruption_ends_the_step(tmp_path: Path) -> None:
    """What the user stopped is marked; a stop before any reply is told too."""
    found = events(
        tmp_path / "s1.jsonl",
        _said("go"),
        claude("user", "u0", [{"type": "text", "text": "[Request interrupted by user]"}]),
        claude("assistant", "a1", use("Bash", "toolu_01AbCd01", command="make"), mid="m1"),
        claude("user", "u2", [{"type": "text", "text": "[Request interrupted by user for tool use]"}]),
    )
    marked = [(e.kind, e.key, e.step) for e in found if (e.extra or {}).get("interrupted")]
    assert marked == [("step", "u0:interrupted", 0), ("step", "m1:step", 1)]


def test_a_refused_tool_is_an_error_with_the_users_words(tmp_path: Path) -> None:
    """Who refused is told: the user, with what was said, or the tool itself."""
    refused = (
        "The user doesn't want to proceed with this tool use. The tool use was rejected. "
        "To tell you how to proceed, the user said:\nuse the helper\nin util.go"
    )
    denied = events(
        tmp_path / "a.jsonl",
        claude(
            "assistant",
            "a1",
            use("Edit", "toolu_01AbCd01", file_path=f"{ROOT}/a.py", old_string="1", new_string="2"),
        ),
        claude("user", "u1", result("toolu_01AbCd01", refused, is_error=True)),
        claude("assistant", "a2", use("Read", "toolu_01AbCd02", file_path=f"{ROOT}/b.py")),
        claude(
            "user",
            "u2",
            result("toolu_01AbCd02", "<tool_use_error>File does not exist.</tool_use_error>", is_error=True),
        ),
    )
    answers = [e for e in denied if e.kind == "tool_result"]
    assert answers[0].extra == {"denied": True, "said": "use the helper\nin util.go"}
    assert (answers[0].error, answers[0].paths) == (True, ("a.py",))
    assert answers[1].extra == {"rejected": True}


@pytest.mark.parametrize(
    ("structured", "expected", "error"),
    [
        ({"stdout": "out", "stderr": "err", "interrupted": False}, "out\nerr", False),
        ([{"type": "text", "text": "a block"}], "a block", False),
        ("Error: Exit code 3\nboom", "Error: Exit code 3\nboom", True),
    ],
)
def test_structured_results_stand_in_for_missing_content(
    tmp_path: Path, structured: Any, expected: str, error: bool
) -> None:
    """The program's own record of a result is an object, a list or a string."""
    found = events(
        tmp_path / "s1.jsonl",
        claude("assistant", "a1", use("Bash", "toolu_01AbCd01", command="x")),
        claude("user", "u1", result("toolu_01AbCd01", ""), toolUseResult=structured),
    )
    answer = next(e for e in found if e.kind == "tool_result")
    assert (answer.text, answer.error) == (expected, error)


def test_a_result_tells_lines_and_what_the_user_changed(tmp_path: Path) -> None:
    """A read tells its lines, an edit that the user touched it, a command that it was stopped."""
    found = events(
        tmp_path / "s1.jsonl",
        claude("assistant", "a1", use("Read", "toolu_01AbCd01", file_path=f"{ROOT}/a.py"), mid="m"),
        claude("assistant", "a2", use("Edit", "toolu_01AbCd02", file_path=f"{ROOT}/a.py"), mid="m"),
        claude("assistant", "a3", use("Bash", "toolu_01AbCd03", command="sleep 9"), mid="m"),
        claude(
            "user",
            "u1",
            result("toolu_01AbCd01", "x"),
            toolUseResult={"file": {"startLine": 5, "numLines": 10}},
        ),
        claude("user", "u2", result("toolu_01AbCd02", "ok"), toolUseResult={"userModified": True}),
        claude("user", "u3", result("toolu_01AbCd03", ""), toolUseResult={"interrupted": True}),
    )
    assert [e.extra for e in found if e.kind == "tool_result"] == [
        {"lines": [5, 14]},
        {"user_modified": True},
        {"interrupted": True},
    ]


def test_what_a_host_hides_in_results_is_not_read(tmp_path: Path) -> None:
    """A reminder in a result is no result."""
    found = events(
        tmp_path / "s1.jsonl",
        claude("assistant", "a1", use("Read", "toolu_01AbCd01", file_path=f"{ROOT}/a.py")),
        claude(
            "user",
            "u1",
            result("toolu_01AbCd01", [{"type": "text", "text": "x<system-reminder>y</system-reminder>"}]),
        ),
    )
    assert next(e for e in found if e.kind == "tool_result").text == "x"


def test_replies_that_the_program_made_up_are_left_out(tmp_path: Path) -> None:
    """An error of the service is not the model's word, and no step."""
    made_up = claude("assistant", "a1", [{"type": "text", "text": "API Error: 500"}], isApiErrorMessage=True)
    synthetic = claude("assistant", "a2", [{"type": "text", "text": "No response requested."}])
    synthetic["message"]["model"] = "<synthetic>"
    opened, found = reading(tmp_path / "s1.jsonl", made_up, synthetic)
    assert found == []
    assert opened.counts.skipped == {"assistant:synthetic": 2}


def test_unknown_types_are_skipped_and_counted(tmp_path: Path) -> None:
    """New types of lines and blocks will come; none is an error."""
    opened, found = reading(
        tmp_path / "s1.jsonl",
        {"type": "summary", "summary": "x", "leafUuid": "u"},
        {"type": "progress", "sessionId": "s1"},
        {"type": "api-request", "sessionId": "s1"},
        {"type": "queue-operation", "operation": "enqueue", "content": "typed", "sessionId": "s1"},
        {"no": "type"},
        claude(
            "assistant",
            "a1",
            [{"type": "redacted_thinking", "data": "x"}, "odd", {"type": "text", "text": "hi"}],
        ),
        {"type": "system", "subtype": "turn_duration", "sessionId": "s1", "uuid": "y"},
    )
    assert brief(found) == [("session_start", 0, ""), ("reply", 1, "hi"), ("step", 1, "")]
    assert opened.counts.skipped == {
        "summary": 1,
        "progress": 1,
        "api-request": 1,
        "queue-operation": 1,
        "no type": 1,
        "block:redacted_thinking": 1,
        "block:none": 1,
        "system:turn_duration": 1,
    }


def test_a_compaction_is_told(tmp_path: Path) -> None:
    """The boundary is an event with its trigger and size; the summary after it is not a prompt."""
    boundary = claude("system", "c1", None, subtype="compact_boundary")
    boundary["compactMetadata"] = {"trigger": "auto", "preTokens": 151000}
    found = events(tmp_path / "s1.jsonl", boundary, _said("This session…", isCompactSummary=True))
    assert [(e.kind, e.key, e.extra) for e in found][1:] == [
        ("compaction", "c1:compaction", {"trigger": "auto", "tokens": 151000})
    ]


def test_repeated_lines_and_ids_count_once(tmp_path: Path) -> None:
    """A line is known by its uuid, a call by its id, whatever a resume copied."""
    lines = [
        _said("go"),
        claude("assistant", "a1", use("Bash", "toolu_01AbCd01", command="make"), mid="m1"),
        claude("user", "u2", result("toolu_01AbCd01", "ok")),
    ]
    again = [claude("user", "u3", result("toolu_01AbCd01", "other")), *lines]
    opened, found = reading(tmp_path / "s1.jsonl", *lines, *again)
    assert [e.key for e in found] == [
        "s1:start",
        "u1:prompt",
        "toolu_01AbCd01:call",
        "toolu_01AbCd01:result",
        "m1:step",
    ]
    assert opened.counts.repeated == 4
    assert [e.text for e in found if e.kind == "tool_result"] == ["ok"]


def test_a_fork_keeps_what_it_copied_with_the_first_session(tmp_path: Path) -> None:
    """Read with one set of marks, a fork gives out only its own events, with steps that go on."""
    seen: set[int] = set()
    old = [_said("go"), claude("assistant", "a1", [{"type": "text", "text": "one"}], mid="m1")]
    first = events(tmp_path / "s1.jsonl", *old, seen=seen)
    copied = [{**line, "sessionId": "s2"} for line in old]
    new = claude("assistant", "a9", [{"type": "text", "text": "two"}], mid="m9", sessionId="s2")
    fork = events(tmp_path / "s2.jsonl", *copied, _said("and?", "u9", sessionId="s2"), new, seen=seen)
    assert len(first) == 4
    assert [(e.session_id, e.kind, e.step) for e in fork] == [
        ("s2", "session_start", 0),
        ("s2", "user_prompt", 1),
        ("s2", "reply", 2),
        ("s2", "step", 2),
    ]
    assert events(tmp_path / "s3.jsonl", *copied, seen=seen) == []


def test_sessions_in_one_file_are_told_apart(tmp_path: Path) -> None:
    """Each session has its own start and its own steps."""
    found = events(
        tmp_path / "s1.jsonl",
        claude("assistant", "a1", "one", sessionId="s1", mid="m1"),
        claude("assistant", "a2", "two", sessionId="s2", mid="m2"),
        claude("assistant", "a3", "three", sessionId="s1", mid="m3"),
    )
    assert [(e.session_id, e.step, e.text) for e in found if e.kind == "reply"] == [
        ("s1", 1, "one"),
        ("s2", 1, "two"),
        ("s1", 2, "three"),
    ]
    assert [e.key for e in found if e.kind == "session_start"] == ["s1:start", "s2:start"]


def test_sidechains_in_the_file_are_agents(tmp_path: Path) -> None:
    """Lines of a subagent hang together by their parents; what it is told is no prompt."""
    found = events(
        tmp_path / "s1.jsonl",
        claude(
            "assistant",
            "a1",
            use("Task", "toolu_01AbCd01", prompt="find it", subagent_type="Explore"),
            mid="m1",
        ),
        _said("find it", "x1", isSidechain=True),
        claude(
            "assistant",
            "x2",
            use("Grep", "toolu_01AbCd02", pattern="it"),
            mid="n1",
            isSidechain=True,
            parentUuid="x1",
        ),
        claude("user", "x3", result("toolu_01AbCd02", "a.py"), isSidechain=True, parentUuid="x2"),
        claude("assistant", "x4", "It is in a.py", mid="n2", isSidechain=True, parentUuid="x3"),
        claude("user", "u1", result("toolu_01AbCd01", "It is in a.py")),
    )
    of_agent = [(e.kind, e.step, e.text or e.tool) for e in found if e.agent]
    assert of_agent == [
        ("subagent_start", 0, "find it"),
        ("tool_call", 1, "Grep"),
        ("tool_result", 1, "a.py"),
        ("step", 1, ""),
        ("reply", 2, "It is in a.py"),
        ("step", 2, ""),
        ("subagent_stop", 2, "It is in a.py"),
    ]
    assert {e.agent for e in found} == {"", "side-x1"}
    assert not [e for e in found if e.kind == "user_prompt"]
    assert next(e for e in found if e.key == "toolu_01AbCd01:result").action == "task"


def test_files_of_subagents_are_read_when_their_time_comes(tmp_path: Path) -> None:
    """A subagent's lines stand between its parent's; its report comes from its own file, without a frame."""
    agent = {"isSidechain": True, "agentId": "a46f"}
    put(
        tmp_path / "s1" / "subagents" / "agent-a46f.jsonl",
        [
            _said("look", "x1", at=2, **agent),
            claude(
                "assistant",
                "x2",
                use("Read", "toolu_01AbCd02", file_path=f"{ROOT}/a.py"),
                mid="n1",
                at=3,
                **agent,
            ),
            claude("user", "x3", result("toolu_01AbCd02", "1"), at=4, **agent),
            claude("assistant", "x4", "Found the bug", mid="n2", at=5, **agent),
        ],
    )
    framed = "[Subagent hand-back] The text below is the final report\n    Found\n      the bug"
    found = events(
        tmp_path / "s1.jsonl",
        claude("assistant", "a1", use("Agent", "toolu_01AbCd01", prompt="look"), mid="m1", at=1),
        claude(
            "user",
            "u1",
            result("toolu_01AbCd01", framed),
            at=6,
            toolUseResult={"status": "completed", "agentId": "a46f"},
        ),
        claude("assistant", "a2", "Done", mid="m2", at=7),
    )
    assert [(e.kind, e.agent, e.step) for e in found] == [
        ("session_start", "", 0),
        ("tool_call", "", 1),
        ("subagent_start", "a46f", 0),
        ("tool_call", "a46f", 1),
        ("tool_result", "a46f", 1),
        ("step", "a46f", 1),
        ("reply", "a46f", 2),
        ("tool_result", "", 1),
        ("step", "a46f", 2),
        ("subagent_stop", "a46f", 2),
        ("step", "", 1),
        ("reply", "", 2),
        ("step", "", 2),
    ]
    assert found[7].text == "Found\n  the bug"
    assert (found[9].key, found[9].text) == ("a46f:stop", "Found the bug")


def test_an_agent_that_is_taken_up_again_stops_twice(tmp_path: Path) -> None:
    """Each of its reports ends it, under a key of its own."""
    agent = {"isSidechain": True, "agentId": "a46f"}
    put(
        tmp_path / "s1" / "subagents" / "agent-a46f.jsonl",
        [
            claude("assistant", "x1", "Found the bug", mid="n1", at=2, **agent),
            claude("assistant", "x2", "It is gone", mid="n2", at=5, **agent),
        ],
    )
    about = {"status": "completed", "agentId": "a46f"}
    found = events(
        tmp_path / "s1.jsonl",
        claude("assistant", "a1", use("Agent", "toolu_01AbCd01", prompt="look"), mid="m1", at=1),
        claude("user", "u1", result("toolu_01AbCd01", "Found the bug"), at=3, toolUseResult=about),
        claude("assistant", "a2", use("Agent", "toolu_01AbCd02", resume="a46f"), mid="m2", at=4),
        claude("user", "u2", result("toolu_01AbCd02", "It is gone"), at=6, toolUseResult=about),
    )
    assert [(e.kind, e.key, e.text) for e in found if e.agent and e.kind != "subagent_start"] == [
        ("reply", "x1:0:reply", "Found the bug"),
        ("step", "n1:step", ""),
        ("subagent_stop", "a46f:stop", "Found the bug"),
        ("reply", "x2:0:reply", "It is gone"),
        ("step", "n2:step", ""),
        ("subagent_stop", "a46f:stop:2", "It is gone"),
    ]


def test_a_subagent_whose_file_is_gone_still_reports(tmp_path: Path) -> None:
    """The result of the call names the agent and holds its report."""
    said = "All done.\nagentId: aeabc4f (for resuming to continue this agent's work if needed)"
    found = events(
        tmp_path / "s1.jsonl",
        claude("assistant", "a1", use("Task", "toolu_01AbCd01", prompt="look"), mid="m1"),
        claude("user", "u1", result("toolu_01AbCd01", [{"type": "text", "text": said}])),
    )
    assert [(e.key, e.text, e.agent) for e in found if e.kind in ("tool_result", "subagent_stop")] == [
        ("toolu_01AbCd01:result", "All done.", ""),
        ("aeabc4f:stop", "All done.", "aeabc4f"),
    ]


def test_an_agent_in_the_background_has_not_stopped(tmp_path: Path) -> None:
    """That it was launched is no report."""
    found = events(
        tmp_path / "s1.jsonl",
        claude("assistant", "a1", use("Agent", "toolu_01AbCd01", prompt="look"), mid="m1"),
        claude(
            "user",
            "u1",
            result("toolu_01AbCd01", "x"),
            toolUseResult={"status": "async_launched", "agentId": "b7"},
        ),
    )
    assert [e.kind for e in found] == ["session_start", "tool_call", "tool_result", "step"]


def test_a_plan_is_told_whole(tmp_path: Path) -> None:
    """Where the program tells only what changed, the list is kept here."""
    found = events(
        tmp_path / "s1.jsonl",
        claude("assistant", "a1", use("TaskCreate", "toolu_01AbCd01", subject="write"), mid="m1"),
        claude("assistant", "a2", use("TaskCreate", "toolu_01AbCd02", subject="test"), mid="m1"),
        claude("user", "u1", result("toolu_01AbCd01", "Task #1 created successfully: write")),
        claude("user", "u2", result("toolu_01AbCd02", "Task #2 created successfully: test")),
        claude(
            "assistant", "a3", use("TaskUpdate", "toolu_01AbCd03", taskId="1", status="completed"), mid="m2"
        ),
        claude(
            "assistant", "a4", use("TaskUpdate", "toolu_01AbCd04", taskId="2", status="deleted"), mid="m2"
        ),
    )
    lists = [
        [(t["content"], t["status"]) for t in (e.extra or {})["todos"]]
        for e in found
        if e.kind == "tool_call"
    ]
    assert lists == [
        [("write", "pending")],
        [("write", "pending"), ("test", "pending")],
        [("write", "completed"), ("test", "pending")],
        [("write", "completed")],
    ]


def test_paths_are_the_same_from_every_folder(tmp_path: Path) -> None:
    """A change of directory or a work tree does not rename a file."""
    found = events(
        tmp_path / "s1.jsonl",
        claude("assistant", "a1", use("Read", "toolu_01AbCd01", file_path=f"{ROOT}/src/a.py"), mid="m1"),
        claude(
            "assistant", "a2", use("Read", "toolu_01AbCd02", file_path="a.py"), mid="m2", cwd=f"{ROOT}/src"
        ),
        claude(
            "assistant",
            "a3",
            use("Read", "toolu_01AbCd03", file_path=f"{ROOT}/.worktrees/x/fix/src/a.py"),
            mid="m3",
            cwd=f"{ROOT}/.worktrees/x/fix",
            gitBranch="x/fix",
        ),
        claude("assistant", "a4", use("Read", "toolu_01AbCd04", file_path="/etc/hosts"), mid="m4"),
        claude("assistant", "a5", use("Bash", "toolu_01AbCd05", command="ls"), mid="m5", cwd=f"{ROOT}/src"),
    )
    calls = [e for e in found if e.kind == "tool_call"]
    assert [e.paths for e in calls] == [("src/a.py",), ("src/a.py",), ("src/a.py",), ("/etc/hosts",), ()]
    assert calls[4].extra == {"cwd": "src"}
    assert calls[2].branch == "x/fix"


def test_a_line_without_a_session_belongs_to_its_file(tmp_path: Path) -> None:
    """The file's name stands in for a missing id."""
    line = _said("go")
    del line["sessionId"]
    assert events(tmp_path / "s9.jsonl", line, host="claude-code")[0].session_id == "s9"


def test_results_without_a_call_and_calls_without_a_result(tmp_path: Path) -> None:
    """Half a pair is half an event, never an error."""
    found = events(
        tmp_path / "s1.jsonl",
        claude("user", "u1", result("toolu_01AbCd00", "late")),
        claude(
            "assistant", "a1", [{"type": "tool_use", "name": "Bash", "input": {"command": "x"}}], mid="m1"
        ),
        claude("user", "u2", [{"type": "tool_result", "content": "lost"}]),
    )
    assert [(e.key, e.tool) for e in found if e.kind.startswith("tool")] == [
        ("toolu_01AbCd00:result", ""),
        ("a1:0:call", "Bash"),
        ("u2:result", ""),
    ]


def test_prompts_that_share_an_id_keep_their_own_keys(tmp_path: Path) -> None:
    """Two prompts of one turn are two happenings."""
    found = events(tmp_path / "s1.jsonl", _said("a", promptId="p"), _said("b", "u2", promptId="p"))
    assert [e.key for e in found if e.kind == "user_prompt"] == ["p:prompt", "u2:prompt"]


def test_reading_on_gives_the_rest_with_the_same_keys_and_steps(tmp_path: Path) -> None:
    """A file that grew is read on: what came later, as a reading of the whole gives it."""
    path = tmp_path / "s1.jsonl"
    old = [
        _said("go"),
        claude("assistant", "a1", use("Bash", "toolu_01AbCd01", command="make"), mid="m1"),
    ]
    new = [
        claude("user", "u2", result("toolu_01AbCd01", "ok")),
        claude("assistant", "a2", "Done", mid="m2"),
    ]
    first, before = reading(path, *old)
    whole = events(path, *old, *new)
    second = read(path, after=first.counts.ends)
    assert [e for e in whole if e not in before] == [e for e in second if e not in before]
    assert [e.key for e in read(path, after=first.counts.ends)] == [
        "toolu_01AbCd01:result",
        "m1:step",
        "a2:0:reply",
        "m2:step",
    ]
    assert list(read(path, after=second.counts.ends)) == []


def test_calls_that_a_server_counts_anew_are_told_apart(tmp_path: Path) -> None:
    """`Bash:0` of another session, or of another reply, is another call; a fork's copy is the same."""
    seen: set[int] = set()

    def session(name: str) -> list[dict[str, Any]]:
        made: list[dict[str, Any]] = []
        for reply in "ab":
            call = claude(
                "assistant", f"{name}-{reply}1", use("Bash", "Bash:0", command="ls"), mid=name + reply
            )
            made += [call, claude("user", f"{name}-{reply}2", result("Bash:0", f"{name} {reply}"))]
        return [{**line, "sessionId": name} for line in made]

    first, second = (events(tmp_path / f"{n}.jsonl", *session(n), seen=seen) for n in ("s1", "s2"))
    assert [e.text for e in first if e.kind == "tool_result"] == ["s1 a", "s1 b"]
    assert [e.text for e in second if e.kind == "tool_result"] == ["s2 a", "s2 b"]
    called = [e.call_id for e in (*first, *second) if e.kind == "tool_call"]
    assert called == [e.call_id for e in (*first, *second) if e.kind == "tool_result"]
    assert len(set(called)) == 4  # an observer tells calls apart by their ids
    copied = [{**line, "sessionId": "s3"} for line in session("s2")]
    assert not [e for e in events(tmp_path / "s3.jsonl", *copied, seen=seen) if e.kind.startswith("tool")]


def test_agents_at_work_at_once_may_have_calls_of_one_id(tmp_path: Path) -> None:
    """Two subagents and the main agent each count from `call_0`: each result finds its own call."""
    main: list[dict[str, Any]] = []
    for number, name in enumerate(("aaaa", "bbbb")):
        common: dict[str, Any] = {"isSidechain": True, "agentId": name}
        run = use("Bash", "call_0", command=f"make {name}")
        put(
            tmp_path / "s1" / "subagents" / f"agent-{name}.jsonl",
            [
                _said("look", f"{name}1", at=2 + number, **common),
                claude("assistant", f"{name}2", run, mid=f"{name}-1", at=4 + number, **common),
                claude("user", f"{name}3", result("call_0", f"made {name}"), at=6 + number, **common),
                claude("assistant", f"{name}4", f"{name} is done", mid=f"{name}-2", at=8, **common),
            ],
        )
        task, said = f"call_{number}", result(f"call_{number}", f"{name} is done")
        about = {"status": "completed", "agentId": name}
        main.insert(number, claude("assistant", f"m{number}", use("Task", task), mid="m", at=1))
        main.append(claude("user", f"r{number}", said, at=20, toolUseResult=about))
    found = events(tmp_path / "s1.jsonl", *main)
    results = [e for e in found if e.kind == "tool_result"]
    assert [(e.agent, e.action, e.command, e.text) for e in results] == [
        ("aaaa", "run", "make aaaa", "made aaaa"),
        ("bbbb", "run", "make bbbb", "made bbbb"),
        ("", "task", "", "aaaa is done"),
        ("", "task", "", "bbbb is done"),
    ]
    calls = {e.call_id: (e.agent, e.command) for e in found if e.kind == "tool_call"}
    assert [calls[e.call_id] for e in results] == [(e.agent, e.command) for e in results]
    stops = [(e.agent, e.text, e.at) for e in found if e.kind == "subagent_stop"]
    at = "2026-01-05T12:00:20.000Z"  # of the results of their tasks, not of their last lines
    assert stops == [("aaaa", "aaaa is done", at), ("bbbb", "bbbb is done", at)]


def test_sessions_in_one_file_may_have_calls_of_one_id(tmp_path: Path) -> None:
    """Each result belongs to the call of its own session."""
    made = [
        claude("assistant", f"{s}1", use("Bash", "call_0", command=f"make {s}"), sessionId=s)
        for s in ("s1", "s2")
    ]
    made += [claude("user", f"{s}2", result("call_0", "ok"), sessionId=s) for s in ("s1", "s2")]
    found = events(tmp_path / "s1.jsonl", *made)
    assert [(e.session_id, e.command) for e in found if e.kind == "tool_result"] == [
        ("s1", "make s1"),
        ("s2", "make s2"),
    ]


def test_a_plan_made_by_calls_of_one_id_is_told_whole(tmp_path: Path) -> None:
    """What was to be made first stays in the list when its result does not say its name."""
    made: list[dict[str, Any]] = []
    for thing, said in (("write", "Created."), ("test", "Task #2 created successfully: test")):
        call = use("TaskCreate", "call_0", subject=thing)
        made += [claude("assistant", f"{thing}1", call, mid=thing)]
        made += [claude("user", f"{thing}2", result("call_0", said))]
    found = events(tmp_path / "s1.jsonl", *made)
    todos = [(e.extra or {})["todos"] for e in found if e.kind == "tool_call"]
    assert [thing["content"] for thing in todos[-1]] == ["write", "test"]


KEPT = "/h/.claude/projects/-w-app/s1/tool-results/b1.txt"


@pytest.mark.parametrize(
    ("text", "extra"),
    [
        (
            "Command running in background with ID: b1. Output is being written to: /c/tasks/b1.output. It",
            {"running": "b1", "output": "/c/tasks/b1.output"},
        ),
        (f"<persisted-output>\nToo large (52.3KB). Full output saved to: {KEPT}\n\nok", {"output": KEPT}),
        ("Command in background with ID: b1. Output is being written to: /opt/b1", {"running": "b1"}),
        ("<persisted-output>\nFull output saved to: /opt/a.md\n", None),
        (f"<persisted-output>\nFull output saved to: {KEPT} and /opt/a.md\n", None),
        (f"ok\n<persisted-output>\nFull output saved to: {KEPT}\n", None),
    ],
)
def test_where_the_host_keeps_what_a_command_says(tmp_path: Path, text: str, extra: Any) -> None:
    """It names the file at the beginning of the result, and the file is in a folder of its own."""
    found = events(
        tmp_path / "s1.jsonl",
        claude("assistant", "a1", use("Bash", "t1", command="make"), mid="m1"),
        claude("user", "u1", result("t1", text)),
    )
    assert [e.extra for e in found if e.kind == "tool_result"] == [extra]
