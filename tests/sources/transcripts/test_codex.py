"""Codex's rollouts: each rule of the reader, on lines built for it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from remora.core.events import Event
from remora.observer.observer import Observer
from remora.sources.transcripts.codex_output import read_output
from remora.sources.transcripts.paths import Roots
from tests.core.test_codex_patch import PATCH
from tests.sources.transcripts.records import ROOT, brief, codex, events, put, reading

META = codex("session_meta", id="c1", cwd=ROOT, cli_version="0.169.0", git={"branch": "main"})


Read = Callable[..., list[Event]]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """What lines of a session are read as."""
    return partial(events, tmp_path / "rollout-1.jsonl", META)


def _message(role: str, text: str, at: int = 0, **fields: Any) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return codex("response_item/message", at, role=role, content=[{"type": kind, "text": text}], **fields)


def _call(name: str, identity: str, given: Any, at: int = 0, **fields: Any) -> dict[str, Any]:
    arguments = given if isinstance(given, str) else json.dumps(given)
    return codex(
        "response_item/function_call", at, name=name, call_id=identity, arguments=arguments, **fields
    )


def _output(identity: str, output: Any, at: int = 0) -> dict[str, Any]:
    return codex("response_item/function_call_output", at, call_id=identity, output=output)


def test_a_session_from_prompt_to_reply(read: Read) -> None:
    """Items of the model that stand together are a step; tokens come from the count after it."""
    frame = "Chunk ID: 5e\nWall time: 0.1 seconds\nProcess exited with code "
    found = read(
        codex("event_msg/task_started", turn_id="t1"),
        _message("developer", "<permissions instructions>"),
        _message("user", "<environment_context>\n<cwd>/w/app</cwd>\n</environment_context>"),
        codex("turn_context", turn_id="t1", cwd=ROOT, model="m"),
        _message("user", "fix it", 1),
        codex("event_msg/user_message", 1, message="fix it", images=[]),
        codex("response_item/reasoning", 2, id="r1", summary=[{"type": "summary_text", "text": "Look."}]),
        _call("exec_command", "call_x8k2m101", {"cmd": "make", "workdir": f"{ROOT}/src"}, 3),
        _call("exec_command", "call_x8k2m102", {"cmd": "ls"}, 3),
        _output("call_x8k2m101", f"{frame}2\nOutput:\nboom", 4),
        _output("call_x8k2m102", f"{frame}0\nOutput:\na.py", 4),
        codex("event_msg/token_count", 4, info={"last_token_usage": {"input_tokens": 1234}}),
        _message("assistant", "Done.", 5, id="m2", phase="final_answer"),
        codex("event_msg/agent_message", 5, message="Done."),
    )
    assert brief(found) == [
        ("session_start", 0, ""),
        ("user_prompt", 0, "fix it"),
        ("reasoning", 1, "Look."),
        ("tool_call", 1, "exec_command"),
        ("tool_call", 1, "exec_command"),
        ("tool_result", 1, "boom"),
        ("tool_result", 1, "a.py"),
        ("step", 1, ""),
        ("reply", 2, "Done."),
        ("step", 2, ""),
    ]
    assert [e.key for e in found][2:6] == [
        "r1:reasoning",
        "call_x8k2m101:call",
        "call_x8k2m102:call",
        "call_x8k2m101:result",
    ]
    assert found[1].key.startswith("t1:")
    assert found[1].key.endswith(":prompt")
    call, answer = found[3], found[5]
    assert (call.action, call.command, call.extra) == ("run", "make", {"cwd": "src"})
    assert (answer.command, answer.error, answer.extra) == ("make", True, {"exit_code": 2})
    assert (found[6].error, found[6].extra) == (False, {"exit_code": 0})
    assert found[7].tokens == 1234
    assert {(e.session_id, e.branch) for e in found} == {("c1", "main")}


IN_EDITOR = "# Context from my IDE setup:\n\n## Open tabs:\n- a.py\n\n## My request for Codex:\nfix a.py"


@pytest.mark.parametrize(
    ("text", "prompts"),
    [
        ("<environment_context>\n  <cwd>/w</cwd>\n</environment_context>", []),
        ("<user_instructions>\nBe kind.\n</user_instructions>", []),
        ("# AGENTS.md instructions for /w/app\n\n<INSTRUCTIONS>\nUse tabs.\n</INSTRUCTIONS>", []),
        ("<subagent_notification>{}</subagent_notification>", []),
        ("<some_new_context>x</some_new_context>", []),
        (IN_EDITOR, ["fix a.py"]),
        ("<div> is red", ["<div> is red"]),
    ],
)
def test_what_the_program_put_there_is_no_prompt(tmp_path: Path, text: str, prompts: list[str]) -> None:
    """Instructions, the environment and notes are left out, and counted; a person may ask about a tag."""
    lines = [META, _message("user", text), _message("user", "real")]
    opened, found = reading(tmp_path / "rollout-1.jsonl", *lines)
    assert brief(found)[1:] == [("user_prompt", 0, text) for text in (*prompts, "real")]
    assert opened.counts.skipped == ({} if prompts else {"message:injected": 1})


def test_a_prompt_is_told_once_however_it_is_written(read: Read) -> None:
    """The item and its echo are one prompt; the same words said again are two; an echo alone counts."""
    found = read(
        _message("user", "yes"),
        codex("event_msg/user_message", message="yes"),
        _message("assistant", "ok"),
        codex("event_msg/user_message", message="yes"),
        _message("assistant", "ok"),
        codex(
            "event_msg/item_completed",
            item={"type": "UserMessage", "content": [{"type": "text", "text": "go"}]},
        ),
    )
    prompts = [e for e in found if e.kind == "user_prompt"]
    assert [(e.text, e.step) for e in prompts] == [("yes", 0), ("yes", 1), ("go", 2)]
    assert len({e.key for e in prompts}) == 3


def test_every_shell_tool_runs_a_command(read: Read) -> None:
    """Whatever the tool is called and however its command is given; the hosted form is one too."""
    action = {"type": "exec", "command": ["bash", "-lc", "make"], "working_directory": f"{ROOT}/src"}
    found = read(
        codex("response_item/local_shell_call", call_id="k", status="completed", action=action),
        _output("k", '{"output":"x","metadata":{"exit_code":1}}'),
        _call("shell_command", "call_x8k2m101", {"command": "make"}),
        _call("container.exec", "call_x8k2m102", {"command": ["make"]}),
    )
    calls = [e for e in found if e.kind == "tool_call"]
    assert [(e.action, e.command) for e in calls] == [("run", "make")] * 3
    assert calls[0].extra == {"cwd": "src"}
    assert (found[2].text, found[2].error, found[2].extra) == ("x", True, {"exit_code": 1})


@pytest.mark.parametrize("way", ["custom", "function", "words", "heredoc"])
def test_a_patch_names_its_files(read: Read, way: str) -> None:
    """As a tool of its own, as words, inside a shell command; a failure is an error."""
    script = f"apply_patch <<'EOF'\n{PATCH}\nEOF"
    line = {
        "custom": codex("response_item/custom_tool_call", call_id="k", name="apply_patch", input=PATCH),
        "function": _call("apply_patch", "k", {"input": PATCH}),
        "words": _call("shell", "k", {"command": ["apply_patch", PATCH]}),
        "heredoc": _call("exec_command", "k", {"cmd": script}),
    }[way]
    ended = codex("event_msg/patch_apply_end", call_id="k", success=False, stderr="no")
    failed = codex("response_item/custom_tool_call_output", call_id="k", output="no")
    found = read(line, ended, failed)
    assert found[1].action == "edit"
    assert found[1].paths == ("notes/new.md", "src/app.py", "old.py", "src/main.py")
    assert (found[1].extra or {})["old"] == "    return 1\nx"
    assert [e.error for e in found if e.kind == "tool_result"] == [True]


def test_paths_of_a_patch_start_where_it_ran(tmp_path: Path, read: Read) -> None:
    """A patch in a subfolder names files of the root; one that only adds is a write."""
    patch = f"*** Begin Patch\n*** Add File: a.py\n+1\n*** Add File: {ROOT}/b.py\n+2\n*** End Patch"
    line = _call("shell", "k", {"command": ["apply_patch", patch], "workdir": f"{ROOT}/src"})
    found = read(line)
    assert (found[1].action, found[1].paths) == ("write", ("src/a.py", "b.py"))
    script = f"cd sub && apply_patch <<'EOF'\n{patch}\nEOF"
    moved = _call("exec_command", "k", {"cmd": script, "workdir": "src"})
    assert events(tmp_path / "rollout-2.jsonl", META, moved)[1].paths == ("src/sub/a.py", "b.py")


def test_other_tools_have_their_actions(read: Read) -> None:
    """Plans, pictures, subagents, searches, servers; a name nobody knows is a server's."""
    found = read(
        _call("update_plan", "call_x8k2m101", {"plan": [{"step": "look", "status": "in_progress"}]}),
        _call("view_image", "call_x8k2m102", {"path": f"{ROOT}/a.png"}),
        _call("spawn_agent", "call_x8k2m103", {"agent_type": "reviewer", "message": "review"}),
        _call("write_stdin", "call_x8k2m104", {"session_id": 1, "chars": "y"}),
        _call("get_issue", "call_x8k2m105", {"id": "1"}, namespace="mcp__linear__"),
        _call("remora__search_memory", "call_x8k2m106", {"query": "x"}),
        codex("response_item/web_search_call", id="w1", action={"type": "search", "query": "go tests"}),
        codex("response_item/web_search_call", id="w2", action={"type": "open_page", "url": "https://a.org"}),
    )
    calls = [e for e in found if e.kind == "tool_call"]
    assert " ".join(e.action for e in calls) == "plan read task other fetch memory fetch fetch"
    assert calls[0].extra == {"todos": [{"content": "look", "status": "in_progress"}]}
    assert calls[1].paths == ("a.png",)
    assert (calls[6].extra, calls[7].url) == ({"query": "go tests"}, "https://a.org")
    assert [e.key for e in found if e.kind == "tool_result"] == ["w1:result", "w2:result"]


