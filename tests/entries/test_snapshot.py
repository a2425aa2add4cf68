"""The file of the entry store says whether it is whole, and is never taken for something that it is not."""

from __future__ import annotations

import random
import re
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from remora.core.errors import StoreCorrupt, StoreTooNew
from remora.core.values import Entry
from remora.entries import snapshot
from remora.entries.store import EntryStore
from remora.entries.table import Add
from tests.entries.writes import open_store

DOCUMENT = Path(__file__).parents[2] / "docs" / "entry-store.md"
# The file that CrabTalk's own test describes byte by byte: one archive, "hi", "yo", alias "hey".
CRMEM = bytes.fromhex(
    "43524d454d00 01000000 0000 00000000 0200000000000000 01000000 0100000000000000 8877665544332211"
    "01000000 02000000 6869 02000000 796f 01000000 03000000 686579"
)


def filled(path: Path) -> EntryStore:
    """Return a store with entries on two pages, some beside the lists of the index and some gone."""
    store = open_store(path)
    store.add_all(Add(f"n{n}", f"word{n} shared") for n in range(70))
    store.apply(lambda change: [change.remove(f"n{n}") for n in range(1, 69)])
    store.add("Größe", "ein Wort", "archive", ("ä", "b"))
    store.rename("n0", "m0")
    store.write("n69", "shared")
    return store


def outcome(path: Path) -> tuple[list[Entry], list[tuple[Entry, float]]] | None:
    """Return what a fresh object reads, None where it refuses the file."""
    store = open_store(path)
    try:
        return store.entries(), store.search("shared wort")
    except StoreCorrupt:
        return None


def refuses_to_write(path: Path) -> None:
    """Assert that a damaged file stays as it is whatever is tried."""
    before = path.read_bytes()
    with pytest.raises(StoreCorrupt) as refused:
        open_store(path).add("new", "")
    assert "Nothing was changed" in refused.value.hint
    assert path.read_bytes() == before


def test_a_table_comes_back_from_its_bytes(tmp_path: Path) -> None:
    """Written again it is the same; the index may be missing; damage under an open store is noticed."""
    store = filled(tmp_path / "e.mem")
    data = store.path.read_bytes()
    table = snapshot.decode(data, store.path)
    assert snapshot.encode(table) == data
    assert (list(table.records), table.next_id) == ([1, 70, 71], 72)
    assert snapshot._FIELDS.unpack_from(data)[6] == 2  # pages
    expected = outcome(store.path)
    size = snapshot._FIELDS.unpack_from(data)[8]
    store.path.write_bytes(with_header(data[:-size], lambda fields: fields.__setitem__(8, 0)))
    assert outcome(store.path) == expected, "who writes the file need not make the index"
    store.path.write_bytes(b"gone")
    for attempt in (store.entries, lambda: store.add("x", "")):
        with pytest.raises(StoreCorrupt):
            attempt()
    assert store.path.read_bytes() == b"gone"


def test_a_file_that_is_cut_off_anywhere_is_refused_or_whole(tmp_path: Path) -> None:
    """Every length shorter than the file is noticed; where only the index is cut, all entries are there."""
    path = tmp_path / "e.mem"
    whole = outcome(filled(path).path)
    data = path.read_bytes()
    assert whole is not None
    found = []
    for size in range(len(data)):
        path.write_bytes(data[:size])
        found.append(outcome(path))
        if found[-1] is None and size % 50 == 0:
            refuses_to_write(path)
    assert found.count(None) + found.count(whole) == len(data)
    first_whole = found.index(whole)
    assert set(map(str, found[first_whole:])) == {str(whole)}
    assert snapshot.HEADER < first_whole < len(data) - 100


def test_a_changed_byte_is_noticed_wherever_it_stands(tmp_path: Path) -> None:
    """Any byte that differs makes the file refused, or costs no more than the index, which is made again."""
    path = tmp_path / "e.mem"
    whole = outcome(filled(path).path)
    data = path.read_bytes()
    draw = random.Random(3)
    refused = 0
    for at in range(len(data)):
        path.write_bytes(data[:at] + bytes([data[at] ^ draw.randrange(1, 256)]) + data[at + 1 :])
        found = outcome(path)
        assert found in (None, whole), at
        refused += found is None
        if found is None and at % 50 == 0:
            refuses_to_write(path)
    assert snapshot.HEADER < refused < len(data)


def test_a_damaged_index_is_mended_by_the_next_change(tmp_path: Path) -> None:
    """Entries are sound, so the store opens, and the next write puts the index right."""
    path = tmp_path / "e.mem"
    expected = filled(path).search("shared wort")
    data = path.read_bytes()
    for broken in (data[:-1], data + b"x", data[:-1] + b"\xff", data[:-30] + b"?" + data[-29:]):
        path.write_bytes(broken)
        store = open_store(path)
        assert store.search("shared wort") == expected
        store.alias("m0", "mended")
        store.unalias("m0", "mended")
        assert "index" in vars(snapshot.decode(path.read_bytes(), path))
        assert open_store(path).search("shared wort") == expected


