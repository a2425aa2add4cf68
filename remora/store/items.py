"""SQL for the values that programs store under a namespace and a key, in a separate file.

The values belong to the programs. They are not memories and are never merged, ranked or forgotten, and the
file has its own schema. A namespace is a path of labels. A vector belongs to an item and a model, and is
deleted when the item's value changes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from remora.core.errors import InvalidInput
from remora.store.connection import Connection, Form

VERSION = 1
SEPARATOR = "\x1f"  # between labels; sorts before every sign that can be typed

_AFTER = chr(ord(SEPARATOR) + 1)
_SCHEMA = """
CREATE TABLE items (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  namespace  TEXT NOT NULL,  -- the labels, each followed by SEPARATOR
  key        TEXT NOT NULL,
  value      TEXT NOT NULL,  -- JSON
  indexed    TEXT NOT NULL,  -- JSON: null for the store's own fields, false for none, or a list of paths
  created_at REAL NOT NULL,  -- seconds since the epoch, as all times here
  updated_at REAL NOT NULL,
  expires_at REAL,
  ttl        REAL,           -- seconds it lives after it was last used
  UNIQUE (namespace, key)
) STRICT;
CREATE INDEX idx_items_updated ON items(updated_at, id);
CREATE INDEX idx_items_expires ON items(expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE item_vectors (
  item   INTEGER NOT NULL REFERENCES items(id) ON DELETE CASCADE,
  part   INTEGER NOT NULL,
  model  TEXT NOT NULL,
  vector BLOB NOT NULL,      -- little-endian float32 of length 1; empty: there is nothing to index
  PRIMARY KEY (item, model, part)
) STRICT;
"""
_FORM = Form(0x52454D49, VERSION, _SCHEMA)  # "REMI": not to be taken for a memory
_COLUMNS = "id, namespace, key, value, indexed, created_at, updated_at, ttl"
# Below a namespace, itself included; what has expired is left out where a time is given.
_BELOW = "namespace >= ?1 AND namespace < ?2 AND (?3 IS NULL OR expires_at IS NULL OR expires_at > ?3)"

Namespace = tuple[str, ...]


class ItemRow(NamedTuple):
    """One item; the value is JSON."""

    id: int
    namespace: Namespace
    key: str
    value: str
    indexed: str
    created_at: float
    updated_at: float
    ttl: float | None


class Items:
    """The items of one file. Writers call inside a transaction of `db`."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    @classmethod
    def open(cls, path: Path, *, read_only: bool = False) -> Items:
        """Open the file; create it if it is missing and may be written. Its folder must exist.

        Raises:
            StoreCorrupt: it is not an item file.
            StoreTooNew: a newer version of Remora made it.
            StoreReadOnly: it is missing, or cannot be written.
        """
        return cls(Connection.open(path, read_only=read_only, form=_FORM))

    def get(self, namespace: Namespace, key: str, now: float | None = None) -> ItemRow | None:
        """Return an item; one that has expired by `now` is absent."""
        sql = f"""SELECT {_COLUMNS} FROM items WHERE namespace = ?1 AND key = ?2
                  AND (?3 IS NULL OR expires_at IS NULL OR expires_at > ?3)"""
        row = self.connection.row(sql, (encoded(namespace), key, now))
        return _item(row) if row else None

    def below(
        self, prefix: Namespace, now: float | None = None, *, limit: int = -1, offset: int = 0
    ) -> list[ItemRow]:
        """Return the items of a namespace and its children, the last changed first."""
        sql = f"""SELECT {_COLUMNS} FROM items WHERE {_BELOW}
                  ORDER BY updated_at DESC, id DESC LIMIT ?4 OFFSET ?5"""
        return [_item(row) for row in self.connection.rows(sql, (*_range(prefix), now, limit, offset))]

    def namespaces(self, now: float | None = None) -> list[Namespace]:
        """Return every namespace that has an item."""
        sql = f"SELECT DISTINCT namespace FROM items WHERE {_BELOW}"
        return [_decoded(row[0]) for row in self.connection.rows(sql, (*_range(()), now))]

    def put(
        self, namespace: Namespace, key: str, value: str, indexed: str, now: float, ttl: float | None
    ) -> int:
        """Store an item and return its id; an existing item keeps its creation time."""
        row = self.connection.row(
            """INSERT INTO items(namespace, key, value, indexed, created_at, updated_at, expires_at, ttl)
               VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?5 + ?6, ?6)
               ON CONFLICT(namespace, key) DO UPDATE SET
                 value = ?3, indexed = ?4, updated_at = ?5, expires_at = ?5 + ?6, ttl = ?6
               RETURNING id""",
            (encoded(namespace), key, value, indexed, now, ttl),
        )
        assert row is not None
        self.connection.execute("DELETE FROM item_vectors WHERE item = ?", (row[0],))
        return int(row[0])

    def delete(self, namespace: Namespace, key: str) -> None:
        """Delete an item, if it exists."""
        self.connection.execute(
            "DELETE FROM items WHERE namespace = ? AND key = ?", (encoded(namespace), key)
        )

    def refresh(self, ids: Collection[int], now: float) -> None:
        """Restart the expiry of items that expire, from now."""
        sql = """UPDATE items SET expires_at = ?2 + ttl
                 WHERE id IN (SELECT value FROM json_each(?1)) AND ttl IS NOT NULL"""
        self.connection.execute(sql, (sorted(ids), now))

    def sweep(self, now: float) -> int:
        """Delete expired items; returns how many."""
        return self.connection.execute("DELETE FROM items WHERE expires_at <= ?", (now,))

    def vectors(self, ids: Collection[int], model: str) -> dict[int, list[bytes]]:
        """Return the vectors of items for a model; an item not yet embedded is absent."""
        sql = """SELECT v.item, v.vector FROM json_each(?) j CROSS JOIN item_vectors v ON v.item = j.value
                 WHERE v.model = ? ORDER BY v.item, v.part"""
        found: dict[int, list[bytes]] = {}
        for item, vector in self.connection.rows(sql, (sorted(ids), model)):
            found.setdefault(item, [])
            if vector:
                found[item].append(vector)
        return found

    def put_vectors(self, item: int, model: str, vectors: Sequence[bytes]) -> None:
        """Store the vectors of an item, possibly none; an item deleted meanwhile stays deleted."""
        rows: Iterable[bytes] = vectors or (b"",)
        self.connection.execute_many(
            """INSERT OR REPLACE INTO item_vectors(item, part, model, vector)
               SELECT id, ?2, ?3, ?4 FROM items WHERE id = ?1""",
            [(item, part, model, vector) for part, vector in enumerate(rows)],
        )

    def count(self) -> int:
        """Return the number of items, including expired ones that are not yet deleted."""
        return int(self.connection.value("SELECT count(*) FROM items"))

    def close(self) -> None:
        """Close the file."""
        self.connection.close()


def encoded(namespace: Namespace) -> str:
    r"""Return the stored form of a namespace.

    >>> encoded(("users", "ann")) == "users\x1fann\x1f"
    True
    """
    if any(SEPARATOR in label for label in namespace):
        raise InvalidInput(f"a label of {namespace} contains the label separator")
    return "".join(label + SEPARATOR for label in namespace)


def _decoded(text: str) -> Namespace:
    return tuple(text.split(SEPARATOR)[:-1])


def _range(prefix: Namespace) -> tuple[str, str]:
    start = encoded(prefix)
    return start, start[:-1] + _AFTER if start else chr(0x10FFFF)


def _item(row: Sequence[object]) -> ItemRow:
    item = ItemRow._make(row)
    return item._replace(namespace=_decoded(str(item.namespace)))
