"""The files of the journal: MEMORY.md with its earlier versions, HISTORY.md with its months, daily notes.

Nothing is cached: a person's edit is visible at the next read. Every change takes a lock shared by all
processes, and is durable when the call returns.

MEMORY.md is read trimmed and written as given, without an added line end. Its content before a change is kept
in `versions/`, byte for byte. A person's editor takes no lock; so before a write the file is read once more,
and a change in between restarts the step.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import date, datetime, timedelta, tzinfo
from pathlib import Path
from typing import NamedTuple

from remora.core.clock import Clock, to_iso
from remora.core.errors import InvalidInput, NotFound, StoreBusy
from remora.core.history_entries import HISTORY, month_file, render
from remora.core.text import sound
from remora.disk.files import append_line, lock, os_errors, write_over
from remora.journal.daily import note_line
from remora.journal.versions import KeptFile, Shelf

MEMORY = "MEMORY.md"
VERSIONS = 50  # earlier texts of MEMORY.md; at 8 kB each they take less than half a megabyte
REJECTED = 20  # answers of a model that were not used

_ATTEMPTS = 5  # at writing MEMORY.md while somebody else saves it


class Reading(NamedTuple):
    """The content of a file: its text, trimmed, with bare line feeds; empty if it is missing.

    `problem` is the reason if an existing file gave no text, or not all of it. `data` are its bytes, None if
    there is no file or it cannot be read.
    """

    text: str
    problem: str = ""
    data: bytes | None = None


class Journal:
    """The journal in a folder. Objects are cheap and hold only the folder, the clock and the zone.

    Attributes:
        folder: of the files; created with the first write.
        clock: gives the time of entries and notes.
        zone: of the daily notes' dates and times; None for the machine's own.
    """

    def __init__(self, folder: Path, clock: Clock, zone: tzinfo | None = None) -> None:
        self.folder = folder
        self.clock = clock
        self.zone = zone
        self.memory_path = folder / MEMORY
        self.history_path = folder / HISTORY
        self._versions = Shelf(folder / "versions", "MEMORY-", ".md", VERSIONS)
        self._rejected = Shelf(folder / "rejected", "", ".txt", REJECTED)

    # --- MEMORY.md -------------------------------------------------------------------------------

    def read_memory(self) -> Reading:
        """Return the long-term memory; a missing or unreadable file gives an empty text."""
        return self._read(self.memory_path)

    def write_memory(self, content: str) -> bool:
        """Replace the long-term memory, keep its old content, and return whether anything changed.

        Raises:
            StoreError: it could not be written; the old text is untouched.
        """
        return self.change_memory(lambda _: content)

    def change_memory(self, change: Callable[[Reading], bytes | str | None]) -> bool:
        """Read, change and write the long-term memory under its lock; return whether it was written.

        Args:
            change: gets the content of the file and returns the new one, None to leave it. It is called again
                if somebody saved the file meanwhile.

        Raises:
            StoreBusy: somebody keeps saving the file, or another process holds its lock.
            StoreError: it could not be written; the old text is untouched.
        """
        with lock(self.memory_path):
            for _ in range(_ATTEMPTS):
                before = self.read_memory()
                wanted = change(before)
                data = sound(wanted).encode() if isinstance(wanted, str) else wanted
                if data is None or data == (before.data or b""):
                    return False
                if before.data:
                    self._versions.keep(before.data, self.clock.now())
                if write_over(self.memory_path, data, before.data):
                    return True
        raise StoreBusy(f"{self.memory_path} changed at every attempt to write it", hint="Try again.")

    def versions(self) -> list[KeptFile]:
        """Return the earlier texts of the long-term memory, newest first."""
        return self._versions.contents()[::-1]

    def restore_version(self, name: str) -> bool:
        """Restore an earlier text of the long-term memory, keep the current one; return whether they differ.

        Raises:
            NotFound: no version has that name.
        """
        kept = next((one for one in self.versions() if one.name == name), None)
        if kept is None:
            raise NotFound(f"there is no version {name!r} of {MEMORY}", hint="List the versions first.")
        with os_errors(kept.path, "read"):
            data = kept.path.read_bytes()
        return self.change_memory(lambda _: data)

    def keep_aside(self, text: str, reason: str) -> Path:
        """Keep an unused text, under the reason, and return the file.

        Raises:
            StoreError: it could not be written.
        """
        folder = self._rejected.folder
        with lock(folder.with_name(f".{folder.name}")):
            return self._rejected.keep(sound(f"{reason}\n\n{text}\n").encode(), self.clock.now())

    # --- HISTORY.md ------------------------------------------------------------------------------

    def append_history(self, entry: str) -> str:
        """Append an entry to HISTORY.md and the month's file, durably; return its time, the current one.

        Raises:
            InvalidInput: the entry is blank.
            StoreError: one of the files could not be written.
        """
        if not entry.strip():
            raise InvalidInput("a history entry cannot be blank")
        instant = to_iso(self.clock.now())
        with self.history_lock():
            for path in self.history_of(instant):
                append_line(path, render(entry, instant))
        return instant

    def history_of(self, instant: str) -> tuple[Path, Path]:
        """Return the two files of an entry with that time."""
        return self.history_path, self.folder / month_file(instant)

    def history_lock(self) -> AbstractContextManager[None]:
        """Hold the one lock of all history files."""
        return lock(self.history_path)

    # --- daily notes -----------------------------------------------------------------------------

    def append_today(
        self, user: str, assistant: str, at: float | None = None, *, who: str = "Assistant"
    ) -> str:
        """Append one exchange to the note of its day and return the line; empty without an answer.

        Args:
            user: the user's message.
            assistant: the final answer; if it is blank, nothing is noted.
            at: when, in seconds since the epoch; now by default.
            who: the speaker of the answer.

        Raises:
            StoreError: the line could not be written.
        """
        if not assistant.strip():
            return ""
        moment = self.moment(at)
        line = note_line(user, assistant, moment, who)
        with lock(self.folder / ".daily"):  # one for all days, so that no lock file is left for each
            append_line(self.day_path(moment.date()), line)
        return line

    def moment(self, at: float | None = None) -> datetime:
        """Return an instant (seconds since the epoch; now by default) in the journal's zone."""
        return datetime.fromtimestamp(self.clock.now() if at is None else at, self.zone)

    def day_path(self, day: date) -> Path:
        """Return the file of a day."""
        return self.folder / f"{day:%Y-%m-%d}.md"

    def read_day(self, day: date) -> Reading:
        """Return the notes of a day; a missing or unreadable file gives an empty text."""
        return self._read(self.day_path(day))

    def recent_days(self, count: int) -> list[date]:
        """Return the days before today, newest first."""
        today = self.moment().date()
        return [today - timedelta(days=back) for back in range(1, min(count, today.toordinal() - 1) + 1)]

    def note_days(self) -> list[date]:
        """Return the days with a note, oldest first."""
        days = []
        for path in self.folder.glob("????-??-??.md"):
            try:
                days.append(date.fromisoformat(path.stem))
            except ValueError:
                continue
        return sorted(days)

    def _read(self, path: Path) -> Reading:
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return Reading("")
        except OSError as error:
            return Reading("", f"cannot read {path.name}: {error.strerror or error}")
        problem = ""
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            text = data.decode("utf-8-sig", "replace")
            problem = f"{path.name} is not UTF-8 from byte {error.start} on"
        return Reading(text.replace("\r\n", "\n").strip(), problem, data)
