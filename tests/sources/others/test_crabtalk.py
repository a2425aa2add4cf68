"""CrabTalk's dumped trees, its memory files byte by byte, and folders that hold several of its things."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from remora.core.values import Entry
from remora.sources.others import crabtalk
from remora.sources.others.formats import detect
from remora.sources.others.import_result import Found
from tests.sources.others.looks import Files, check, counts, why, write

HEADER = b"CRMEM\0" + struct.pack("<IH", 1, 0) + b"\0\0\0\0"
FIXTURE = bytes.fromhex(
    "43524d454d00 01000000 0000 00000000 0200000000000000 01000000 0100000000000000 8877665544332211 01000000"
    "02000000 6869 02000000 796f 01000000 03000000 686579"
)
NOTE = """<div id="meta">
<dl>
  <dt>Created</dt>
  <dd><time datetime="2020-01-01T00:00:00Z">2020-01-01T00:00:00Z</time></dd>
  <dt>Aliases</dt>
  <dd>
    <ul>
      <li>a&lt;b</li>
      <li>x&amp;y</li>
    </ul>
  </dd>
</dl>
</div>

Roll out in steps.

- one
"""
TREE: Files = {
    "SUMMARY.md": "# Summary\n\n# Notes\n\n- [deploy](notes/deploy.md)\n",
    "book.toml": "[book]\n",
    "notes/deploy.md": NOTE,
    "archives/talk-1.md": "No block: all is text.\n\n",
    "topics/rust.md": '\ufeff<div id="meta">\n<dl>\n</dl>\n</div>\n\nAbout Rust.\n',
}


def text(value: str | bytes) -> bytes:
    """Return a text as the file holds it."""
    raw = value.encode() if isinstance(value, str) else value
    return struct.pack("<I", len(raw)) + raw


def entry(number: int, name: str | bytes, content: str, *aliases: str, kind: int = 0) -> bytes:
    """Return an entry of the first day of 2020 as the file holds it."""
    head = struct.pack("<QQI", number, 1577836800, kind)
    return head + text(name) + text(content) + struct.pack("<I", len(aliases)) + b"".join(map(text, aliases))


def body(*entries: bytes, count: int | None = None) -> bytes:
    """Return a whole file."""
    number = len(entries) if count is None else count
    return HEADER + struct.pack("<QI", number + 1, number) + b"".join(entries)


def read(tmp_path: Path, raw: bytes) -> Found:
    """Read a file of these bytes."""
    path = tmp_path / "memory.crmem"
    path.write_bytes(raw)
    return check(crabtalk.read(path))


def test_the_fixture_of_71_bytes(tmp_path: Path) -> None:
    """A whole file: the archive "hi" that says "yo", also called "hey", from a time no calendar has."""
    assert len(FIXTURE) == 71
    for reserved in (b"\0\0\0\0", b"\xde\xad\xbe\xef"):  # they mean nothing
        found = read(tmp_path, FIXTURE[:12] + reserved + FIXTURE[16:])
        assert found.entries == (Entry(1, "hi", "yo", "archive", ("hey",), ""),)
    assert detect(tmp_path / "memory.crmem") == ["crabtalk"]
    assert read(tmp_path, body()).counts == ()


def test_entries_come_over_with_name_text_kind_aliases_and_time(tmp_path: Path) -> None:
    """A topic becomes a note."""
    raw = body(
        entry(1, "über 名前", "", "c", "a", "b"),
        entry(4, "old talk", "They agreed.", kind=1),
        entry(9, "rust", "About Rust.", kind=2),
    )
    found = read(tmp_path, raw + b"trailing bytes mean nothing")
    made = "2020-01-01T00:00:00.000Z"
    assert found.entries == (
        Entry(1, "über 名前", "", "note", ("c", "a", "b"), made),
        Entry(4, "old talk", "They agreed.", "archive", (), made),
        Entry(9, "rust", "About Rust.", "note", (), made),
    )
    assert found.skipped == ()


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"NOTMEMFILE______garbage",
        b"CRMEM\0\1\0\0\0\2\0" + b"\0" * 4,
        b"CRMEM\0\x63\0\0\0\2\0" + b"\0" * 4,
    ],
)
def test_a_file_of_another_kind_is_named(tmp_path: Path, raw: bytes) -> None:
    """Another beginning, version or flags make it no memory file."""
    found = read(tmp_path, raw)
    assert (found.entries, why(found)) == ((), {"memory.crmem": "not a memory file of version 1"})


def test_a_cut_at_any_byte_loses_only_what_is_cut(tmp_path: Path) -> None:
    """Entries before the cut come over, the others are counted as missing."""
    first, second = entry(1, "a", "first"), entry(2, "b", "second", "bb")
    raw = body(first, second)
    whole = len(raw) - len(second)
    for end in range(len(HEADER) + 12, len(raw)):
        found = read(tmp_path, raw[:end])
        taken = 0 if end < whole else 1
        assert counts(found)["entries"] == (2, taken, 2 - taken)
        assert why(found) == {f"memory.crmem:{taken + 1}": "damaged; the rest was not read"}
    for bad in (entry(2, "odd", "x", kind=7), entry(2, b"\xff\xfe", "x")):
        assert [one.name for one in read(tmp_path, body(first, bad)).entries] == ["a"]


@pytest.mark.parametrize("rest", [b"", b"\xff\xff\xff\xff", text("a") + text("b") + b"\xff\xff\xff\xff"])
def test_absurd_lengths_ask_for_no_memory(tmp_path: Path, rest: bytes) -> None:
    """Counts and lengths of gigabytes are found out before anything is made for them."""
    head = struct.pack("<QQI", 1, 0, 0)
    raw = body(head + rest + b"\0" * 100) if rest else body(count=0xFFFFFFFF)
    assert read(tmp_path, raw).entries == ()


def test_a_dumped_tree_comes_over(tmp_path: Path) -> None:
    """Notes, archives and topics have time and aliases; memory files and trees in a folder come together."""
    tree = write(tmp_path / "home" / "brain", TREE)
    assert detect(tree) == ["crabtalk"]
    found = check(crabtalk.read(tree))
    at = "2020-01-01T00:00:00.000Z"
    assert found.entries == (
        Entry(0, "deploy", "Roll out in steps.\n\n- one", "note", ("a<b", "x&y"), at),
        Entry(0, "talk-1", "No block: all is text.", "archive"),
        Entry(0, "rust", "About Rust.", "note"),
    )
    assert found.skipped == ()
    write(tmp_path / "home", {"a/any.name": FIXTURE})
    names = [entry.name for entry in check(crabtalk.read(tmp_path / "home")).entries]
    assert names == ["hi", "deploy", "talk-1", "rust"]
    other = {"notes/a.md": "x", "SUMMARY.md": "# Summary of the year\n"}  # names alone say nothing
    assert detect(write(tmp_path / "other", other)) == []


def test_odd_entries_of_a_tree(tmp_path: Path) -> None:
    """A block that never ends is text, a date before 1970 is none, a name that is taken is changed."""
    odd: Files = {
        "notes/open.md": '<div id="meta">\n<dl>\ntext',
        "notes/old.md": NOTE.replace("2020", "1960"),
        "notes/bad.md": NOTE.replace("2020-01-01T00:00:00Z", "soon"),
        "archives/deploy.md": "Another of that name.",
    }
    found = check(crabtalk.read(write(tmp_path, TREE | odd)))
    by_name = {entry.name: entry for entry in found.entries}
    assert by_name["open"].content == '<div id="meta">\n<dl>\ntext'
    assert (by_name["old"].created_at, by_name["bad"].created_at) == ("", "")
    assert by_name["deploy (archive)"].content == "Another of that name."
