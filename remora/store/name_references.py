"""SQL for references to a definition: the chunks with its name, and the definitions in their files."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import NamedTuple

from remora.core.code import GUESS_BELOW
from remora.core.fts import quoted
from remora.store.connection import Connection


class Place(NamedTuple):
    """A chunk that contains a name; `end_line` is that of its text."""

    path: str
    language: str
    kind: str
    name: str
    start_line: int
    end_line: int
    text: str


class NameReferences:
    """Read-only questions about the names in one project's code."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def having(self, name: str, file: int, taken: str, most: int, limit: int) -> list[Place] | None:
        """Return the chunks with the words of a name in a file and in the files that use it, nearest first.

        A file uses it directly, or imports a file that imports `taken`, or everything, from it.

        Args:
            name: the name; the result is None if more than `most` chunks have it.
            file: the id of the file's node.
            taken: the name that another file re-exports.
            most: see `name`.
            limit: maximum number of chunks.
        """
        sql = "SELECT rowid FROM code_chunks_fts WHERE code_chunks_fts MATCH ? LIMIT ?"
        ids = [i for (i,) in self._connection.rows(sql, (f"text : {quoted(name)}", most + 1))]
        if len(ids) > most:
            return None
        imports = "instr({0}, 'imports') > 0"
        first = imports.format("substr(w.edge_types, 1, instr(w.edge_types, ' > '))")
        second = imports.format("substr(w.edge_types, instr(w.edge_types, ' > '))")
        wanted = f"""SELECT c.id, coalesce(w.depth, 0) AS far, f.path, f.language FROM json_each(?1) j
                  CROSS JOIN code_chunks c INDEXED BY idx_chunks_place ON c.id = j.value
                  CROSS JOIN graph_files f ON f.id = c.file_id AND f.kind = 'code'
                  CROSS JOIN graph_nodes n ON n.key = f.path AND n.stale_at IS NULL
                  LEFT JOIN graph_closure w ON w.ancestor_id = ?2 AND w.descendant_id = n.id
                  WHERE n.id = ?2 OR w.depth = 1
                    OR (w.depth = 2 AND {first} AND {second} AND EXISTS (
                      SELECT 1 FROM graph_nodes v CROSS JOIN graph_files p ON p.path = v.key
                      CROSS JOIN graph_names g ON g.file_id = p.id AND g.name IN (?3, '') AND g.how & 2
                      WHERE v.id = w.via_id AND v.stale_at IS NULL))
                  ORDER BY far, f.path, c.start_line LIMIT ?4"""
        sql = f"""SELECT p.path, p.language, c.kind, c.name, c.start_line, c.end_line, c.text
                  FROM ({wanted}) p CROSS JOIN code_chunks c ON c.id = p.id
                  ORDER BY p.far, p.path, c.start_line"""
        return [Place(*r) for r in self._connection.rows(sql, (json.dumps(ids), file, taken, limit))]

    def called_so(self, label: str, paths: Collection[str]) -> dict[str, list[tuple[str, int]]]:
        """Return by file (key, line of the name) of the definitions of a name in some files."""
        sql = """SELECT n.file_path, n.key, coalesce(n.metadata ->> 'line', n.start_line) FROM json_each(?1) j
                 CROSS JOIN graph_nodes n ON n.label = ?2 AND n.file_path = j.value AND n.layer = 1"""
        found: dict[str, list[tuple[str, int]]] = {}
        for path, key, line in self._connection.rows(sql, (json.dumps(sorted(paths)), label)):
            found.setdefault(path, []).append((key, line))
        return found

    def around(self, path: str, line: int) -> list[str]:
        """Return the keys of the definitions of a file around a line, outermost first."""
        sql = """SELECT key FROM graph_nodes WHERE file_path = ?1 AND start_line <= ?2 AND end_line >= ?2
                 AND key <> ?1 AND layer = 1 ORDER BY start_line, end_line DESC, key"""
        return [key for (key,) in self._connection.rows(sql, (path, line))]

    def others_used(self, keys: Collection[str], label: str, but: Collection[int]) -> set[str]:
        """Return those of some definitions that certainly use another definition of a name."""
        sql = f"""SELECT a.key FROM json_each(?1) j CROSS JOIN graph_nodes a ON a.key = j.value
                  CROSS JOIN graph_edges e ON e.from_id = a.id AND e.files = 0
                    AND e.confidence >= {GUESS_BELOW}
                  CROSS JOIN graph_nodes b ON b.id = e.to_id AND b.label = ?2
                  WHERE b.id NOT IN (SELECT value FROM json_each(?3))"""
        given = (json.dumps(sorted(keys)), label, json.dumps(sorted(but)))
        return {r[0] for r in self._connection.rows(sql, given)}
