"""Store a shared log as a tree of small files, for a folder and git.

    <device>/<first number, 8 digits>.jsonl    up to 500 entries, one a line
    <device>/uses.json                         the use counts of the device

A device writes only below its own name, so two machines never change the same file, and merging is a union.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from remora.core.errors import SourceError, StoreError
from remora.disk.files import make_folder, os_errors, write_atomic
from remora.sharing.carrier import BATCH

USES = "uses.json"
_CHUNK = re.compile(r"([0-9a-f]{32})/(\d{8})\.jsonl")
_USES = re.compile(rf"([0-9a-f]{{32}})/{re.escape(USES)}")


class TreeCarrier(ABC):
    """A shared log in a tree of files that other devices change too; see `Carrier` for the methods."""

    @abstractmethod
    def refresh(self) -> None:
        """Read the present state of the tree."""

    @abstractmethod
    def names(self) -> list[str]:
        """Return the paths of the files, as of the last refresh."""

    @abstractmethod
    def content(self, name: str) -> bytes:
        """Return the content of a file."""

    @abstractmethod
    def change(self, make: Callable[[], Mapping[str, bytes]]) -> None:
        """Write the files that `make` returns in one step; `make` may be called more than once."""

    def last(self) -> dict[str, int]:
        """Return the number of the last entry of each device."""
        self.refresh()
        newest: dict[str, int] = {}
        for device, first in self._chunks():
            newest[device] = max(first, newest.get(device, 0))
        return {d: first + len(self._lines(d, first)) - 1 for d, first in sorted(newest.items())}

    def read(self, device: str, after: int, limit: int = BATCH) -> list[str]:
        """Return lines of a device after a number."""
        starts = sorted(first for d, first in self._chunks() if d == device)
        found: list[str] = []
        for start, following in zip(starts, [*starts[1:], None], strict=False):
            if following is not None and following <= after + 1:
                continue
            lines = self._lines(device, start)
            found += lines[max(0, after + 1 - start) :]
            if len(found) >= limit:
                break
        return found[:limit]

    def append(self, device: str, lines: Sequence[str], after: int) -> None:
        """Add lines of one's own device."""
        numbered = dict(enumerate(lines, start=after + 1))
        self.change(lambda: self._changed(device, numbered, new=True))

    def empty(self, device: str, lines: Mapping[int, str]) -> None:
        """Replace entries by ones with an empty body."""
        self.change(lambda: self._changed(device, lines, new=False))

    def uses(self) -> dict[str, str]:
        """Return the use counts of each device."""
        found = (_USES.fullmatch(name) for name in self.names())
        return {m.group(1): self.content(m.group()).decode("utf-8", "replace") for m in found if m}

    def put_uses(self, device: str, counts: str) -> None:
        """Replace the use counts of one's own device."""
        self.change(lambda: {f"{device}/{USES}": counts.encode()})

    def close(self) -> None:  # noqa: B027  neither kind of tree keeps anything open
        """Do nothing; nothing is open."""

    def _chunks(self) -> list[tuple[str, int]]:
        found = (_CHUNK.fullmatch(name) for name in self.names())
        return [(m.group(1), int(m.group(2))) for m in found if m]

    def _lines(self, device: str, first: int) -> list[str]:
        return self.content(_chunk(device, first)).decode("utf-8", "replace").splitlines()

    def _changed(self, device: str, lines: Mapping[int, str], *, new: bool) -> dict[str, bytes]:
        """Return the files with some lines at their numbers: added where none is (`new`), or replaced."""
        known = set(self._chunks())
        changed: dict[int, list[str]] = {}
        for number, line in lines.items():
            first = _first(number)
            if first not in changed:
                changed[first] = self._lines(device, first) if (device, first) in known else []
            chunk, place = changed[first], number - first
            if new and place == len(chunk):
                chunk.append(line)
            elif not new and place < len(chunk):
                chunk[place] = line
        return {_chunk(device, first): _joined(chunk) for first, chunk in changed.items() if chunk}


def _first(number: int) -> int:
    """Return the first number of the file that holds an entry."""
    return (number - 1) // BATCH * BATCH + 1


def _chunk(device: str, first: int) -> str:
    return f"{device}/{first:08d}.jsonl"


def _joined(lines: Sequence[str]) -> bytes:
    return "".join(line + "\n" for line in lines).encode()


class Folder(TreeCarrier):
    """The tree of one log in a folder; see `TreeCarrier`. Files of other devices are only read."""

    def __init__(self, folder: Path, space: str) -> None:
        self._folder = folder
        self._base = folder / f"remora-{space}"

    def refresh(self) -> None:
        """Check that the folder exists."""
        if not self._folder.is_dir():
            raise SourceError(f"{self._folder} does not exist", hint="Mount it, or create it.")

    def names(self) -> list[str]:
        """Return the paths of the files."""
        found = self._base.glob("*/*") if self._base.is_dir() else ()
        return sorted(p.relative_to(self._base).as_posix() for p in found if p.is_file())

    def content(self, name: str) -> bytes:
        """Return the content of a file."""
        try:
            with os_errors(self._base / name, "read"):
                return (self._base / name).read_bytes()
        except StoreError as error:
            raise SourceError(str(error), hint=error.hint) from None

    def change(self, make: Callable[[], Mapping[str, bytes]]) -> None:
        """Write files in one step."""
        self.refresh()
        try:
            for name, data in make().items():
                make_folder((self._base / name).parent)
                write_atomic(self._base / name, data)
        except StoreError as error:
            raise SourceError(str(error), hint=error.hint) from None
