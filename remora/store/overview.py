"""SQL over the whole code graph: for the map of modules and the prediction of files.

Read-only. Each query of `Overview` reads one index or one table once, whatever the size of the graph.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import NamedTuple

from remora.core.cochange import name
from remora.store.connection import Tables
from remora.store.graph import DEPENDENCE, FRESH


class MappedFile(NamedTuple):
    """A file of the graph; `id` is its node's, `kind` "code", "prose" or "data"."""

    id: int
    path: str
    folder: str
    name: str
    kind: str
    language: str
    module: str
    test: bool
    lines: int


class FileLink(NamedTuple):
    """All edges from one file to a file it depends on, summed up; `tests` if it tests it."""

    from_id: int
    to_id: int
    weight: float
    tests: bool


class Insight(NamedTuple):
    """A live memory about the purpose of a module."""

    content: str
    modules: tuple[str, ...]
    files: tuple[str, ...]


class Overview(Tables):
    """Queries over the whole graph of one project."""

    # For the map of modules

    def files(self) -> list[MappedFile]:
        """Return every file of the graph, by path."""
        sql = """SELECT n.id, f.path, f.folder, f.name, f.kind, f.language, f.module, f.test, f.lines
                 FROM graph_files f CROSS JOIN graph_nodes n ON n.key = f.path
                 WHERE f.skipped = '' ORDER BY f.path"""
        rows = self._connection.rows(sql)
        return [MappedFile._make((*row, bool(test), lines)) for *row, test, lines in rows]

    def links(self) -> list[FileLink]:
        """Return the dependencies between files, without stale ones, by their ends."""
        sql = f"""SELECT e.from_id, e.to_id, sum(e.weight * e.confidence), max(e.type = 'tests')
                  FROM graph_edges e WHERE {DEPENDENCE} AND {FRESH} AND e.from_id <> e.to_id
                  GROUP BY e.from_id, e.to_id ORDER BY e.from_id, e.to_id"""
        return [FileLink(a, b, weight, bool(tests)) for a, b, weight, tests in self._connection.rows(sql)]

    def symbols(self) -> dict[str, int]:
        """Return the number of definitions of each file, without the file's own node."""
        sql = """SELECT file_path, count(*) - 1 FROM graph_nodes WHERE file_path IS NOT NULL
                 GROUP BY file_path"""
        return dict(self._connection.rows(sql))

    def read_at(self) -> dict[str, int]:
        """Return when the current content of each file was read, in milliseconds."""
        return dict(self._connection.rows("SELECT path, indexed_at FROM graph_files WHERE skipped = ''"))

    def heat(self) -> dict[str, float]:
        """Return the change frequency of each present file, recent changes weighted more; a logarithm."""
        sql = "SELECT path, heat FROM git_files WHERE present = 1 AND commits > 0"
        return dict(self._connection.rows(sql))

    def spoken_of(self) -> list[tuple[str, str]]:
        """Return (memory id, path) of each file that a live memory names directly or through its node.

        A path may be a glob, or a folder that ends in "/".
        """
        sql = """SELECT f.memory_id, f.file_path FROM memory_files f JOIN memories m ON m.id = f.memory_id
                 WHERE m.deprecated = 0
                 UNION SELECT m.id, n.file_path FROM memories m JOIN graph_nodes n ON n.key = m.target_node_id
                 WHERE m.deprecated = 0 AND n.file_path IS NOT NULL
                 UNION SELECT m.id, n.file_path FROM memories m, json_each(m.impacted_node_ids) j
                 JOIN graph_nodes n ON n.key = j.value
                 WHERE m.deprecated = 0 AND m.impacted_node_ids <> '[]' AND n.file_path IS NOT NULL
                 ORDER BY 1, 2"""
        return self._connection.rows(sql)

    def spoken_modules(self) -> list[tuple[str, str]]:
        """Return (memory id, module) of each module that a live memory names."""
        sql = """SELECT m.id, j.value FROM memories m, json_each(m.related_modules) j
                 WHERE m.deprecated = 0 AND m.related_modules <> '[]' ORDER BY 1, 2"""
        return self._connection.rows(sql)

    def insights(self) -> list[Insight]:
        """Return the live memories of type module_insight, the most reliable first."""
        sql = """SELECT content, related_modules, related_files FROM memories
                 WHERE type = 'module_insight' AND deprecated = 0 AND taint IS NULL
                 ORDER BY user_verified DESC, pinned DESC, confidence DESC, created_at DESC, id"""
        rows = self._connection.rows(sql)
        return [Insight(text, tuple(json.loads(m)), tuple(json.loads(f))) for text, m, f in rows]

    def newest_file(self) -> tuple[int, int]:
        """Return the number of files and the highest id of their nodes.

        Ids are never reused, so both are unchanged only if no file was added or removed.
        """
        sql = """SELECT count(*), coalesce(max(n.id), 0) FROM graph_files f
                 CROSS JOIN graph_nodes n ON n.key = f.path"""
        number, newest = self._connection.row(sql) or (0, 0)
        return number, newest

    # For the doctor

    def stale_files(self) -> int:
        """Return the number of files that changed since they were read."""
        return int(self._connection.value("SELECT count(*) FROM graph_files WHERE stale_at IS NOT NULL"))


