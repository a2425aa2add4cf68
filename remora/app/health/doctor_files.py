"""Check the files beside the database: the items database, the journal and the entry store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remora.app.health.findings import Finding, failed, megabytes
from remora.app.health.stats import database_bytes
from remora.app.records.items import DATABASE
from remora.core.errors import RemoraError, StoreCorrupt
from remora.store.items import Items

if TYPE_CHECKING:
    from pathlib import Path

    from remora.app.project.open_project import OpenProject


def items(project: OpenProject) -> list[Finding]:
    """Check the items database; no finding if no program has created it."""
    path = project.location.home / DATABASE
    if not path.exists():
        return []
    try:
        store = Items.open(path, read_only=True)
        try:
            problems, count = store.check(), store.count()
        finally:
            store.close()
    except StoreCorrupt as error:
        return [_damaged(path, str(error))]
    except RemoraError as error:
        return [failed("items", error)]
    if problems:
        return [_damaged(path, "; ".join(problems))]
    return [Finding("ok", "items", f"sound; items: {count:,}; {megabytes(database_bytes(path))}")]


def _damaged(path: Path, what: str) -> Finding:
    advice = (
        f"Move {path} away and keep it: it is the only copy. The program that uses it then creates a new "
        "file; `.recover` of SQLite's shell may save the old items."
    )
    return Finding("error", "items", what, advice, StoreCorrupt.__name__)


def written(project: OpenProject) -> list[Finding]:
    """Check MEMORY.md, the entry store and unfinished consolidations; no finding without their folder."""
    if not project.memory_folder.is_dir():
        return []
    findings = [*_entries(project), *_journal(project)]
    if any(finding.level != "ok" for finding in findings):
        return [finding for finding in findings if finding.level != "ok"]
    return [Finding("ok", "written", "; ".join(finding.detail for finding in findings))]


def _entries(project: OpenProject) -> list[Finding]:
    store = project.entries()
    try:
        found = [
            Finding("warning", "notes", problem, "The next change of a note repairs it.")
            for problem in store.problems()
        ]
        return found or [Finding("ok", "notes", f"notes and archives: {store.count()}")]
    except RemoraError as error:
        return [failed("notes", error)]


def _journal(project: OpenProject) -> list[Finding]:
    reading = project.journal().read_memory()
    size, most = len(reading.data or b""), project.settings.journal.max_memory_size
    found: list[Finding] = []
    if reading.problem:
        advice = "Save it as UTF-8 and check its permissions."
        found.append(Finding("warning", "journal", reading.problem, advice))
    if size > most:
        advice = "Shorten it, or let the next consolidation with a language model do so."
        found.append(
            Finding("note", "journal", f"MEMORY.md has {size:,} bytes; the limit is {most:,}", advice)
        )
    if waiting := len(list((project.memory_folder / ".pending").glob("*.json"))):
        advice = "`remora journal consolidate` finishes them."
        found.append(Finding("warning", "journal", f"unfinished consolidations: {waiting}", advice))
    return found or [Finding("ok", "journal", f"MEMORY.md: {size:,} bytes")]
