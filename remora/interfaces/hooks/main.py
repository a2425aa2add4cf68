"""`remora hook --host NAME`: read one hook event from stdin, write at most one JSON object to stdout.

The exit code is always 0 and an action is never blocked: another code, or output that is not JSON, would stop
or disturb the agent. An error is written to `hooks.log` in one line, without output. The environment is read
for the data folder and the host's ids, and is not stored.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from remora.core import moments
from remora.core.moments import Moment, Reply

MAX_INPUT = 64_000_000  # bytes of an event; a longer input is rejected
USAGE = """\
remora hook --host NAME < EVENT

Answers one event of a coding agent. `remora install HOST` configures the hooks.
"""
_WORK_AT = (moments.START, moments.END)
_NAMES = ("hook_event_name", "hookEventName", "event", "agent_action_name")  # keys of an event's name


def main(arguments: Sequence[str]) -> NoReturn:
    """Answer the event on stdin and exit."""
    if os.environ.get("REMORA_HOOKS") == "off":  # set for agents that Remora itself runs as a language model
        os._exit(0)
    try:
        heard = _fill_in()
        if "--help" in arguments or "-h" in arguments or os.isatty(0):
            _write(USAGE.encode())
        elif said := answer(arguments, _event()):
            _write(said) if heard else _note(OSError("stdout is closed"))
    except BaseException as error:  # noqa: BLE001  no error may reach the agent
        _note(error)
    os._exit(0)  # do not wait for slow threads; they leave no file half written


def answer(arguments: Sequence[str], data: bytes) -> bytes:
    """Return the output for an event: one line of JSON, or nothing.

    Raises:
        ValueError: the event is not a JSON object, or its name is unknown.
        InvalidInput: the host is unknown.
    """
    from remora.app.agent.hook_event import respond
    from remora.disk.live import ENDLESS
    from remora.interfaces.hooks.hosts import host_named

    payload = json.loads(data)
    if not isinstance(payload, dict):
        raise ValueError(f"an event is an object, not {type(payload).__name__}")
    host = host_named(_host(arguments))
    moment = host.parse(payload, os.environ)
    if moment.kind == moments.OTHER:
        _require_known(host, payload)
        return b""
    reply = respond(moment, os.environ, injects=host.INJECTS, started="" if moment.cwd else _here())
    if not host.TRANSCRIPTS:
        _aside(_capture, moment)
    shown = host.render(payload, moment, clean(noticed(reply)))
    # A host without injection may have no event for a start or an end: use the prompt.
    starts = moment.kind in _WORK_AT or (moment.kind == moments.PROMPT and not host.INJECTS)
    if starts or (moment.kind == moments.STOP and moment.host in ENDLESS):
        _aside(_work, moment)
    return b"" if shown is None else json.dumps(shown, ensure_ascii=True).encode() + b"\n"


def noticed(reply: Reply) -> Reply:
    """Return a reply with a notice to the user that memories were injected; unchanged without ids."""
    if not reply.text or not reply.ids or reply.note or reply.quiet:
        return reply
    from remora.interfaces.words import Words, language_of  # imported here: most replies are empty

    return reply._replace(note=Words(language_of(os.environ))("line.notice", n=len(reply.ids)))


def clean(reply: Reply) -> Reply:
    """Return a reply without control characters and invisible characters."""
    if all(
        text.isascii() and all(map(str.isprintable, text.split("\n"))) for text in (reply.text, reply.note)
    ):
        return reply
    from remora.core.text import safe  # imported here: it takes as long as all other imports of an answer

    return reply._replace(text=safe(reply.text), note=safe(reply.note))


def _capture(moment: Moment) -> None:
    from remora.app.agent.transcript_capture import capture

    capture(moment, os.environ)


def _work(moment: Moment) -> None:
    from remora.app.agent.detach import begin_work

    begin_work(os.environ, ended=moment if moment.kind in (moments.END, moments.STOP) else None)


def _aside(doing: Callable[[Moment], None], moment: Moment) -> None:
    """Call a function; log its error, so that the agent still gets the answer."""
    try:
        doing(moment)
    except Exception as error:  # noqa: BLE001  logged; the answer is still given
        _note(error)


def _require_known(host: object, payload: dict[str, Any]) -> None:
    """Check that an ignored event is known.

    Raises:
        ValueError: the event has no name, or an unknown one.
    """
    named = next((name for key in _NAMES if isinstance(name := payload.get(key), str) and name), "")
    known = getattr(host, "_KINDS", ())
    if not (named in known or named[:1].lower() + named[1:] in known or named.startswith(("pre_", "post_"))):
        raise ValueError(f"unknown event {named[:60]!r}" if named else "the event has no name")


def _here() -> str:
    try:
        return os.getcwd()  # noqa: PTH109
    except OSError:
        return ""


def _fill_in() -> bool:
    """Open the null device for closed standard streams, so that no file gets their descriptor.

    Returns:
        Whether stdout was open.
    """
    closed = []
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            closed.append(os.open(os.devnull, os.O_RDWR))  # gets the lowest free descriptor
    return 1 not in closed


def _write(text: bytes) -> None:
    while text:
        text = text[os.write(1, text) :]


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
        from remora.app.agent.hook_context import note_trouble

        note_trouble(error)
    except BaseException:  # noqa: BLE001, S110  a log that cannot be written must not fail the hook
        pass
