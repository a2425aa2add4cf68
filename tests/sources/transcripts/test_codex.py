"""Codex's rollouts: each rule of the reader, on lines built for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from remora.core.events import Event
from remora.sources.transcripts.codex_output import read_output
from remora.sources.transcripts.paths import Roots
from tests.sources.transcripts.records import (
    ROOT,
    codex,
    codex_calls,
    codex_gives,
    codex_says,
    events,
)

META = codex("session_meta", id="c1", cwd=ROOT, cli_version="0.169.0", git={"branch": "main"})


Read = Callable[..., list[Event]]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """What lines of a session are read as."""
    return partial(events, tmp_path / "rollout-1.jsonl", META)


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


def test_what_a_command_shows_is_read(read: Read) -> None:
    """Codex has no tool that reads: the files that a command only shows are told, from the root."""
    found = read(
        codex_calls("exec_command", "call_x8k2m101", {"cmd": "sed -n '1,200p' src/a.py && cat ../x.md"}),
        codex_calls("exec_command", "call_x8k2m102", {"cmd": "head -5 a.py b.py", "workdir": f"{ROOT}/web"}),
        codex_calls("exec_command", "call_x8k2m103", {"cmd": "sed -i s/a/b/ src/a.py; pytest tests/a.py"}),
    )
    shown = [(e.extra or {}).get("reads") for e in found if e.kind == "tool_call"]
    assert [reads and reads[:1] for reads in shown] == [["src/a.py"], ["web/a.py"], None]


@pytest.mark.parametrize("identity", ["call_1", "call_00000001", "functions.convertPdf2Markdown:0"])
def test_calls_that_a_server_counts_anew_are_told_apart(tmp_path: Path, identity: str) -> None:
    """`call_1` of another session, turn or reply is another call; what a fork copied is the same."""
    seen: set[int] = set()

    def session(name: str, turns: str) -> list[dict[str, Any]]:
        made = [codex("session_meta", id=name, cwd=ROOT)]
        for turn in turns:
            made.append(codex("turn_context", turn_id=f"{turns[0]}-{turn}", cwd=ROOT))
            for reply in "xy":
                call = codex_calls("shell", identity, {"command": ["ls"]})
                made += [call, codex_gives(identity, f"{turn}{reply}")]
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
        codex_says("user", prompt, at),
        codex("response_item/reasoning", at, summary=[{"type": "summary_text", "text": "Look."}]),
        codex("response_item/web_search_call", at, action={"query": "x"}),
        codex_says("assistant", "Working.", at),
        codex_calls("exec_command", "", {"cmd": "make"}, at),
        codex_gives("", "ok", at),
        codex_says("assistant", "Working.", at),
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
        codex_calls("exec_command", "call_x8k2m101", {"cmd": "make"}),
        codex_calls("exec_command", "call_x8k2m102", {"cmd": "make", "workdir": ROOT}),
        roots=_project(),
    )
    assert found[0].extra == {"cwd": f"{ROOT}/web", "root": ROOT}
    assert [e.extra for e in found if e.kind == "tool_call"] == [{"cwd": "web"}, None]


def _project() -> Roots:
    made = Roots([ROOT])
    made.met(f"{ROOT}/web")
    return made
