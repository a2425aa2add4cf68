"""Other hosts: what each leaves on a machine is found, and read as the events that are kept beside it."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from remora.sources.transcripts.discovery import find, find_in
from remora.sources.transcripts.hosts import OTHERS
from remora.sources.transcripts.reader import read
from tests.sources.transcripts.hosts.homes_kit import Machine, golden, in_utc
from tests.sources.transcripts.test_damage import changed, check

each_host = pytest.mark.parametrize("host", OTHERS)


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Local times are those of UTC."""
    with monkeypatch.context() as patched:
        patched.setenv("TZ", "UTC")
        in_utc()
        yield
    if hasattr(time, "tzset"):
        time.tzset()


@each_host
def test_what_a_host_left_is_read_as_these_events(tmp_path: Path, host: str) -> None:
    """Found from the project alone, in the host's own place."""
    assert Machine(tmp_path / "m", host).events(host) == golden(host).read_text("utf-8")


@each_host
def test_another_project_has_none_of_it(tmp_path: Path, host: str) -> None:
    """A neighbour whose name begins alike included."""
    machine = Machine(tmp_path / "m", host)
    neighbour = machine.place / "project-two"
    neighbour.mkdir()
    assert find(neighbour, machine.environ).transcripts == ()


@pytest.mark.parametrize("host", ["aider", "specstory"])
def test_what_came_with_a_clone_is_nobodys_word(tmp_path: Path, host: str) -> None:
    """A history that git tracks, or of a folder without git, is read only if a person names it."""
    machine = Machine(tmp_path / "m", host)
    first = machine.found(host).transcripts[0]
    subprocess.run(["git", "add", "-f", "-A"], cwd=machine.root, check=True)
    found = machine.found(host)
    assert found.transcripts == ()
    assert "may have come with the project" in found.bad[0].reason
    shutil.rmtree(machine.root / ".git")
    assert machine.found(host).transcripts == ()
    assert first.session_id in {t.session_id for t in find_in(first.path).transcripts}


@pytest.mark.slow
def test_a_history_of_each_work_tree_is_its_own(tmp_path: Path) -> None:
    """Git is asked in each, for hundreds of files at once; one that is tracked hides no other."""
    machine = Machine(tmp_path / "m", "specstory")
    beside = machine.place / "beside"
    for given in (
        *(["config", f"user.{key}", "x"] for key in ("name", "email")),
        ["commit", "-q", "--allow-empty", "-m", "one"],
        ["worktree", "add", "-q", str(beside)],
    ):
        subprocess.run(["git", *given], cwd=machine.root, check=True)
    history = machine.root / ".specstory" / "history"
    (beside / ".specstory" / "history").mkdir(parents=True)
    head = "<!-- Claude Code Session here-{} (2026-01-05 12:00:00Z) -->\n\n_**User**_\n\nhi\n"
    for number in range(300):
        name = f"{number:04}-{'a' * 100}.md"
        (history / name).write_text(head.format(f"{number:08}"), "utf-8")
    (beside / ".specstory" / "history" / "b.md").write_text(head.format("beside-01"), "utf-8")
    tracked = next(history.glob("0000-*"))
    subprocess.run(["git", "add", "-f", str(tracked)], cwd=machine.root, check=True)
    found = machine.found("specstory")
    names = {t.session_id for t in found.transcripts}
    assert len(names) == 302
    assert "here-beside-01" in names
    assert "here-00000000" not in names
    assert [bad.reason for bad in found.bad] == [
        "1 session files of specstory may have come with the project; to learn from one, pass its path"
    ]


@each_host
def test_a_file_is_known_by_itself(tmp_path: Path, host: str) -> None:
    """Given by its path, as `remora learn FILE` does, without the place that it lies in."""
    machine = Machine(tmp_path / "m", host)
    first = machine.found(host).transcripts[0]
    assert first.session_id in {t.session_id for t in find_in(first.path).transcripts if t.host == host}


@each_host
def test_each_event_has_a_name_of_its_own(tmp_path: Path, host: str) -> None:
    """Read twice with the same marks, a session gives each event once."""
    machine = Machine(tmp_path / "m", host)
    seen: set[int] = set()
    for _ in range(2):
        for t in machine.found(host).transcripts:
            check(list(read(t.path, host=host, session=t.session, seen=seen)))
    assert not list(read(t.path, host=host, session=t.session, seen=seen))


@pytest.mark.slow
@each_host
def test_damage_never_raises(tmp_path: Path, host: str) -> None:
    """Cut anywhere, with any bytes changed: what is sound is read, the rest is counted or named."""
    random_ = random.Random(5)
    machine = Machine(tmp_path / "m", host)
    paths = machine.files()
    whole = {path: path.read_bytes() for path in paths}
    for _ in range(20):
        for path, data in whole.items():
            changed = bytearray(data[: random_.randrange(len(data) + 1)] if random_.random() < 0.3 else data)
            for _ in range(random_.randrange(12)):
                if changed:
                    changed[random_.randrange(len(changed))] = random_.randrange(256)
            path.write_bytes(changed)
        for t in machine.found(host).transcripts:
            check(list(read(t.path, host=host, session=t.session)))


def _scramble(path: Path, text: str, random_: random.Random) -> None:
    """Change something in a file of JSON, or in the JSON that a database holds."""
    if text:
        lines = text.splitlines() if path.suffix == ".jsonl" else [text]
        lines = [json.dumps(changed(json.loads(line), random_)) for line in lines]
        path.write_text("\n".join(lines) + "\n", "utf-8")
        return
    database = sqlite3.connect(path)
    for (name,) in list(database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")):
        asked = database.execute(f"SELECT rowid, * FROM {name}")
        columns = [column[0] for column in asked.description][1:]
        for row, *values in asked.fetchall():
            for column, value in zip(columns, values, strict=True):
                if isinstance(value, str) and value[:1] == "{" and value[-1:] == "}":
                    told = json.dumps(changed(json.loads(value), random_))
                    database.execute(f"UPDATE {name} SET {column} = ? WHERE rowid = ?", (told, row))
    database.commit()
    database.close()


@pytest.mark.slow
@each_host
def test_changed_values_never_raise(tmp_path: Path, host: str) -> None:
    """Any value in JSON may be of any kind: what cannot be understood is passed over."""
    random_ = random.Random(11)
    machine = Machine(tmp_path / "m", host)
    paths = [p for p in machine.files() if p.suffix not in ("", ".md")]
    whole = {path: path.read_bytes() for path in paths}
    for _ in range(30 if whole else 0):
        for path, data in whole.items():
            path.write_bytes(data)
            held = "" if data.startswith(b"SQLite format 3") else data.decode()
            _scramble(path, held, random_)
        for t in machine.found(host).transcripts:
            check(list(read(t.path, host=host, session=t.session)))


@each_host
def test_a_database_is_never_written_to(tmp_path: Path, host: str) -> None:
    """Nor locked, nor given files beside it: the host may have it open."""
    machine = Machine(tmp_path / "m", host)
    before = {p: p.read_bytes() for p in machine.files()}
    opened = [sqlite3.connect(p) for p, data in before.items() if data.startswith(b"SQLite format 3")]
    machine.events(host)
    for database in opened:
        database.close()
    assert {p: p.read_bytes() for p in machine.files()} == before
