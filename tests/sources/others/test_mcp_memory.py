"""The official MCP memory server's file: every observation and relation is a memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from remora.sources.others import mcp_memory
from remora.sources.others.formats import detect
from remora.sources.others.import_result import Found
from tests.sources.others.looks import check, counts, lines, why, write

WORKS = {"type": "relation", "from": "Ann", "to": "Shop", "relationType": "works_on"}


def entity(name: str, kind: str, *observations: Any) -> dict[str, Any]:
    """Return an entity as the server writes one."""
    return {"type": "entity", "name": name, "entityType": kind, "observations": [*observations]}


ANN = entity("Ann", "person", "prefers short answers", "lives in Oslo")
SHOP = entity("Shop", "project", "never deploys on Fridays")


def read(root: Path, *records: Any, tail: str = "") -> Found:
    """Write a graph and read it."""
    write(root, {"memory.jsonl": lines(records) + tail})
    return check(mcp_memory.read(root / "memory.jsonl"))


def test_observations_and_relations_come_over(tmp_path: Path) -> None:
    """Each is a sentence that can be understood alone, and the same memory at another place in the file."""
    found = read(tmp_path / "a", ANN, SHOP, WORKS)
    assert detect(tmp_path / "a" / "memory.jsonl") == detect(tmp_path / "a") == ["mcp-memory"]
    assert [(d.content, d.type, d.origin_line) for d in found.drafts] == [
        ("Ann (person): prefers short answers", "preference", 1),
        ("Ann (person): lives in Oslo", "preference", 1),
        ("Shop (project): never deploys on Fridays", "requirement", 2),
        ("Ann works on Shop", "module_insight", 3),
    ]
    assert found.drafts[0].tags == ("from:mcp-memory", "entity:person")
    assert counts(found) == {"memories": (4, 4, 0)}
    turned = entity("Ann", "person", "lives in Oslo", "prefers short answers")
    again = read(tmp_path / "b", WORKS, SHOP, turned)
    assert {d.external_id for d in found.drafts} == {d.external_id for d in again.drafts}


def test_bad_records_cost_only_themselves(tmp_path: Path) -> None:
    """Every kind of damage is named with its line; half of a sign is replaced."""
    found = read(
        tmp_path,
        ANN,
        "{broken",
        "null",
        entity("Empty", "x"),
        entity("", "x", "x"),
        {"type": "entity", "name": "List", "observations": "x"},
        WORKS | {"to": ""},
        {"type": "note", "text": "x"},
        {"type": "entity", "name": "Odd", "observations": [5, "", {"content": "an object", "id": 1}, "..."]},
        ANN,
        entity("名前", "人", "\ud83d half", "🎉 全部"),
        tail='{"type": "entity", "name": "Cut", "obs',
    )
    said = ["Odd: an object", "名前 (人): \ufffd half", "名前 (人): 🎉 全部"]
    assert [d.content for d in found.drafts][2:] == said
    assert why(found) == {
        "memory.jsonl:2": "not JSON",
        "memory.jsonl:3": "JSON, but not an object",
        "memory.jsonl:4": "an entity without observations",
        **{f"memory.jsonl:{line}": "neither an entity nor a relation" for line in range(5, 9)},
        "memory.jsonl:9": "an observation without text",
        "memory.jsonl:10": "a duplicate of an imported memory",
        "memory.jsonl:12": "not JSON",
    }
    assert counts(found)["memories"] == (18, 5, 13)


def test_other_files_are_left_alone(tmp_path: Path) -> None:
    """An empty file and JSON of another kind are not graphs; in a folder only graphs are read."""
    write(tmp_path, {"empty.jsonl": "", "package.json": '{\n  "type": "module"\n}\n'})
    assert detect(tmp_path / "empty.jsonl") == []
    assert check(mcp_memory.read(tmp_path / "empty.jsonl")).counts == ()
    found = check(mcp_memory.read(write(tmp_path, {"memory.json": lines([ANN])})))
    assert (len(found.drafts), found.skipped) == (2, ())
