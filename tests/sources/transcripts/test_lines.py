"""Lines: complete ones only, bounded, broken ones counted with their place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from remora.core.errors import NotFound, SourceError
from remora.sources.transcripts import lines as module
from remora.sources.transcripts.lines import MAX_BAD, Counts, lines, objects


def _all(path: Path, data: bytes) -> tuple[list[object], Counts]:
    path.write_bytes(data)
    counts = Counts()
    return [value for _, value in objects(path, counts)], counts


def test_numbers_name_each_line(tmp_path: Path) -> None:
    """A line knows its number and its bytes, whatever ends it."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a":1}\r\n\n{"b":2}\n')
    assert [tuple(line) for line in lines(path)] == [(1, b'{"a":1}'), (2, b""), (3, b'{"b":2}')]


@pytest.mark.parametrize(
    ("data", "values", "whole", "bad"),
    [
        (b'{"a":1}\n{"b":', [{"a": 1}], 1, 0),
        (b'{"a":1}\n{"b":2}', [{"a": 1}, {"b": 2}], 2, 0),
        (b'\xef\xbb\xbf{"a":1}\n{"b":"\xff\xfe"}\n', [{"a": 1}, {"b": "\ufffd\ufffd"}], 2, 0),
        (b'{"n":' + b"9" * 10_000 + b'}\n{"n": 1}', [{"n": 1}], 2, 1),
    ],
    ids=["cut", "without a newline", "not UTF-8", "a long number"],
)
def test_whole_lines_are_read(tmp_path: Path, data: bytes, values: Any, whole: int, bad: int) -> None:
    """A line that is being written waits; invalid bytes cost a sign, a number that is too long its line."""
    found, counts = _all(tmp_path / "a", data)
    assert (found, counts.lines, counts.bad) == (values, whole, bad)


def test_broken_lines_are_counted_with_their_place(tmp_path: Path) -> None:
    """Each kind of damage is refused by itself; the sound lines around it are read."""
    deep = b"[" * 100_000
    values, counts = _all(tmp_path / "a", b'{"a":1}\nnot json\n[1]\n' + deep + b"\n\0\0\0\n{}\n")
    assert values == [{"a": 1}, {}]
    assert counts.lines == 6
    assert [(bad.line, bad.reason[:12]) for bad in counts.bad_lines] == [
        (2, "not JSON: Ex"),
        (3, "not a JSON o"),
        (4, "nested too d"),
        (5, "not JSON: Ex"),
    ]
    assert str(counts.bad_lines[0]).startswith(f"{tmp_path / 'a'}:2: not JSON")


def test_a_line_over_the_limit_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A monstrous line is never held; what follows is read."""
    monkeypatch.setattr(module, "MAX_LINE", 1000)
    monster = b'{"x":"' + b"a" * 3_000_000 + b'"}'
    values, counts = _all(tmp_path / "a", b'{"a":1}\n' + monster + b'\n{"b":2}\n')
    assert values == [{"a": 1}, {"b": 2}]
    assert counts.bad == 1
    assert counts.bad_lines[0].reason.startswith("longer than")
    assert counts.lines == 3
    _, counts = _all(tmp_path / "a", b"{}\n" + b"a" * 5000)  # no line yet
    assert (counts.lines, counts.bad) == (1, 0)


def test_what_is_counted_is_bounded(tmp_path: Path) -> None:
    """All bad lines are counted, a few are remembered; a file that invents types does not fill the memory."""
    _, counts = _all(tmp_path / "a", b"x\n" * 200)
    assert (counts.bad, len(counts.bad_lines)) == (200, MAX_BAD)
    for number in range(1000):
        counts.skip(f"type {number}")
    assert len(counts.skipped) == 301
    assert counts.skipped["other types"] == 700


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    """The error says which file; a folder is no file."""
    with pytest.raises(NotFound, match="does not exist"):
        list(lines(tmp_path / "nothing.jsonl"))
    with pytest.raises(SourceError, match="cannot be read"):
        list(lines(tmp_path))
