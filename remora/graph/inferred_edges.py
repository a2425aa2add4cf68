"""Stated dependencies: claims of a language model or an agent, shown beside the code's edges as guesses.

Such edges of layer 2 are no code dependencies. They are shown at one step from the target, with their source,
and are not followed further.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from remora.core.code import GUESS, Impact

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from remora.store.database import Database

SAYS = {"llm": "a model says", "agent": "an agent says"}
_HOW = {
    "depends_logically": "depends on it",
    "flows_to": "sends data to it",
    "flows_from": "receives data from it",
}


def said(db: Database, ids: Collection[int], found: Sequence[Impact]) -> list[Impact]:
    """Return the stated dependents of some nodes, most confident first, without those already `found`."""
    edges = db.layers.said(ids)
    if not edges:
        return []
    nodes = db.graph.brief({i for edge in edges for i in (edge.from_id, edge.to_id)})
    known = {(impact.path, impact.symbol) for impact in found}
    told: list[Impact] = []
    for edge in edges:
        node, target = nodes.get(edge.from_id), nodes.get(edge.to_id)
        # A module of layer 2 has no place in a list of files and definitions.
        if node is None or target is None or edge.from_id in ids or (node.path, node.symbol) in known:
            continue
        known.add((node.path, node.symbol))
        how = f"{_HOW[edge.type]}, {SAYS.get(edge.source, edge.source)}"
        via = (f"{target.key} <-{how}- {node.key}",)
        sure = min(GUESS, edge.confidence)
        told.append(Impact(node.path, node.symbol, 1, via, sure, node.type, node.test, edge.source))
    return told
