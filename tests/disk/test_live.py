"""The live file of a session: appended to by many short processes, read whole by each."""

from __future__ import annotations

import errno
import json
import subprocess
import sys
from pathlib import Path

import pytest

from remora.disk import live
from remora.disk.live import (
    Head,
    LiveFile,
    file_name,
    last_line,
    live_file,
    read,
)
from tests.tables import table

HEAD = Head(
    "codex", "s1", "/w", "/home", "2026-01-01T00:00:00Z", "/t.jsonl", "/w/.git/HEAD", 2.5, (0.65, 3.0)
)


def environ(tmp_path: Path) -> dict[str, str]:
    """Return an environment with a data folder of its own."""
    return {"REMORA_HOME": str(tmp_path / "data")}


def test_what_one_process_writes_the_next_one_reads(tmp_path: Path):
    """The first line is the head; what follows are moments, in order."""
    with live_file("codex", "s1", environ(tmp_path)) as first:
        assert (first.head, first.lines) == (None, [])
        first.begin(HEAD)
        first.add({"k": "prompt"}, {"k": "after", "p": ["ä.py"]})
    with live_file("codex", "s1", environ(tmp_path)) as second:
        assert second.head == HEAD
        assert second.lines == [{"k": "prompt"}, {"k": "after", "p": ["ä.py"]}]
    assert read(second.path) == (HEAD, second.lines)
    assert Path(second.path).stat().st_mode & 0o777 == 0o600


def test_a_line_that_a_crash_cut_off_is_skipped_and_ended(tmp_path: Path):
    """It never swallows the next one."""
    with live_file("h", "s", environ(tmp_path)) as file:
        file.begin(HEAD)
    with Path(file.path).open("ab") as raw:
        raw.write(b'{"k": "after", "p"')
    with live_file("h", "s", environ(tmp_path)) as file:
        assert file.lines == []
        file.add({"k": "prompt"})
    assert read(file.path)[1] == [{"k": "prompt"}]


@pytest.mark.parametrize("content", [b"\xff\xfe\0", b"[1, 2]\n3\nnull\n", b"\n\n\n", b'{"remora": "live"}\n'])
def test_whatever_stands_in_the_file(tmp_path: Path, content: bytes):
    """Garbage gives no moments and no error."""
    path = tmp_path / "x.jsonl"
    path.write_bytes(content)
    with LiveFile(str(path)) as file:
        assert file.lines == []
        file.add({"k": "prompt"})
    assert read(str(path))[1] == [{"k": "prompt"}]


def test_a_file_without_end_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Reading it would cost more than any advice is worth."""
    monkeypatch.setattr(live, "MAX_BYTES", 100)
    (tmp_path / "x.jsonl").write_text("x" * 101)
    with pytest.raises(OSError, match="full"), LiveFile(str(tmp_path / "x.jsonl")):
        pass


@pytest.mark.parametrize(
    ("one", "other"),
    [(("h", "A"), ("h", "a")), (("h", "a+b"), ("h+a", "b")), (("h", "x" * 300), ("h", "x" * 299 + "y"))],
)
def test_two_sessions_never_share_a_file(one: tuple[str, str], other: tuple[str, str]):
    """Also where the file system does not tell `A` from `a`, and where ids are very long."""
    assert file_name(*one).lower() != file_name(*other).lower()


@pytest.mark.parametrize("session", ["../../etc/passwd", "a/b", "C:\\x", "", ".", "con", "ä" * 200])
def test_an_id_never_leads_out_of_the_folder(session: str):
    """Names are plain and not too long for any file system."""
    name = file_name("h", session)
    assert "/" not in name
    assert "\\" not in name
    assert not name.startswith(".")
    assert len(name.encode()) < 143


def test_processes_at_once_lose_nothing(tmp_path: Path):
    """Tools run in parallel, and so do their hooks."""
    code = (
        "import sys; from remora.disk.live import LiveFile\n"
        "for n in range(20):\n"
        "    with LiveFile(sys.argv[1]) as f: f.add({'n': n, 'who': sys.argv[2], 'seen': len(f.lines)})\n"
    )
    path = str(tmp_path / "x.jsonl")
    running = [subprocess.Popen([sys.executable, "-c", code, path, str(i)]) for i in range(4)]
    assert [process.wait() for process in running] == [0] * 4
    lines = read(path)[1]
    assert len(lines) == 80
    assert sorted(line["seen"] for line in lines) == list(range(80))
    assert all(json.dumps(line) for line in lines)


def test_whoever_holds_the_file_too_long_is_passed_by(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A hook waits a fifth of a second, then goes on."""
    monkeypatch.setattr(live, "WAIT", 0.02)
    path = str(tmp_path / "x.jsonl")
    with LiveFile(path) as first, LiveFile(path) as second:
        second.add({"k": "prompt"})
        assert (first.alone, second.alone) == (True, False)
    assert read(path)[1] == [{"k": "prompt"}]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no flock")
def test_without_locks_nobody_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """On a file system that has none, the file is used as it is."""

    def none(*_: object) -> None:
        raise OSError(errno.ENOLCK, "no locks")

    monkeypatch.setattr("fcntl.flock", none)
    monkeypatch.setattr(live, "WAIT", 60.0)
    with LiveFile(str(tmp_path / "x.jsonl")) as file:
        assert file.alone


def rows(*lines: object) -> bytes:
    """Return lines as they stand in a file."""
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


FIRST = {"remora": "live", "v": 1, **HEAD._asdict()}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe\0",
        rows(FIRST),
        rows({"k": "start"}),
        rows(FIRST, {"k": "start"}, FIRST | {"home": "/other"}, {"k": "prompt", "q": "remora"}),
        rows(FIRST, {"k": "after", "x": '"remora": "live"'}, {"remora": "dead", "k": "x"}),
        rows(FIRST, {"k": "start"}) + b'{"remora": "live", "home": "/cut',
        rows(FIRST, {"k": "start"}, *({"k": "after", "n": n} for n in range(500))),
        rows(FIRST, *({"k": "after", "n": n} for n in range(9_000))),
        rows(FIRST, {"k": "long", "x": "x" * 40_000}) + b"garbage" * 999,
    ],
)
def test_the_last_moment_is_that_of_the_whole(tmp_path: Path, content: bytes):
    """It is read from the file's end."""
    path = tmp_path / "x.jsonl"
    path.write_bytes(content)
    _, lines = read(str(path))
    assert last_line(str(path)) == (lines[-1] if lines else {})


AGES = {"now": 0.0, "nearly quiet": live.QUIET - 10, "quiet": live.QUIET + 10, "hours": 99_999.0}


@pytest.mark.parametrize(("expected", "age", "kinds"), table(__file__, "over"))
def test_when_a_session_is_over(expected: str, age: str, kinds: str):
    """It says so, or pauses after a turn for minutes, or anywhere for hours; then not until it goes on.

    What was learnt in a pause is looked at once more when hours have passed.
    """
    lines: list[live.Line] = []
    for word in kinds.split():
        kind, _, agent = word.partition(":")
        lines.append({"k": kind.rstrip("+"), **({"g": agent} if agent else {})})
        lines[-1] |= {live.OPEN: 1} if kind.endswith("+") else {}
    assert live.is_over(lines, AGES[age]) is (expected == "over")