def test_what_a_script_did_is_told(read: Read) -> None:
    """While the model's script runs, the program's record of its tools counts; otherwise it is an echo."""

    def done(kind: str, identity: str, **item: Any) -> dict[str, Any]:
        return codex("event_msg/item_completed", item={"type": kind, "id": identity, **item})

    command: dict[str, Any] = {
        "command": ["zsh", "-lc", "make"],
        "cwd": f"file://{ROOT}",
        "aggregated_output": "x",
    }
    command["exit_code"] = 2
    changes, call = {f"{ROOT}/a.py": {"type": "add"}}, "call_x8k2m101"
    asked = {"server": "linear", "tool": "get_issue", "arguments": {}, "result": {"content": "x"}}
    found = read(
        codex(
            "response_item/custom_tool_call", call_id=call, name="exec", input="await tools.exec_command({})"
        ),
        done("CommandExecution", "exec-1", **command),
        done("FileChange", "exec-2", changes=changes, status="completed", stdout="ok"),
        done("McpToolCall", "exec-3", **asked),
        codex(
            "response_item/custom_tool_call_output",
            call_id=call,
            output=[{"type": "input_text", "text": "x"}],
        ),
        done("CommandExecution", "exec-4", **command),
    )
    told = [(e.kind, e.action, e.command, e.paths, e.error) for e in found if "exec-" in e.call_id]
    assert told == [
        ("tool_call", "run", "make", (), False),
        ("tool_result", "run", "make", (), True),
        ("tool_call", "edit", "", ("a.py",), False),
        ("tool_result", "edit", "", ("a.py",), False),
        ("tool_call", "fetch", "", (), False),
        ("tool_result", "fetch", "", (), False),
    ]


