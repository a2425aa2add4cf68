"""The file of what programs keep: whose it is, what is below what, and what goes when a value changes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from remora.core.errors import InvalidInput, StoreCorrupt, StoreError, StoreReadOnly, StoreTooNew
from remora.store.connection import Connection
from remora.store.items import SEPARATOR, Items
from tests.helpers import files, no_file_above
from tests.store.makers import damage, save, sql, there


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the file is."""
    return tmp_path / "items.db"


@pytest.fixture
def items(path: Path) -> Iterator[Items]:
    """A new file."""
    found = Items.open(path)
    yield found
    found.close()


def put(items: Items, *namespace: str, key: str = "k", now: float = 1.0, ttl: float | None = None) -> int:
    """Store an item."""
    return save(items, items.put, namespace, key, "{}", "null", now, ttl)


def test_below_is_by_whole_labels(items: Items) -> None:
    """What is below a namespace shares its labels, not only its letters."""
    for namespace in (("a",), ("a", "b"), ("a", "b\x1e"), ("ab",), ("a ", "b"), ("A",), ("é", "日本")):
        put(items, *namespace)
    assert {row.namespace for row in items.below(("a",))} == {("a",), ("a", "b"), ("a", "b\x1e")}
    assert [row.namespace for row in items.below(("a", "b"))] == [("a", "b")]
    assert [row.namespace for row in items.below(("é",))] == [("é", "日本")]
    assert len(items.below(())) == len(items.namespaces()) == 7
    assert len(items.below((), limit=3, offset=6)) == 1
    with pytest.raises(InvalidInput, match="label separator"):
        items.get((f"a{SEPARATOR}b",), "k")


def test_a_put_keeps_what_stays_and_drops_what_changed(items: Items) -> None:
    """A put keeps an item's id and its beginning; its vectors, which speak of the old value, go."""
    first = put(items, "a", now=1.0)
    with items.connection.transaction():
        items.put_vectors(first, "m", [b"1234", b"5678"])
        items.put_vectors(first, "other", [])
        items.put_vectors(999, "m", [b"1234"])
    assert items.vectors([first, 999], "m") == {first: [b"1234", b"5678"]}
    assert items.vectors([first], "other") == {first: []}
    assert put(items, "a", now=2.0) == first
    row = there(items.get(("a",), "k"))
    assert (row.created_at, row.updated_at) == (1.0, 2.0)
    assert items.vectors([first], "m") == {}
    with items.connection.transaction():
        items.put_vectors(first, "m", [b"1234"])
        items.delete(("a",), "k")
    assert items.connection.value("SELECT count(*) FROM item_vectors") == 0


def test_expiry(items: Items) -> None:
    """An item that expires is there until it is swept, unless it is asked for what is left at a time."""
    item = put(items, "a", now=10.0, ttl=5.0)
    put(items, "b", now=10.0)
    assert items.get(("a",), "k", 14.9) is not None
    assert items.get(("a",), "k", 15.0) is None
    assert items.get(("a",), "k") is not None
    assert items.namespaces(15.0) == [("b",)]
    assert [row.namespace for row in items.below((), 15.0)] == [("b",)]
    with items.connection.transaction():
        items.refresh([item], 14.0)
        assert items.sweep(18.9) == 0
        assert items.sweep(19.0) == 1
    assert items.namespaces() == [("b",)]


def test_counted_and_checked(items: Items, path: Path) -> None:
    """A reader sees what others write and writes nothing; a page of garbage is told, not raised."""
    reader = Items.open(path, read_only=True)
    for number in range(200):
        put(items, "a" * 200, key=str(number), now=1.0, ttl=1.0)
    assert (items.count(), reader.count(), items.connection.check()) == (200, 200, [])
    with pytest.raises(StoreReadOnly):
        put(reader, "c")
    reader.close()
    items.close()
    damage(path, 9)
    damaged = Items.open(path, read_only=True)
    assert damaged.connection.check() != []
    damaged.close()


@pytest.mark.parametrize("read_only", [True, False])
def test_only_files_of_this_kind_are_opened(tmp_path: Path, path: Path, read_only: bool) -> None:
    """A memory and a newer file are left as they are; what no memory may be: test_connection.py."""
    Connection.open(tmp_path / "memory.db").close()
    Items.open(path).close()
    sql(path, "PRAGMA user_version = 99")
    before = files(tmp_path)
    with pytest.raises(StoreCorrupt):
        Items.open(tmp_path / "memory.db", read_only=read_only)
    with pytest.raises(StoreTooNew):
        Items.open(path, read_only=read_only)
    with pytest.raises(StoreReadOnly):
        Items.open(tmp_path / "missing.db", read_only=True)
    assert files(tmp_path) == before


def test_a_full_disk_keeps_what_is_there(items: Items, path: Path) -> None:
    """A write that finds no room is an error, and costs nothing that was there."""
    put(items, "a")
    with (
        no_file_above(path.with_name("items.db-wal").stat().st_size + 4_096),
        pytest.raises(StoreError),
        items.connection.transaction(),
    ):
        items.put(("b",), "k", "x" * 100_000, "null", 1.0, None)
    assert items.namespaces() == [("a",)]
    put(items, "c")
    assert items.namespaces() == [("a",), ("c",)]
