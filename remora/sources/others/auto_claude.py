"""Read the database of Auto Claude's memory (section 17 of its specification).

The types, sources and scopes are the same as here, so memories are imported field by field. Not imported:
embeddings (the current model makes new ones), the full-text index, the observer's counts and the code graph
(both are rebuilt from the project), and deprecated memories. The database serves many projects; without a
choice all of them are imported, and each memory has a tag `project:<id>`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from remora.core.errors import StoreError
from remora.core.values import (
    MEMORY_SCOPES,
    MEMORY_SOURCES,
    MEMORY_TYPES,
    RELATION_TYPES,
    MemoryDraft,
    Relation,
    WorkUnitRef,
)
from remora.sources.instant import instant
from remora.sources.others.files import number, text, texts
from remora.sources.others.import_result import Found, Gatherer, Link
from remora.store.foreign import Foreign, is_sqlite

SYSTEM = "auto-claude"
REQUIRED = ("id", "type", "content", "project_id", "confidence", "related_files", "decay_half_life_days")
_OPTIONAL = (
    "tags", "related_modules", "created_at", "session_id", "commit_sha", "scope", "work_unit_ref",
    "methodology", "source", "target_node_id", "impacted_node_ids", "relations", "needs_review",
    "user_verified", "citation_text", "pinned", "deprecated", "chunk_type", "chunk_start_line",
    "chunk_end_line", "context_prefix",
)  # fmt: skip


def read(path: Path, *, project: str | None = None) -> Found:
    """Return the contents of a database.

    Args:
        path: the database, or its folder.
        project: the id of the project to read; None reads all.
    """
    gather = Gatherer(SYSTEM)
    for file in databases(path):
        try:
            with Foreign(file) as database:
                _read_memories(database, file.name, gather, project)
                _report_others(database, file.name, gather)
        except StoreError:
            gather.pass_over("files", file.name, "damaged, or cannot be read")
    return gather.found()


def databases(path: Path) -> list[Path]:
    """Return the databases of Auto Claude at a path: the file itself, or those directly in the folder."""
    return [path] if path.is_file() else [one for one in sorted(path.glob("*")) if is_database(one)]


def is_database(path: Path) -> bool:
    """Return whether a file is a SQLite database with a memory table in this form, and not Remora's."""
    if not is_sqlite(path):
        return False
    try:
        with Foreign(path) as database:
            return not database.is_ours() and set(REQUIRED) <= set(database.columns("memories"))
    except StoreError:
        return False


def _read_memories(database: Foreign, shown: str, gather: Gatherer, project: str | None) -> None:
    there = database.columns("memories")
    if missing := [name for name in REQUIRED if name not in there]:
        gather.pass_over("files", shown, f"the table memories has no column {missing[0]}")
        return
    columns = (*REQUIRED, *(name for name in _OPTIONAL if name in there))
    found: list[tuple[MemoryDraft, str]] = []
    links: list[Link] = []
    projects: set[str] = set()
    try:
        for order, row in enumerate(database.rows("memories", columns), 1):
            gather.saw("memories")
            place = f"{shown}:{order}"
            projects.add(text(row["project_id"]))
            if why := _left_out(row, project):
                gather.skip("memories", place, why)
            else:
                found.append((_draft(row, shown, gather), place))
                own = f"{SYSTEM}:{text(row['id'])}"  # ids differ here, so such relations become links
                links += [
                    Link(own, one.relation_type, f"{SYSTEM}:{memory}", one.confidence)
                    for one, memory in _related(row)
                    if memory
                ]
    except StoreError:
        gather.pass_over("files", f"{shown}: the table of memories", "damaged; the rest was not read")
    for draft, place in sorted(found, key=lambda one: (one[0].created_at or "", one[0].external_id or "")):
        gather.draft(draft, place)
    for link in links:
        gather.link(link)
    if project is None and len(projects) > 1:
        gather.remark("memories of several projects", ", ".join(sorted(projects)))


