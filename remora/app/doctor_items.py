"""Check the file of what programs keep in the project's home: it opens, it is whole, and how large it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remora.app.findings import Finding, failed, megabytes
from remora.app.items import DATABASE
from remora.app.stats import database_bytes
from remora.core.errors import RemoraError, StoreCorrupt
from remora.store.items import Items

if TYPE_CHECKING:
    from pathlib import Path

    from remora.app.wiring import Parts


def items(parts: Parts) -> list[Finding]:
    """Look at the items of a project; nothing where no program has put any."""
    path = parts.project.home / DATABASE
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
        f"Move {path} away and keep it: nothing else has what is in it. The program that uses it then begins "
        "a new file; `.recover` of SQLite's shell may find the old ones."
    )
    return Finding("error", "items", what, advice, StoreCorrupt.__name__)
