"""One moment of a session, from a process that lives for it alone: look up, decide, note down, answer.

Everything that is needed for a tool call is imported here and is little; what a session's start or its first
prompt needs (the whole `Memory`, with its model) is imported where that happens, in a thread that has three
seconds. Whatever goes wrong, the answer is silence and, where a file can be written, a line in the log.
"""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Container, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from remora.core import moments
from remora.core.actions import own_id
from remora.core.moments import SILENCE, Moment, Reply
from remora.disk.live import SOUGHT, Head, Line, LiveFile, at_once, live_file
from remora.disk.places import data_folder
from remora.injection.decide import Limits, Setting, decide
from remora.injection.render import SHORT
from remora.injection.state import state_of
from remora.store.glimpse import Glimpse, Note, look

if TYPE_CHECKING:
    from collections.abc import Callable

DATABASE = "memory.db"
CEILING = 3.0  # seconds; an agent goes on without what takes longer
DECIDED = (moments.BEFORE, moments.AFTER, moments.FAILED, moments.STEP)
_TOOLS = (moments.BEFORE, moments.AFTER, moments.FAILED)
SAID = "said"  # kind of the line that tells what was said at the moment that is its `of`
MOST_SAID = 9_000  # bytes at once; every host takes that much
TOGETHER = 5.0  # seconds within which the same happening without an id of its own is one
DEEPEST = 24  # folders above a working folder that are looked at
TOLD_TWICE = 60  # lines in which the same happening is looked for
T = TypeVar("T")


def respond(
    moment: Moment, environ: Mapping[str, str], *, early: bool = True, heard: bool = True, started: str = ""
) -> Reply:
    """Return what is said at a moment, and note the moment in the session's live file.

    The moment is noted before anything else, since a host may kill a hook that takes long; what is said has a
    line of its own. What is quick happens while the file is locked, so that tools that run at the same time
    never hear the same twice. What may take seconds does not: whoever is told of the same moment by then is
    silent (hosts that know two ways to us tell us everything twice).

    Args:
        moment: what happens.
        environ: the process environment.
        early: the host takes text before a tool is used.
        heard: text at this moment reaches the model; otherwise it is only noted.
        started: the folder of the process, for moments that name none.
    """
    if moment.kind == moments.OTHER or not moment.session:
        return SILENCE
    reply = _answered(moment, environ, early=early, heard=heard, started=started)
    if moment.kind == moments.PROMPT and heard and not moment.agent:
        reply = _with_question(moment, reply, environ)
    return reply


def _with_question(moment: Moment, reply: Reply, environ: Mapping[str, str]) -> Reply:
    """Return a reply with the line that asks the agent to record what the person said, where that is due."""
    with live_file(moment.host, moment.session, environ) as live:
        head = live.head
        if head is None or not head.home or not live.alone or not (head.limits and _limits(head).ask):
            return reply
        try:
            from remora.app.asking import (
                ASK,
                ASKED,
                may_ask,
                question,
            )  # its patterns cost some milliseconds to load

            glimpse = _glimpse(head, environ) if may_ask(live.lines) else None
            if glimpse is None:
                return reply
            try:
                text, sentence = question(moment.text, glimpse)
            finally:
                glimpse.close()
        except Exception as error:  # noqa: BLE001  a failing memory never fails the agent
            note_trouble(error, environ)
            return reply
        if text:
            asked = Reply(text, trigger=ASK, why="what was said may hold beyond the task")
            kept = {ASKED: sentence} if _limits(head).keep else {}
            live.add({**line_of(moment, asked, head), "k": SAID, "of": kind_of(moment), **kept})
            reply = reply._replace(text=f"{reply.text}\n{text}".strip()) if reply.text else asked
    return reply


def _answered(moment: Moment, environ: Mapping[str, str], *, early: bool, heard: bool, started: str) -> Reply:
    begun = time.monotonic()
    with live_file(moment.host, moment.session, environ) as live:
        if _again(live.lines, moment):
            return SILENCE
        head = None if _unknown(live.head, moment) else live.head
        if head is not None and not head.home and not head.late:
            return SILENCE
        heavy, told = _is_heavy(moment, live), list(live.lines)
        if live.head is None:
            live.begin(_homeless(moment, started)._replace(late=SOUGHT))
        noted = line_of(moment, SILENCE, head or live.head or _homeless(moment, started))
        live.add(noted)
        if head is not None and not (head.home and heard and head.limits and heavy):
            return _quick(moment, live, told, head, environ, early=early, heard=heard)
    if head is None:
        head = _within(lambda: _found(moment, environ, started), CEILING, environ)
        head = head or _homeless(moment, started)
        with live_file(moment.host, moment.session, environ) as live:
            if live.head is not None and live.head.home and not head.home:
                head = live.head  # a slow moment is no reason to forget whose session it is
            else:
                live.begin(head)
            if not heavy:
                told = [line for line in live.lines if line != noted]
                return _quick(moment, live, told, head, environ, early=early, heard=heard)
    if not (head.home and heard and head.limits):
        return SILENCE
    whole = min(head.timeout or CEILING, CEILING)
    left = begun + whole - time.monotonic()
    reply = _within(lambda: _heavy(moment, told, head, environ), left, environ, whole)
    if reply is None or not reply.text:
        return SILENCE
    reply = _fitting(reply)
    with live_file(moment.host, moment.session, environ) as live:
        reply = _without(reply, state_of(live.lines[len(told) :], moment.agent).said)
        return _said(moment, live, reply, head)


