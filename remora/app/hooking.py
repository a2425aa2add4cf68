"""One moment of a session, from a process that lives for it alone: look up, decide, note down, answer.

Everything that is needed for a tool call is imported here and is little; what a session's start or its first
prompt needs (the whole `Memory`, with its model) is imported where that happens, in a thread that has three
seconds. Whatever goes wrong, the answer is silence and, where a file can be written, a line in the log.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from remora.core import moments
from remora.core.moments import SILENCE, Moment, Reply
from remora.disk.live import Head, LiveFile, live_file
from remora.injection.decide import Limits, Setting, decide
from remora.injection.state import state_of
from remora.store.glimpse import Note, look

if TYPE_CHECKING:
    from collections.abc import Callable

DATABASE = "memory.db"
CEILING = 3.0  # seconds; an agent goes on without what takes longer
HEAVY = (moments.START, moments.PROMPT)
DECIDED = (moments.BEFORE, moments.AFTER, moments.FAILED, moments.STEP)
_DAY_MS = 86_400_000.0


def respond(moment: Moment, environ: Mapping[str, str], *, early: bool = True, heard: bool = True) -> Reply:
    """Return what is said at a moment, and note the moment in the session's live file.

    Args:
        moment: what happens.
        environ: the process environment.
        early: the host takes text before a tool is used.
        heard: text at this moment reaches the model; otherwise it is only noted.
    """
    if moment.kind == moments.OTHER or not moment.session:
        return SILENCE
    with live_file(moment.host, moment.session, environ) as live:
        head = _head(live, moment, environ)
        if not head.home:
            return SILENCE
        reply = SILENCE
        if heard and head.limits:
            if moment.kind in DECIDED:
                reply = _decided(moment, live, head, early=early)
            elif moment.kind == moments.START or not state_of(live.lines, moment.agent).prompts:
                reply = _within(lambda: _heavy(moment, live, head, environ))
        live.add(line_of(moment, reply, head))
        return reply


def _head(live: LiveFile, moment: Moment, environ: Mapping[str, str]) -> Head:
    """Return whose session it is; the first process of a session finds out and writes it down."""
    if live.head is None or (moment.kind == moments.START and moment.source != "compact"):
        from remora.app.starting import head_of

        live.begin(head_of(moment, environ))
    assert live.head is not None
    return live.head


def _decided(moment: Moment, live: LiveFile, head: Head, *, early: bool) -> Reply:
    glimpse = look(os.path.join(head.home, DATABASE))  # noqa: PTH118  pathlib costs a tenth of a hook's time
    if glimpse is None:
        return SILENCE
    try:
        state = state_of(live.lines, moment.agent)
        return decide(moment, state, glimpse, setting_of(head, moment.cwd, early=early))
    finally:
        glimpse.close()


def setting_of(head: Head, cwd: str, *, early: bool = True, now: float | None = None) -> Setting:
    """Return what a decision needs besides the moment and the store.

    Args:
        head: of the session's live file.
        cwd: the folder that relative paths of the moment start from.
        early: the host takes text before a tool is used.
        now: seconds since the epoch; the time by default.
    """
    numbers = head.limits
    return Setting(
        Limits(numbers[0], *(int(n) for n in numbers[1:])),
        relative_to(head.root, cwd),
        lambda note: faded(note, time.time() if now is None else now),
        _branch(head.head_file),
        _fingerprint,
        early,
    )


def relative_to(root: str, cwd: str) -> Callable[[str], str]:
    """Return what turns a path into one from the root, with forward slashes; "" for what lies outside."""
    top = root.replace("\\", "/").rstrip("/") + "/"

    def relative(path: str) -> str:
        whole = path if os.path.isabs(path) else os.path.join(cwd or root, path)  # noqa: PTH117, PTH118
        whole = os.path.normpath(whole).replace("\\", "/")
        if not whole.startswith(top):
            whole = os.path.realpath(whole).replace("\\", "/")
        return whole[len(top) :] if whole.startswith(top) else ""

    return relative


def faded(note: Note, now: float) -> float:
    """Return a note's confidence now: confidence · 0.5^(days since it was last looked at / half-life)."""
    if note.half_life <= 0 or note.pinned:
        return note.confidence
    days = max(0.0, now - _seconds(note.used)) / 86_400.0
    return float(note.confidence * 0.5 ** (days / note.half_life))


