"""Check the files and graph nodes that a memory names against the project."""

from __future__ import annotations

from os.path import lexists
from typing import TYPE_CHECKING

from remora.core.text import shorten

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from remora.core.values import MemoryDraft, MemoryRecord
    from remora.store.database import Database

NAMED = 3  # missing names listed in a note


def noted(db: Database, draft: MemoryDraft, record: MemoryRecord, root: Path | None = None) -> MemoryRecord:
    """Return a stored memory with a receipt that notes the missing files and nodes of its draft.

    The names are stored as given: the code may be written later. Before the first index, nodes are not
    checked.

    Args:
        db: the database with the code graph.
        draft: the draft as given.
        record: the record as stored.
        root: the project's folder; None if the memory belongs to no single project.
    """
    if record.receipt is None:
        return record
    notes: list[str] = []
    # lexists answers False for a name that no file can have.
    if root is not None and (
        gone := [f for f in draft.related_files if _is_plain(f) and not lexists(root / f)]
    ):
        notes.append(f"there is no file {_listed(gone)} in the project; kept as written")
    named = [*([draft.target_node_id] if draft.target_node_id else ()), *draft.impacted_node_ids]
    if named and db.graph.state() is not None:
        existing = db.layers.existing(named)
        if unknown := [key for key in named if key not in existing]:
            notes.append(f"the code graph has no {_listed(unknown)}; kept as written")
    return record._replace(receipt=record.receipt._replace(notes=(*record.receipt.notes, *notes)))


def _is_plain(path: str) -> bool:
    """Return whether a path is inside the project; others are not checked."""
    return not (path.startswith(("/", "~")) or "*" in path or ".." in path.split("/"))


def _listed(names: Sequence[str]) -> str:
    return ", ".join(shorten(name, 80) for name in names[:NAMED]) + (", …" if names[NAMED:] else "")