def _left_out(row: Mapping[str, Any], project: str | None) -> str:
    if project is not None and row["project_id"] != project:
        return "of another project"
    if row.get("deprecated"):
        return "deprecated"
    return "" if text(row["id"]) and text(row["content"]) else "no id, or no text"


def _draft(row: Mapping[str, Any], shown: str, gather: Gatherer) -> MemoryDraft:
    kind, source, scope = text(row["type"]), text(row.get("source")), text(row.get("scope"))
    tags = [*texts(_json(row, "tags")), f"project:{text(row['project_id'])}"]
    if kind not in MEMORY_TYPES:
        gather.remark("memories of unknown types were imported as patterns", kind)
        tags.append(f"type:{kind}")
    if row.get("user_verified"):
        tags.append("was-verified")
    half_life = number(row["decay_half_life_days"])
    confidence = number(row["confidence"])
    return MemoryDraft(
        content=text(row["content"]),
        type=kind if kind in MEMORY_TYPES else "pattern",
        source=source if source in MEMORY_SOURCES else "mcp_auto",
        scope=scope if scope in MEMORY_SCOPES else "global",
        confidence=0.5 if confidence is None else confidence,
        tags=tuple(tags),
        related_files=texts(_json(row, "related_files")),
        related_modules=texts(_json(row, "related_modules")),
        session_id=text(row.get("session_id")) or None,
        commit_sha=text(row.get("commit_sha")) or None,
        work_unit_ref=_work_unit(_json(row, "work_unit_ref")),
        methodology=text(row.get("methodology")) or None,
        relations=tuple(relation for relation, memory in _related(row) if not memory),
        citation_text=text(row.get("citation_text")) or None,
        decay_half_life_days=half_life if half_life is not None and 0 <= half_life <= 1e6 else None,
        needs_review=bool(row.get("needs_review")),
        pinned=bool(row.get("pinned")),
        external_id=f"{SYSTEM}:{text(row['id'])}",
        chunk_type=text(row.get("chunk_type")) or None,
        chunk_start_line=_line(row.get("chunk_start_line")),
        chunk_end_line=_line(row.get("chunk_end_line")),
        context_prefix=text(row.get("context_prefix")) or None,
        target_node_id=text(row.get("target_node_id")) or None,
        impacted_node_ids=texts(_json(row, "impacted_node_ids"))[:100],
        created_at=instant(row.get("created_at")),
        origin_path=shown,
    )


def _json(row: Mapping[str, Any], column: str) -> Any:
    try:
        return json.loads(text(row.get(column)) or "null")
    except (ValueError, RecursionError):
        return None


def _line(value: object) -> int | None:
    return value if isinstance(value, int) and 0 <= value <= 2**53 else None


def _work_unit(value: object) -> WorkUnitRef | None:
    if not isinstance(value, dict):
        return None
    methodology, label = text(value.get("methodology")).strip(), text(value.get("label")).strip()
    if not methodology or not label:
        return None
    return WorkUnitRef(methodology, texts(value.get("hierarchy")), label)


def _related(row: Mapping[str, Any]) -> Iterator[tuple[Relation, str]]:
    """Yield the relations of a row, and the memory of each that leads to one."""
    written = _json(row, "relations")
    for one in written if isinstance(written, list) else []:
        if not isinstance(one, dict):
            continue
        kind, memory = text(one.get("relationType")), text(one.get("targetMemoryId"))
        file = text(one.get("targetFilePath"))
        confidence = number(one.get("confidence"))
        share = min(1.0, max(0.0, 1.0 if confidence is None else confidence))
        extracted = bool(one.get("autoExtracted"))
        if kind in RELATION_TYPES and (memory or file):
            yield Relation(kind, None, file[:1000], share, extracted), memory


def _report_others(database: Foreign, shown: str, gather: Gatherer) -> None:
    for table in database.tables():
        if table == "memories" or table.startswith("memories_fts"):
            continue
        try:
            rows = database.count(table)
        except StoreError:
            gather.pass_over("files", f"{shown}: the table {table}", "cannot be read")
            continue
        if rows:
            gather.pass_over("rows", f"{shown}: {rows:,} rows of {table}", "only memories are imported", rows)
