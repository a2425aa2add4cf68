"""The official MCP memory server's file: every observation and relation is a memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from remora.sources.others import mcp_memory
from remora.sources.others.formats import detect
from remora.sources.others.import_result import Found
from tests.sources.others.looks import check, counts, lines, why, write

ANN = {
    "type": "entity",
    "name": "Ann",
    "entityType": "person",
    "observations": ["prefers short answers", "lives in Oslo"],
}
SHOP = {
    "type": "entity",
    "name": "Shop",
    "entityType": "project",
    "observations": ["never deploys on Fridays"],
}
WORKS = {"type": "relation", "from": "Ann", "to": "Shop", "relationType": "works_on"}


def read(root: Path, *records: Any, tail: str = "") -> Found:
    """Write a graph and read it."""
    write(root, {"memory.jsonl": lines(records) + tail})
    return check(mcp_memory.read(root / "memory.jsonl"))


def test_observations_and_relations_come_over(tmp_path: Path) -> None:
    """Each is a sentence that can be understood alone, with its place in the file."""
    found = read(tmp_path, ANN, SHOP, WORKS)
    assert detect(tmp_path / "memory.jsonl") == detect(tmp_path) == ["mcp-memory"]
    assert [(d.content, d.type, d.origin_line) for d in found.drafts] == [
        ("Ann (person): prefers short answers", "preference", 1),
        ("Ann (person): lives in Oslo", "preference", 1),
        ("Shop (project): never deploys on Fridays", "requirement", 2),
        ("Ann works on Shop", "module_insight", 3),
    ]
    assert found.drafts[0].tags == ("from:mcp-memory", "entity:person")
    assert counts(found) == {"memories": (4, 4, 0)}


def test_ids_do_not_depend_on_order(tmp_path: Path) -> None:
    """The server writes the file anew at every change: names and words are what stays."""
    first = read(tmp_path / "a", ANN, SHOP, WORKS)
    second = read(
        tmp_path / "b", WORKS, SHOP, ANN | {"observations": ["lives in Oslo", "prefers short answers"]}
    )
    assert {d.external_id for d in first.drafts} == {d.external_id for d in second.drafts}


def test_bad_records_cost_only_themselves(tmp_path: Path) -> None:
    """Every kind of damage is named with its line."""
    found = read(
        tmp_path,
        ANN,
        "{broken",
        "null",
        {"type": "entity", "name": "Empty", "entityType": "x", "observations": []},
        {"type": "entity", "name": "", "observations": ["x"]},
        {"type": "entity", "name": "List", "observations": "x"},
        {"type": "relation", "from": "Ann", "to": "", "relationType": "x"},
        {"type": "note", "text": "x"},
        {"type": "entity", "name": "Odd", "observations": [5, "", {"content": "an object", "id": 1}, "..."]},
        ANN,
        tail='{"type": "entity", "name": "Cut", "obs',
    )
    assert [d.content for d in found.drafts][2:] == ["Odd: an object"]
    assert why(found) == {
        "memory.jsonl:2": "not JSON",
        "memory.jsonl:3": "JSON, but not an object",
        "memory.jsonl:4": "an entity without observations",
        "memory.jsonl:5": "neither an entity nor a relation",
        "memory.jsonl:6": "neither an entity nor a relation",
        "memory.jsonl:7": "neither an entity nor a relation",
        "memory.jsonl:8": "neither an entity nor a relation",
        "memory.jsonl:9": "an observation without text",
        "memory.jsonl:10": "a duplicate of an imported memory",
        "memory.jsonl:11": "not JSON; the file ends inside the line",
    }
    assert counts(found)["memories"] == (16, 3, 13)


def test_unicode_and_half_signs(tmp_path: Path) -> None:
    """Text of all scripts comes over; half of a sign is replaced."""
    found = read(
        tmp_path,
        {"type": "entity", "name": "名前", "entityType": "人", "observations": ["\ud83d half", "🎉 全部"]},
    )
    assert [d.content for d in found.drafts] == ["名前 (人): \ufffd half", "名前 (人): 🎉 全部"]


def test_other_files_are_left_alone(tmp_path: Path) -> None:
    """An empty file and JSON of another kind are not graphs; in a folder only graphs are read."""
    write(
        tmp_path,
        {"empty.jsonl": "", "package.json": '{\n  "type": "module"\n}\n', "memory.json": lines([ANN])},
    )
    assert detect(tmp_path / "empty.jsonl") == []
    assert check(mcp_memory.read(tmp_path / "empty.jsonl")).counts == ()
    found = check(mcp_memory.read(tmp_path))
    assert (len(found.drafts), found.skipped) == (2, ())
