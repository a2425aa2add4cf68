"""A fresh machine for Claude Code: a home, a repository, Remora on the PATH, and a model that plays a script.

Nothing of the person who runs the tests gets in: the environment is written from nothing, and whatever would
leave the machine is sent to a port where nobody listens.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from remora.disk import live
from remora.disk.leftovers import TEMP_PREFIX
from remora.disk.live import LEARNT
from tests.interfaces.hooks.real.scripted_api import Asked, Script, ScriptedApi

if sys.platform != "win32":
    import fcntl

ROOT = Path(__file__).resolve().parents[4]
HOST = "claude-code"
SECONDS = 120.0  # of one run of Claude Code, and of the work that follows it
SERVER = "mcp__plugin_remora_remora"
TOOLS = ("Bash", "Edit", "Write", "Read", "Grep", "Glob", "Agent", SERVER)
NOWHERE = "http://127.0.0.1:9"

FILES = {
    "Makefile": "lint:\n\t@python3 tools/lint.py app\n\nsetup:\n\t@python3 tools/build_db.py\n",
    ".gitignore": "__pycache__/\n*.db\n",
    "tools/lint.py": '''\
"""Complain about times without a zone."""

import pathlib
import sys

bad = 0
for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.py")):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        column = line.find("datetime.now()")
        if column >= 0:
            print(f"{path}:{number}:{column + 1}: datetime.now() has no time zone (naive-time)")
            bad += 1
sys.exit(1 if bad else 0)
''',
    "tools/build_db.py": '''\
"""Make the database that the report reads."""

import sqlite3

with sqlite3.connect("shop.db") as db:
    db.execute("CREATE TABLE IF NOT EXISTS orders (total INTEGER)")
''',
    "app/__init__.py": "",
    "app/clock.py": '''\
"""When things happen."""

from datetime import datetime, timedelta, timezone


def opened_at():
    """Return when the shop was opened."""
    return datetime.now() - timedelta(hours=8)
''',
    "app/orders.py": '''\
"""What was ordered."""

from datetime import datetime, timezone


def order(total):
    """Return an order."""
    return {"total": total, "at": datetime.now()}
''',
    "app/invoices.py": '''\
"""What is to be paid."""

from datetime import datetime, timezone


def invoice(total):
    """Return an invoice."""
    return {"total": total}
''',
    "app/report.py": '''\
"""Add up what was ordered."""

import sqlite3

with sqlite3.connect("shop.db") as db:
    print(db.execute("SELECT coalesce(sum(total), 0) FROM orders").fetchone()[0])
''',
    "tests/__init__.py": "",
    "tests/test_orders.py": '''\
"""Orders have a total."""

import unittest

from app.orders import order


class Orders(unittest.TestCase):
    """What an order is."""

    def test_total(self):
        """The total is kept."""
        self.assertEqual(order(3)["total"], 3)
''',
}


class Session(NamedTuple):
    """One run of Claude Code.

    Attributes:
        id: of the session.
        code: that it ended with.
        events: what it printed, line by line.
        asked: what the model was sent.
        stderr: what it wrote there.
    """

    id: str
    code: int
    events: list[dict[str, Any]]
    asked: list[Asked]
    stderr: str

    @property
    def hooks(self) -> list[dict[str, Any]]:
        """What each hook answered, in the order in which they ended."""
        return [event for event in self.events if event.get("subtype") == "hook_response"]


class World:
    """A home, a repository and what runs in them.

    Attributes:
        folder: where everything lies.
        repo: the repository.
        data: Remora's data folder.
        config: Claude Code's folder.
    """

    def __init__(self, folder: Path, claude: Path, api: ScriptedApi) -> None:
        self.folder, self.claude, self.api = folder, claude, api
        self.home, self.repo, self.bin = folder / "home", folder / "shop", folder / "bin"
        self.data, self.config, self.tmp = self.home / "remora", self.home / ".claude", folder / "tmp"

    def make(self) -> None:
        """Make it anew, with a repository in its first state."""
        for place in (self.home, self.bin, self.tmp):
            place.mkdir(parents=True)
        self.on_path("remora", f'#!/bin/sh\nexec "{sys.executable}" -m remora "$@"\n')
        (self.bin / "python3").symlink_to(Path(sys.base_prefix) / "bin" / "python3")
        for name, text in FILES.items():
            path = self.repo / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        for words in (
            ("init", "-q", "-b", "main"),
            ("config", "user.name", "Ada"),
            ("config", "user.email", "ada@example.org"),
            ("add", "-A"),
            ("commit", "-q", "-m", "A shop"),
        ):
            self.git(*words)

    def on_path(self, name: str, script: str) -> None:
        """Put a program where hooks and commands find it."""
        path = self.bin / name
        path.write_text(script, "utf-8")
        path.chmod(0o755)

    @property
    def environ(self) -> dict[str, str]:
        """The whole environment of everything that runs here."""
        return {
            "PATH": os.pathsep.join((str(self.bin), *_folders_of("git", "make", "sh"))),
            "HOME": str(self.home),
            "TMPDIR": str(self.tmp),
            "LANG": "C.UTF-8",
            "PYTHONPATH": str(ROOT),
            "PYTHONDONTWRITEBYTECODE": "1",
            "REMORA_HOME": str(self.data),
            "REMORA_EMBEDDING_PROVIDER": "onnx",
            "REMORA_TRIAL_SHARE": "0",  # nothing is held back by chance
            "CLAUDE_CONFIG_DIR": str(self.config),
            "ANTHROPIC_BASE_URL": self.api.url,
            "ANTHROPIC_API_KEY": "sk-ant-none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
            "DISABLE_AUTOUPDATER": "1",
            "HTTPS_PROXY": NOWHERE,
            "HTTP_PROXY": NOWHERE,
            "NO_PROXY": "127.0.0.1,localhost",
        }

    def git(self, *words: str) -> str:
        """Run git in the repository."""
        return self.call("git", *words)

    def call(self, *command: str | Path, cwd: Path | None = None) -> str:
        """Run a program in the repository and return what it printed."""
        done = subprocess.run(
            [str(word) for word in command],
            cwd=cwd or self.repo,
            env=self.environ,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout

    def install_plugin(self) -> None:
        """Install the plugin from the marketplace of this repository, as a person would."""
        self.call(self.claude, "plugin", "marketplace", "add", ROOT)
        self.call(self.claude, "plugin", "install", "remora@remora")

    def session(
        self,
        script: Script,
        *options: str,
        prompts: Sequence[str] = (),
        before: Sequence[str] = (),
        environ: Mapping[str, str] | None = None,
    ) -> Session:
        """Run Claude Code over the repository until it ends, and return what was seen of it.

        Args:
            script: what the model does.
            options: further ones.
            prompts: what the person says, one after the other; the first ask of the script by default.
            before: words that run Claude Code.
            environ: variables in place of the usual ones.
        """
        self.api.play(script)
        start = len(self.api.asked)
        command = [*before, str(self.claude), "-p", "--verbose", "--include-hook-events"]
        command += ["--input-format", "stream-json", "--output-format", "stream-json"]
        command += ["--allowedTools", ",".join(TOOLS), *options]
        if not {"--resume", "--session-id"} & set(options):
            command += ["--session-id", str(uuid.uuid4())]
        errors = self.tmp / "stderr"
        with (
            errors.open("w") as stderr,
            subprocess.Popen(
                command,
                cwd=self.repo,
                env={**self.environ, **(environ or {})},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                text=True,
            ) as process,
        ):
            watch = threading.Timer(SECONDS, process.kill)
            watch.start()
            try:
                events = list(_conversation(process, prompts or (next(iter(script)),)))
                code = process.wait()
            finally:
                watch.cancel()
                process.kill()
        name = next((event["session_id"] for event in events if event.get("session_id")), "")
        assert not self.api.left, (
            f"turns that nobody asked for: {self.api.left}\n{events}\n{errors.read_text()}"
        )
        return Session(name, code, events, self.api.asked[start:], errors.read_text())

    # What Remora keeps

    def live(self, session: str) -> list[live.Line]:
        """Return the lines of a session's live file, without the first."""
        return live.read(str(self.live_file(session)))[1]

    def live_file(self, session: str) -> Path:
        """Return the path of a session's live file."""
        return self.data / live.FOLDER / live.file_name(HOST, session)

    def learnt(self, session: str, *, times: int = 1) -> None:
        """Wait until the work that follows a session has taken it in and is over."""
        end = time.monotonic() + SECONDS
        while sum(line.get("k") == LEARNT for line in self.live(session)) < times:
            assert time.monotonic() < end, f"not learned: {self.live(session)}"
            time.sleep(0.05)
        self.settled()

    def settled(self) -> None:
        """Wait until nothing of ours runs here any more."""
        end = time.monotonic() + SECONDS
        while found := dict(self.processes()):
            assert time.monotonic() < end, f"still running: {found}"
            time.sleep(0.05)

    def remora(self, *words: str) -> str:
        """Run a verb in the repository and return what it printed."""
        return self.call(self.bin / "remora", *words)

    # What is left

    def processes(self) -> Iterator[tuple[int, str]]:
        """Yield the processes that work on this data folder."""
        mark = f"REMORA_HOME={self.data}".encode()
        for place in Path("/proc").iterdir():
            if place.name.isdigit() and int(place.name) != os.getpid():
                try:
                    if mark in (place / "environ").read_bytes().split(b"\0"):
                        yield int(place.name), (place / "cmdline").read_text().replace("\0", " ")
                except OSError:
                    continue  # it has ended, or is not ours

    def left_behind(self) -> list[str]:
        """Return what should not be there once nothing runs: locks, temporary files, an open database."""
        found = [f"process {number}: {command}" for number, command in self.processes()]
        found += [f"temporary file {path}" for path in self.tmp.rglob("*") if "remora" in path.name]
        for path in (p for p in self.data.rglob("*") if p.is_file()) if self.data.is_dir() else ():
            if path.name.startswith(TEMP_PREFIX):
                found.append(f"temporary file {path}")
            if path.name.endswith(("-wal", "-shm", "-journal")):
                found.append(f"a database that was not closed: {path}")
            if path.suffix == ".lock" or path.parent.name == live.FOLDER:
                found += [f"held: {path}"] * _held(path)
        return found


def _conversation(process: subprocess.Popen[str], prompts: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Say one thing after the other, each when the one before it is answered; yield what is printed."""
    assert process.stdin is not None
    assert process.stdout is not None
    for prompt in prompts:
        message = {"type": "user", "message": {"role": "user", "content": prompt}}
        process.stdin.write(json.dumps(message) + "\n")
        process.stdin.flush()
        for line in process.stdout:
            event = json.loads(line)
            yield event
            if event["type"] == "result":
                break
    process.stdin.close()
    for line in process.stdout:
        yield json.loads(line)


def _held(path: Path) -> bool:
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
        return False


def _folders_of(*programs: str) -> list[str]:
    found = (shutil.which(program) for program in programs)
    return list(dict.fromkeys(str(Path(path).parent) for path in found if path))
