"""The live file of a session: state shared by short-lived processes.

One file per session, `<data folder>/live/<host>+<session>.jsonl`. The first line names the project of the
session; each further line is one moment: the action (its kind, files, a search pattern), the recorded
memories and the advice given; no content, output or prompt. Lines are only appended, each in one write, under
a lock, so that tools that run at the same time never receive the same advice twice. A process that could not
get the lock is told so. A truncated line is skipped. Nothing here waits long, and every failure returns
nothing. `remora work` imports the file when the session is over and removes it two weeks later. Hosts end
sessions without an event, are killed, or pause for days: `is_over` decides when a session is over.

Imports are few on purpose (`remora.interfaces.hooks`).
"""

from __future__ import annotations

import json
import os
import sys
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, Self

from remora.core import moments
from remora.disk.places import data_folder

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

FOLDER, SUFFIX = "live", ".jsonl"
LEARNT = "learnt"  # kind of the line that says that everything above it was taken in
OFF = "off"  # of the line by which a person switches Remora off for the session (1), or on again (0)
OFF_FILE = "off"  # in the home of a project that is off
TRIED = "tried"  # of the line that says that this went wrong
SOUGHT = 2  # of a head whose project was not yet found, and still stands if that hook was killed
OPEN = "open"  # part of a LEARNT line: it was written in a pause, and the session may go on
IDLE = 6 * 3_600  # seconds without a moment after which a session is over
QUIET = 600  # the same after the end of a turn: nobody waits for the agent, and it may be the last one
# Hosts that never say that a session is over, or only when a person deletes it: any stop may be its end.
ENDLESS = frozenset(("vscode", "windsurf", "opencode"))
KEPT = 14 * 86_400  # seconds that a file stays after the work on it
VERSION = 2  # of the first line
MAX_NAME = 120
WAIT = 0.2  # seconds for another process that holds the file; then without the lock
MAX_BYTES = 8_000_000  # of a file; a session of that many lines is told nothing more
_FAR = 1 << 30  # the byte that stands for the lock on Windows, where a locked one cannot be read
APPENDING = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
_KEPT = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_.")

Line = dict[str, Any]


class Head(NamedTuple):
    """The first line: the session and its project.

    Attributes:
        root: the folder of the project; without a memory, the folder searched for one, if any.
        home: the folder of its memory.
        transcript: the host's file of the session; empty if there is none.
        head_file: git's file that names the branch; empty if there is none.
        timeout: seconds that an answer may take; 0 for the maximum of a hook.
        late: 1 if the project could not be determined in time, SOUGHT while a process determines it; the
            importer then looks again.
        limits: of advice, as of `remora.injection.decide.Limits`; empty if no advice is allowed.
        arm: of the trial, where whole sessions are compared: "control" or "passive"; empty for all others.
    """

    host: str
    session: str
    root: str = ""
    home: str = ""
    at: str = ""
    transcript: str = ""
    head_file: str = ""
    timeout: float = 0.0
    limits: tuple[float, ...] = ()
    late: int = 0
    arm: str = ""

    @property
    def id(self) -> str:
        """The session, as "host:session"."""
        return f"{self.host}:{self.session}"


def file_name(host: str, session: str) -> str:
    """Return the name of a session's file; two sessions never share one.

    >>> file_name("codex", "6F-a b"), len(file_name("codex", "x" * 500)) <= MAX_NAME + 6
    ('codex+6%46-a%20b.jsonl', True)
    """
    whole = "+".join(
        "".join(c if c in _KEPT else "".join(f"%{b:02x}" for b in c.encode("utf-8", "replace")) for c in part)
        for part in (host, session)
    )
    if len(whole) > MAX_NAME:
        whole = f"{whole[: MAX_NAME - 18]}~{zlib.crc32(session.encode('utf-8', 'replace')):08x}"
        whole += f"{zlib.adler32(session.encode('utf-8', 'replace')):08x}"
    return whole + SUFFIX


def folder(environ: Mapping[str, str]) -> str:
    """Return the folder of all live files."""
    return os.path.join(data_folder(environ), FOLDER)  # noqa: PTH118


