"""The sessions of a folder are listed without reading their logs, broken ones included."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from remora.conversation.log import SessionLog
from remora.conversation.sessions import SessionInfo, list_sessions
from remora.core.errors import StoreError
from remora.disk.names import safe_name
from tests.conversation.logs import T0, open_log, user


def written(folder: Path, session_id: str, messages: int, *, at: float = 0.0) -> SessionLog:
    """Return a log with some messages, last written to so many seconds after 1970."""
    log = open_log(folder, session_id)
    log.extend([user(f"m{n}") for n in range(messages)])
    os.utime(log.path, (at, at))
    return log


def test_sessions_come_latest_first(tmp_path: Path) -> None:
    """Each has its id, path, times and number of messages ever said; the one written to last is first."""
    old, new = written(tmp_path, "cli:1", 2, at=10), written(tmp_path, "Web:Ä", 3, at=20)
    assert list_sessions(tmp_path) == [
        SessionInfo("Web:Ä", new.path, T0, "1970-01-01T00:00:20.000Z", 3),
        SessionInfo("cli:1", old.path, T0, "1970-01-01T00:00:10.000Z", 2),
    ]
    new.compact("S", 2)
    new.clear()
    new.set_state("PAUSED")
    assert [info.messages for info in list_sessions(tmp_path)] == [3, 2]
    for size in (700_000, 70_000):  # more than what is read at a time
        new.append(user("y" * size))
    assert [info.messages for info in list_sessions(tmp_path)] == [5, 2]


@pytest.mark.parametrize(
    ("content", "created", "messages", "problem"),
    [
        (b"", None, 0, "line 1 is not the metadata line"),
        (b'{"role":"user","content":"a"}\n' * 4, None, 0, "line 1 is not the metadata line"),
        (b'{"_type":"metadata","createdAt":5}\n{"role":"u","content":"a"}\n', None, 0, ""),
        (b'{"_type":"metadata","createdAt":"then"}\r\n{"seq":4}\r\nrubbish\r\n{"seq":5,"to', "then", 4, ""),
    ],
)
def test_broken_files_are_listed(
    tmp_path: Path, content: bytes, created: str | None, messages: int, problem: str
) -> None:
    """A file that is no sound log is listed with what can be said of it, and the others are too."""
    (tmp_path / f"{safe_name('cli:broken')}.jsonl").write_bytes(content)
    written(tmp_path, "cli:good", 1)
    found = {info.id: info for info in list_sessions(tmp_path)}
    assert found["cli:good"].messages == 1
    broken = found["cli:broken"]
    assert (broken.created, broken.messages) == (created, messages)
    assert broken.problem.startswith(problem)
    assert bool(broken.problem) == bool(problem)


def test_other_files_are_not_sessions(tmp_path: Path) -> None:
    """Locks, folders and other endings are passed over; foreign names are ids; a file is no folder."""
    written(tmp_path, "cli:1", 1)
    (tmp_path / "folder.jsonl").mkdir()
    (tmp_path / "notes.txt").write_text("x")
    (tmp_path / "My Session.jsonl").write_text('{"role":"user","content":"a"}\n')
    assert sorted(info.id for info in list_sessions(tmp_path)) == ["My Session", "cli:1"]
    with pytest.raises(StoreError, match="notes"):
        list_sessions(tmp_path / "notes.txt")
