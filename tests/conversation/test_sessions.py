"""The sessions of a folder are listed without reading their logs, broken ones included."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from remora.conversation.log import SessionLog
from remora.conversation.sessions import SessionInfo, list_sessions
from remora.core.clock import FixedClock
from remora.core.errors import StoreError
from remora.disk.names import safe_name

T0 = "2026-01-01T00:00:00.000Z"


def written(folder: Path, session_id: str, messages: int, *, at: float = 0.0) -> SessionLog:
    """Return a log with some messages, last written to so many seconds after 1970."""
    log = SessionLog(folder, session_id, FixedClock(T0))
    log.extend([{"role": "user", "content": f"m{n}"} for n in range(messages)])
    os.utime(log.path, (at, at))
    return log


def test_sessions_come_latest_first(tmp_path: Path) -> None:
    """Each has its id, path, times and number of messages; the one written to last is first."""
    old, new = written(tmp_path, "cli:1", 2, at=10), written(tmp_path, "Web:Ä", 3, at=20)
    assert list_sessions(tmp_path) == [
        SessionInfo("Web:Ä", new.path, T0, "1970-01-01T00:00:20.000Z", 3),
        SessionInfo("cli:1", old.path, T0, "1970-01-01T00:00:10.000Z", 2),
    ]


def test_markers_and_boundaries_do_not_change_the_number(tmp_path: Path) -> None:
    """The number counts everything ever said."""
    log = written(tmp_path, "cli:1", 5)
    log.compact("S", 4)
    log.clear()
    log.set_state("PAUSED")
    assert [info.messages for info in list_sessions(tmp_path)] == [5]


def test_a_huge_last_message(tmp_path: Path) -> None:
    """The number is found also where the last line is larger than what is read at a time."""
    log = written(tmp_path, "cli:1", 7)
    log.append({"role": "user", "content": "y" * 700_000})
    log.append({"role": "user", "content": "z" * 70_000})
    assert [info.messages for info in list_sessions(tmp_path)] == [9]


@pytest.mark.parametrize(
    ("content", "created", "messages", "problem"),
    [
        (b"", None, 0, "line 1 is not the metadata line"),
        (b"\x00" * 100, None, 0, "line 1: not JSON"),
        (b'{"role":"user","content":"a"}\n' * 4, None, 3, "line 1 is not the metadata line"),
        (b'{"_type":"metadata","createdAt":5}\n{"role":"u","content":"a"}\n', None, 1, ""),
        (b'{"_type":"metadata","createdAt":"then"}\r\n{"seq":4}\r\nrubbish\r\n{"seq":5,"to', "then", 4, ""),
        (b'{"_type":"metadata","createdAt":"then"}\n{"seq":4}\n{"seq":5}', "then", 4, ""),
    ],
)
def test_broken_files_are_listed(
    tmp_path: Path, content: bytes, created: str | None, messages: int, problem: str
) -> None:
    """A file that is no sound log is listed with what can be said of it, and the others are too."""
    broken = tmp_path / f"{safe_name('cli:broken')}.jsonl"
    broken.write_bytes(content)
    written(tmp_path, "cli:good", 1)
    found = {info.id: info for info in list_sessions(tmp_path)}
    assert found["cli:good"].messages == 1
    assert found["cli:broken"].created == created
    assert found["cli:broken"].messages == messages
    assert found["cli:broken"].problem.startswith(problem)
    assert bool(found["cli:broken"].problem) == bool(problem)


def test_other_files_are_not_sessions(tmp_path: Path) -> None:
    """Locks, folders and files with another ending are passed over; foreign names keep their stem as id."""
    written(tmp_path, "cli:1", 1)
    (tmp_path / "folder.jsonl").mkdir()
    (tmp_path / "notes.txt").write_text("x")
    (tmp_path / "My Session.jsonl").write_text('{"role":"user","content":"a"}\n')
    assert sorted(info.id for info in list_sessions(tmp_path)) == ["My Session", "cli:1"]


def test_a_file_in_the_place_of_the_folder(tmp_path: Path) -> None:
    """What cannot be listed is an error of ours."""
    (tmp_path / "sessions").write_text("")
    with pytest.raises(StoreError, match="sessions"):
        list_sessions(tmp_path / "sessions")
