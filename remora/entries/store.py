"""Notes and archives in one file: search by name, alias or words, and durable changes.

Every change writes the whole file to a temporary file and replaces the old one (fsync, rename, fsync of the
folder), so a crash at any byte leaves the old entries or the new ones. Changes run one at a time under a lock
shared by all threads and processes, on the file's current content; the object in memory changes after the
write has succeeded. Reads take no lock. They check the file's header first and read the file again if another
process has changed it.
"""

from __future__ import annotations

import heapq
import os
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple, TypeVar

from remora.core.clock import Clock
from remora.core.values import Entry
from remora.disk.files import lock, os_errors, write_atomic
from remora.entries import snapshot
from remora.entries.table import (
    EMPTY,
    Add,
    Change,
    Record,
    Table,
    check_kind,
)

T = TypeVar("T")
# The time of change, the size, the inode and the header of a file; None when there is no file.
_Look = tuple[int, int, int, bytes] | None


class _View(NamedTuple):
    """The data in memory, and the state of its file. Always replaced as one."""

    look: _Look
    table: Table


class EntryStore:
    """The notes and archives of one file. Many threads and processes may use it at once.

    Names and aliases are unique together, compared in composed form (NFC) without white space around them; an
    alias works wherever a name does. Nothing is created on disk before the first change.

    Args:
        path: the file; it and its folder need not exist.
        clock: gives new entries their time.
        lock_timeout: seconds that a change waits for another one to end.

    Every method may raise StoreCorrupt (the file is damaged or foreign; it is never overwritten),
    StoreTooNew, or StoreError if it cannot be read. Every change may raise StoreBusy, StoreFull or
    StoreReadOnly; then nothing has changed.
    """

    def __init__(self, path: Path, clock: Clock, *, lock_timeout: float = 10.0) -> None:
        self.path = path
        self._clock, self._timeout = clock, lock_timeout
        self._view = _View(None, EMPTY)
        self._loading = threading.Lock()

    # --- reading

    def get(self, name: str) -> Entry | None:
        """Return the entry with this name or alias."""
        record = self._table().find(name)
        return record.entry() if record is not None else None

    def entries(self, kind: str | None = None) -> list[Entry]:
        """Return all entries, or those of a kind, in order of creation.

        Raises:
            InvalidInput: there is no such kind.
        """
        return [record.entry() for record in self._of_kind(kind)]

    def count(self, kind: str | None = None) -> int:
        """Return the number of entries, or of those of a kind.

        Raises:
            InvalidInput: there is no such kind.
        """
        return len(self._of_kind(kind))

    def _of_kind(self, kind: str | None) -> list[Record]:
        if kind is not None:
            check_kind(kind)
        return [r for r in self._table().records.values() if kind is None or r.kind == kind]

    def search(self, query: str, limit: int = 10, kind: str | None = None) -> list[tuple[Entry, float]]:
        """Return the entries with words of the query in their content or name, the best first.

        Args:
            query: any text; its distinct words count once each.
            limit: maximum number; 0 gives none. There is no minimum score.
            kind: only entries of this kind. It does not change the scores.

        Returns:
            (entry, BM25 score) pairs, scores above 0, ties by id.

        Raises:
            InvalidInput: there is no such kind.
        """
        if kind is not None:
            check_kind(kind)
        table = self._table()
        records, scores = table.records, table.index.scores(query)
        if kind is not None:
            scores = {id_: score for id_, score in scores.items() if records[id_].kind == kind}
        if limit < 1 or not scores:
            return []
        cut = heapq.nlargest(limit, scores.values())[-1]
        best = sorted((-score, id_) for id_, score in scores.items() if score >= cut)[:limit]
        return [(records[id_].entry(), -score) for score, id_ in best]

    # --- changing

    def add(self, name: str, content: str, kind: str = "note", aliases: tuple[str, ...] = ()) -> Entry:
        """Add an entry under a new name.

        Raises:
            Conflict: the name or an alias is taken; the message names the entry.
            InvalidInput: a name, the kind or the content cannot be stored.
        """
        return self.apply(lambda change: change.add(Add(name, content, kind, aliases))).entry()

    def add_all(self, new: Iterable[Add]) -> None:
        """Add entries with one write, all or none; errors as `add`."""
        self.apply(lambda change: [change.add(entry) for entry in new])

    def archive(self, slug_of: str, content: str) -> Entry:
        """Add an archive named after a text (a session's id) with the next free number: `cli-42-3`.

        The number is one above the highest that follows the same slug in any name or alias of any kind,
        determined and taken in one step under the lock.
        """
        return self.apply(lambda change: change.archive(slug_of, content)).entry()

    def rename(self, name: str, new_name: str) -> Entry:
        """Give an entry another canonical name; the old one becomes an alias.

        So references by the old name, such as a compaction marker in a conversation, still work. Renaming to
        one of its own aliases swaps the two. `unalias` frees the old name.

        Raises:
            NotFound: no entry has the name.
            Conflict: another entry has the new one.
            InvalidInput: the new name cannot be stored.
        """
        return self.apply(lambda change: change.rename(name, new_name)).entry()

    def alias(self, name: str, alias: str) -> Entry:
        """Add an alias to an entry; adding it again changes nothing.

        Raises:
            NotFound: no entry has the name.
            Conflict: another entry has the alias.
            InvalidInput: the alias cannot be stored.
        """
        return self.apply(lambda change: change.alias(name, alias)).entry()

    def unalias(self, name: str, alias: str) -> Entry:
        """Remove an alias of an entry, so that another entry can have it.

        Raises:
            NotFound: no entry has the name, or it has no such alias.
            InvalidInput: it is the canonical name.
        """
        return self.apply(lambda change: change.unalias(name, alias)).entry()

    def write(self, name: str, content: str) -> Entry:
        """Replace the content of an entry, note or archive.

        Raises:
            NotFound: no entry has the name.
            InvalidInput: the content is too long.
        """
        return self.apply(lambda change: change.write(name, content)).entry()

    def remove(self, name: str) -> Entry:
        """Delete an entry and all its names; return its last state. Its id is never reused.

        Raises:
            NotFound: no entry has the name.
        """
        return self.apply(lambda change: change.remove(name)).entry()

    def apply(self, make: Callable[[Change], T]) -> T:
        """Make changes in order, all of them or none, with one write; return the result of `make`.

        Raises:
            NotFound, Conflict, InvalidInput: a change is invalid; nothing was changed.
        """
        with lock(self.path.resolve(), timeout=self._timeout):
            table = self._table()
            change = Change(table, self._clock.now())
            found = make(change)
            changed = change.finish()
            if changed is not table:
                data = snapshot.encode(changed)
                write_atomic(self.path, data)
                look = self._look()
                # Should somebody without the lock have put another file there, the next look finds it.
                ours = look is not None and look[1] == len(data) and data.startswith(look[3])
                self._view = _View(look if ours else None, changed)
        return found

    # --- the file

    def _table(self) -> Table:
        """Return the entries of the file's current state."""
        view = self._view
        if self._look() == view.look:
            return view.table
        with self._loading:
            if self._look() != self._view.look:
                self._view = self._load()
            return self._view.table

    def _look(self) -> _Look:
        with os_errors(self.path, "read"):
            try:
                with self.path.open("rb", buffering=0) as file:
                    return _look_at(os.fstat(file.fileno()), file.read(snapshot.HEADER))
            except FileNotFoundError:
                return None

    def _load(self) -> _View:
        with os_errors(self.path, "read"):
            try:
                with self.path.open("rb") as file:
                    status, data = os.fstat(file.fileno()), file.read()
            except FileNotFoundError:
                return _View(None, EMPTY)
        return _View(_look_at(status, data[: snapshot.HEADER]), snapshot.decode(data, self.path))


def _look_at(status: os.stat_result, header: bytes) -> _Look:
    return status.st_mtime_ns, status.st_size, status.st_ino, header
