"""`remora statusline`: one line for the status bar of a coding agent about the session told on stdin.

It begins as a hook does and reads only what a hook reads, since a host asks for it again and again. Nothing
in it reaches the model. Whatever goes wrong, the line is empty.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from typing import Any, NoReturn

from remora.app.agent.hook_context import note_trouble
from remora.disk.live import file_name, folder, is_off, read
from remora.interfaces.words import Words, language_of
from remora.store.hook_reader import look

DATABASE = "memory.db"


def main() -> NoReturn:
    """Print the line for the session on stdin and leave."""
    sys.stdout.write(answer(sys.stdin.buffer.read(), os.environ) + "\n")
    sys.stdout.flush()
    os._exit(0)


def answer(told: bytes, environ: Mapping[str, str]) -> str:
    """Return the line for what a host tells, a JSON object; empty for anything else and after any failure."""
    try:
        payload = json.loads(told)
        return line(payload, environ) if isinstance(payload, dict) else ""
    except Exception as error:  # noqa: BLE001  a status bar is no place for errors; the log of hooks is
        note_trouble(error, environ)
        return ""


def line(payload: Mapping[str, Any], environ: Mapping[str, str], host: str = "claude-code") -> str:
    """Return the line: memories of the project, how often the session was told something, what waits.

    Args:
        payload: what the host tells, with `session_id`.
        environ: the process environment.
        host: its name.
    """
    session = str(payload.get("session_id", ""))
    path = os.path.join(folder(environ), file_name(host, session))  # noqa: PTH118  as a hook does
    if not session or not os.path.exists(path):  # noqa: PTH110
        return ""
    head, lines = read(path)
    hook_reader = look(os.path.join(head.home, DATABASE), "") if head and head.home else None  # noqa: PTH118
    if head is None or hook_reader is None:
        return ""
    try:
        memories, waiting = hook_reader.counts()
    finally:
        hook_reader.close()
    t = Words(language_of(environ))
    if not head.limits or is_off(head, lines):
        return t("line.off", memories=t.number(memories))
    said = sum(isinstance(one.get("said"), list) for one in lines)
    told = t("line.told", memories=t.number(memories), said=t.number(said))
    return told + (f" · {t('line.waiting', n=waiting)}" if waiting else "")
