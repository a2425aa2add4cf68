"""SQL for the file contents of a project's work trees, beyond the one the code graph was read from.

Only this module writes `graph_tree_files`. Writers call inside a transaction.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from remora.store.connection import Tables


class Content(NamedTuple):
    """The state of a file, and the hash of its content."""

    size: int
    mtime_ns: int
    hash: str


class WorkTrees(Tables):
    """The files of work trees, each tree by the path of its root."""

    def contents(self, tree: str, paths: Collection[str]) -> dict[str, Content]:
        """Return the known contents of some files in a tree, by path."""
        sql = """SELECT f.path, t.size, t.mtime_ns, t.hash FROM json_each(?) j
                 CROSS JOIN graph_files f ON f.path = j.value
                 CROSS JOIN graph_tree_files t ON t.file_id = f.id AND t.tree = ?"""
        return {path: Content(*rest) for path, *rest in self._connection.rows(sql, (paths, tree))}

    def put(self, tree: str, contents: Mapping[str, Content]) -> None:
        """Record the contents of some files of a tree; files outside the graph are left out."""
        self._connection.execute_many(
            """INSERT OR REPLACE INTO graph_tree_files(file_id, tree, size, mtime_ns, hash)
               SELECT id, ?2, ?3, ?4, ?5 FROM graph_files WHERE path = ?1""",
            [(path, tree, *contents[path]) for path in sorted(contents)],
        )

    def forget(self, tree: str) -> None:
        """Delete the data of a tree."""
        self._connection.execute("DELETE FROM graph_tree_files WHERE tree = ?", (tree,))
