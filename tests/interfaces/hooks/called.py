"""A repository with a memory, and the hook called in it as a host calls it: a process for each event."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import remora
from remora.disk.live import file_name, read
from tests.forked import forked
from tests.helpers import environment
from tests.interfaces.hooks.schemas import wrong

SOURCE = str(Path(remora.__file__).parent.parent)
LESSON = "The cart is cached per tenant, never share the key"
DECISION = "Money is kept in cents"

Done = subprocess.CompletedProcess[bytes]


class World:
    """A repository whose memory holds a lesson about a file, and a host that calls the hook in it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.root, self.data = folder, folder / "shop", folder / "data"
        self.environ = {**environment(folder), "REMORA_WORK": "off", "PATH": os.environ["PATH"]}
        self.environ["PYTHONPATH"] = SOURCE

    def event(self, name: str, **more: Any) -> dict[str, Any]:
        """Return an event of Claude Code."""
        transcript = str(self.folder / "s1.jsonl")
        common = {"session_id": "s1", "cwd": str(self.root), "transcript_path": transcript, "prompt_id": "p1"}
        return {**common, "hook_event_name": name, **more}

    def edit(self, call: str = "toolu_1", **more: Any) -> dict[str, Any]:
        """Return the event before the file of the lesson is changed."""
        given = {"file_path": str(self.root / "cart.py"), "old_string": "a", "new_string": "b"}
        used = {"tool_name": "Edit", "tool_input": given, "tool_use_id": call}
        return self.event("PreToolUse", **{**used, **more})

    def command(self, *words: str) -> list[str]:
        """Return the words that start the hook."""
        return [sys.executable, "-m", "remora", "hook", *(words or ("--host", "claude-code"))]

    def shell(self, redirections: str) -> list[str]:
        """Return the words that start the hook from a shell, with its streams as that says."""
        return ["/bin/sh", "-c", f'exec "$@" {redirections}', "sh", *self.command()]

    def run(self, given: Any, *words: str, command: list[str] | None = None, **more: Any) -> Done:
        """Run the hook and wait for it; objects are written as JSON.

        It runs in a forked process, or in a process that a command or other options start.
        """
        data = given if isinstance(given, bytes) else json.dumps(given).encode()
        if command is None and more.keys() <= {"env", "cwd"}:
            place = {"env": self.environ, "cwd": self.root, **more}
            return forked(self.command(*words)[3:], data, **place, timeout=60)
        how: dict[str, Any] = {"env": self.environ, "cwd": self.root, "timeout": 60, "check": False, **more}
        if "stdout" not in how:
            how |= {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.run(command or self.command(*words), input=data, **how)

    def begin(
        self, given: dict[str, Any], command: list[str] | None = None, **more: Any
    ) -> subprocess.Popen[bytes]:
        """Start the hook, and return its process as soon as it has the event."""
        how: dict[str, Any] = {"env": self.environ, "cwd": self.root, **more}
        pipe = subprocess.PIPE
        process = subprocess.Popen(command or self.command(), stdin=pipe, stdout=pipe, stderr=pipe, **how)
        assert process.stdin is not None
        process.stdin.write(json.dumps(given).encode())
        process.stdin.close()
        process.stdin = None  # nothing is left to be written by `communicate`
        return process

    def quiet(self, given: Any, *words: str, **more: Any) -> None:
        """Run the hook, which has nothing to say."""
        done = self.run(given, *words, **more)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")

    def said(self, given: dict[str, Any], **more: Any) -> str:
        """Run the hook and return what the model is told, after a look whether the host can take it."""
        done = self.run(given, **more)
        assert (done.returncode, done.stderr) == (0, b"")
        if not done.stdout:
            return ""
        printed = json.loads(done.stdout)
        assert wrong("claude-code", given, printed) == ""
        return str(printed["hookSpecificOutput"]["additionalContext"])

    @property
    def log(self) -> list[str]:
        """The lines of the log, without their times."""
        path = self.data / "hooks.log"
        lines = path.read_text("utf-8").splitlines() if path.is_file() else []
        return [line.split(" ", 1)[1] for line in lines]

    def live(self, session: str = "s1", host: str = "claude-code") -> Path:
        """Return the live file of a session."""
        return self.data / "live" / file_name(host, session)

    def moments(self, session: str = "s1", host: str = "claude-code") -> list[Any]:
        """Return the lines of a live file."""
        return list(read(str(self.live(session, host)))[1])

    @property
    def kinds(self) -> list[str]:
        """The kinds of the moments of the session."""
        return [line["k"] for line in self.moments() if line["k"] != "said"]

    @property
    def database(self) -> Path:
        """The project's database."""
        return next(self.data.glob("projects/*/memory.db"))
