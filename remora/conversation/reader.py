"""Follow a log file that other processes append to.

Each look opens the file and reads the lines added since the last one, if the file goes on (`goes_on`); a
replaced, truncated or edited file is read from the beginning. Only complete lines count: a last line without
its line end is a write in progress, or was left by a crash.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

from remora.conversation.format import VERSION, copied
from remora.conversation.replay import Replay
from remora.core.errors import StoreTooNew
from remora.core.values import Message
from remora.disk.files import os_errors

TAIL_BYTES = 256  # before an offset; more than a short message, so an edit above moves them


class Mark(NamedTuple):
    """The state of a log read up to an offset.

    `mtime` is the file's time in ns, 0 if more follows; `tail` is a digest of the bytes before the offset.
    """

    mtime: int
    tail: str


def mark_at(file: BinaryIO, offset: int) -> Mark:
    """Return the mark of a log read up to an offset."""
    status = os.fstat(file.fileno())
    return Mark(status.st_mtime_ns if status.st_size == offset else 0, _tail(file, offset))


def goes_on(file: BinaryIO, offset: int, mark: Mark) -> bool:
    """Return whether a file still begins with what was read up to an offset."""
    status = os.fstat(file.fileno())
    if status.st_size < offset or (status.st_size == offset and status.st_mtime_ns != mark.mtime):
        return False
    return _tail(file, offset) == mark.tail


def _tail(file: BinaryIO, offset: int) -> str:
    file.seek(max(0, offset - TAIL_BYTES))
    return hashlib.blake2b(file.read(min(offset, TAIL_BYTES)), digest_size=8).hexdigest()


class LogReader:
    """One file as of the last look. Threads take turns (`current`)."""

    def __init__(self, path: Path, key: str) -> None:
        self._path = path
        self._key = key
        self._mutex = threading.Lock()
        self._reset()

    def _reset(self) -> None:
        self.replay = Replay(self._key)
        self.end = 0  # after the last complete line
        self.torn = False  # whether something unfinished stands after it
        self._mark = Mark(0, "")
        self._stamp = (0, 0, 0, 0)  # device, file, size, time

    @contextmanager
    def current(self) -> Iterator[LogReader]:
        """Update the replay and hold it unchanged for the block.

        Raises:
            StoreTooNew: a later version wrote the file.
            StoreError: it cannot be read. A missing file is an empty log.
        """
        with self._mutex:
            with os_errors(self._path, "read"):
                try:
                    with self._path.open("rb") as file:
                        self._catch_up(file)
                except FileNotFoundError:
                    self._reset()
                except BaseException:
                    self._reset()
                    raise
            if self.replay.version > VERSION:
                raise StoreTooNew(
                    f"{self._path} has version {self.replay.version}; this Remora reads {VERSION}",
                    hint="Update Remora; the file is intact.",
                )
            yield self

    def _catch_up(self, file: BinaryIO) -> None:
        status = os.fstat(file.fileno())
        stamp = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
        if stamp == self._stamp:
            return
        if stamp[:2] != self._stamp[:2] or not goes_on(file, self.end, self._mark):
            self._reset()
        file.seek(self.end)
        self.torn = False
        for raw in file:
            if not raw.endswith(b"\n"):
                self.torn = True
                break
            self.replay.feed(raw, self.end)
            self.end += len(raw)
        self._stamp, self._mark = stamp, mark_at(file, self.end)

    def load(self, places: Sequence[int]) -> list[Message]:
        """Return copies of the messages at some positions, in the given order."""
        return [copied(self.replay.messages[place]) for place in places]