def _seconds(iso: str) -> float:
    """Return an ISO 8601 time in UTC as seconds since the epoch; 0 for what is none."""
    from calendar import timegm

    try:
        return float(timegm(time.strptime(iso[:19], "%Y-%m-%dT%H:%M:%S")))
    except ValueError:
        return 0.0


def _branch(head_file: str) -> str:
    """Return the branch that git's file names; empty where there is none."""
    try:
        with open(head_file, encoding="utf-8") as file:  # noqa: PTH123
            said = file.read(1_000).strip()
    except (OSError, ValueError):
        return ""
    mark = "ref: refs/heads/"
    return said[len(mark) :] if said.startswith(mark) else ""


def _fingerprint(text: str) -> str:
    from remora.observer.fingerprint import fingerprint, of_harness, telling

    if of_harness(text):
        return ""
    line = telling(text)
    return fingerprint(line) if line else ""


def line_of(moment: Moment, reply: Reply, head: Head) -> dict[str, Any]:
    """Return a moment as a line of the live file: no texts of the session, only what was done and said."""
    line: dict[str, Any] = {"k": moment.kind, "at": int(time.time() * 1000)}
    if moment.kind == moments.AFTER and moment.failed:
        line["k"] = moments.FAILED
    if moment.agent:
        line["g"] = moment.agent
    if moment.action:
        line["a"] = moment.action
        relative = relative_to(head.root, moment.cwd)
        if paths := [inside for path in moment.paths[:20] if (inside := relative(path))]:
            line["p"] = paths
    if moment.action in ("search", "glob") and moment.pattern:
        line["q"] = moment.pattern[:200]
    if moment.call_id:
        line["i"] = moment.call_id
    if moment.kind == moments.START:
        line["s"] = moment.source
    if reply.text:
        line |= {"said": list(reply.ids), "t": reply.trigger, "w": reply.why, "x": reply.text}
    return line


# What needs the whole memory


def _heavy(moment: Moment, live: LiveFile, head: Head, environ: Mapping[str, str]) -> Reply:
    from remora.app import starting

    if moment.kind == moments.START:
        again = moment.source in ("compact", "resume")
        recorded = state_of(live.lines).recorded if again else ()
        return starting.brief(head, environ, again=again, recorded=recorded)
    return starting.task(head, moment.text, environ, said=state_of(live.lines, moment.agent).said)


def _within(answer: Callable[[], Reply]) -> Reply:
    """Return an answer that comes within the ceiling; silence for one that does not or that fails."""
    import threading

    found: list[Reply] = []

    def run() -> None:
        try:
            found.append(answer())
        except Exception as error:  # noqa: BLE001  a failing memory never fails the agent
            note_trouble(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(CEILING)
    return found[0] if found else SILENCE


def note_trouble(error: BaseException, environ: Mapping[str, str] | None = None) -> None:
    """Write one line about what went wrong into `hooks.log`; never fails itself, never grows without end."""
    from remora.disk.places import data_folder

    try:
        folder = data_folder(os.environ if environ is None else environ)
        path = os.path.join(folder, "hooks.log")  # noqa: PTH118
        os.makedirs(folder, mode=0o700, exist_ok=True)  # noqa: PTH103
        if os.path.exists(path) and os.path.getsize(path) > 200_000:  # noqa: PTH110, PTH202
            os.replace(path, f"{path}.1")  # noqa: PTH105
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        text = f"{stamp} {type(error).__name__}: {str(error)[:300]}".replace("\n", " ")
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(file, f"{text}\n".encode("utf-8", "replace"))
        finally:
            os.close(file)
    except OSError:
        pass
