"""Check what is written in files: the journal, the entry store, consolidations that did not end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remora.app.findings import Finding, failed
from remora.core.errors import RemoraError

if TYPE_CHECKING:
    from remora.app.wiring import Parts


def written(parts: Parts) -> list[Finding]:
    """Look at MEMORY.md, the entry store and what consolidations left; nothing where there is none."""
    if not parts.memory_folder.is_dir():
        return []
    findings = [*_entries(parts), *_journal(parts)]
    if any(finding.level != "ok" for finding in findings):
        return [finding for finding in findings if finding.level != "ok"]
    return [Finding("ok", "written", "; ".join(finding.detail for finding in findings))]


def _entries(parts: Parts) -> list[Finding]:
    store = parts.entries()
    try:
        found = [
            Finding("warning", "notes", problem, "The next change of a note mends it.")
            for problem in store.problems()
        ]
        return found or [Finding("ok", "notes", f"notes and archives: {store.count()}")]
    except RemoraError as error:
        return [failed("notes", error)]


def _journal(parts: Parts) -> list[Finding]:
    reading = parts.journal().read_memory()
    size, most = len(reading.data or b""), parts.settings.journal.max_memory_size
    found: list[Finding] = []
    if reading.problem:
        advice = "Save it as UTF-8, and see that you may read it."
        found.append(Finding("warning", "journal", reading.problem, advice))
    if size > most:
        advice = "The next consolidation with a language model shortens it, or you do."
        found.append(Finding("note", "journal", f"MEMORY.md has {size:,} bytes; {most:,} are wanted", advice))
    if waiting := len(list((parts.memory_folder / ".pending").glob("*.json"))):
        advice = "`remora journal consolidate` finishes them."
        found.append(Finding("warning", "journal", f"consolidations that did not end: {waiting}", advice))
    return found or [Finding("ok", "journal", f"MEMORY.md: {size:,} bytes")]
