"""How often a store was written."""

from __future__ import annotations

from remora.entries import snapshot
from remora.entries.store import EntryStore


def writes(store: EntryStore) -> int:
    """Return the generation that a store's file tells; 0 while there is none."""
    return snapshot.decode(store.path.read_bytes(), store.path).generation if store.path.exists() else 0