def test_an_index_of_other_words_is_made_again(tmp_path: Path) -> None:
    """An index that another version cut the words for is not trusted, although its bytes are sound."""
    path = tmp_path / "e.mem"
    store = filled(path)
    expected = store.search("shared wort")
    data = path.read_bytes()
    start = len(data) - len(snapshot.decode(data, path).index.encode())
    path.write_bytes(data[:start] + b"0/12.1.0".ljust(16, b"\0") + data[start + 16 :])
    assert "index" not in vars(snapshot.decode(path.read_bytes(), path))
    assert open_store(path).search("shared wort") == expected


@pytest.mark.parametrize(
    "content",
    [b"", b"SQLite format 3\0", b"REMENTRY", b"R", CRMEM],
)
def test_a_foreign_file_is_refused(tmp_path: Path, content: bytes) -> None:
    """What is no file of the store, or only its beginning, stays."""
    path = tmp_path / "e.mem"
    path.write_bytes(content)
    assert outcome(path) is None
    refuses_to_write(path)


def with_header(data: bytes, change: Callable[[list[Any]], None]) -> bytes:
    """Return a file whose header's fields were changed and its checksum made to fit."""
    fields = list(snapshot._FIELDS.unpack_from(data))
    change(fields)
    packed = snapshot._FIELDS.pack(*fields)
    return packed + struct.pack("<I", crc32(packed)) + data[snapshot.HEADER :]


def test_a_newer_file_is_refused(tmp_path: Path) -> None:
    """A later format is told from damage, and left alone."""
    path = tmp_path / "e.mem"
    data = filled(path).path.read_bytes()
    path.write_bytes(with_header(data, lambda fields: fields.__setitem__(1, 99)))
    for attempt in (lambda: open_store(path).entries(), lambda: open_store(path).add("x", "")):
        with pytest.raises(StoreTooNew, match="format 99"):
            attempt()
    assert snapshot.decode(data, path).generation == 5


def rewritten(data: bytes, old: bytes, new: bytes) -> bytes:
    """Return a file whose only page has other bytes of the same length, with all checksums made to fit."""
    assert len(old) == len(new)
    assert data.count(old) >= 1
    start = snapshot.HEADER + 16
    size = snapshot._PAGE.unpack_from(data, snapshot.HEADER)[0]
    page = data[start : start + size].replace(old, new, 1)
    listed = snapshot._PAGE.pack(size, crc32(page), 2)
    changed = data[: snapshot.HEADER] + listed + page + data[start + size :]
    return with_header(changed, lambda fields: fields.__setitem__(9, crc32(listed)))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (struct.pack("<HII", 0, 4, 3), struct.pack("<HII", 9, 4, 3)),  # more aliases than there are bytes
        (struct.pack("<BBHII", 0, 0, 0, 4, 3), struct.pack("<BBHII", 7, 0, 0, 4, 3)),  # an unknown kind
        (b"two", b"tw\xff"),  # no UTF-8
    ],
)
def test_entries_that_make_no_sense_are_refused(tmp_path: Path, old: bytes, new: bytes) -> None:
    """Sound checksums do not help a file whose bytes are no entries."""
    path = tmp_path / "e.mem"
    store = open_store(path)
    store.add_all([Add("alfa", "one"), Add("beta", "two")])
    data = path.read_bytes()
    assert outcome(path) is not None
    path.write_bytes(rewritten(data, old, new))
    assert path.read_bytes() != data
    assert outcome(path) is None


def documented(language: str) -> list[str]:
    """Return the code blocks of one language in the description of the format."""
    return re.findall(rf"```{language}\n(.*?)```", DOCUMENT.read_text("utf-8"), re.DOTALL)


def test_the_documented_file_is_what_is_written(tmp_path: Path) -> None:
    """The example in docs/entry-store.md is byte for byte what the store writes, up to the index."""
    store = open_store(tmp_path / "e.mem")
    store.add("hi", "yo", "archive", ("hey",))
    hexes = "".join(line.split("  ")[0] for line in documented("text")[-1].splitlines())
    assert store.path.read_bytes().startswith(bytes.fromhex(hexes))
    assert len(bytes.fromhex(hexes)) == snapshot.HEADER + 16 + 28 + 2 + 5 + 2


def test_the_documented_reader_reads_the_file(tmp_path: Path) -> None:
    """The reader that docs/entry-store.md offers sees what the store sees, and refuses damage."""
    store = filled(tmp_path / "e.mem")
    known: dict[str, Any] = {}
    exec(documented("python")[0], known)
    data = store.path.read_bytes()
    found = known["read_entries"](data)
    kinds = ("note", "archive")
    assert [(e["id"], e["name"], e["content"], kinds[e["kind"]], tuple(e["aliases"])) for e in found] == [
        (e.id, e.name, e.content, e.kind, e.aliases) for e in store.entries()
    ]
    with pytest.raises(ValueError):
        known["read_entries"](data[:100] + b"?" + data[101:])
