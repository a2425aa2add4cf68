"""A session of a host as the hook processes see it: moments noted in the live file, captured where due."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from remora.app.agent.hook_event import respond
from remora.app.agent.transcript_capture import capture
from remora.core import moments
from remora.core.moments import Moment, Reply
from remora.disk.live import Head, Line, file_name, folder, read


def ago(path: Path, seconds: float) -> None:
    """Let a file be as old as that."""
    os.utime(path, (time.time() - seconds,) * 2)


class Hooked:
    """One session, moment by moment.

    Attributes:
        replies: what was said, in order; silence included.
    """

    def __init__(
        self,
        root: Path,
        environ: Mapping[str, str],
        host: str = "claude-code",
        session: str = "s1",
        *,
        captures: bool = False,
    ) -> None:
        self.root, self.environ, self.host, self.session = root, environ, host, session
        self.transcript = ""
        self.captures = captures
        self.calls = 0
        self.replies: list[Reply] = []

    def tell(self, kind: str, **parts: Any) -> Reply:
        """Tell of a moment in a process of its own, as far as files go."""
        given = {"cwd": str(self.root), "transcript": self.transcript} | parts
        moment = Moment(kind, self.host, self.session, **given)
        self.replies.append(respond(moment, self.environ))
        if self.captures:
            capture(moment, self.environ)
        return self.replies[-1]

    def start(self, source: str = "startup") -> Reply:
        """The session begins."""
        return self.tell(moments.START, source=source)

    def prompt(self, text: str, turn: str = "") -> Reply:
        """A person says something."""
        return self.tell(moments.PROMPT, text=text, turn=turn)

    def run(
        self, command: str, text: str = "ok", *, failed: bool = False, **more: Any
    ) -> tuple[Reply, Reply]:
        """Run a command: what is said before it and after it."""
        used = {"tool": "Bash", "action": "run", "command": command, **more}
        return self._call(moments.FAILED if failed else moments.AFTER, used, text=text)

    def edit(self, path: str, changed: str = "new", removed: str = "old", **more: Any) -> tuple[Reply, Reply]:
        """Change a file: what is said before it and after it."""
        used = {"tool": "Edit", "action": "edit", "paths": (f"{self.root}/{path}",), **more}
        return self._call(moments.AFTER, used | {"changed": changed, "removed": removed})

    def _call(self, then: str, used: dict[str, Any], **result: str) -> tuple[Reply, Reply]:
        self.calls += 1
        used = {"call_id": f"call_x8k2m1{self.calls:02d}", **used}
        return self.tell(moments.BEFORE, **used), self.tell(then, **used, **result)

    def end(self) -> Reply:
        """The session is over."""
        return self.tell(moments.END)

    @property
    def path(self) -> Path:
        """The live file."""
        return Path(folder(self.environ)) / file_name(self.host, self.session)

    @property
    def head(self) -> Head:
        """The first line of the live file."""
        head = read(str(self.path))[0]
        assert head is not None
        return head

    @property
    def lines(self) -> list[Line]:
        """The moments in the live file."""
        return read(str(self.path))[1]

    @property
    def kinds(self) -> list[str]:
        """The kinds of the moments in the live file, without what was said at them."""
        return [line["k"] for line in self.lines if line["k"] != "said"]

    @property
    def captured_path(self) -> Path:
        """The file of what was captured."""
        return Path(self.head.home) / "captured" / file_name(self.host, self.session)

    @property
    def captured(self) -> list[dict[str, Any]]:
        """The events that were captured, without the first line."""
        path = self.captured_path
        return list(map(json.loads, path.read_text("utf-8").splitlines()[1:])) if path.exists() else []
