"""The recordings of many repositories: one form for every host, copies once, paths inside the repository."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.many_sessions import Repository, read

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
