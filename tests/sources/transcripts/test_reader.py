"""Readings: whose file it is, streaming, reading on, roots over many files."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest

from remora.core.errors import InvalidInput, NotFound
from remora.core.events import Event
from remora.sources.transcripts.plain import header, line_of
from remora.sources.transcripts.reader import HOSTS, detect, read, survey
from tests.sources.transcripts.records import ROOT, answers, asks, claude, codex, put


@pytest.mark.parametrize(
    ("host", "records"),
    [
        ("claude-code", [{"type": "summary", "summary": "x"}, claude("user", "u1", "hi")]),
        ("claude-code", ["not json", {"type": "file-history-snapshot"}, claude("system", "u1", None)]),
        ("codex", [codex("session_meta", id="c1", cwd=ROOT)]),
        ("plain", [header("x")]),
        ("plain", [line_of(Event("user_prompt", "s", "k", text="hi"))]),
        (None, [{"role": "user", "content": "hi"}, {"type": "message"}]),
        (None, [{"type": "user", "text": "hi"}]),
        (None, []),
    ],
)
def test_the_content_tells_whose_file_it_is(tmp_path: Path, host: str | None, records: list[object]) -> None:
    """Names prove nothing; a few lines do."""
    assert detect(put(tmp_path / "file", records)) == host


def test_a_file_of_nobody_is_refused(tmp_path: Path) -> None:
    """Reading says what it cannot read, and names what it can."""
    with pytest.raises(InvalidInput, match="not a transcript of a known host") as caught:
        read(put(tmp_path / "a.jsonl", [{"a": 1}]))
    assert caught.value.hint == f"Known hosts: {', '.join(HOSTS)}."
    with pytest.raises(NotFound):
        read(tmp_path / "none.jsonl")


@pytest.mark.slow
def test_a_long_transcript_is_read_in_bounded_memory(tmp_path: Path) -> None:
    """Thirty megabytes with a line of five pass through in a few times that line."""
    path = tmp_path / "s1.jsonl"
    with path.open("w") as file:
        for number in range(500):
            call = asks(f"a{number}", "Bash", f"t{number}", command="cat big", mid=f"m{number}")
            answer = answers(f"u{number}", f"t{number}", "x" * (5_000_000 if number == 9 else 50_000))
            file.write(json.dumps(call) + "\n" + json.dumps(answer) + "\n")
    assert path.stat().st_size > 29_000_000
    tracemalloc.start()
    count = sum(len(event.text) <= 8_000 for event in read(path))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 1 + 3 * 500
    assert peak < 25_000_000


def test_a_part_that_cannot_be_read_takes_nothing_with_it(tmp_path: Path) -> None:
    """A subagent's file that vanished is reported; the session is read."""
    path = put(tmp_path / "s1.jsonl", [claude("user", "u1", "hi")])
    opened = read(path, parts=[tmp_path / "gone.jsonl"])
    assert [e.kind for e in opened] == ["session_start", "user_prompt"]
    assert [bad.path for bad in opened.counts.bad_lines] == [str(tmp_path / "gone.jsonl")]


def test_a_clock_that_jumps_back_changes_no_order(tmp_path: Path) -> None:
    """Within a file the order of lines is the order of events, whatever their times say."""
    agent = {"isSidechain": True, "agentId": "b1"}
    put(
        tmp_path / "s1" / "subagents" / "agent-b1.jsonl",
        [claude("assistant", "x1", "agent", mid="n", at=4, **agent)],
    )
    lines = [claude("assistant", f"a{n}", f"{n}", mid=f"m{n}", at=at) for n, at in enumerate((5, 1, 3))]
    del lines[1]["timestamp"]
    found = [e.text for e in read(put(tmp_path / "s1.jsonl", lines)) if e.kind == "reply"]
    assert found == ["agent", "0", "1", "2"]


def test_several_files_of_a_session_are_one(tmp_path: Path) -> None:
    """Copies that a resume made are read together: each line once, steps as they were."""
    first = [
        claude("assistant", "a1", "one", mid="m1", at=1),
        claude("assistant", "a2", "two", mid="m2", at=2),
    ]
    later = [*first, claude("assistant", "a3", "three", mid="m3", at=3)]
    one, two = put(tmp_path / "one.jsonl", first), put(tmp_path / "two.jsonl", later)
    opened = read(one, parts=[two])
    assert [(e.text, e.step) for e in opened if e.kind == "reply"] == [("one", 1), ("two", 2), ("three", 3)]
    assert opened.counts.repeated == 2


def test_roots_come_from_all_files_of_a_project(tmp_path: Path) -> None:
    """A session that only ran in a subfolder names files as the others do."""
    main = put(tmp_path / "a.jsonl", [claude("user", "u1", "hi", cwd="/w/app")])
    line = asks("a1", "Read", "t1", file_path="/w/app/src/a.py", cwd="/w/app/src")
    below = put(tmp_path / "b.jsonl", [line])
    broken = put(tmp_path / "c.jsonl", ['{"cwd": "/w", broken', {"type": "user", "cwd": 5}])
    alone = [e.paths for e in read(below) if e.kind == "tool_call"]
    roots = survey([main, below, broken, tmp_path / "gone.jsonl"])
    together = [e.paths for e in read(below, roots=roots) if e.kind == "tool_call"]
    assert (alone, together) == ([("a.py",)], [("src/a.py",)])


def test_a_folder_that_was_only_changed_into_is_no_root(tmp_path: Path) -> None:
    """Files of a clone elsewhere stay absolute, in a subagent's file too; work trees are the project's."""
    lines = [
        claude("user", "u1", "hi", cwd="/w/app"),
        claude("user", "u2", "hi", cwd="/opt/clone"),
        claude("user", "u3", "hi", cwd="/w/app/.worktrees/fix", gitBranch="fix"),
    ]
    main = put(tmp_path / "a.jsonl", lines)
    (tmp_path / "a" / "subagents").mkdir(parents=True)
    sub = put(tmp_path / "a" / "subagents" / "agent-1.jsonl", [claude("user", "v1", "hi", cwd="/opt/clone")])
    roots = survey([main, sub])
    named = [roots.relative(p) for p in ("/opt/clone/a.md", "/w/app/a.md", "/w/app/.worktrees/fix/a.md")]
    assert named == ["/opt/clone/a.md", "a.md", "a.md"]


def test_a_directory_named_in_a_text_is_no_evidence(tmp_path: Path) -> None:
    """Only the record's own field says where a session ran."""
    said = claude("user", "u1", json.dumps({"cwd": "/evil"}), toolUseResult={"cwd": "/evil"})
    assert survey([put(tmp_path / "a.jsonl", [said])]).found == (ROOT,)