class LiveFile:
    """An open, locked live file. Use it with `with`.

    Attributes:
        head: the first line; None for a new file.
        lines: the moments so far, in order.
        alone: whether nobody else holds the file. Otherwise another process may be giving advice that no line
            shows yet.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.head: Head | None = None
        self.lines: list[Line] = []
        self.alone = True
        self._file = -1
        self._ends = True  # the last line is whole

    def __enter__(self) -> Self:
        try:
            self._file = os.open(self.path, APPENDING, 0o600)
        except FileNotFoundError:
            place = os.path.dirname(self.path)  # noqa: PTH120
            for above in (os.path.dirname(place), place):  # noqa: PTH120  the mode is only for the last one
                os.makedirs(above, mode=0o700, exist_ok=True)  # noqa: PTH103
            self._file = os.open(self.path, APPENDING, 0o600)
        try:
            self.alone = lock_briefly(self._file)
            self._read()
        except BaseException:
            os.close(self._file)
            raise
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)  # lets go of the lock, too

    def _read(self) -> None:
        size = os.fstat(self._file).st_size
        if size > MAX_BYTES:
            raise OSError("the session's file is full")
        os.lseek(self._file, 0, os.SEEK_SET)
        data = os.read(self._file, size)
        self._ends = not data or data.endswith(b"\n")
        self.head, self.lines = _split(data)

    def begin(self, head: Head) -> None:
        """Write the first line."""
        self.head = head
        self._append([{"remora": "live", "v": VERSION, **head._asdict()}])

    def restart(self, head: Head) -> None:
        """Take out everything, and write the first line."""
        os.ftruncate(self._file, 0)
        self.lines, self._ends = [], True
        self.begin(head)

    def add(self, *lines: Line) -> None:
        """Append moments."""
        self.lines += lines
        self._append(lines)

    def _append(self, lines: Sequence[Line]) -> None:
        text = "".join(json.dumps(line, ensure_ascii=True, separators=(",", ":")) + "\n" for line in lines)
        os.write(self._file, (text if self._ends else f"\n{text}").encode())
        self._ends = True


def is_off(head: Head | None, lines: Sequence[Line]) -> bool:
    """Return whether a person switched Remora off for a session or for its project."""
    for line in reversed(lines):
        if line.get("k") == OFF:
            if line.get("off"):
                return True
            break
    return head is not None and bool(head.home) and os.path.exists(os.path.join(head.home, OFF_FILE))  # noqa: PTH110, PTH118


def live_file(host: str, session: str, environ: Mapping[str, str]) -> LiveFile:
    """Return the live file of a session, to be opened by `with`."""
    return LiveFile(os.path.join(folder(environ), file_name(host, session)))  # noqa: PTH118


def read(path: str) -> tuple[Head | None, list[Line]]:
    """Return the content of a live file, without a lock.

    Raises:
        OSError: it cannot be read.
    """
    with open(path, "rb", opener=at_once) as file:
        return _split(file.read(MAX_BYTES))


def files_of(home: str, environ: Mapping[str, str]) -> list[tuple[str, Head]]:
    """Return the path and the head of each live file of a project; files that cannot be read are left out."""
    found = []
    for _, path in files_in(folder(environ)):
        with suppress(OSError):
            head, _ = read(path)
            if head is not None and head.home == home:
                found.append((path, head))
    return found


def files_in(place: str) -> Iterator[tuple[float, str]]:
    """Yield (time of the last write, path) of each live file of a folder; nothing if it cannot be read."""
    with suppress(OSError), os.scandir(place) as entries:
        for entry in entries:
            if entry.name.endswith(SUFFIX):
                with suppress(OSError):
                    yield entry.stat().st_mtime, entry.path


def _split(data: bytes) -> tuple[Head | None, list[Line]]:
    head = None
    lines: list[Line] = []
    for found in _parsed(data.split(b"\n")):
        if found.get("remora") == "live":
            head = _head(found)
        else:
            lines.append(found)
    return head, lines


def at_once(path: str, flags: int) -> int:
    """Open a file as `open` does, but without waiting: a pipe in its place gives no bytes."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _parsed(rows: Sequence[bytes]) -> Iterator[Line]:
    for raw in rows:
        try:
            found = json.loads(raw)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            yield found


def _head(found: Line) -> Head:
    limits = found.get("limits")
    numbers = tuple(limits) if isinstance(limits, list) and found.get("v") == VERSION else ()
    if not all(type(number) in (int, float) for number in numbers):
        numbers = ()
    timeout = found.get("timeout")
    seconds = timeout if isinstance(timeout, float) else 0.0
    words = (str(found.get(name, "")) for name in Head._fields[:-4])
    late, arm = found.get("late"), found.get("arm")
    known = late if late in (1, SOUGHT) else 0
    return Head._make([*words, seconds, numbers, known, arm if isinstance(arm, str) else ""])


def at_of(line: Line) -> float:
    """Return the time of a moment in seconds since the epoch; 0 if its line has none."""
    at = line.get("at")
    return at / 1000 if isinstance(at, int | float) else 0.0


def lock_briefly(file: int) -> bool:
    """Wait briefly for the holder of the file, then go on without the lock.

    Returns:
        Whether nobody else holds it.
    """
    end = time.monotonic() + WAIT
    while True:
        try:
            if sys.platform == "win32":
                os.lseek(file, _FAR, os.SEEK_SET)
                msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
            else:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            if time.monotonic() > end:
                return False
            time.sleep(0.004)
        except OSError:
            return True  # a file system without locks: nobody can hold it
        else:
            return True


def last_line(path: str) -> Line:
    """Return the last moment in a live file, read from the file's end; an empty one if there is none.

    Raises:
        OSError: it cannot be read.
    """
    with open(path, "rb", opener=at_once) as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL))
        for found in _parsed(file.read().split(b"\n")[::-1]):
            if found.get("remora") != "live":
                return found
    return {}


def is_over(lines: Sequence[Line], age: float, *, idle: float = IDLE, quiet: float = QUIET) -> bool:
    """Return whether a session is over, or pauses, and has moments that were not imported.

    Args:
        lines: of its live file, or the last of them.
        age: seconds since the last line.
        idle: seconds without a moment after which it counts as over.
        quiet: the same if the agent's turn is over.
    """
    for line in reversed(lines):
        kind = line.get("k")
        if kind == LEARNT:
            return OPEN in line and age > idle
        if kind == TRIED and age <= idle:
            return False
        if kind == moments.END:
            return True
        if kind in _GOES_ON:
            break
    return bool(lines) and (age > idle or (age > quiet and _has_stopped(lines)))


def _has_stopped(lines: Sequence[Line]) -> bool:
    """Return whether the agent's last own action was to end its turn."""
    own = (line.get("k") for line in reversed(lines) if not line.get("g"))
    return next((kind for kind in own if kind in _WORKS), "") == moments.STOP


_TAIL = 65_536  # bytes; moments have no content, so their lines are shorter
_GOES_ON = (moments.START, moments.PROMPT, moments.BEFORE)  # what never comes late, after a session's end
_WORKS = (*_GOES_ON, moments.AFTER, moments.FAILED, moments.STEP, moments.COMPACTING, moments.STOP)
