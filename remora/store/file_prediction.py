"""SQL for file prediction: the definitions of names, and the current paths of files."""

from __future__ import annotations

from collections.abc import Collection

from remora.core.cochange import name
from remora.store.connection import Tables


class FilePrediction(Tables):
    """Read-only questions about code files, names and imports."""

    def code_files(self, paths: Collection[str], *, tests: bool) -> set[str]:
        """Return the code files among some paths; tests only if wanted."""
        sql = """SELECT f.path FROM json_each(?) j CROSS JOIN graph_files f ON f.path = j.value
                 WHERE f.kind = 'code' AND f.skipped = '' AND f.test <= ?"""
        return set(self._connection.column(sql, (paths, int(tests))))

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
