"""Layer 3 of the code graph: remembered patterns and decisions; dependencies that somebody stated.

Each live memory of type pattern or decision that names files or a node of the graph has its own node. A file
or definition has an edge to the pattern that it follows (`applies_pattern`); a decision has one to the code
that it explains (`documents`). The layer is derived: `refresh`, called after each index run, writes it anew
if the memories or the files and definitions are others than before.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from remora.core.code import GUESS, Impact, hash_of
from remora.graph.modules import files_named
from remora.store.layers import MEMORY_PREFIX, UpperEdge, memory_key

if TYPE_CHECKING:
    from remora.store.database import Database
    from remora.store.layers import Known


MADE_FROM = "graph.knowledge"  # meta key: the state of code and memories from which the layer was made
KINDS = ("applies_pattern", "documents")
IMPACTED_WEIGHT = 0.5  # of a node impacted by a memory's target; the target itself weighs 1
MOST_FILES = 200  # matched by one glob; a wider glob makes no edges


def refresh(db: Database, now: int) -> bool:
    """Make layer 3 match the memories and the code; returns whether either had changed.

    Args:
        db: the project's database, writable.
        now: milliseconds since the epoch.
    """
    memories = db.layers.known()
    state = [db.graph.file_count(), db.layers.newest(), hash_of(repr(memories).encode())]
    if db.meta.get(MADE_FROM) == state:
        return False
    edges = _wanted(db, memories)
    with db.connection.transaction(durable=False):
        db.layers.replace_knowledge(memories, edges, now)
        db.meta.set(MADE_FROM, state)
    return True


def remembered(db: Database, keys: Collection[str]) -> list[str]:
    """Return the ids of the memories that layer 3 links to some nodes, the closest first.

    The layer is used as of the last index run, because an update reads every pattern and decision.
    """
    edges = sorted(db.layers.edges_at(keys, KINDS), key=lambda e: (-e.weight, -e.confidence))
    ends = (end for edge in edges for end in (edge.from_key, edge.to_key))
    return list(dict.fromkeys(end.removeprefix(MEMORY_PREFIX) for end in ends if end not in keys))


def _wanted(db: Database, memories: Sequence[Known]) -> list[UpperEdge]:
    """Return the edges that the memories require."""
    paths = db.layers.paths() if any(_wide(f) for m in memories for f in m.files) else []
    keys = {key for m in memories for key in (*m.files, *m.impacted, *([m.target] if m.target else ()))}
    existing = db.layers.existing(keys)
    wide: dict[str, list[str]] = {}
    for written in {f for m in memories for f in m.files if _wide(f)}:
        found = files_named(written, paths)
        wide[written] = found if len(found) <= MOST_FILES else []
    edges: list[UpperEdge] = []
    for memory in memories:
        weights: dict[str, float] = {}
        for key, weight in _named(memory, wide):
            if key in existing or key not in keys:
                weights[key] = max(weight, weights.get(key, 0.0))
        edges += [_edge(memory, key, weight) for key, weight in weights.items()]
    return edges


def _wide(written: str) -> bool:
    return "*" in written or written.endswith("/")


def _named(memory: Known, wide: dict[str, list[str]]) -> Iterator[tuple[str, float]]:
    """Yield (key, weight) of the nodes that a memory names; the files of a glob exist."""
    for written in memory.files:
        for key in wide.get(written, (written,)):
            yield key, 1.0
    if memory.target:
        yield memory.target, 1.0
    for key in memory.impacted:
        yield key, IMPACTED_WEIGHT


def _edge(memory: Known, key: str, weight: float) -> UpperEdge:
    own = memory_key(memory.memory_id)
    if memory.type == "pattern":
        return UpperEdge(key, own, "applies_pattern", weight, memory.confidence)
    return UpperEdge(own, key, "documents", weight, memory.confidence)


SAYS = {"llm": "a model says", "agent": "an agent says"}
_HOW = {
    "depends_logically": "depends on it",
    "flows_to": "sends data to it",
    "flows_from": "receives data from it",
}


def said(db: Database, ids: Collection[int], found: Sequence[Impact]) -> list[Impact]:
    """Return the stated dependents of some nodes, most confident first, without those already `found`.

    They are claims of a model or an agent, no code dependencies: shown with their source, one step deep.
    """
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