def test_an_interruption_and_a_compaction(read: Read) -> None:
    """Both end the step; what a compaction kept is not read again."""
    aborted = codex("event_msg/turn_aborted", turn_id="t1", reason="interrupted")
    old = [{"type": "message", "role": "user", "content": "old"}]
    found = read(
        _message("assistant", "working"),
        aborted,
        codex("compacted", message="", replacement_history=old),
        aborted,
    )
    assert [(e.kind, (e.extra or {}).get("interrupted")) for e in found][2:] == [
        ("step", True),
        ("compaction", None),
        ("step", True),
    ]


def test_a_subagents_file_belongs_to_its_parent(tmp_path: Path, read: Read) -> None:
    """Its events are the parent session's, with its id: told at its start, reporting at its end."""
    spawned = {"subagent": {"thread_spawn": {"parent_thread_id": "c1", "depth": 1}}}
    child = put(
        tmp_path / "rollout-2.jsonl",
        [
            codex("session_meta", 2, id="c2", cwd=ROOT, source=spawned),
            codex("session_meta", 2, id="c1", cwd=ROOT),
            _message("user", "review it", 3),
            _call("exec_command", "call_x8k2m109", {"cmd": "git diff"}, 4),
            _output("call_x8k2m109", "x", 5),
            _message("assistant", "All is well.", 6),
        ],
    )
    found = read(
        _call("spawn_agent", "call_x8k2m101", {"message": "review it"}, 1),
        _output("call_x8k2m101", "{}", 7),
        parts=[child],
    )
    assert [(e.kind, e.step) for e in found if e.agent] == [
        ("subagent_start", 0),
        ("tool_call", 1),
        ("tool_result", 1),
        ("step", 1),
        ("reply", 2),
        ("step", 2),
        ("subagent_stop", 2),
    ]
    assert "".join("c" if e.agent else "p" for e in found) == "ppcccccppcc"
    assert ({e.agent for e in found}, {e.session_id for e in found}) == ({"", "c2"}, {"c1"})
    assert (found[2].text, found[-1].text) == ("review it", "All is well.")


