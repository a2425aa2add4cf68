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
    """Add a new entry; `created_at` is ISO 8601, empty for now."""

    name: str
    content: str
    kind: str = "note"
    aliases: tuple[str, ...] = ()
    created_at: str = ""


class Archive(NamedTuple):
    """Add a new archive, named after a text with the next number."""

    slug_of: str
    content: str


class Rename(NamedTuple):
    """Give an entry another canonical name; the old one becomes an alias."""

    name: str
    new_name: str


class Alias(NamedTuple):
    """Add an alias to an entry."""

    name: str
    alias: str


class Unalias(NamedTuple):
    """Remove an alias of an entry."""

    name: str
    alias: str


class Write(NamedTuple):
    """Replace an entry's content."""

    name: str
    content: str


class Remove(NamedTuple):
    """Delete an entry and all its names."""

    name: str


class Clear(NamedTuple):
    """Delete all entries."""


Operation = Add | Archive | Rename | Alias | Unalias | Write | Remove | Clear


class Table:
    """All entries at one point in time.

    Attributes:
        records: by id, in the order of ids.
        names: the id of each name and alias.
        next_id: the id of the next entry; ids are never reused.
        generation: number of writes of the file.
        problem: the fault of the search index in the file, which requires a rebuild.
    """

    def __init__(
        self,
        records: Mapping[int, Record],
        names: Mapping[str, int],
        *,
        next_id: int,
        generation: int,
        index: Index | None,
        problem: str = "",
    ) -> None:
        self.records, self.names = records, names
        self.next_id, self.generation, self.problem = next_id, generation, problem
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
    """The next table under construction."""

    def __init__(self, table: Table, now: float) -> None:
        self._table, self._now = table, now
        self._records, self._names = dict(table.records), dict(table.names)
        self._next_id = table.next_id
        self._touched: set[int] = set()

    def do(self, operation: Operation) -> Record | None:
        """Apply one operation; return the resulting entry (or its last state, if removed).

        Raises:
            NotFound: no entry has that name.
            Conflict: a name is taken.
            InvalidInput: a name, a kind or a content that cannot be stored.
        """
        match operation:
            case Add():
                return self._add(operation)
            case Archive(slug_of, content):
                return self._add(Add(archive_name(slug_of, self._names), content, "archive"))
            case Rename(name, new_name):
                return self._rename(self._get(name), checked(new_name))
            case Alias(name, alias):
                return self._alias(self._get(name), checked(alias))
            case Unalias(name, alias):
                return self._unalias(self._get(name), normal(alias))
            case Write(name, content):
                return self._put(self._get(name), content=sound(content))
            case Remove(name):
                return self._remove(self._get(name))
            case Clear():
                for record in list(self._records.values()):
                    self._remove(record)
                return None

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

    def _add(self, new: Add) -> Record:
        check_kind(new.kind)
        id_, name = self._next_id, checked(new.name)
        aliases = tuple(dict.fromkeys(a for a in map(checked, new.aliases) if a != name))
        for each in (name, *aliases):
            self._claim(each, id_)
        created = _seconds(new.created_at) if new.created_at else int(self._now // 1)
        self._next_id += 1
        return self._store(id_, name, aliases, new.kind, created, sound(new.content))

    def _rename(self, record: Record, name: str) -> Record:
        if name == record.name:
            return record
        if name not in record.aliases:
            self._claim(name, record.id)
        kept = tuple(alias for alias in record.aliases if alias != name)
        return self._put(record, name=name, aliases=(*kept, record.name))

    def _alias(self, record: Record, alias: str) -> Record:
        if alias == record.name or alias in record.aliases:
            return record
        self._claim(alias, record.id)
        return self._put(record, aliases=(*record.aliases, alias))

    def _unalias(self, record: Record, alias: str) -> Record:
        if alias == record.name:
            raise InvalidInput(
                f"{alias!r} is the name of the entry, not an alias",
                hint="Rename the entry first; its old name then becomes an alias.",
            )
        if alias not in record.aliases:
            raise NotFound(f"{alias!r} is not an alias of {record.name!r}")
        del self._names[alias]
        return self._put(record, aliases=tuple(kept for kept in record.aliases if kept != alias))

    def _remove(self, record: Record) -> Record:
        for name in (record.name, *record.aliases):
            del self._names[name]
        self._touched.add(record.id)
        return self._records.pop(record.id)

    def _put(
        self,
        record: Record,
        *,
        name: str | None = None,
        aliases: tuple[str, ...] | None = None,
        content: str | None = None,
    ) -> Record:
        """Store an entry again with the given fields changed."""
        before = record.content
        if content == before:
            return record
        return self._store(
            record.id,
            record.name if name is None else name,
            record.aliases if aliases is None else aliases,
            record.kind,
            record.created,
            before if content is None else content,
        )

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