def _quick(
    moment: Moment,
    live: LiveFile,
    told: Sequence[Line],
    head: Head,
    environ: Mapping[str, str],
    *,
    early: bool,
    heard: bool,
) -> Reply:
    """Decide about a moment that is noted; a decision that goes wrong is silence.

    While somebody else is at it for longer than we wait, nothing is said: it could be the same.
    """
    if heard and head.home and head.limits and live.alone and moment.kind in DECIDED:
        try:
            return _said(moment, live, _decided(moment, told, head, environ, early=early), head)
        except Exception as error:  # noqa: BLE001  a failing memory never fails the agent
            note_trouble(error, environ)
    return SILENCE


def _said(moment: Moment, live: LiveFile, reply: Reply, head: Head) -> Reply:
    """Note what is said at a moment, and return it."""
    if reply.text:
        live.add({**line_of(moment, reply, head), "k": SAID, "of": kind_of(moment)})
    return reply


def _without(reply: Reply, said: Container[str]) -> Reply:
    """Return a reply without the memories that somebody else told meanwhile; silence if none is left."""
    gone = [f"#{memory[:SHORT]}]" for memory in reply.ids if memory in said]
    if not gone:
        return reply
    lines = [line for line in reply.text.splitlines() if not any(mark in line for mark in gone)]
    ids = tuple(memory for memory in reply.ids if memory not in said)
    return reply._replace(text="\n".join(lines), ids=ids) if ids else SILENCE


def _fitting(reply: Reply) -> Reply:
    """Return a reply that no host cuts: what is left out may be told later, so it must not count as said."""
    size = len(reply.text.encode())
    if size <= MOST_SAID:
        return reply
    lines = reply.text.splitlines()
    while size > MOST_SAID and len(lines) > 1:
        size -= len(lines.pop(-2).encode()) + 1  # the last line says how to ask for the rest
    text = "\n".join(lines)
    return reply._replace(text=text, ids=tuple(i for i in reply.ids if f"#{i[:SHORT]}]" in text))


def _is_heavy(moment: Moment, live: LiveFile) -> bool:
    """Return whether the whole memory is needed: at a start, and with the first prompt that has a task."""
    if moment.kind == moments.PROMPT:
        told = (line for line in live.lines if line.get("t") == "task" or line.get("task"))
        return _is_task(moment) and not any(_agent(line) == moment.agent for line in told)
    if moment.source == "resume" and any(line.get("t") == "brief" for line in live.lines):
        return False  # the host brings back the whole conversation, the brief with it
    return moment.kind == moments.START


def _is_task(moment: Moment) -> bool:
    """Return whether a prompt says what is to be done: "go on" does not."""
    if len(moment.text.split()) >= 3:
        return True
    from remora.core.text import words_or_pairs  # loads what most prompts do not need

    return len(words_or_pairs(moment.text)) >= 3


def _agent(line: Mapping[str, Any]) -> str:
    return str(line.get("g", ""))


def _again(lines: Sequence[Mapping[str, Any]], moment: Moment) -> bool:
    """Return whether a moment was told of before: by an id of its own, or the same just now."""
    kind, name, since = kind_of(moment), name_of(moment), (time.time() - TOGETHER) * 1000
    if not name and not moment.call_id:
        return False
    for line in reversed(lines[-TOLD_TWICE:]):
        if _agent(line) != moment.agent or (moment.call_id and line.get("i") != moment.call_id):
            continue
        if not name:
            if line.get("k") == kind:
                return True
        elif line.get("n") != name:
            if kind in _TOOLS and line.get("k") in _TOOLS:
                return False  # something else was done since: it is done again
        elif kind in (line.get("k"), line.get("of")):
            return _at(line) >= since
        elif moment.call_id and line.get("k") in _TOOLS:
            return False  # between the two came its other half: this is another call
    return False