def test_the_oldest_files_hold_bare_items(tmp_path: Path) -> None:
    """Without envelopes the first line is the session's; the folder is told in a message."""
    about = f"<environment_context><cwd>{ROOT}</cwd></environment_context>"
    given = json.dumps({"command": ["ls"], "workdir": f"{ROOT}/src"})
    output = '{"output":"a","metadata":{"exit_code":0}}'
    found = events(
        tmp_path / "rollout-0.jsonl",
        {"id": "c0", "timestamp": "2025-05-01T10:00:00.000Z", "instructions": None},
        {"record_type": "state"},
        *(_message("user", text)["payload"] for text in (about, "go")),
        {"type": "function_call", "name": "shell", "call_id": "k", "arguments": given},
        {"type": "function_call_output", "call_id": "k", "output": output},
    )
    assert {e.session_id for e in found} == {"c0"}
    kinds = ["session_start", "user_prompt", "tool_call", "tool_result", "step"]
    assert ([e.kind for e in found], found[2].extra) == (kinds, {"cwd": "src"})


@pytest.mark.parametrize(
    ("output", "text", "code", "failed", "extra"),
    [
        ("Exit code: 1\nWall time: 0.1 seconds\nTotal output lines: 3\nOutput:\nno", "no", 1, True, None),
        ({"content": "bad", "success": False}, "bad", None, True, None),
        (
            [{"type": "input_text", "text": "a"}, {"type": "input_image"}],
            "a\n[input_image]",
            None,
            False,
            None,
        ),
        ('{"output": broken', '{"output": broken', None, False, None),
        ("exec command rejected by user", "exec command rejected by user", None, True, {"denied": True}),
        ("Exit code: 1\nOutput:\nrejected by user: 7", "rejected by user: 7", 1, True, None),
        ("apply_patch verification failed: x", "apply_patch verification failed: x", None, True, None),
        ("aborted by user after 3.2s", "aborted by user after 3.2s", None, True, {"interrupted": True}),
        ("failed to parse function arguments: x", "failed to parse function arguments: x", None, True, None),
        (None, "", None, False, None),
    ],
)
def test_outputs_of_every_shape(output: Any, text: str, code: int | None, failed: bool, extra: Any) -> None:
    """The frame goes, the exit code and the failure stay."""
    assert tuple(read_output(output, "run")) == (text, code, failed, extra)


