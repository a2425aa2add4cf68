"""`remora hook --host NAME`: one event of an agent's host on stdin, at most one JSON object on stdout.

It always exits with 0 and never blocks an action: a host that reads another code, or a text that is no JSON,
would stop or disturb the agent. Whatever goes wrong leaves one line in `hooks.log` and says nothing. The
environment is read for the data folder and the host's own ids; none of it is stored.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from remora.core import moments

MAX_INPUT = 64_000_000  # bytes of an event; what is longer is not an event
USAGE = """\
remora hook [--host NAME] < EVENT

Answers one event of an agent's host. `remora install HOST` writes the host's settings.
"""
_WORK_AT = (moments.START, moments.END)


def main(arguments: Sequence[str]) -> NoReturn:
    """Answer the event on stdin and leave."""
    try:
        if "--help" in arguments or "-h" in arguments:
            sys.stdout.write(USAGE)
        else:
            said = answer(arguments, _event())
            if said:
                os.write(1, said)
    except BaseException as error:  # noqa: BLE001  nothing of ours may reach the agent
        _note(error)
    with contextlib.suppress(OSError):
        sys.stdout.flush()
    os._exit(0)  # a thread that takes too long is left behind; nothing is half written


def answer(arguments: Sequence[str], data: bytes) -> bytes:
    """Return what is printed for an event: one line of JSON, or nothing."""
    from remora.app.hooking import respond
    from remora.interfaces.hooks.hosts import detect, host_named

    payload = json.loads(data)
    if not isinstance(payload, dict):
        return b""
    name = _host(arguments) or detect(payload, os.environ)
    host = host_named(name)
    moment = host.parse(payload, os.environ)
    if moment.kind == moments.OTHER:
        return b""
    early = moments.BEFORE in host.INJECTS
    reply = respond(moment, os.environ, early=early, heard=moment.kind in host.INJECTS)
    if not host.TRANSCRIPTS:
        from remora.app.capturing import capture

        capture(moment, os.environ)
    shown = host.render(payload, moment, reply)
    if moment.kind in _WORK_AT:
        from remora.app.detaching import begin_work

        begin_work(os.environ, ended=moment if moment.kind == moments.END else None)
    return b"" if shown is None else json.dumps(shown, ensure_ascii=True).encode() + b"\n"


def _host(arguments: Sequence[str]) -> str:
    for number, word in enumerate(arguments):
        if word == "--host" and number + 1 < len(arguments):
            return arguments[number + 1]
        if word.startswith("--host="):
            return word[7:]
    return ""


def _event() -> bytes:
    with open(0, "rb", closefd=False) as stdin:
        data = stdin.read(MAX_INPUT + 1)
    if len(data) > MAX_INPUT:
        raise ValueError("the event is too long")
    return data


def _note(error: BaseException) -> None:
    try:
        from remora.app.hooking import note_trouble

        note_trouble(error)
    except BaseException:  # noqa: BLE001, S110  a log that cannot be written is no reason to fail
        pass
