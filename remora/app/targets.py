"""What a memory says it is about in the code graph, checked against the graph as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remora.core.text import shorten

if TYPE_CHECKING:
    from remora.core.values import MemoryDraft, MemoryRecord
    from remora.store.space import Space

NAMED = 3  # unknown keys that a note names


def noted(space: Space, draft: MemoryDraft, record: MemoryRecord) -> MemoryRecord:
    """Return a stored memory whose receipt says which nodes that its draft names are not in the graph.

    They are kept as written: the code may come. Before the first index nothing can be said of them.
    """
    named = [*([draft.target_node_id] if draft.target_node_id else ()), *draft.impacted_node_ids]
    if not named or record.receipt is None or space.graph.state() is None:
        return record
    existing = space.layers.existing(named)
    unknown = [key for key in named if key not in existing]
    if not unknown:
        return record
    names = ", ".join(shorten(key, 80) for key in unknown[:NAMED]) + (", …" if unknown[NAMED:] else "")
    note = f"nothing in the code graph is called {names}; kept as written"
    return record._replace(receipt=record.receipt._replace(notes=(*record.receipt.notes, note)))
