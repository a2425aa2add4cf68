"""Read the file of the official MCP memory server: a knowledge graph as JSON Lines.

    {"type": "entity", "name": "Ann", "entityType": "person", "observations": ["prefers short answers"]}
    {"type": "relation", "from": "Ann", "to": "Shop", "relationType": "works_on"}

Every observation and every relation becomes one self-contained memory: "Ann (person): prefers short answers",
"Ann works on Shop". The server stores no times. An entity without observations gives no memory.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from remora.core.values import MemoryDraft
from remora.sources.others.files import File, begins_with, digest, files_of, json_lines, text
from remora.sources.others.import_result import Found, Gatherer
from remora.sources.rule_sense import memory_type

SYSTEM = "mcp-memory"
CONFIDENCE = 0.7
_PEOPLE = frozenset({"person", "user", "people", "human", "preference", "preferences"})


def read(path: Path) -> Found:
    """Return the contents of a file, or of the graph files in a folder."""
    gather = Gatherer(SYSTEM)
    for file in graph_files(path):
        with gather.reading(file.shown):
            for line, record in json_lines(file):
                place = f"{file.shown}:{line}"
                if isinstance(record, str):
                    gather.pass_over("memories", place, record)
                else:
                    _take(record, place, gather)
    return gather.found()


def graph_files(path: Path) -> list[File]:
    """Return the file at a path, or the graph files directly in a folder."""
    if path.is_file():
        return [File(path, path.name)]
    return [
        file
        for file in files_of(path)
        if "/" not in file.shown and file.path.suffix in (".json", ".jsonl") and is_graph(file.path)
    ]


def is_graph(path: Path) -> bool:
    """Return whether one of the first lines of a file is an entity or a relation."""
    return begins_with(path, lambda record: _is_entity(record) or _is_relation(record))


def _is_entity(record: dict[str, Any]) -> bool:
    named = bool(text(record.get("name")).strip())
    return record.get("type") == "entity" and named and isinstance(record.get("observations"), list)


def _is_relation(record: dict[str, Any]) -> bool:
    ends = (text(record.get(key)).strip() for key in ("from", "to", "relationType"))
    return record.get("type") == "relation" and all(ends)


def _take(record: dict[str, Any], place: str, gather: Gatherer) -> None:
    if _is_entity(record):
        _take_entity(record, place, gather)
    elif _is_relation(record):
        gather.saw("memories")
        source, kind, target = (text(record[key]).strip() for key in ("from", "relationType", "to"))
        said = f"{source} {kind.replace('_', ' ')} {target}"
        key = digest("relation", source, kind, target)
        gather.draft(_draft(said, "module_insight", key, ("relation",), place), place)
    else:
        gather.pass_over("memories", place, "neither an entity nor a relation")


def _take_entity(record: dict[str, Any], place: str, gather: Gatherer) -> None:
    name, kind = text(record["name"]).strip(), text(record.get("entityType")).strip()
    if not record["observations"]:
        gather.pass_over("memories", place, "an entity without observations")
    person = kind.lower() in _PEOPLE
    for one in record["observations"]:
        gather.saw("memories")
        # Some servers that grew from the official one keep an object with the text in it.
        said = text(one.get("content") if isinstance(one, dict) else one).strip()
        if not any(sign.isalnum() for sign in said):
            gather.skip("memories", place, "an observation without text")
            continue
        kinds = (f"entity:{kind}",) if kind else ()
        content = f"{name} ({kind}): {said}" if kind else f"{name}: {said}"
        chosen = memory_type(said, default="module_insight")
        if person and chosen == "module_insight":  # what is said of a person is about no module
            chosen = "preference"
        key = f"{digest('entity', name, characters=16)}#{digest('observation', name, said, characters=16)}"
        gather.draft(_draft(content, chosen, key, kinds, place), place)


def _draft(content: str, kind: str, key: str, tags: tuple[str, ...], place: str) -> MemoryDraft:
    file, _, line = place.rpartition(":")
    return MemoryDraft(
        content=content,
        type=kind,
        source="mcp_auto",
        confidence=CONFIDENCE,
        tags=tags,
        external_id=f"{SYSTEM}:{key}",
        origin_path=file,
        origin_line=int(line),
    )
