"""Command lines on a pseudo-terminal."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import time
from collections.abc import Mapping

from tests.interfaces.conftest import command_line


def on_terminal(
    *words: str, width: int = 80, answers: Mapping[str, str] | None = None, **variables: str
) -> tuple[int, str]:
    """Run a command line on a terminal and answer its questions; return exit code and what it showed."""
    ours, theirs = pty.openpty()
    env = {**os.environ, "TERM": "xterm-256color", "COLUMNS": str(width), **variables}
    done = subprocess.Popen([*command_line(), *words], stdin=theirs, stdout=theirs, stderr=theirs, env=env)
    os.close(theirs)
    shown, left = b"", dict(answers or {})
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if not select.select([ours], [], [], 1.0)[0]:
            continue
        try:
            piece = os.read(ours, 65_536)
        except OSError:  # how Linux says that the other end is closed
            break
        if not piece:
            break
        shown += piece
        for question in [one for one in left if one.encode() in shown]:
            os.write(ours, f"{left.pop(question)}\n".encode())
    os.close(ours)
    return done.wait(timeout=60), shown.decode().replace("\r\n", "\n")
