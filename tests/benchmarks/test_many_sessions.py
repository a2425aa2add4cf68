"""The recordings of many repositories: one form for every host, copies once, paths inside the repository."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.many_sessions import Repository, read, write
from remora.sources.transcripts.reader import read as events_of

Record = Mapping[str, Any]


def data(folder: Path, *sessions: tuple[str, str, Sequence[Record], Sequence[str]]) -> Path:
    """Write a data set of one repository: for each session its id, its agent, its records, what it edited."""
    entries = [
        {
            "repo": "ann__shop",
            "session_id": name,
            "file": "ann__shop.jsonl.gz",
            "agent": agent,
            "start": f"2026-01-0{number}T10:00:00Z",
            "end": f"2026-01-0{number}T11:00:00Z",
            "branch": "main",
            "records": len(records),
            "edited": list(edited),
        }
        for number, (name, agent, records, edited) in enumerate(sessions, 1)
    ]
    (folder / "index.json").write_text(json.dumps(entries))
    (folder / "repositories.json").write_text(json.dumps([{"key": "ann__shop", "code": {"commit": "abc"}}]))
    with gzip.open(folder / "ann__shop.jsonl.gz", "wt", encoding="utf-8") as lines:
        for _, _, records, _ in sessions:
            lines.writelines(json.dumps(record) + "\n" for record in records)
    return folder


def found(folder: Path) -> Repository:
    """Read a data set of one repository."""
    (folder / "place").mkdir()
    (repository,) = read(folder, folder / "place")
    return repository


def pi(text: str, number: int = 0) -> list[Record]:
    """Return what Pi keeps of a session with one prompt."""
    return [
        {"type": "session", "id": f"{number:032}", "cwd": "/home/ann/shop"},
        {
            "type": "message",
            "id": f"{number:08}",
            "message": {"role": "user", "content": [{"type": "text", "text": text}]},
        },
    ]


def test_the_first_prompt_is_found_in_every_host(tmp_path: Path) -> None:
    """What Copilot CLI, Pi, OpenCode and Codex keep of it is read; what a host put in is not."""
    copilot: list[Record] = [
        {"type": "session.start", "data": {}},
        {"type": "user.message", "data": {"content": "two "}},
    ]
    opencode: list[Record] = [
        {"type": "session", "info": {"id": "ses_1", "directory": "/home/ann/shop"}},
        {
            "type": "message",
            "info": {"id": "msg_1", "role": "user"},
            "parts": [
                {"type": "text", "text": "three"},
                {"type": "text", "text": "Called the Read tool", "synthetic": True},
            ],
        },
    ]
    codex: list[Record] = [
        {"type": "session_meta", "payload": {"id": "c4", "cwd": "/home/ann/shop"}},
        {
            "type": "response_item",
            "payload": {
                "type": "message",
                "role": "user",
                "content": [{"type": "input_text", "text": "<environment_context>x</environment_context>"}],
            },
        },
        {
            "type": "response_item",
            "payload": {
                "type": "message",
                "role": "user",
                "content": [{"type": "input_text", "text": "four"}],
            },
        },
    ]
    data(
        tmp_path,
        ("s1", "Pi", pi("one"), ["a.py"]),
        ("s2", "Copilot CLI", copilot, ["a.py"]),
        ("s3", "OpenCode", opencode, ["a.py"]),
        ("s4", "Codex", codex, ["a.py"]),
    )
    repository = found(tmp_path)
    assert (repository.key, repository.commit) == ("ann__shop", "abc")
    assert [session.prompt for session in repository.sessions] == ["one", "two", "three", "four"]


def test_sessions_that_share_a_record_count_once(tmp_path: Path) -> None:
    """A fork adds what it edited to the session it was copied from."""
    data(
        tmp_path,
        ("s1", "Pi", pi("one"), ["/home/ann/shop/a.py"]),
        ("s2", "Pi", [*pi("one"), *pi("more", 7)[1:]], ["/home/ann/shop/b.py"]),
        ("s3", "Pi", pi("other", 3), ["c.py"]),
    )
    assert [(s.id, sorted(s.gold)) for s in found(tmp_path).sessions] == [
        ("s1", ["a.py", "b.py"]),
        ("s3", ["c.py"]),
    ]


def test_paths_are_relative_to_the_repository(tmp_path: Path) -> None:
    """Work trees and the signs of Windows go; what lies outside is no file of the repository."""
    windows: list[Record] = [{"type": "session", "cwd": "D:\\shop"}, {"type": "message", "message": {}}]
    edited = [
        "D:\\shop\\src\\a.go",
        "D:\\shop\\.claude\\worktrees\\agent-1\\src\\b.go",
        "C:\\Users\\ann\\notes.md",
        "../c.go",
    ]
    data(tmp_path, ("s1", "Pi", windows, edited))
    assert sorted(found(tmp_path).sessions[0].gold) == ["src/a.go", "src/b.go"]


def test_a_session_is_written_as_our_own_events(tmp_path: Path) -> None:
    """What was asked and edited, and where and when, is read from it again."""
    data(tmp_path, ("s1", "Pi", pi("mend it"), ["b.py", "a.py"]))
    events = list(events_of(write(found(tmp_path).sessions[0], tmp_path / "projects")))
    assert [e.text for e in events if e.kind == "user_prompt"] == ["mend it"]
    assert [e.paths for e in events if e.kind == "tool_call"] == [("a.py",), ("b.py",)]
    assert {e.branch for e in events} == {"main"}
    assert (events[0].at, events[-1].at) == (
        "2026-01-01T10:00:00.000Z",
        "2026-01-01T11:00:00.000Z",
    )