def test_unknown_lines_are_counted(tmp_path: Path) -> None:
    """New envelopes, items and happenings are no errors."""
    opened, found = reading(
        tmp_path / "rollout-1.jsonl",
        META,
        codex("world_state", full=True),
        codex("response_item/ghost_snapshot"),
        codex("event_msg/background_event"),
        codex("event_msg/item_completed", item={"type": "AgentMessage"}),
        {"type": "event_msg", "payload": "odd"},
    )
    assert found == []
    assert opened.counts.skipped == {
        "world_state": 1,
        "item:ghost_snapshot": 1,
        "event:background_event": 1,
        "completed:AgentMessage": 1,
        "event_msg": 1,
    }


def test_what_a_command_shows_is_read(read: Read) -> None:
    """Codex has no tool that reads: the files that a command only shows are told, from the root."""
    found = read(
        _call("exec_command", "call_x8k2m101", {"cmd": "sed -n '1,200p' src/a.py && cat ../x.md"}),
        _call("exec_command", "call_x8k2m102", {"cmd": "head -5 a.py b.py", "workdir": f"{ROOT}/web"}),
        _call("exec_command", "call_x8k2m103", {"cmd": "sed -i s/a/b/ src/a.py; pytest tests/a.py"}),
    )
    shown = [(e.extra or {}).get("reads") for e in found if e.kind == "tool_call"]
    assert [reads and reads[:1] for reads in shown] == [["src/a.py"], ["web/a.py"], None]
    observer = Observer("s1", "codex", strict=True)
    for event in found:
        observer.observe(event)
        if event.kind == "tool_call":
            done = event._replace(kind="tool_result", key=f"{event.key}r", text="x = 1", extra=None)
            observer.observe(done)
    assert [(use.path, use.reads, use.edits) for use in observer.finalize().files] == [
        ("src/a.py", 1, 0),
        ("web/a.py", 1, 0),
        ("web/b.py", 1, 0),
    ]


@pytest.mark.parametrize("identity", ["call_1", "call_00000001", "functions.convertPdf2Markdown:0"])
def test_calls_that_a_server_counts_anew_are_told_apart(tmp_path: Path, identity: str) -> None:
    """`call_1` of another session, turn or reply is another call; what a fork copied is the same."""
    seen: set[int] = set()

    def session(name: str, turns: str) -> list[dict[str, Any]]:
        made = [codex("session_meta", id=name, cwd=ROOT)]
        for turn in turns:
            made.append(codex("turn_context", turn_id=f"{turns[0]}-{turn}", cwd=ROOT))
            for reply in "xy":
                call = _call("shell", identity, {"command": ["ls"]})
                made += [call, _output(identity, f"{turn}{reply}")]
        return made

    def results(name: str, turns: str) -> list[str]:
        found = events(tmp_path / f"{name}.jsonl", *session(name, turns), seen=seen)
        called = [e.call_id for e in found if e.kind == "tool_call"]
        assert called == [e.call_id for e in found if e.kind == "tool_result"]
        assert len(set(called)) == len(called)
        return [e.text for e in found if e.kind == "tool_result"]

    assert results("s1", "ab") == ["ax", "ay", "bx", "by"]
    assert results("s2", "cd") == ["cx", "cy", "dx", "dy"]
    assert results("s3", "cd") == []


DRAWN = "0199a213-81c0-7800-8aa1-bbab2a035a"


