"""SQL for the upper layers of the code graph: statements of a language model, and of memories.

Layer 2 has a node for each module and edges between modules, files and definitions. Layer 3 has a node
for each memory of a pattern or a decision. Their nodes belong to no file, so re-reading a file leaves them
unchanged; their edges are deleted with the nodes at their ends. Writers call inside a transaction.

`layer > 1` stands beside `layer = 2` because SQLite uses the index over the upper layers only with it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from remora.core.citation import short_name
from remora.store.connection import Tables
from remora.store.graph import FRESH, Edge

MODULE_PREFIX, MEMORY_PREFIX = "module:", "memory:"


class OutlineRow(NamedTuple):
    """A definition as a prompt shows it; `uses` is the number of its incoming edges."""

    path: str
    key: str
    type: str
    signature: str
    doc: str
    line: int
    uses: int


class UpperEdge(NamedTuple):
    """An edge of layer 2 or 3 between two nodes, by their keys."""

    from_key: str
    to_key: str
    type: str
    weight: float = 1.0
    confidence: float = 1.0


class Known(NamedTuple):
    """A memory as a node of layer 3; `files` and `nodes` are those it names, including globs and folders."""

    memory_id: str
    type: str
    label: str
    confidence: float
    files: tuple[str, ...]
    target: str | None
    impacted: tuple[str, ...]


def module_key(name: str) -> str:
    """Return the key of a module's node; the final "/" distinguishes it from a file's definitions.

    >>> module_key("src/click"), module_key(".")
    ('module:src/click/', 'module:./')
    """
    return f"{MODULE_PREFIX}{name}/"


def memory_key(memory_id: str) -> str:
    """Return the key of a memory's node in layer 3."""
    return f"{MEMORY_PREFIX}{memory_id}"


