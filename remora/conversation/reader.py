"""Follow a log file that other processes append to, and fetch messages from it.

Each look opens the file and reads the lines added since the last one. The file is taken for the same one if
its identity is the same, it did not shrink, and the bytes before the last known end are unchanged; a
replaced, truncated or edited file is read from the beginning. Only complete lines count: a last line without
its line end is a write in progress, or was left by a crash.

The newest messages stay in memory, up to `NEWEST`. Of older ones only the position is kept, and they are read
again on request. So are messages with mutable content (metadata, tool calls), so that every caller
gets its own copy.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

from remora.conversation.format import VERSION, BadLine, decode, read_message
from remora.conversation.replay import Replay
from remora.core.errors import StoreBusy, StoreTooNew
from remora.core.values import Message
from remora.disk.files import os_errors

NEWEST = 1_000  # messages; a working context has fewer

_TAIL = 256  # bytes before the end; more than a short message, so an edited one shows


class LogReader:
    """One file as of the last look. Threads take turns (`current`)."""

    def __init__(self, path: Path, key: str) -> None:
        self._path = path
        self._key = key
        self._mutex = threading.Lock()
        self._file: BinaryIO | None = None
        self._reset()

    def _reset(self) -> None:
        self.replay = Replay(self._key)
        self.end = 0  # after the last complete line
        self.torn = False  # whether something unfinished stands after it
        self._tail = b""
        self._stamp = (0, 0, 0, 0)  # device, file, size, time
        self._newest: deque[Message] = deque(maxlen=NEWEST)

    @contextmanager
    def current(self) -> Iterator[LogReader]:
        """Update the replay and hold it unchanged for the block.

        Raises:
            StoreTooNew: a later version wrote the file.
            StoreError: it cannot be read. A missing file is an empty log.
        """
        with self._mutex, ExitStack() as stack:
            with os_errors(self._path, "read"):
                try:
                    file = stack.enter_context(self._path.open("rb"))
                except FileNotFoundError:
                    self._reset()
                    yield self
                    return
                try:
                    self._catch_up(file)
                except BaseException:
                    self._reset()
                    raise
            if self.replay.version > VERSION:
                raise StoreTooNew(
                    f"{self._path} has version {self.replay.version}; this Remora reads {VERSION}",
                    hint="Update Remora; the file is intact.",
                )
            self._file = file
            try:
                yield self
            finally:
                self._file = None

    def _catch_up(self, file: BinaryIO) -> None:
        status = os.fstat(file.fileno())
        stamp = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
        if stamp == self._stamp:
            return
        if not self._goes_on(file, stamp):
            self._reset()
        file.seek(self.end)
        self.torn = False
        for raw in file:
            if not raw.endswith(b"\n"):
                self.torn = True
                break
            self._take(raw)
        self._stamp = stamp

    def _goes_on(self, file: BinaryIO, stamp: tuple[int, int, int, int]) -> bool:
        """Return whether the file is the known one, possibly with lines added at the end."""
        if stamp[:2] != self._stamp[:2] or stamp[2] < self.end or stamp[2] == self._stamp[2]:
            return False
        file.seek(self.end - len(self._tail))
        return file.read(len(self._tail)) == self._tail

    def _take(self, raw: bytes) -> None:
        message = self.replay.feed(raw, self.end)
        self.end += len(raw)
        self._tail = (self._tail + raw[-_TAIL:])[-_TAIL:]
        if message is not None:
            self._newest.append(message)

    def load(self, places: Sequence[int]) -> list[Message]:
        """Return the messages at some positions, in the given order.

        Raises:
            StoreBusy: the file was edited by hand during the read.
        """
        in_memory_from = self.replay.total - len(self._newest)
        found = []
        for place in places:
            known = self._newest[place - in_memory_from] if place >= in_memory_from else None
            if known is None or known.metadata is not None or known.tool_calls:
                known = self._read(place)
            found.append(known)
        return found

    def _read(self, place: int) -> Message:
        assert self._file is not None
        with os_errors(self._path, "read"):
            self._file.seek(self.replay.offsets[place])
            raw = self._file.readline()
        try:
            return read_message(decode(raw) or {}, self.replay.seqs[place])[0]
        except BadLine:
            self._reset()
            raise StoreBusy(f"{self._path} was changed during the read", hint="Try again.") from None

    def begins_line(self, offset: int) -> bool:
        """Return whether a line begins at a byte offset; the end of the last complete line counts."""
        if offset == 0 or self._file is None:
            return offset == 0
        if not 0 < offset <= self.end:
            return False
        with os_errors(self._path, "read"):
            self._file.seek(offset - 1)
            return self._file.read(1) == b"\n"
