"""Looking into other people's files: JSON, lines, times, messages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from remora.sources.others import files
from remora.sources.others.files import File, json_lines, parse_json, read_bytes, tool_calls_of
from remora.sources.others.import_result import Unreadable

UNFIT = "JSON with numbers out of range, or nested too deep"


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"{", "not JSON"),
        (b"\xff{}", "not UTF-8"),
        (b"[" * 50_000 + b"]" * 50_000, "not JSON"),
        (b"[" * 60 + b"]" * 60, UNFIT),
        (b"[1e999]", UNFIT),
        (b"[NaN]", UNFIT),
        (b"9" * 10_000, "not JSON"),
    ],
)
def test_json_that_cannot_be_kept_is_refused(raw: bytes, reason: str) -> None:
    """What JSON could not hold again, or would break a parser, has a reason; a mark before it is no harm."""
    with pytest.raises(Unreadable) as raised:
        parse_json(raw)
    assert str(raised.value) == reason
    assert parse_json('\ufeff{"a": 1.5}'.encode()) == {"a": 1.5}


def test_a_line_that_is_too_long_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not taken into memory, and the lines after it keep their numbers."""
    monkeypatch.setattr(files, "MAX_LINE", 1 << 20)
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1}\n' + json.dumps({"b": "x" * (5 << 20)}) + '\r\n\n{"c": 3}')
    found = list(json_lines(File(path, "a.jsonl")))
    assert found == [(1, {"a": 1}), (2, "longer than 1 MB"), (4, {"c": 3})]


def test_tool_calls_of_all_forms() -> None:
    """Flat calls and calls with a function come out alike; what names no tool is left out."""
    flat = {"id": "1", "name": "a", "arguments": {"x": 1}}
    nested = {"id": 2, "function": {"name": "b", "arguments": '{"y": 2}'}}
    plain = {"name": "c", "arguments": "no json"}
    assert tool_calls_of([flat, nested, plain, {"id": "4"}, "x"]) == [
        flat,
        {"id": "", "name": "b", "arguments": {"y": 2}},
        {"id": "", **plain},
    ]
    assert tool_calls_of({"id": "1"}) == []


def test_files_that_are_too_large_are_refused(tmp_path: Path) -> None:
    """The limit is in bytes; a missing file is a reason too."""
    (tmp_path / "a").write_bytes(b"x" * ((1 << 20) + 1))
    assert len(read_bytes(tmp_path / "a", (1 << 20) + 1)) == (1 << 20) + 1
    with pytest.raises(Unreadable, match="larger than 1 MB"):
        read_bytes(tmp_path / "a", 1 << 20)
    with pytest.raises(Unreadable, match="cannot be read: No such file"):
        read_bytes(tmp_path / "none")
