"""SQL for memories and the links between them. The only writer of `memories` and its indexes."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from remora.core.change import Change
from remora.core.evidence import COMMIT_SOURCES, COUNTED_BY, COUNTED_TYPES, SESSION_TYPES
from remora.core.paths import matches
from remora.core.text import content_hash, index_terms
from remora.core.values import MEMORY_KINDS, Filters, MemoryRecord, Origin, Relation, Taint, WorkUnitRef
from remora.store.connection import Connection, Row
from remora.store.revisions import UNLOGGED, Revisions

COLUMNS = tuple(name for name in MemoryRecord._fields if name not in ("realm", "receipt"))
# As `core.evidence.hit_source` says it.
KIND = (
    f"CASE WHEN m.source IN ({', '.join(map(repr, COMMIT_SOURCES))}) THEN 'commit' "
    f"WHEN m.type IN ({', '.join(map(repr, SESSION_TYPES))}) THEN 'session' "
    f"WHEN m.source = {COUNTED_BY!r} AND m.type IN ({', '.join(map(repr, COUNTED_TYPES))}) THEN 'session' "
    "ELSE 'memory' END"
)
_SELECT = "SELECT " + ", ".join(f"m.{c}" for c in COLUMNS) + " FROM memories m"
_LISTS = (
    "tags",
    "related_files",
    "related_modules",
    "derived_from",
    "provenance_session_ids",
    "impacted_node_ids",
)
_FLAGS = ("needs_review", "user_verified", "pinned", "deprecated", "silent")
_RECORDS = ("relations", "origins")
_RECORD = ("taint", "work_unit_ref")
_SEARCHED = frozenset({"content", "context_prefix", "related_files", "tags"})  # fields of `search_terms`
_JSON = frozenset((*_LISTS, *_RECORDS, *_RECORD, "payload", "triggers"))  # columns that hold JSON


def search_terms(record: MemoryRecord) -> str:
    """Return the extra full-text terms of a memory.

    The terms are the headings above it, parts of identifiers, and pairs of CJK characters.
    """
    prefix = record.context_prefix or ""
    extra = index_terms(" ".join((record.content, prefix, *record.related_files, *record.tags)))
    return f"{prefix} {extra}".strip()


class Memories:
    """The memories of one database."""

    def __init__(self, connection: Connection, realm: str, revisions: Revisions | None = None) -> None:
        self._connection = connection
        self._realm = realm
        self._revisions = revisions or Revisions(connection)

    def insert(
        self,
        record: MemoryRecord,
        *,
        change: Change | None = Change("create"),  # noqa: B008  immutable
    ) -> None:
        """Add a new memory with its search data and its first revision; call inside a transaction.

        Without a change its revisions come from elsewhere.
        """
        names = (*COLUMNS, "content_hash", "search_terms")
        values = [_to_column(c, getattr(record, c)) for c in COLUMNS]
        values += [content_hash(record.content), search_terms(record)]
        marks = ", ".join("?" * len(names))
        self._connection.execute(f"INSERT INTO memories({', '.join(names)}) VALUES ({marks})", values)
        self.follow_moves(record.id)
        logged = {c: v for c, v in zip(COLUMNS, values, strict=False) if c not in UNLOGGED and v is not None}
        if change is not None:
            self._revisions.write(record.id, change, logged)

    def update(
        self,
        memory_id: str,
        changes: Mapping[str, Any],
        *,
        change: Change | None = Change(),  # noqa: B008  immutable
    ) -> None:
        """Change fields of a memory (names of `MemoryRecord`), with a revision; call inside a transaction.

        The search data follows. Without a change its revisions come from elsewhere.
        """
        columns = self._differing(memory_id, changes)
        logged = {name: value for name, value in columns.items() if name not in UNLOGGED}
        if _SEARCHED & columns.keys() and (known := self.get(memory_id)) is not None:
            columns["search_terms"] = search_terms(known._replace(**{n: changes[n] for n in columns}))
        if "content" in columns:
            columns["content_hash"] = content_hash(changes["content"])
        if columns:
            sets = ", ".join(f"{name} = ?" for name in columns)
            self._connection.execute(
                f"UPDATE memories SET {sets} WHERE id = ?", [*columns.values(), memory_id]
            )
        if "related_files" in columns:
            self.follow_moves(memory_id)
        if logged and change is not None:
            self._revisions.write(memory_id, change, logged)

    def _differing(self, memory_id: str, changes: Mapping[str, Any]) -> dict[str, Any]:
        """Return the columns whose values would change."""
        columns = {name: _to_column(name, value) for name, value in changes.items()}
        if not columns:
            return {}
        row = self._connection.row(f"SELECT {', '.join(columns)} FROM memories WHERE id = ?", (memory_id,))
        if row is None:
            return {}
        known = dict(zip(columns, row, strict=True))
        return {name: value for name, value in columns.items() if value != known[name]}

    def index_words(self, record: MemoryRecord) -> None:
        """Write the full-text terms of a memory again; call inside a transaction."""
        terms = (search_terms(record), record.id)
        self._connection.execute("UPDATE memories SET search_terms = ? WHERE id = ?", terms)

    def get(self, memory_id: str) -> MemoryRecord | None:
        """Return a memory by its full id, including deprecated ones."""
        found = self._connection.row(f"{_SELECT} WHERE m.id = ?", (memory_id,))
        return self._record(found) if found else None

    def get_many(self, memory_ids: Iterable[str]) -> dict[str, MemoryRecord]:
        """Return the memories of many ids, by id; unknown ids are absent."""
        sql = f"{_SELECT} WHERE m.id IN (SELECT value FROM json_each(?))"
        return {row[0]: self._record(row) for row in self._connection.rows(sql, (memory_ids,))}

    def ids_starting(self, prefix: str, limit: int = 10) -> list[str]:
        """Return ids that start with a prefix, in order."""
        sql = "SELECT id FROM memories WHERE id >= ? AND id < ? ORDER BY id LIMIT ?"
        return self._connection.column(sql, (prefix, prefix + "\U0010ffff", limit))

    def find(
        self,
        filters: Filters,
        *,
        include_deprecated: bool = False,
        needs_review: bool | None = None,
        source: str | None = None,
        pinned: bool | None = None,
        tag: str | None = None,
        order: str = "created",
        limit: int = 100,
        offset: int = 0,
    ) -> list[MemoryRecord]:
        """Return memories that pass the filters, newest first (`order`: created, accessed, confidence)."""
        where, values = condition(filters, include_deprecated=include_deprecated)
        clauses = [where]
        for column, wanted in (("needs_review", needs_review), ("pinned", pinned)):
            if wanted is not None:
                clauses.append(f"m.{column} = {int(wanted)}")
        if source is not None:
            clauses.append("m.source = ?")
            values.append(source)
        if tag is not None:
            clauses.append("EXISTS (SELECT 1 FROM json_each(m.tags) WHERE value = ?)")
            values.append(tag)
        by = {
            "created": "m.created_at DESC",
            "accessed": "m.last_accessed_at DESC",
            "confidence": "m.confidence DESC",
        }
        sql = f"{_SELECT} WHERE {' AND '.join(clauses)} ORDER BY {by[order]}, m.id LIMIT ? OFFSET ?"
        return [self._record(row) for row in self._connection.rows(sql, [*values, limit, offset])]

    def ids_passing(self, filters: Filters, among: Sequence[str] | None = None) -> set[str]:
        """Return the ids of the memories that pass the filters, of all or among some."""
        where, values = condition(filters)
        source = "memories m"
        if among is not None:
            # Left alone, SQLite looks ids up in the key's own index and then reads every row.
            source = "json_each(?) j CROSS JOIN memories m INDEXED BY idx_memories_live ON m.id = j.value"
            values = [among, *values]
        return set(self._connection.column(f"SELECT m.id FROM {source} WHERE {where}", values))

    def with_hash(self, content_hash: str) -> list[MemoryRecord]:
        """Return memories with the same text except for case and white space, oldest first."""
        rows = self._connection.rows(f"{_SELECT} WHERE m.content_hash = ? ORDER BY m.seq", (content_hash,))
        return [self._record(row) for row in rows]

    def with_external_id(self, external_id: str) -> MemoryRecord | None:
        """Return the memory with a caller's own id."""
        found = self._connection.row(f"{_SELECT} WHERE m.external_id = ?", (external_id,))
        return self._record(found) if found else None

    def follow_moves(self, memory_id: str = "") -> None:
        """Index one memory, or all, by the current paths of their files; call inside a transaction.

        The text and files of a memory stay as written.
        """
        which = "WHERE f.memory_id = ?" if memory_id else ""
        self._connection.execute(
            f"""INSERT OR IGNORE INTO memory_files SELECT p.value, f.memory_id FROM memory_files f
                CROSS JOIN source_items s ON s.kind = 'moved' AND s.key = f.file_path
                CROSS JOIN json_each(s.paths) p {which}""",
            (memory_id,) if memory_id else (),
        )

    def files_of(self, memory_ids: Collection[str]) -> dict[str, tuple[str, ...]]:
        """Return the files of memories, by their written and their current paths, in order."""
        sql = """SELECT f.memory_id, f.file_path FROM json_each(?) j
                 CROSS JOIN memory_files f INDEXED BY idx_memory_files_memory ON f.memory_id = j.value
                 ORDER BY 1, 2"""
        found: dict[str, tuple[str, ...]] = {}
        for memory_id, path in self._connection.rows(sql, (sorted(memory_ids),)):
            found[memory_id] = (*found.get(memory_id, ()), path)
        return found

    def on_files(self, paths: Sequence[str], filters: Filters, limit: int) -> list[MemoryRecord]:
        """Return live memories that name one of the files, directly or by a glob, most confident first."""
        globs = self._connection.rows(
            "SELECT DISTINCT file_path FROM memory_files WHERE instr(file_path, '*') > 0"
        )
        named = [*paths, *(glob for (glob,) in globs if any(matches(glob, path) for path in paths))]
        where, values = condition(filters)
        sql = f"""{_SELECT} WHERE m.id IN (
            SELECT memory_id FROM memory_files WHERE file_path IN (SELECT value FROM json_each(?)))
            AND {where} ORDER BY m.confidence DESC, m.id LIMIT ?"""
        return [self._record(row) for row in self._connection.rows(sql, [named, *values, limit])]

    def on_branches(self) -> list[tuple[str, str]]:
        """Return (branch, id) of every live memory that belongs to a branch, in order."""
        sql = """SELECT branch, id FROM memories WHERE branch IS NOT NULL AND deprecated = 0
                 ORDER BY branch, seq"""
        return self._connection.rows(sql)

    def put_away_with(self, reason: str) -> list[str]:
        """Return the ids of memories out of search whose review reasons contain some words, in order."""
        sql = "SELECT id FROM memories WHERE deprecated = 1 AND instr(review_reason, ?) > 0 ORDER BY seq"
        return self._connection.column(sql, (reason,))

    def dependents(self, memory_id: str) -> list[str]:
        """Return the ids of all live memories derived from this one, directly or through others."""
        sql = """WITH RECURSIVE below(id) AS (
            SELECT child_id FROM memory_derivations WHERE parent_id = ?
            UNION SELECT d.child_id FROM memory_derivations d JOIN below ON d.parent_id = below.id)
            SELECT m.id FROM below JOIN memories m ON m.id = below.id
            WHERE m.deprecated = 0 AND m.id <> ? ORDER BY m.seq"""
        return self._connection.column(sql, (memory_id, memory_id))

    def delete(self, memory_ids: Sequence[str], change: Change | None = Change("erase")) -> None:  # noqa: B008
        """Delete memories permanently, with index rows, vectors, uses and the texts of their revisions.

        Call inside a transaction. Without a change no revision remains: their revisions come from elsewhere.
        """
        ids = [(i,) for i in memory_ids]
        self._connection.execute_many("DELETE FROM memories WHERE id = ?", ids)
        self._connection.execute_many("DELETE FROM memory_use WHERE memory_id = ?", ids)
        self._revisions.empty(memory_ids, change)

    def first_at(self) -> str | None:
        """Return when the first memory was stored, ISO 8601; None if there is none."""
        found: str | None = self._connection.value("SELECT min(updated_at) FROM memories")
        return found

    def counts(self) -> dict[str, int]:
        """Return the number of memories, live and not, and of live ones by type ("type:…").

        Records are counted under "record:commit" and "record:session" and nowhere else, except "deprecated".
        """
        found = {"live": 0, "deprecated": 0, "needs_review": 0, "pinned": 0, "verified": 0, "tainted": 0}
        sql = f"""SELECT {KIND} AS what, type, deprecated, count(*), total(needs_review), total(pinned),
                 total(user_verified), count(taint) FROM memories m
                 GROUP BY what, type, deprecated ORDER BY type"""
        for what, kind, gone, number, review, pinned, verified, tainted in self._connection.rows(sql):
            if gone:
                found["deprecated"] += number
                continue
            if what != "memory":
                found[f"record:{what}"] = found.get(f"record:{what}", 0) + number
                continue
            found["live"] += number
            found["needs_review"] += int(review)
            found["pinned"] += int(pinned)
            found["verified"] += int(verified)
            found["tainted"] += tainted
            found[f"type:{kind}"] = number
        return found

    def rows(self) -> list[dict[str, Any]]:
        """Return every memory as JSON values by column, in order of storage."""
        found = self._connection.rows(f"{_SELECT} ORDER BY m.seq")
        named = (dict(zip(COLUMNS, row, strict=True)) for row in found)
        return [
            {n: json.loads(v) if n in _JSON and v is not None else v for n, v in row.items()} for row in named
        ]

    def record_of(self, row: Mapping[str, Any]) -> MemoryRecord:
        """Return a memory from its JSON values by column, as returned by `rows`.

        Raises:
            TypeError, ValueError, KeyError: a value does not fit its column.
        """
        given = {name: row[name] for name in COLUMNS if name in row}
        for name in (*_LISTS, *_RECORDS):
            if not isinstance(given.get(name, []), list):
                raise TypeError(f"{name} is a list")
        columns = {n: json.dumps(v) if n in _JSON and v is not None else v for n, v in given.items()}
        return MemoryRecord(**self.values_of(columns), realm=self._realm)

    @staticmethod
    def values_of(columns: Mapping[str, Any]) -> dict[str, Any]:
        """Return the columns of a revision as fields of `MemoryRecord`."""
        return {
            name: _BY_NAME[name](value) if name in _BY_NAME and value is not None else value
            for name, value in columns.items()
        }

    def _record(self, row: Row) -> MemoryRecord:
        values = list(row)
        for place, read in _READERS:
            if values[place] is not None:
                values[place] = read(values[place])
        return MemoryRecord._make((*values, self._realm, None))