def _turn(turn: str, prompt: str, at: int = 0) -> list[dict[str, Any]]:
    """Return a turn: a thought, a search, a call and twice the same reply, all without an id."""
    context = [codex("turn_context", at, turn_id=turn, cwd=ROOT)] if turn else []
    return [
        *context,
        _message("user", prompt, at),
        codex("response_item/reasoning", at, summary=[{"type": "summary_text", "text": "Look."}]),
        codex("response_item/web_search_call", at, action={"query": "x"}),
        _message("assistant", "Working.", at),
        _call("exec_command", "", {"cmd": "make"}, at),
        _output("", "ok", at),
        _message("assistant", "Working.", at),
        codex("event_msg/token_count", at, info={"last_token_usage": {"input_tokens": 500}}),
        codex("compacted", at, message="so far"),
    ]


def _forked(name: str, origin: str, copied: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the lines of a fork: its own head, and what it copied, with the times of now."""
    later = [{**line, "timestamp": "2026-01-06T12:00:00.000Z"} for line in copied]
    return [codex("session_meta", id=name, cwd=ROOT, forked_from_id=origin), *later]


@pytest.mark.parametrize(
    "turns",
    [[f"{DRAWN}0{number}" for number in range(4)], ["1", "2", "2", "1"], [""] * 4],
    ids=["drawn", "counted", "none"],
)
@pytest.mark.parametrize("order", ["abc", "cba", "bca"])
def test_what_a_fork_copied_is_known(tmp_path: Path, turns: list[str], order: str) -> None:
    """In whatever order an origin, its fork and a fork of that are read, each event is given out once."""
    first, second, third, fourth = turns
    begun = [codex("session_meta", id="a", cwd=ROOT), *_turn(first, "fix it")]
    forked = [*_forked("b", "a", begun), *_turn(second, "rename it")]
    files = {
        "a": [*begun, *_turn(third, "test it")],
        "b": forked,
        "c": [*_forked("c", "b", forked), *_turn(fourth, "ship it")],
    }
    alone = events(tmp_path / "alone.jsonl", *begun)
    seen: set[int] = set()
    found = [e for name in order for e in events(tmp_path / f"{name}.jsonl", *files[name], seen=seen)]
    kinds = [e.kind for e in alone if e.kind != "session_start"]
    assert Counter(e.kind for e in found if e.kind != "session_start") == Counter(kinds * 4)
    said = {"fix it", "test it", "rename it", "ship it"}
    assert {e.text for e in found if e.kind == "user_prompt"} == said
    assert sum(e.tokens or 0 for e in found) == 4 * sum(e.tokens or 0 for e in alone) > 0


@pytest.mark.parametrize("turn", ["1", ""])
def test_sessions_that_are_no_forks_are_read_whole(tmp_path: Path, turn: str) -> None:
    """The same words in a turn whose id is counted anew, or not told, are others in another session."""
    seen: set[int] = set()
    heads = [codex("session_meta", id=name, cwd=ROOT) for name in "xy"]
    given = [
        events(tmp_path / "s.jsonl", head, *_turn(turn, f"fix {at}"), seen=seen)
        for at, head in enumerate(heads)
    ]
    assert [e.kind for e in given[0]] == [e.kind for e in given[1]]
    assert [e.text for e in given[1] if e.kind == "reply"] == ["Working.", "Working."]


def test_a_command_without_a_folder_runs_where_the_session_began(tmp_path: Path) -> None:
    """It is told where that is a part of the project; a folder that is named counts."""
    found = events(
        tmp_path / "rollout-1.jsonl",
        codex("session_meta", id="s1", cwd=f"{ROOT}/web"),
        _call("exec_command", "call_x8k2m101", {"cmd": "make"}),
        _call("exec_command", "call_x8k2m102", {"cmd": "make", "workdir": ROOT}),
        roots=_project(),
    )
    assert found[0].extra == {"cwd": f"{ROOT}/web", "root": ROOT}
    assert [e.extra for e in found if e.kind == "tool_call"] == [{"cwd": "web"}, None]


def _project() -> Roots:
    made = Roots([ROOT])
    made.met(f"{ROOT}/web")
    return made
