"""Whether what was installed runs: sessions that reported nothing are named."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from remora.core.clock import to_iso
from remora.disk.live import file_name
from remora.interfaces.install.health import silent
from remora.interfaces.install.records import Past, Record, write
from remora.sources.transcripts.paths import slug
from tests.sources.transcripts.hosts.homes_kit import Machine as Left
from tests.sources.transcripts.records import claude, put

NOW = time.time()


class Machine:
    """A machine with hooks of Claude Code, installed an hour ago, and a project."""

    def __init__(self, folder: Path) -> None:
        self.root, self.data = folder / "shop", folder / "data"
        self.root.mkdir()
        self.environ = {"HOME": str(folder / "home")}
        self.installed("hooks")

    def installed(self, part: str, root: str = "") -> None:
        """Write what an install left."""
        path = self.data / "installed" / "claude-code-user.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path, Record("claude-code", "user", root, "remora", (Past(Path("x"), (part,), "", ""),)))
        os.utime(path, (NOW - 3600, NOW - 3600))

    def session(self, name: str, ago: float, *, reported: bool) -> None:
        """Leave a session's transcript, and its live file if a hook ran."""
        folder = self.root.parent / "home" / ".claude" / "projects" / slug(str(self.root))
        line = claude("user", name, "hi", sessionId=name, cwd=str(self.root), timestamp=to_iso(NOW - ago))
        put(folder / f"{name}.jsonl", [line])
        if reported:
            live = self.data / "live" / file_name("claude-code", name)
            live.parent.mkdir(parents=True, exist_ok=True)
            live.touch()

    def told(self) -> list[str]:
        """Return what is said of it."""
        return [one.detail for one in silent(self.root, self.data, self.environ)]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """Return a machine."""
    return Machine(tmp_path.resolve())


def test_hooks_that_do_not_run_are_named(machine: Machine) -> None:
    """Sessions since the install left no sign of a hook; one that did is enough."""
    assert machine.told() == []
    machine.session("before", 7200, reported=False)
    assert machine.told() == []
    for number in range(4):
        machine.session(f"s{number}", 600 - number, reported=False)
    assert machine.told() == ["installed, but its last 3 sessions here sent no events"]
    machine.session("s9", 10, reported=True)
    assert machine.told() == []


def test_a_host_with_a_database_is_not_looked_at(tmp_path: Path) -> None:
    """It may be gigabytes, and have to be copied."""
    left = Left(tmp_path / "m", "opencode")
    (path,) = (p for p in left.files() if p.suffix == ".db")
    with closing(sqlite3.connect(path)) as host:
        host.execute("UPDATE session SET time_created = ?", (int(NOW * 1000) - 60_000,))
        host.commit()
    data = tmp_path / "data"
    record = data / "installed" / "opencode-user.json"
    record.parent.mkdir(parents=True)
    write(record, Record("opencode", "user", "", "remora", (Past(Path("x"), ("hooks",), "", ""),)))
    os.utime(record, (NOW - 3600, NOW - 3600))
    assert left.found("opencode").transcripts
    assert list(silent(left.root, data, left.environ)) == []


def test_without_hooks_there_is_nothing_to_report(machine: Machine) -> None:
    """Only the server was installed, or for another project."""
    machine.session("s1", 60, reported=False)
    machine.installed("mcp")
    assert machine.told() == []
    machine.installed("hooks", root="/another/project")
    assert machine.told() == []
    machine.installed("hooks", root=str(machine.root))
    assert len(machine.told()) == 1