def records_in(counts: Mapping[str, int]) -> dict[str, int]:
    """Return the record counts of `Memories.counts`, by kind of record."""
    return {n.removeprefix("record:"): c for n, c in counts.items() if n.startswith("record:")}


_AMONG = "IN (SELECT value FROM json_each(?))"
_ON_FILES = """EXISTS (SELECT 1 FROM memory_files f JOIN json_each(?) j ON f.file_path = j.value
               OR (substr(j.value, -1) = '/' AND substr(f.file_path, 1, length(j.value)) = j.value)
               OR (instr(f.file_path, '*') > 0 AND glob_names(f.file_path, j.value))
               WHERE f.memory_id = m.id)"""
_IN_MODULES = "EXISTS (SELECT 1 FROM json_each(m.related_modules) a JOIN json_each(?) b ON a.value = b.value)"
_OF_SESSION = """(m.session_id = ? OR EXISTS (
                 SELECT 1 FROM json_each(m.provenance_session_ids) s WHERE s.value = ?))"""


def condition(filters: Filters, *, include_deprecated: bool = False) -> tuple[str, list[Any]]:
    """Return the SQL condition on `memories m` and its values for a set of filters.

    A file filter ending in "/" matches everything below that folder, and so does a module; a memory about
    "src/**" matches each file there. `branch` hides memories of other branches; "*" shows all; None shows
    only memories without a branch. `kinds` filters by MEMORY_KINDS if it names any of them.
    """
    kinds = [kind for kind in MEMORY_KINDS if kind in filters.kinds]
    asked: list[tuple[bool, str, list[Any]]] = [
        (not include_deprecated, "m.deprecated = 0", []),
        (bool(filters.types), f"m.type {_AMONG}", [filters.types]),
        (0 < len(kinds) < len(MEMORY_KINDS), f"{KIND} {_AMONG}", [kinds]),
        (filters.scope is not None, "m.scope = ?", [filters.scope]),
        (bool(filters.files), _ON_FILES, [filters.files]),
        (bool(filters.modules), f"({_IN_MODULES} OR {_ON_FILES})", [filters.modules, filters.folders]),
        (filters.branch != "*", "(m.branch IS NULL OR m.branch = ?)", [filters.branch]),
        (filters.since is not None, "m.created_at >= ?", [filters.since]),
        (filters.until is not None, "m.created_at < ?", [filters.until]),
        (filters.session is not None, _OF_SESSION, [filters.session] * 2),
    ]
    clauses = [clause for wanted, clause, _ in asked if wanted]
    given = [value for wanted, _, values in asked if wanted for value in values]
    return " AND ".join(clauses) or "1", given


