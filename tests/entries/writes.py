"""What the tests of the entry store share: a store whose clock stands still, and how often it was written."""

from __future__ import annotations

from pathlib import Path

from remora.core.clock import FixedClock
from remora.entries import snapshot
from remora.entries.store import EntryStore

T0 = "2026-01-01T00:00:00Z"


def open_store(path: Path, **more: float) -> EntryStore:
    """Return the store of a file, through an object that knows nothing yet."""
    return EntryStore(path, FixedClock(T0), **more)


def writes(store: EntryStore) -> int:
    """Return the generation that a store's file tells; 0 while there is none."""
    return snapshot.decode(store.path.read_bytes(), store.path).generation if store.path.exists() else 0
