"""Keep a limited number of earlier texts in a folder, named by their time."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from remora.core.clock import from_iso, to_iso
from remora.disk.files import write_atomic

_STAMP = r"(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3}Z)(?:~\d+)?"  # earlier versions had the number


class KeptFile(NamedTuple):
    """One kept text: its name, its time (ISO 8601 in UTC), its size in bytes and its path."""

    name: str
    time: str
    size: int
    path: Path


class Shelf:
    """A folder of kept texts: `<prefix><stamp><suffix>`, at most `limit` of them; the oldest are removed.

    Names ascend in the order of keeping: if the clock stands still or goes back, a text takes the millisecond
    after the newest one. One writer at a time: the caller holds a lock.
    """

    def __init__(self, folder: Path, prefix: str, suffix: str, limit: int) -> None:
        self.folder = folder
        self._prefix = prefix
        self._suffix = suffix
        self._limit = limit
        self._name = re.compile(re.escape(prefix) + _STAMP + re.escape(suffix))

    def keep(self, data: bytes, now: float) -> Path:
        """Keep a text durably and return its path; the newest one is not kept again.

        Args:
            data: the text as bytes.
            now: seconds since the epoch, for the name.

        Raises:
            StoreError: it could not be written; nothing was removed.
        """
        kept = self.contents()
        if kept:
            with suppress(OSError):
                if kept[-1].path.read_bytes() == data:
                    return kept[-1].path
            now = max(now, from_iso(kept[-1].time) + 0.001)
        stamp = to_iso(now).replace(":", "-")
        path = self.folder / f"{self._prefix}{stamp}{self._suffix}"
        write_atomic(path, data)
        for old in kept[: max(0, len(kept) + 1 - self._limit)]:
            with suppress(OSError):  # one too many does no harm
                old.path.unlink()
        return path

    def contents(self) -> list[KeptFile]:
        """Return the kept texts, oldest first. An unreadable folder gives none."""
        found: list[KeptFile] = []
        with suppress(OSError):
            for path in self.folder.iterdir():
                if stamp := self._name.fullmatch(path.name):
                    day, *clock = stamp.groups()
                    with suppress(FileNotFoundError):  # gone since the folder was read
                        time = f"{day}T{':'.join(clock)}"
                        found.append(KeptFile(path.name, time, path.stat().st_size, path))
        return sorted(found, key=lambda kept: kept.name)
