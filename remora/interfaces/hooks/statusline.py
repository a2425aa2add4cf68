"""`remora statusline`: one line about the session on stdin, for the status bar of a coding agent.

A host runs it often, so it starts like a hook and reads only the files that a hook reads. The line does not
reach the model. After an error the line is empty.
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
    """Print the line for the session on stdin and exit."""
    sys.stdout.write(answer(sys.stdin.buffer.read(), os.environ) + "\n")
    sys.stdout.flush()
    os._exit(0)


def answer(told: bytes, environ: Mapping[str, str]) -> str:
    """Return the line for a host's JSON object; empty for other input and after an error."""
    try:
        payload = json.loads(told)
        return line(payload, environ) if isinstance(payload, dict) else ""
    except Exception as error:  # noqa: BLE001  errors go to the log of hooks, not to the status bar
        note_trouble(error, environ)
        return ""


def line(payload: Mapping[str, Any], environ: Mapping[str, str]) -> str:
    """Return the line: memories of the project, injections into the session, memories waiting for review.

    Args:
        payload: the host's JSON object, with `session_id`.
        environ: the process environment.
    """
    session = str(payload.get("session_id", ""))
    path = os.path.join(folder(environ), file_name("claude-code", session))  # noqa: PTH118  as a hook does
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
        return t("line.off", n=memories)
    said = sum(isinstance(one.get("said"), list) for one in lines)
    told = t("line.told", n=memories, said=said)
    return told + (f" · {t('line.waiting', n=waiting)}" if waiting else "")