def name_of(moment: Moment) -> str:
    """Return what a happening without an id of its own is known by: the same for a call and for its result.

    It is empty for what has such an id, and for what may be told of as often as it likes.
    """
    if moment.kind == moments.START:
        parts = [moment.source]
    elif moment.kind == moments.PROMPT:
        parts = [moment.turn, moment.text]
    elif (moment.tool or moment.call_id) and not own_id(moment.call_id, moment.tool):
        parts = [moment.turn, moment.call_id, moment.tool, moment.command, moment.pattern, moment.url]
        parts += [moment.place, *moment.paths, moment.changed, moment.removed]
    else:
        return ""
    return f"{zlib.crc32(chr(0).join((moment.agent, *parts)).encode('utf-8', 'replace')):08x}"


def _at(line: Mapping[str, Any]) -> float:
    at = line.get("at")
    return at if isinstance(at, int | float) else 0.0


def kind_of(moment: Moment) -> str:
    """Return a moment's kind as its line has it: a tool's answer that shows a failure is one."""
    return moments.FAILED if moment.kind == moments.AFTER and moment.failed else moment.kind


def _unknown(head: Head | None, moment: Moment) -> bool:
    """Return whether it has to be found out whose session it is.

    That is once, at each start, and at the first moment that names a place where those before it did not.
    """
    if head is None or head.late == SOUGHT or (moment.kind == moments.START and moment.source != "compact"):
        return True
    if not head.home and head.root and moment.kind == moments.PROMPT:
        return True  # it may have been too slow to find out at the start
    return not head.home and not head.root and os.path.isdir(place_of(moment))  # noqa: PTH112


def place_of(moment: Moment) -> str:
    """Return the folder that a moment names, itself or by a file; empty where it names none."""
    return moment.cwd or next((os.path.dirname(p) for p in moment.paths if os.path.isabs(p)), "")  # noqa: PTH117, PTH120


def _found(moment: Moment, environ: Mapping[str, str], started: str) -> Head:
    from remora.app.starting import head_of

    return head_of(moment, environ, started)


def _homeless(moment: Moment, started: str) -> Head:
    """Return the head of a session of which nobody could find out yet whose it is.

    Nothing is said in it; what happens is noted all the same, with paths from the top of the work tree.
    """
    root = above = place_of(moment) or started
    for _ in range(DEEPEST):
        if not above or os.path.exists(os.path.join(above, ".git")):  # noqa: PTH110, PTH118
            root = above
            break
        above = os.path.dirname(above)  # noqa: PTH120
    return Head(moment.host, moment.session, root, transcript=moment.transcript, late=1)


def _decided(
    moment: Moment, told: Sequence[Line], head: Head, environ: Mapping[str, str], *, early: bool
) -> Reply:
    glimpse = _glimpse(head, environ)
    if glimpse is None:
        return SILENCE
    try:
        state = state_of(told, moment.agent)
        return decide(moment, state, glimpse, setting_of(head, moment.cwd, early=early))
    finally:
        glimpse.close()


def _glimpse(head: Head, environ: Mapping[str, str]) -> Glimpse | None:
    """Open the project's database to read; None where there is none yet.

    Raises:
        OSError: it is there and cannot be read.
    """
    path = os.path.join(head.home, DATABASE)  # noqa: PTH118  pathlib costs a tenth of a hook's time
    glimpse = look(path, os.path.join(data_folder(environ), "user", DATABASE))  # noqa: PTH118
    if glimpse is None and os.path.exists(path):  # noqa: PTH110
        raise OSError(f"{path} cannot be read as it is: it is in use, damaged or of another version")
    return glimpse


def _limits(head: Head) -> Limits:
    return Limits(head.limits[0], *(int(n) for n in head.limits[1:]))


def setting_of(head: Head, cwd: str, *, early: bool = True, now: float | None = None) -> Setting:
    """Return what a decision needs besides the moment and the store.

    Args:
        head: of the session's live file.
        cwd: the folder that relative paths of the moment start from.
        early: the host takes text before a tool is used.
        now: seconds since the epoch; the time by default.
    """
    limits = _limits(head)
    head = tree_of(head, cwd)
    return Setting(
        limits,
        relative_to(head.root, cwd),
        lambda folder: is_within(head, cwd, folder),
        lambda note: faded(note, time.time() if now is None else now),
        _branch(head.head_file),
        _fingerprint,
        _goes_without_saying,
        early,
        lambda path: "*" in path or os.path.exists(os.path.join(head.root, path)),  # noqa: PTH110, PTH118
    )


def is_within(head: Head, cwd: str, folder: str) -> bool:
    """Return whether a folder, absolute or from the working folder, is of the project or of a work tree."""
    place = os.path.normpath(os.path.join(cwd or head.root, folder))  # noqa: PTH118
    root = tree_of(head, place).root
    return not os.path.isabs(root) or place == root or bool(relative_to(root, "")(place))  # noqa: PTH117


