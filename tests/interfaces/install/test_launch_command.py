"""The words that call Remora, how they are known again, and whether what they start reports anything."""

from __future__ import annotations

import json
import os
import shlex
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from remora.core.clock import to_iso
from remora.core.errors import InvalidInput
from remora.disk.live import file_name
from remora.interfaces.install.health import silent
from remora.interfaces.install.launch_command import Call, Ours, call_of
from remora.interfaces.install.records import Past, Record, write
from remora.sources.transcripts.paths import slug
from tests.interfaces.install.conftest import Bench
from tests.sources.transcripts.hosts.homes_kit import Machine
from tests.sources.transcripts.records import claude, put
from tests.tables import table

NOW = time.time()


def program(path: Path, script: str = "exit 2") -> Path:
    """Write a program."""
    path.parent.mkdir(parents=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def test_by_name_or_by_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name is written if the path finds what runs now, else a place; what a checkout brings is no place."""
    own, other = program(tmp_path / "bin/remora"), program(tmp_path / "other/remora")
    monkeypatch.setattr(sys, "argv", [str(own)])
    found = call_of(None, {"PATH": str(own.parent)})
    assert (found.words, found.shared, found.own().words) == (("remora",), True, (str(own),))
    assert Call(("uvx", "remora")).own().words == ("uvx", "remora")
    for path in (str(other.parent), ""):
        assert call_of(None, {"PATH": path}).words == (str(own),)
    monkeypatch.setattr(sys, "argv", ["/somewhere/remora/__main__.py"])
    assert call_of(None, {"PATH": ""}).words == (sys.executable, "-P", "-m", "remora")
    planted = program(tmp_path / "shop/.venv/bin/remora")
    (tmp_path / "shop/.git").mkdir()
    environ = {"PATH": f"{planted.parent}{os.pathsep}{own.parent}"}
    assert call_of(None, environ).own().words == (str(planted),)
    assert call_of(None, environ, outside=str(tmp_path / "shop")).own().words == (str(own),)


def test_as_given() -> None:
    """A command is split as a shell would, and is a line that a shell reads; no other is taken."""
    assert call_of('uvx --from "remora[mcp]" remora', {}).words == ("uvx", "--from", "remora[mcp]", "remora")
    assert call_of("C:\\bin\\remora.exe -x", {}, windows=True).words == ("C:\\bin\\remora.exe", "-x")
    for wrong in ("", "  ", "a 'b"):
        with pytest.raises(InvalidInput):
            call_of(wrong, {})
    words = ('/a b/it\'s "x"', "-m", "remora")
    line = Call(words).sh("codex").removesuffix("; exit 0")
    assert shlex.split(line) == [*words, "hook", "--host", "codex"]
    assert os.name == "nt" or not Call(words).plain


def test_a_line_never_fails(tmp_path: Path) -> None:
    """Whatever becomes of Remora, and without it, a shell ends with 0; what was said is passed on."""
    for code in (0, 2):
        script = program(tmp_path / f"a {code}/remora", f'cat\necho " $*"\nexit {code}')
        line = Call((str(script),)).sh("gemini")
        done = subprocess.run(["sh", "-c", line], input=b"{}", capture_output=True, check=False)
        assert (done.returncode, done.stdout) == (0, b"{} hook --host gemini\n")
    words, nowhere = ["/bin/sh", "-c", Call().sh("gemini")], {"PATH": str(tmp_path)}
    done = subprocess.run(words, env=nowhere, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, b"")


@pytest.mark.parametrize(("whose", "entry"), table(__file__, "handlers"))
def test_our_handlers(whose: str, entry: str) -> None:
    """They are known by what they call, for one host; anybody else's are not."""
    assert Ours("cursor", ("/opt/memory",)).hook(json.loads(entry)) is (whose == "ours")


def test_our_servers() -> None:
    """A server is ours when it runs `remora mcp`, in whatever form."""
    ours = Ours("opencode")
    assert ours.server({"command": ["remora", "mcp"]})
    assert ours.server({"command": "/x/python", "args": ["-m", "remora", "mcp"]})
    assert not ours.server({"url": "http://127.0.0.1:8765/mcp"})
    assert not ours.server({"command": "memo", "args": ["mcp"]})


def installed(data: Path, host: str, part: str = "hooks", root: str = "") -> None:
    """Write what an install for the user left an hour ago."""
    path = data / "installed" / f"{host}-user.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    write(path, Record(host, "user", root, "remora", (Past(Path("x"), (part,), "", ""),)))
    os.utime(path, (NOW - 3600, NOW - 3600))


def test_hooks_that_do_not_run_are_named(bench: Bench) -> None:
    """Sessions since the install left no sign of a hook; one that did is enough, and so is no hook here."""

    def session(name: str, ago: float) -> None:
        """Leave a session's transcript."""
        line = claude("user", name, "hi", sessionId=name, cwd=str(bench.root), timestamp=to_iso(NOW - ago))
        put(bench.home / ".claude/projects" / slug(str(bench.root)) / f"{name}.jsonl", [line])

    def told() -> list[str]:
        """Return what is said of it."""
        return [one.detail for one in silent(bench.root, bench.data, {"HOME": str(bench.home)})]

    installed(bench.data, "claude-code")
    assert told() == []
    session("before", 7200)
    assert told() == []
    for number in range(4):
        session(f"s{number}", 600 - number)
    silence = ["installed, but its last 3 sessions here sent no events"]
    assert told() == silence
    for part, root, expected in (
        ("mcp", "", []),
        ("hooks", "/another/project", []),
        ("hooks", str(bench.root), silence),
    ):
        installed(bench.data, "claude-code", part, root)
        assert told() == expected
    session("s9", 10)
    bench.put(bench.data / "live" / file_name("claude-code", "s9"), "")
    assert told() == []


def test_a_host_with_a_database_is_not_looked_at(tmp_path: Path) -> None:
    """It may be gigabytes, and have to be copied."""
    left = Machine(tmp_path / "m", "opencode")
    (path,) = (p for p in left.files() if p.suffix == ".db")
    with closing(sqlite3.connect(path)) as host:
        host.execute("UPDATE session SET time_created = ?", (int(NOW * 1000) - 60_000,))
        host.commit()
    installed(tmp_path, "opencode")
    assert left.found("opencode").transcripts
    assert list(silent(left.root, tmp_path, left.environ)) == []
