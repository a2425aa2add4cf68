"""What the tests of session logs share: logs whose clock stands still, and processes that write to one."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from subprocess import Popen
from typing import Any

from remora.conversation.log import SessionLog
from remora.core.clock import FixedClock
from remora.core.values import Message
from tests.processes import started

T0 = "2026-01-01T00:00:00.000Z"
HEAD = """
import os
import sys
from pathlib import Path
from remora.conversation.log import SessionLog
from remora.core.clock import SystemClock

folder = Path({folder!r})
log = SessionLog(folder, "cli:42", SystemClock())

def user(content, **more):
    return {{"role": "user", "content": content, **more}}
"""


def open_log(folder: Path, session_id: str = "cli:42", **more: Any) -> SessionLog:
    """Return a log of a session through an object that knows nothing yet."""
    return SessionLog(folder, session_id, FixedClock(T0), **more)


def user(content: str, **more: Any) -> dict[str, Any]:
    """Return a message of the user."""
    return {"role": "user", "content": content, **more}


def texts(messages: Sequence[Message]) -> list[str]:
    """Return what was said, without who and when."""
    return [message.content for message in messages]


def start(script: str, folder: Path) -> Popen[str]:
    """Start a Python process on a script that knows `log`, the session in a folder, and `user`."""
    return started(HEAD.format(folder=str(folder)) + textwrap.dedent(script))