def _to_column(name: str, value: Any) -> Any:
    if value is None:
        return None
    if name in _LISTS:
        return json.dumps(list(value), ensure_ascii=False)
    if name in _RECORDS:
        return json.dumps([_compact(v) for v in value], ensure_ascii=False)
    if name in _RECORD:
        return json.dumps(_compact(value), ensure_ascii=False)
    if name in ("payload", "triggers"):
        return json.dumps(value, ensure_ascii=False)
    return int(value) if name in _FLAGS else value


def _list(text: str) -> tuple[Any, ...]:
    return tuple(json.loads(text)) if text != "[]" else ()


def _records(kind: type[Relation | Origin], text: str) -> tuple[Relation | Origin, ...]:
    return tuple(kind(**v) for v in json.loads(text)) if text != "[]" else ()


def _work_unit(text: str) -> WorkUnitRef:
    ref = json.loads(text)
    return WorkUnitRef(ref["methodology"], tuple(ref["hierarchy"]), ref["label"])


# How the columns that are not plain values are read, by their place: a search reads many rows.
_BY_NAME: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(_LISTS, _list),
    **dict.fromkeys(_FLAGS, bool),
    "relations": partial(_records, Relation),
    "origins": partial(_records, Origin),
    "taint": lambda text: Taint(**json.loads(text)),
    "work_unit_ref": _work_unit,
    "payload": json.loads,
    "triggers": json.loads,
}
_READERS = tuple((COLUMNS.index(name), read) for name, read in _BY_NAME.items())


def _compact(record: Any) -> dict[str, Any]:
    return {k: v for k, v in record._asdict().items() if v is not None}
