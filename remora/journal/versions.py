"""Keep a limited number of earlier texts in a folder, named by their time."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from remora.core.clock import to_iso
from remora.disk.files import os_errors, write_atomic

_NAME = re.compile(r"(?P<stamp>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z)(?:~(?P<count>\d+))?\Z")


class KeptFile(NamedTuple):
    """One kept text: its name, its time (ISO 8601 in UTC), its size in bytes and its path."""

    name: str
    time: str
    size: int
    path: Path


class Shelf:
    """A folder of kept texts: `<prefix><stamp><suffix>`, at most `limit` of them; the oldest are removed.

    Names ascend in the order of keeping, even if the clock stands still or goes back: a text that would sort
    before the newest one takes its stamp and a number. One writer at a time: the caller holds a lock.
    """

    def __init__(self, folder: Path, prefix: str, suffix: str, limit: int) -> None:
        self.folder = folder
        self._prefix = prefix
        self._suffix = suffix
        self._limit = limit

    def keep(self, data: bytes, now: float) -> Path:
        """Keep a text durably and return its path; an existing text moves to the top.

        Args:
            data: the text as bytes.
            now: seconds since the epoch, for the name.

        Raises:
            StoreError: it could not be written; nothing was removed.
        """
        kept = self.contents()
        if kept and self._holds(kept[-1], data):
            return kept[-1].path
        path = self._next(kept[-1].name if kept else "", now)
        twin = next((old for old in reversed(kept) if self._holds(old, data)), None)
        if twin is not None:
            with os_errors(path, "write"):
                twin.path.rename(path)
            return path
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
                day, _, clock = self._order(path.name)[0].partition("T")
                if day:
                    with suppress(FileNotFoundError):  # gone since the folder was read
                        size = path.stat().st_size
                        found.append(KeptFile(path.name, f"{day}T{clock.replace('-', ':')}", size, path))
        return sorted(found, key=lambda kept: self._order(kept.name))

    def _holds(self, kept: KeptFile, data: bytes) -> bool:
        if kept.size != len(data):
            return False
        try:
            return kept.path.read_bytes() == data
        except OSError:
            return False

    def _order(self, name: str) -> tuple[str, int]:
        """Return the stamp and the number in the name of a kept text; an empty stamp for another name."""
        if not (name.startswith(self._prefix) and name.endswith(self._suffix)):
            return "", 0
        found = _NAME.match(name[len(self._prefix) : len(name) - len(self._suffix)])
        return (found["stamp"], int(found["count"] or 1)) if found else ("", 0)

    def _next(self, newest: str, now: float) -> Path:
        stamp = to_iso(now).replace(":", "-")
        last, count = self._order(newest)
        if stamp > last:
            return self.folder / f"{self._prefix}{stamp}{self._suffix}"
        return self.folder / f"{self._prefix}{last}~{count + 1}{self._suffix}"