class Layers(Tables):
    """Layers 2 and 3 of one project."""

    # Layer 2

    def modules(self) -> dict[str, dict[str, Any]]:
        """Return the "purpose", "digest", "model" and "at" of each module, by name; empty until described."""
        sql = """SELECT label, metadata FROM graph_nodes WHERE layer > 1 AND layer = 2
                 AND type = 'module' ORDER BY label"""
        return {name: json.loads(about) for name, about in self._connection.rows(sql)}

    def outline(self, paths: Collection[str]) -> list[OutlineRow]:
        """Return the definitions of files, by path and line."""
        sql = """SELECT n.file_path, n.key, n.type, coalesce(n.metadata ->> 'signature', ''),
                   coalesce(n.metadata ->> 'doc', ''), coalesce(n.start_line, 0),
                   (SELECT count(*) FROM graph_edges e WHERE e.to_id = n.id
                      AND e.type IN ('calls', 'inherits', 'implements', 'tests'))
                 FROM json_each(?) j CROSS JOIN graph_nodes n ON n.file_path = j.value
                 WHERE n.layer = 1 AND n.key <> n.file_path ORDER BY n.file_path, n.start_line, n.key"""
        return [OutlineRow(*r) for r in self._connection.rows(sql, (sorted(paths),))]

    def shapes(self) -> list[tuple[str, str, str, str]]:
        """Return (path, key, type, signature) of every definition, by path and key."""
        sql = """SELECT file_path, key, type, coalesce(metadata ->> 'signature', '') FROM graph_nodes
                 WHERE layer = 1 AND file_path IS NOT NULL AND key <> file_path ORDER BY file_path, key"""
        return self._connection.rows(sql)

    def place_modules(self, modules: Mapping[str, Sequence[str]], now: int) -> None:
        """Replace the set of module nodes, each with edges to its files.

        Existing modules keep their descriptions; removed modules lose theirs.

        Args:
            modules: the paths of each module's files, by its name.
            now: milliseconds since the epoch.
        """
        gone = [name for name in self.modules() if name not in modules]
        self._connection.execute_many(
            "DELETE FROM graph_nodes WHERE key = ?", [(module_key(n),) for n in gone]
        )
        self._connection.execute_many(
            """INSERT OR IGNORE INTO graph_nodes(key, type, label, layer, source, confidence, created_at,
                 updated_at) VALUES (?1, 'module', ?2, 2, 'llm', 0.7, ?3, ?3)""",
            [(module_key(name), name, now) for name in sorted(modules)],
        )
        self._connection.execute(
            """DELETE FROM graph_edges WHERE type = 'defines' AND from_id IN (
                 SELECT id FROM graph_nodes WHERE layer > 1 AND layer = 2 AND type = 'module')"""
        )
        self._connection.execute_many(
            """INSERT INTO graph_edges(from_id, to_id, type, source, layer, updated_at)
               SELECT m.id, f.id, 'defines', 'ast', 2, ?1 FROM graph_nodes m, graph_nodes f
               WHERE m.key = ?2 AND f.key = ?3""",
            [(now, module_key(name), path) for name, paths in modules.items() for path in paths],
        )

    def describe_module(
        self, name: str, paths: Sequence[str], edges: Iterable[UpperEdge], about: Mapping[str, Any], now: int
    ) -> int:
        """Replace a model's description of a module and the edges that start in it.

        Edges to keys that no longer exist are dropped; returns the number of written `edges`.
        """
        key = module_key(name)
        text = json.dumps(dict(about), ensure_ascii=False)
        self._connection.execute(
            "UPDATE graph_nodes SET metadata = ?, updated_at = ? WHERE key = ?", (text, now, key)
        )
        self._connection.execute(
            """DELETE FROM graph_edges WHERE layer = 2 AND source = 'llm' AND from_id IN (
                 SELECT n.id FROM json_each(?1) j CROSS JOIN graph_nodes n ON n.file_path = j.value
                 UNION SELECT id FROM graph_nodes WHERE key = ?2)""",
            (sorted(paths), key),
        )
        return self._put_edges(edges, 2, "llm", now)

    def drop_empty_modules(self) -> int:
        """Remove the module nodes without files; returns how many."""
        return self._connection.execute(
            """DELETE FROM graph_nodes WHERE layer > 1 AND layer = 2 AND type = 'module' AND NOT EXISTS (
                 SELECT 1 FROM graph_edges e WHERE e.from_id = graph_nodes.id AND e.type = 'defines')"""
        )

    # Layer 3

    def known(self) -> list[Known]:
        """Return the live memories of patterns and decisions that name files or nodes, by id."""
        sql = """SELECT id, type, citation_text, substr(content, 1, 200), confidence,
                   (SELECT json_group_array(file_path) FROM memory_files WHERE memory_id = id),
                   target_node_id, impacted_node_ids FROM memories
                 WHERE deprecated = 0 AND type IN ('pattern', 'decision') AND
                   (related_files <> '[]' OR target_node_id IS NOT NULL OR impacted_node_ids <> '[]')
                 ORDER BY id"""
        found = []
        for i, kind, cited, text, sure, files, target, impacted in self._connection.rows(sql):
            paths, keys = tuple(json.loads(files)), tuple(json.loads(impacted))
            found.append(Known(i, kind, short_name(cited, text), sure, paths, target, keys))
        return found

    def existing(self, keys: Collection[str]) -> set[str]:
        """Return the keys that files, definitions and modules have, among some."""
        sql = """SELECT n.key FROM json_each(?) j CROSS JOIN graph_nodes n ON n.key = j.value
                 WHERE n.layer < 3"""
        return set(self._connection.column(sql, (sorted(keys),)))

    def paths(self) -> list[str]:
        """Return the files of the graph, in order."""
        return self._connection.column("SELECT path FROM graph_files WHERE skipped = '' ORDER BY path")

    def newest(self) -> int:
        """Return the highest id of the nodes of layers 1 and 2, 0 if there are none. Ids are never reused."""
        sql = "SELECT id FROM graph_nodes WHERE layer < 3 ORDER BY id DESC LIMIT 1"
        return int(self._connection.value(sql) or 0)

    def replace_knowledge(self, memories: Iterable[Known], edges: Iterable[UpperEdge], now: int) -> None:
        """Replace all nodes of layer 3, one for each memory, and with them its edges."""
        self._connection.execute("DELETE FROM graph_nodes WHERE layer > 1 AND layer = 3")
        self._connection.execute_many(
            """INSERT INTO graph_nodes(key, type, label, layer, source, confidence, created_at, updated_at)
               VALUES (?1, ?2, ?3, 3, 'agent', ?4, ?5, ?5)""",
            [(memory_key(m.memory_id), m.type, m.label, m.confidence, now) for m in memories],
        )
        self._put_edges(edges, 3, "agent", now)

    # Both

    def edges_at(self, keys: Collection[str], kinds: Sequence[str]) -> list[UpperEdge]:
        """Return the edges of some kinds in layers 2 and 3 with one of some nodes at either end."""
        sql = f"""SELECT a.key, b.key, e.type, e.weight, e.confidence FROM json_each(?1) j
                  CROSS JOIN graph_nodes n ON n.key = j.value
                  CROSS JOIN graph_edges e INDEXED BY idx_ge_upper_{{end}} ON e.{{end}}_id = n.id
                  JOIN graph_nodes a ON a.id = e.from_id JOIN graph_nodes b ON b.id = e.to_id
                  WHERE e.layer > 1 AND {FRESH}
                    AND e.type IN (SELECT value FROM json_each(?2))"""
        values = (sorted(keys), kinds)
        asked = [sql.format(end=end) for end in ("from", "to")]
        found = {UpperEdge(*row) for one in asked for row in self._connection.rows(one, values)}
        return sorted(found)

    def said(self, ids: Collection[int]) -> list[Edge]:
        """Return the stated dependencies on some nodes, the most confident first.

        Each edge leads from the dependent to one of the nodes. A data flow joins both of its ends: "flows_to"
        is the producing end, "flows_from" the consuming one.
        """
        sql = f"""SELECT e.from_id, e.to_id, e.type, e.source, e.weight, e.confidence
                  FROM json_each(?1) j CROSS JOIN graph_edges e INDEXED BY idx_ge_upper_to
                    ON e.to_id = j.value
                  WHERE e.layer > 1 AND e.type IN ('depends_logically', 'flows_to') AND {FRESH}
                  UNION ALL SELECT e.to_id, e.from_id, 'flows_from', e.source, e.weight, e.confidence
                  FROM json_each(?1) j CROSS JOIN graph_edges e INDEXED BY idx_ge_upper_from
                    ON e.from_id = j.value
                  WHERE e.layer > 1 AND e.type = 'flows_to' AND {FRESH} ORDER BY 6 DESC, 5 DESC, 1, 3"""
        return [Edge(*row) for row in self._connection.rows(sql, (ids,))]

    def _put_edges(self, edges: Iterable[UpperEdge], layer: int, source: str, now: int) -> int:
        written = 0
        for edge in edges:
            written += self._connection.execute(
                """INSERT OR REPLACE INTO graph_edges(from_id, to_id, type, source, layer, weight, confidence,
                     updated_at)
                   SELECT a.id, b.id, ?3, ?4, ?5, ?6, ?7, ?8 FROM graph_nodes a, graph_nodes b
                   WHERE a.key = ?1 AND b.key = ?2""",
                (edge.from_key, edge.to_key, edge.type, source, layer, edge.weight, edge.confidence, now),
            )
        return written