class FilePrediction(Tables):
    """Read-only questions about code files, names and imports."""

    def code_files(self, paths: Collection[str], *, tests: bool) -> set[str]:
        """Return the code files among some paths; tests only if wanted."""
        sql = """SELECT f.path FROM json_each(?) j CROSS JOIN graph_files f ON f.path = j.value
                 WHERE f.kind = 'code' AND f.skipped = '' AND f.test <= ?"""
        return set(self._connection.column(sql, (paths, int(tests))))

    def paths(self) -> list[str]:
        """Return the paths of all files: those in the graph, and those of the newest commit."""
        sql = """SELECT path FROM graph_files WHERE skipped = ''
                 UNION SELECT path FROM git_files WHERE present = 1"""
        return list(self._connection.column(sql))

    def other_files(self, paths: Collection[str]) -> set[str]:
        """Return the files among some paths that are not code: documents, settings, data, unread files."""
        sql = """SELECT f.path FROM json_each(?1) j CROSS JOIN graph_files f ON f.path = j.value
                 WHERE f.kind <> 'code' AND f.skipped = ''
                 UNION SELECT g.path FROM json_each(?1) j CROSS JOIN git_files g ON g.path = j.value
                 WHERE g.present = 1 AND NOT EXISTS (SELECT 1 FROM graph_files f WHERE f.path = g.path)"""
        return set(self._connection.column(sql, (paths,)))

    def named(self, written: Collection[str]) -> dict[str, str]:
        """Return the files that written paths name, by path; any kind, including those of the newest commit.

        A full path names its file. A partial path (its last parts, with an extension) names the only match.
        """
        sql = """SELECT j.value FROM json_each(?1) j JOIN graph_files f ON f.path = j.value
                 UNION SELECT j.value FROM json_each(?1) j
                 JOIN git_files g ON g.path = j.value AND g.present = 1"""
        found = {path: path for (path,) in self._connection.rows(sql, (written,))}
        sql = """SELECT path FROM graph_files WHERE name = ?1 AND skipped = ''
                 UNION SELECT path FROM git_files WHERE stem = ?2 AND present = 1"""
        for path in written:
            base = path.rpartition("/")[2]
            if path not in found and "." in base:
                called = (one for (one,) in self._connection.rows(sql, (base, name(base).stem)))
                ending = [one for one in called if one.endswith(f"/{path}")]
                if len(ending) == 1:
                    found[path] = ending[0]
        return found

    def today(self, paths: Collection[str]) -> dict[str, str]:
        """Return the current paths of former files: the same path, or the only file with that name."""
        sql = """SELECT j.value, f.path FROM json_each(?1) j CROSS JOIN graph_files f ON f.path = j.value
                 WHERE f.skipped = ''
                 UNION SELECT j.value, g.path FROM json_each(?1) j CROSS JOIN git_files g ON g.path = j.value
                 WHERE g.present = 1"""
        found = dict(self._connection.rows(sql, (paths,)))
        for path in paths:
            if path not in found:
                moved = self._connection.rows(
                    "SELECT path FROM graph_files WHERE name = ? AND skipped = '' LIMIT 2",
                    (path.rpartition("/")[2],),
                )
                if len(moved) == 1:
                    found[path] = moved[0][0]
        return found

    def definers(self, names: Collection[str]) -> dict[str, list[tuple[str, str]]]:
        """Return the (path, kind) of the definitions of each name that non-test code defines."""
        sql = """SELECT n.label, n.file_path, n.type FROM json_each(?) j
                 CROSS JOIN graph_nodes n ON n.label = j.value AND n.layer = 1
                 JOIN graph_files f ON f.path = n.file_path
                 WHERE n.key <> n.file_path AND f.test = 0 AND f.kind = 'code' ORDER BY 1, 2, 3"""
        found: dict[str, list[tuple[str, str]]] = {}
        for called, path, kind in self._connection.rows(sql, (names,)):
            found.setdefault(called, []).append((path, kind))
        return found

    def user_counts(self, names: Collection[str]) -> dict[str, int]:
        """Return the number of files that use each name."""
        sql = """SELECT j.value, (SELECT count(*) FROM graph_names g WHERE g.name = j.value)
                 FROM json_each(?) j"""
        return dict(self._connection.rows(sql, (names,)))

    def imported(self, paths: Collection[str]) -> list[tuple[str, str]]:
        """Return (file, imported file) for some files."""
        sql = """SELECT a.key, b.key FROM json_each(?) j CROSS JOIN graph_nodes a ON a.key = j.value
                 CROSS JOIN graph_edges e ON e.from_id = a.id AND e.type = 'imports'
                 CROSS JOIN graph_nodes b ON b.id = e.to_id
                 WHERE e.files = 1 AND a.stale_at IS NULL ORDER BY 1, 2"""
        return self._connection.rows(sql, (sorted(paths),))
