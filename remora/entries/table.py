"""All entries at one point in time, and the operations that change them.

A `Table` never changes. A `Change` begins as a copy of one, applies operations one after the other, rejects
invalid ones, and ends as the next table; the old one stays valid, so a write that fails before it reaches the
disk has changed nothing.

Content remains the bytes of the file (`raw`) until it is requested.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

from remora.core.clock import from_iso, to_iso
from remora.core.errors import Conflict, InvalidInput, NotFound
from remora.core.text import sound
from remora.core.values import ENTRY_KINDS, Entry
from remora.entries.bm25 import Index
from remora.entries.names import archive_name, checked, normal

MAX_CONTENT = 16 << 20  # bytes
MAX_ALIASES = 1_000

# id, created (Unix seconds), kind, nothing, aliases, bytes of the name, bytes of the content
HEAD = struct.Struct("<QqBBHII")
ALIAS = struct.Struct("<H")


class Record(NamedTuple):
    """One entry as stored in the file: its lookup fields, and all its bytes."""

    id: int
    name: str
    aliases: tuple[str, ...]
    kind: str
    created: int
    raw: bytes

    @property
    def content(self) -> str:
        """The text of the entry."""
        size = HEAD.unpack_from(self.raw)[6]
        return self.raw[len(self.raw) - size :].decode()

    @property
    def searched(self) -> str:
        """The searchable text of the entry: its content and its name, not its aliases."""
        return f"{self.content}\n{self.name}"

    def entry(self) -> Entry:
        """Return the entry as callers see it."""
        created = to_iso(self.created)[:19] + "Z"
        return Entry(self.id, self.name, self.content, self.kind, self.aliases, created)


class Add(NamedTuple):
    """A new entry; `created_at` is ISO 8601, empty for now."""

    name: str
    content: str
    kind: str = "note"
    aliases: tuple[str, ...] = ()
    created_at: str = ""


class Table:
    """All entries at one point in time.

    Attributes:
        records: by id, in the order of ids.
        names: the id of each name and alias.
        next_id: the id of the next entry; ids are never reused.
        generation: number of writes of the file.
    """

    def __init__(
        self,
        records: Mapping[int, Record],
        names: Mapping[str, int],
        *,
        next_id: int,
        generation: int,
        index: Index | None,
    ) -> None:
        self.records, self.names = records, names
        self.next_id, self.generation = next_id, generation
        if index is not None:
            self.__dict__["index"] = index

    @cached_property
    def index(self) -> Index:
        """The search index; rebuilt from the entries if the file has no valid one."""
        return Index.of((record.id, record.searched) for record in self.records.values())

    def find(self, name: str) -> Record | None:
        """Return the entry of a name or alias."""
        id_ = self.names.get(normal(name))
        return None if id_ is None else self.records[id_]


EMPTY = Table({}, {}, next_id=1, generation=0, index=Index())


class Change:
    """The next table under construction.

    Every change may raise NotFound (no entry has that name), Conflict (a name is taken) or InvalidInput (a
    name, a kind or a content that cannot be stored).
    """

    def __init__(self, table: Table, now: float) -> None:
        self._table, self._now = table, now
        self._records, self._names = dict(table.records), dict(table.names)
        self._next_id = table.next_id
        self._touched: set[int] = set()

    def add(self, new: Add) -> Record:
        """Add a new entry."""
        check_kind(new.kind)
        id_, name = self._next_id, checked(new.name)
        aliases = tuple(dict.fromkeys(a for a in map(checked, new.aliases) if a != name))
        for each in (name, *aliases):
            self._claim(each, id_)
        created = _seconds(new.created_at) if new.created_at else int(self._now // 1)
        self._next_id += 1
        return self._store(id_, name, aliases, new.kind, created, sound(new.content))

    def archive(self, slug_of: str, content: str) -> Record:
        """Add a new archive, named after a text with the next number."""
        return self.add(Add(archive_name(slug_of, self._names), content, "archive"))

    def rename(self, name: str, new_name: str) -> Record:
        """Give an entry another canonical name; the old one becomes an alias."""
        record, new = self._get(name), checked(new_name)
        if new == record.name:
            return record
        if new not in record.aliases:
            self._claim(new, record.id)
        kept = tuple(alias for alias in record.aliases if alias != new)
        return self._named(record, new, (*kept, record.name))

    def alias(self, name: str, alias: str) -> Record:
        """Add an alias to an entry."""
        record, new = self._get(name), checked(alias)
        if new == record.name or new in record.aliases:
            return record
        self._claim(new, record.id)
        return self._named(record, record.name, (*record.aliases, new))

    def unalias(self, name: str, alias: str) -> Record:
        """Remove an alias of an entry."""
        record, old = self._get(name), normal(alias)
        if old == record.name:
            raise InvalidInput(
                f"{old!r} is the name of the entry, not an alias",
                hint="Rename the entry first; its old name then becomes an alias.",
            )
        if old not in record.aliases:
            raise NotFound(f"{old!r} is not an alias of {record.name!r}")
        del self._names[old]
        return self._named(record, record.name, tuple(kept for kept in record.aliases if kept != old))

    def write(self, name: str, content: str) -> Record:
        """Replace an entry's content."""
        record, text = self._get(name), sound(content)
        if text == record.content:
            return record
        return self._store(record.id, record.name, record.aliases, record.kind, record.created, text)

    def remove(self, name: str) -> Record:
        """Delete an entry and all its names; return its last state."""
        record = self._get(name)
        for each in (record.name, *record.aliases):
            del self._names[each]
        self._touched.add(record.id)
        return self._records.pop(record.id)

    def clear(self) -> None:
        """Delete all entries."""
        self._touched.update(self._records)
        self._records.clear()
        self._names.clear()

    def finish(self) -> Table:
        """Return the table after all operations; the old one itself if nothing changed."""
        old = self._table
        if not self._touched and self._next_id == old.next_id:
            return old
        return Table(
            self._records,
            self._names,
            next_id=self._next_id,
            generation=old.generation + 1,
            index=old.index.changed(self._texts()),
        )

    def _texts(self) -> list[tuple[int, str | None, str | None]]:
        """Return (id, text before, text after) of every entry whose words may have changed."""
        found = []
        for id_ in sorted(self._touched):
            texts = [
                record.searched if (record := records.get(id_)) else None
                for records in (self._table.records, self._records)
            ]
            if texts[0] != texts[1]:
                found.append((id_, texts[0], texts[1]))
        return found

    def _get(self, name: str) -> Record:
        id_ = self._names.get(normal(name))
        if id_ is None:
            raise NotFound(f"there is no entry {name!r}", hint="Search for its words, or list all entries.")
        return self._records[id_]

    def _claim(self, name: str, id_: int) -> None:
        """Assign a name that no entry has."""
        holder = self._names.get(name)
        if holder is not None:
            owner = self._records[holder]
            raise Conflict(
                f"{name!r} is taken: it is the name of the {owner.kind} {owner.name!r}"
                if owner.name == name
                else f"{name!r} is taken: it is an alias of the {owner.kind} {owner.name!r}",
                hint="Choose another name, or free it with `remora note rename`, `remove` or `alias --off`.",
            )
        self._names[name] = id_

    def _named(self, record: Record, name: str, aliases: tuple[str, ...]) -> Record:
        """Store an entry again under other names."""
        return self._store(record.id, name, aliases, record.kind, record.created, record.content)

    def _store(
        self, id_: int, name: str, aliases: tuple[str, ...], kind: str, created: int, content: str
    ) -> Record:
        if len(aliases) > MAX_ALIASES:
            raise InvalidInput(
                f"{name!r} would have {len(aliases)} aliases; the maximum is {MAX_ALIASES}",
                hint="Remove some of them with `remora note alias NAME ALIAS --off`.",
            )
        text, called = content.encode(), name.encode()
        if len(text) > MAX_CONTENT:
            raise InvalidInput(
                f"the content of {name!r} has {len(text)} bytes; the maximum is {MAX_CONTENT}",
                hint="Split it, or keep it in a file and note the path.",
            )
        number = ENTRY_KINDS.index(kind)
        head = HEAD.pack(id_, created, number, 0, len(aliases), len(called), len(text))
        others = [part for alias in map(str.encode, aliases) for part in (ALIAS.pack(len(alias)), alias)]
        record = Record(id_, name, aliases, kind, created, b"".join((head, called, *others, text)))
        self._records[id_] = record
        self._touched.add(id_)
        return record


def check_kind(kind: str) -> None:
    """Reject a kind that no entry can have.

    Raises:
        InvalidInput: it is unknown.
    """
    if kind not in ENTRY_KINDS:
        raise InvalidInput(f"unknown kind of entry: {kind!r}", hint=f"Kinds are {', '.join(ENTRY_KINDS)}.")


def _seconds(created_at: str) -> int:
    try:
        seconds = int(from_iso(created_at) // 1)
        to_iso(seconds)
    except (ValueError, OverflowError) as error:
        raise InvalidInput(
            f"{created_at!r} is not a time", hint="Give it as ISO 8601, such as 2026-01-01T00:00:00Z."
        ) from error
    return seconds
