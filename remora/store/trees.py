"""SQL for what the files of a project's work trees hold, beside the one that the code graph was read from.

Only this writes `graph_tree_files`. Writers call inside a transaction.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import NamedTuple

from remora.store.connection import Connection


class Content(NamedTuple):
    """How a file looked, and the hash of what was in it."""

    size: int
    mtime_ns: int
    hash: str


class Trees:
    """The files of work trees, each tree by the path of its root."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def contents(self, tree: str, paths: Collection[str]) -> dict[str, Content]:
        """Return what is known of some files in a tree, by path."""
        sql = """SELECT f.path, t.size, t.mtime_ns, t.hash FROM json_each(?) j
                 CROSS JOIN graph_files f ON f.path = j.value
                 CROSS JOIN graph_tree_files t ON t.file_id = f.id AND t.tree = ?"""
        return {
            path: Content(*rest)
            for path, *rest in self._connection.rows(sql, (json.dumps(list(paths)), tree))
        }

    def put(self, tree: str, contents: Mapping[str, Content]) -> None:
        """Note what is in some files of a tree; those that the graph does not know are left out."""
        self._connection.execute_many(
            """INSERT OR REPLACE INTO graph_tree_files(file_id, tree, size, mtime_ns, hash)
               SELECT id, ?2, ?3, ?4, ?5 FROM graph_files WHERE path = ?1""",
            [(path, tree, *contents[path]) for path in sorted(contents)],
        )

    def forget(self, tree: str) -> None:
        """Drop what is known of a tree."""
        self._connection.execute("DELETE FROM graph_tree_files WHERE tree = ?", (tree,))