def tree_of(head: Head, cwd: str) -> Head:
    """Return a head whose root and branch are those of the work tree that a folder is in.

    A session may move to another work tree of its repository, and so may each of its subagents; the memory is
    the same, the files lie elsewhere.
    """
    common = os.path.dirname(head.head_file)  # noqa: PTH120
    if "/worktrees/" in (apart := common.replace("\\", "/")):
        common = apart[: apart.rindex("/worktrees/")]
    folder = cwd
    for _ in range(DEEPEST):
        if not common or not folder or folder == head.root:
            return head
        try:
            place = os.path.join(folder, ".git")  # noqa: PTH118
            with open(place, encoding="utf-8", opener=at_once) as file:
                own = file.read(2_000).partition("gitdir:")[2].strip()
        except (OSError, ValueError):
            own = ""
        if own:
            own = os.path.normpath(os.path.join(folder, own))  # noqa: PTH118
            within = os.path.realpath(own).startswith(os.path.realpath(common) + os.sep)
            return head._replace(root=folder, head_file=os.path.join(own, "HEAD")) if within else head  # noqa: PTH118
        folder, before = os.path.dirname(folder), folder  # noqa: PTH120
        if folder == before:
            return head
    return head


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
    from datetime import UTC, datetime  # `time.strptime` takes five times as long to load

    try:
        return datetime.fromisoformat(iso[:19]).replace(tzinfo=UTC).timestamp()
    except ValueError:
        return 0.0


def _branch(head_file: str) -> str:
    """Return the branch that git's file names; empty where there is none."""
    try:
        with open(head_file, encoding="utf-8", opener=at_once) as file:
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


def _goes_without_saying(path: str, partner: str) -> bool:
    from remora.observer.couplings import goes_without_saying

    return goes_without_saying(path, partner)


def line_of(moment: Moment, reply: Reply, head: Head) -> dict[str, Any]:
    """Return a moment as a line of the live file: no texts of the session, only what was done and said."""
    line: dict[str, Any] = {"k": kind_of(moment), "at": int(time.time() * 1000)}
    if moment.agent:
        line["g"] = moment.agent
    if moment.action:
        line["a"] = moment.action
        relative = relative_to(tree_of(head, moment.cwd).root, moment.cwd)
        if paths := [inside for path in moment.paths[:20] if (inside := relative(path))]:
            line["p"] = paths
    if moment.action == "run" and moment.kind == moments.AFTER and not moment.failed:
        from remora.shell.matching import marks  # patterns that cost a millisecond to load

        line["c"] = marks(moment.command)
    here = not moment.place or is_within(head, moment.cwd, moment.place)
    if moment.action in ("search", "glob") and moment.pattern and here:
        line["q"] = _without_secrets(moment.pattern)[:200]
    if moment.call_id:
        line["i"] = moment.call_id
    if name := name_of(moment):
        line["n"] = name
    if moment.kind == moments.PROMPT and _is_task(moment):
        line["task"] = 1
    if moment.kind == moments.START:
        line["s"] = moment.source
    if reply.text:
        line |= {"said": list(reply.ids), "t": reply.trigger, "w": reply.why, "x": reply.text}
    return line


# What needs the whole memory


def _heavy(moment: Moment, told: Sequence[Line], head: Head, environ: Mapping[str, str]) -> Reply:
    from remora.app import starting

    if moment.kind == moments.START:
        again = moment.source in ("compact", "resume")
        recorded = state_of(told).recorded if again else ()
        return starting.brief(head, environ, again=again, recorded=recorded)
    return starting.task(head, moment.text, environ, said=state_of(told, moment.agent).said)


def _within(
    answer: Callable[[], T], seconds: float, environ: Mapping[str, str], whole: float = 0.0
) -> T | None:
    """Return an answer that comes in time; None for one that does not or that fails.

    Args:
        answer: is left behind, and not heard of again, when it takes longer.
        seconds: to wait.
        environ: says where trouble is noted.
        whole: the seconds the whole moment has, where that is more.
    """
    import threading

    found: list[T] = []
    failed: list[Exception] = []

    def run() -> None:
        try:
            found.append(answer())
        except Exception as error:  # noqa: BLE001  a failing memory never fails the agent
            failed.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(max(0.0, seconds))
    if not found:
        late = TimeoutError(f"no answer within {whole or seconds:g} s")
        note_trouble(failed[0] if failed else late, environ)
    return found[0] if found else None


def _without_secrets(pattern: str) -> str:
    """Return what was searched for without a secret that somebody looked for; a mere name holds none."""
    if pattern.replace("_", "").isalpha():
        return pattern
    from remora.core.secrets import redact

    return redact(pattern).text


def note_trouble(error: BaseException, environ: Mapping[str, str] | None = None) -> None:
    """Write one line about what went wrong into `hooks.log`; never fails itself, never grows without end."""
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
