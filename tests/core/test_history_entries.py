"""Entries are read as they were written, and whatever a person did to the files is taken as it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.core.clock import to_iso
from remora.core.history_entries import parse, render

T1, T2, T3 = (f"2026-0{n}-27T14:30:00.000Z" for n in (1, 2, 3))


def read(text, problems=None):
    """Return the entries of a history file's text."""
    return list(parse(text.encode().splitlines(keepends=True), problems=problems))


LIKE_HEADERS = [f"## {T1}", f"a\n## {T1}\nb", f"\\## {T2}", f"x\n\\\\## {T2}", "## 2026-01-01", "# a"]
TEXTS = (
    (st.text(min_size=1) | st.sampled_from(LIKE_HEADERS))
    .map(lambda text: text.replace("\r\n", "\n").replace("\r", "\n").strip())
    .filter(lambda text: text.encode("utf-8", "replace").decode() == text and text)
)


@given(st.lists(st.tuples(TEXTS, st.floats(0, 4e9).map(to_iso)), max_size=6))
def test_what_is_written_is_what_is_read(written):
    """Any entries in a row come back with their texts and times, also texts that look like headers."""
    text = "".join(render(entry, instant) for entry, instant in written)
    lines = [line + b"\n" for line in text.encode().split(b"\n")[:-1]]
    assert [(e.text, e.time) for e in parse(lines)] == written


def test_a_file_that_a_person_edited():
    """Text before a header, wrong headers, other forms of a time, blank entries, no line end at the end."""
    text = (
        "\ufeff# History\r\n\r\nOur own notes.\r\n"
        "## 2026-02-27\r\nA day.\r\n"
        "## 2026-02-27 14:30\n## Not a time\nText.\n"
        "## 2026-02-27T16:30:00+02:00  \nWith a zone.\n"
        "## 2026-13-45T00:00:00Z\nstill the same entry\n"
        "## 2026-02-28\n\n"
        "## 2026-03-01T00:00:00.5Z\nThe end."
    )
    assert [(e.time, e.text, e.start_line, e.end_line) for e in read(text)] == [
        (None, "# History\n\nOur own notes.", 1, 3),
        ("2026-02-27T00:00:00.000Z", "A day.", 4, 5),
        ("2026-02-27T14:30:00.000Z", "## Not a time\nText.", 6, 8),
        ("2026-02-27T14:30:00.000Z", "With a zone.\n## 2026-13-45T00:00:00Z\nstill the same entry", 9, 12),
        ("2026-03-01T00:00:00.500Z", "The end.", 15, 16),
    ]


def test_bytes_that_are_no_text_are_reported():
    """The line is read with signs in their place, and the problem names it."""
    problems: list[str] = []
    found = list(parse([f"## {T1}\n".encode(), b"caf\xe9\n"], "HISTORY-2026-01.md", problems))
    assert found[0].text == "caf\ufffd"
    assert problems == ["HISTORY-2026-01.md:2: bytes that are not UTF-8 were replaced"]


@given(st.binary())
def test_any_bytes_are_read(data):
    """No file is so broken that reading fails."""
    for entry in parse(data.splitlines(keepends=True)):
        assert entry.text.strip() == entry.text != ""
        assert 1 <= entry.start_line <= entry.end_line <= len(data.splitlines()) + 1


@pytest.mark.parametrize(
    "line", ["##2026-02-27", "### 2026-02-27", " ## 2026-02-27", "## 2026-02-27 x", "##"]
)
def test_what_is_no_header(line):
    """Anything but two signs, a space and an instant is text."""
    assert [e.time for e in read(line)] == [None]
