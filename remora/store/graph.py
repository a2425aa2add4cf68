"""SQL for the code graph: the indexed files, their definitions, and the edges between them.

Writers call inside a transaction. Reads leave out stale edges, those that start in a changed file. A changed
file's node is marked at once; the mark is removed when its names are resolved again.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from remora.core.code import GUESS_BELOW, Definition, Link
from remora.store.connection import Row, Tables

CONSTRUCTORS = ("__init__", "__new__", "__construct", "constructor", "initialize")
MOST_KIN = 2_000  # classes visited below or above a method's
DEPENDS = ("imports", "calls", "inherits", "implements", "tests")
# An edge `e` that makes one file depend on another: sure enough, and between two files.
DEPENDENCE = (
    "e.files = 1 AND e.type IN ("
    + ", ".join(f"'{kind}'" for kind in DEPENDS)
    + f") AND e.confidence >= {GUESS_BELOW}"
)
# An edge `e` that holds: the file where it starts did not change since.
FRESH = """e.from_id NOT IN (SELECT n.id FROM graph_nodes f INDEXED BY idx_gn_stale CROSS JOIN graph_nodes n
             ON n.file_path = f.file_path WHERE f.stale_at IS NOT NULL)"""
# The definitions with a file and the rest of a key; in Go also those in other files of the package.
_DEFINED = """(SELECT k.id FROM graph_nodes k WHERE k.key = {file} || {rest}
               UNION ALL SELECT k.id FROM graph_files f
               CROSS JOIN graph_files o ON o.folder = f.folder AND o.path <> f.path
               CROSS JOIN graph_nodes k ON k.key = o.path || {rest}
               WHERE f.path = {file} AND f.language = 'go')"""
_FILE = "path, kind, language, size, mtime_ns, hash, skipped, stale_at IS NOT NULL"


class FileRow(NamedTuple):
    """The state of a scanned file; `skipped` is the reason if it was not read."""

    path: str
    kind: str
    language: str
    size: int
    mtime_ns: int
    hash: str
    skipped: str
    stale: bool


class NewFile(NamedTuple):
    """A file as read. `outline` and `uses` are packed facts, None if there are none."""

    path: str
    kind: str
    language: str
    package: str
    module: str
    test: bool
    size: int
    mtime_ns: int
    hash: str
    lines: int
    errors: int
    skipped: str = ""
    outline: bytes | None = None
    uses: bytes | None = None


class Node(NamedTuple):
    """A file or a definition."""

    id: int
    key: str
    type: str
    label: str
    path: str

    @property
    def symbol(self) -> str | None:
        """Its qualname, None for a file."""
        return self.key[len(self.path) + 1 :] if self.path and self.key != self.path else None


class Brief(NamedTuple):
    """The summary of a node in lists; `symbol` is None for a file."""

    key: str
    type: str
    path: str
    symbol: str | None
    test: bool


class Edge(NamedTuple):
    """An edge with the nodes at its ends."""

    from_id: int
    to_id: int
    type: str
    source: str
    weight: float
    confidence: float


class State(NamedTuple):
    """The state after the last run of the indexer."""

    indexed_at: int
    commit: str | None
    nodes: int
    edges: int
    stale_edges: int
    version: int
    roots: str


class Graph(Tables):
    """The code graph of one project."""

    # Files

    def files(self) -> dict[str, FileRow]:
        """Return every scanned file, by path."""
        sql = f"SELECT {_FILE} FROM graph_files ORDER BY path"
        return {r[0]: _file(r) for r in self._connection.rows(sql)}

    def some(self, paths: Collection[str]) -> dict[str, FileRow]:
        """Return the scanned files among some paths, by path."""
        sql = f"""SELECT {_FILE} FROM graph_files
                  WHERE path IN (SELECT value FROM json_each(?)) ORDER BY path"""
        return {r[0]: _file(r) for r in self._connection.rows(sql, (paths,))}

    def file(self, path: str) -> FileRow | None:
        """Return one file, None if it was never scanned."""
        found = self._connection.row(f"SELECT {_FILE} FROM graph_files WHERE path = ?", (path,))
        return _file(found) if found else None

    def is_empty(self) -> bool:
        """Return whether no file was ever read."""
        return self._connection.row("SELECT 1 FROM graph_files LIMIT 1") is None

    def put_file(self, file: NewFile, now: int) -> int:
        """Write a file to be linked later; returns its row id."""
        folder, _, name = file.path.rpartition("/")
        self._connection.execute(
            """INSERT INTO graph_files(path, folder, name, kind, language, package, module, test, size,
                 mtime_ns, hash, lines, errors, skipped, outline, uses, indexed_at)
               VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
               ON CONFLICT(path) DO UPDATE SET kind = excluded.kind, language = excluded.language,
                 package = excluded.package, module = excluded.module, test = excluded.test,
                 size = excluded.size, mtime_ns = excluded.mtime_ns, hash = excluded.hash,
                 lines = excluded.lines, errors = excluded.errors, skipped = excluded.skipped,
                 outline = excluded.outline, uses = excluded.uses, indexed_at = excluded.indexed_at,
                 links_at = NULL, stale_at = NULL""",
            (
                *(file.path, folder, name, file.kind, file.language, file.package, file.module),
                *(int(file.test), file.size, file.mtime_ns, file.hash, file.lines, file.errors),
                *(file.skipped, file.outline, file.uses, now),
            ),
        )
        return int(self._connection.value("SELECT id FROM graph_files WHERE path = ?", (file.path,)))

    def touch(self, path: str, size: int, mtime_ns: int) -> None:
        """Store the new time of a file with unchanged content; it is no longer stale."""
        self._connection.execute(
            "UPDATE graph_files SET size = ?, mtime_ns = ?, stale_at = NULL WHERE path = ?",
            (size, mtime_ns, path),
        )
        if self._connection.value("SELECT links_at FROM graph_files WHERE path = ?", (path,)) is not None:
            self._set_stale(path, None)  # else its edges are still those of a text before this one

    def delete_file(self, path: str) -> None:
        """Remove a file with everything it defines, its chunks and all edges at either end."""
        self._connection.execute("DELETE FROM graph_files WHERE path = ?", (path,))
        self._connection.execute("DELETE FROM graph_nodes WHERE file_path = ?", (path,))

    def mark_stale(self, paths: Iterable[str], now: int) -> None:
        """Exclude the edges of changed files from every answer until the files are read again."""
        for path in paths:
            changed = self._connection.execute(
                "UPDATE graph_files SET stale_at = ? WHERE path = ? AND stale_at IS NULL", (now, path)
            )
            if changed:
                self._set_stale(path, now)

    def _set_stale(self, path: str, at: int | None) -> None:
        sql = "UPDATE graph_nodes SET stale_at = ?1 WHERE key = ?2 AND stale_at IS NOT ?1"
        self._connection.execute(sql, (at, path))

    def unlinked(self) -> list[str]:
        """Return the files whose names are not yet resolved, in order."""
        sql = """SELECT path FROM graph_files INDEXED BY idx_gf_links
                 WHERE links_at IS NULL AND skipped = '' ORDER BY path"""
        return self._connection.column(sql)

    def waiting_for_links(self) -> bool:
        """Return whether any file's names are not yet resolved."""
        sql = "SELECT 1 FROM graph_files WHERE links_at IS NULL AND skipped = '' LIMIT 1"
        return self._connection.row(sql) is not None

    def unlink(self, paths: Iterable[str]) -> None:
        """Mark the names of files to be resolved again."""
        self._connection.execute_many(
            "UPDATE graph_files SET links_at = NULL WHERE path = ?", [(p,) for p in paths]
        )

    def unlink_all(self) -> None:
        """Mark the names of every file to be resolved again."""
        self._connection.execute("UPDATE graph_files SET links_at = NULL WHERE skipped = ''")

    def facts(self, path: str) -> tuple[bytes | None, bytes | None]:
        """Return a file's packed outline and uses."""
        found = self._connection.row(
            "SELECT outline, uses FROM graph_files WHERE path = ? AND skipped = ''", (path,)
        )
        return (found[0], found[1]) if found else (None, None)

    def file_count(self) -> int:
        """Return the number of files in the graph."""
        return int(self._connection.value("SELECT count(*) FROM graph_files WHERE skipped = ''"))

    def broken_count(self) -> int:
        """Return the number of files that their grammar parsed only in part."""
        return int(
            self._connection.value("SELECT count(*) FROM graph_files WHERE skipped = '' AND errors > 0")
        )

    def skipped(self) -> dict[str, int]:
        """Return the number of skipped files, by reason."""
        sql = "SELECT skipped, count(*) FROM graph_files WHERE skipped <> '' GROUP BY skipped ORDER BY 1"
        return dict(self._connection.rows(sql))

    def stamps(self, paths: Collection[str]) -> dict[str, tuple[int, int]]:
        """Return (size, mtime in ns) of files as they were read, without stale ones."""
        sql = """SELECT f.path, f.size, f.mtime_ns FROM json_each(?) j
                 CROSS JOIN graph_files f ON f.path = j.value WHERE f.stale_at IS NULL AND f.skipped = ''"""
        return {path: (size, at) for path, size, at in self._connection.rows(sql, (sorted(paths),))}

    def in_folder(self, folder: str) -> list[str]:
        """Return the files directly in a folder, in order."""
        sql = "SELECT path FROM graph_files WHERE folder = ? AND skipped = '' ORDER BY path"
        return self._connection.column(sql, (folder,))

    def all_stamps(self) -> list[tuple[str, int, int, str, bool]]:
        """Return (path, size, mtime in ns, folder, stale) of every scanned file."""
        sql = "SELECT path, size, mtime_ns, folder, stale_at IS NOT NULL FROM graph_files"
        return [(*row, bool(stale)) for *row, stale in self._connection.rows(sql)]

    def below(self, folder: str) -> dict[int, str]:
        """Return the files in a folder and its subfolders, by the ids of their nodes."""
        sql = """SELECT n.id, n.key FROM graph_files f CROSS JOIN graph_nodes n ON n.key = f.path
                 WHERE f.path > ?1 || '/' AND f.path < ?1 || '0' AND f.skipped = '' ORDER BY f.path"""
        return dict(self._connection.rows(sql, (folder,)))  # "0" is the sign after "/"

    def called(self, name: str) -> list[str]:
        """Return the files with a base name, in order."""
        sql = "SELECT path FROM graph_files WHERE name = ? AND skipped = '' ORDER BY path"
        return self._connection.column(sql, (name,))

    def ending(self, suffix: str) -> list[str]:
        """Return the files whose path is `suffix` or ends in "/" + `suffix`, in order."""
        found = self.called(suffix.rpartition("/")[2])
        return [path for path in found if path == suffix or path.endswith("/" + suffix)]

    def in_package(self, package: str) -> list[str]:
        """Return the files that declare a package, in order."""
        sql = """SELECT path FROM graph_files WHERE package = ? AND package <> '' AND skipped = ''
                 ORDER BY path"""  # "<> ''" lets the index be used, which leaves out what has no package
        return self._connection.column(sql, (package,))

    def set_names(self, file_id: int, names: Mapping[str, int]) -> None:
        """Write the names a file uses, each with its kind of use (graph.names)."""
        self._connection.execute("DELETE FROM graph_names WHERE file_id = ?", (file_id,))
        self._connection.execute_many(
            "INSERT INTO graph_names(name, file_id, how) VALUES (?, ?, ?)",
            [(name, file_id, how) for name, how in sorted(names.items())],
        )

    def using(self, names: Collection[str], how: int = 0, among: Collection[str] | None = None) -> list[str]:
        """Return the files that use one of some names, in order.

        Args:
            names: the names.
            how: only with one of these kinds of use (graph.names).
            among: only these files.
        """
        each = "json_each(?1) j CROSS JOIN graph_names n ON n.name = j.value"
        file = "CROSS JOIN graph_files f ON f.id = n.file_id"
        if among is not None:
            each = "json_each(?3) a CROSS JOIN graph_files f ON f.path = a.value CROSS JOIN json_each(?1) j"
            file = "CROSS JOIN graph_names n ON n.name = j.value AND n.file_id = f.id"
        sql = f"SELECT DISTINCT f.path FROM {each} {file} WHERE ?2 = 0 OR n.how & ?2 ORDER BY f.path"
        given = sorted(names), how, sorted(among or ())
        return self._connection.column(sql, given[: 2 if among is None else 3])

    def users_of_name(self, name: str) -> int:
        """Return the number of files that use a name."""
        return int(self._connection.value("SELECT count(*) FROM graph_names WHERE name = ?", (name,)))

    # Nodes

    def put_nodes(self, file: NewFile, definitions: Sequence[Definition], now: int) -> None:
        """Write a file's node and those of its definitions; a node that still exists keeps its id."""
        kind, language = "config" if file.kind == "data" else "file", file.language or None
        rows = [(file.path, kind, file.path.rpartition("/")[2], language, 1, max(1, file.lines), "{}")]
        for d in definitions:
            about = {"signature": d.signature, "doc": d.doc.partition("\n")[0][:200], "line": d.line}
            if d.bases:
                about["bases"] = list(d.bases)
            if d.sentence:
                about["sentence"] = True
            text = json.dumps(about, ensure_ascii=False)
            rows.append(
                (f"{file.path}:{d.qualname}", d.kind, d.name, language, d.start_line, d.end_line, text)
            )
        sql = "SELECT key FROM graph_nodes WHERE file_path = ? AND layer = 1"
        gone = {*self._connection.column(sql, (file.path,))} - {row[0] for row in rows}
        self._connection.execute_many(
            "DELETE FROM graph_nodes WHERE key = ?", [(key,) for key in sorted(gone)]
        )
        self._connection.execute_many(
            """INSERT INTO graph_nodes(key, type, label, language, start_line, end_line, metadata, file_path,
                 created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9)
               ON CONFLICT(key) DO UPDATE SET type = ?2, label = ?3, language = ?4, start_line = ?5,
                 end_line = ?6, metadata = ?7, updated_at = ?9""",
            [(*row, file.path, now) for row in rows],
        )

    def node(self, key: str) -> Node | None:
        """Return the node with a key."""
        sql = "SELECT id, key, type, label, coalesce(file_path, '') FROM graph_nodes WHERE key = ?"
        found = self._connection.row(sql, (key,))
        return Node._make(found) if found else None

    def brief(self, ids: Collection[int]) -> dict[int, Brief]:
        """Return the summaries of nodes, by id; a node without a file is left out."""
        sql = """SELECT n.id, n.key, n.type, n.file_path, f.test FROM json_each(?) j
                 CROSS JOIN graph_nodes n ON n.id = j.value
                 CROSS JOIN graph_files f ON f.path = n.file_path"""
        return {
            i: Brief(key, kind, path, key[len(path) + 1 :] or None, bool(test) or kind == "test")
            for i, key, kind, path, test in self._connection.rows(sql, (ids,))
        }

    def keys(self, keys: Collection[str]) -> dict[str, int]:
        """Return the ids of the keys that exist."""
        sql = "SELECT n.key, n.id FROM json_each(?) j CROSS JOIN graph_nodes n ON n.key = j.value"
        return dict(self._connection.rows(sql, (keys,)))

    def places(
        self, label: str, path: str = "", limit: int = -1, *, sentences: bool = False
    ) -> list[tuple[str, str]]:
        """Return (path, qualname) of the definitions of a name, by path and line; -1 for all.

        With a path only definitions in files whose path equals it or ends in "/" and it. Tests titled by a
        sentence have no name; they are included if `sentences` is set.
        """
        sql = """SELECT n.file_path, substr(n.key, length(n.file_path) + 2) FROM graph_nodes n
                 WHERE n.label = ?1 AND n.file_path IS NOT NULL AND n.key <> n.file_path AND n.layer = 1
                 AND (?2 = '' OR n.file_path = ?2 OR substr(n.file_path, -length(?2) - 1) = '/' || ?2)
                 AND (?4 OR json_extract(n.metadata, '$.sentence') IS NULL)
                 ORDER BY n.file_path, n.start_line, n.key LIMIT ?3"""
        return self._connection.rows(sql, (label, path, limit, sentences))

    def inside(self, node: Node) -> dict[int, str]:
        """Return the definitions inside a definition, or all of a file, by line: id to key.

        Definitions that repeat a name at the same place ("run#2": overloads, setters) belong to it, and so
        do, in Go, a type's methods in other files of its package.
        """
        sql = """SELECT n.id, n.key FROM graph_nodes n WHERE n.file_path = ?1 AND n.layer = 1
                  AND n.key > ?2 AND substr(n.key, 1, length(?2) + 1) IN (?2 || ?3, ?2 || ?4)
                  ORDER BY n.start_line, n.key"""
        signs = (".", "#") if node.symbol else (":", ":")
        found: dict[int, str] = dict(self._connection.rows(sql, (node.path, node.key, *signs)))
        if node.symbol and node.path.endswith(".go"):
            around = """SELECT n.id, n.key FROM graph_files f CROSS JOIN graph_files o
                          ON o.folder = f.folder AND o.skipped = '' AND o.path <> f.path
                        CROSS JOIN graph_nodes n
                          ON n.key > o.path || ?2 || '.' AND n.key < o.path || ?2 || '/'
                        WHERE f.path = ?1 AND n.layer = 1 ORDER BY n.key"""
            found |= self._connection.rows(around, (node.path, f":{node.symbol}"))
        return found

    # Edges

    def put_links(self, path: str, links: Sequence[Link], source: str, now: int) -> None:
        """Replace the edges of one source that start in a file; links to unknown keys are dropped."""
        ends = sorted({k for link in links for k in (link.from_key, link.to_key)})
        sql = """SELECT n.key, n.id, n.key = n.file_path FROM json_each(?) j
                 CROSS JOIN graph_nodes n ON n.key = j.value"""
        ids = {key: (i, whole) for key, i, whole in self._connection.rows(sql, (ends,))}
        found: dict[tuple[int, str, int], tuple[int, float, float, int]] = {}
        for link in links:
            if link.from_key in ids and link.to_key in ids:
                (start, whole), (end, other) = ids[link.from_key], ids[link.to_key]
                weight = float(link.count)
                found[start, link.type, end] = (int(whole and other), weight, link.confidence, link.line)
        self._connection.execute(
            """DELETE FROM graph_edges WHERE source = ?2 AND from_id IN (
                 SELECT id FROM graph_nodes WHERE file_path = ?1 AND layer = 1)""",
            (path, source),
        )
        self._connection.execute_many(
            """INSERT INTO graph_edges(from_id, type, to_id, source, files, weight, confidence, line,
                 updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)""",
            [(*key, source, *what, now) for key, what in found.items()],
        )

    def linked(self, path: str, now: int) -> None:
        """Mark a file's names as resolved; edges of other sources become valid again."""
        self._connection.execute("UPDATE graph_files SET links_at = ? WHERE path = ?", (now, path))
        if self._connection.value("SELECT stale_at FROM graph_files WHERE path = ?", (path,)) is None:
            self._set_stale(path, None)  # else it changed once more since it was read

    def importing(self, path: str) -> list[str]:
        """Return the files that import a file, in order."""
        sql = """SELECT DISTINCT a.key FROM graph_nodes n JOIN graph_edges e ON e.to_id = n.id AND e.files = 1
                 JOIN graph_nodes a ON a.id = e.from_id WHERE n.key = ? AND e.type = 'imports' ORDER BY 1"""
        return self._connection.column(sql, (path,))

    def pointing_at(self, path: str) -> list[str]:
        """Return the other files with an edge to a file or to one of its definitions, in order."""
        sql = """SELECT DISTINCT a.file_path FROM graph_nodes n JOIN graph_edges e ON e.to_id = n.id
                 JOIN graph_nodes a ON a.id = e.from_id
                 WHERE n.file_path = ?1 AND a.file_path <> ?1 AND a.layer = 1 ORDER BY 1"""
        return self._connection.column(sql, (path,))

    def users(self, ids: Collection[int], kinds: Sequence[str], limit: int = -1) -> list[Edge]:
        """Return the incoming edges of nodes, without stale ones.

        In the order of the nodes, and for each the most confident, then the heaviest first; at most `limit`,
        -1 for all. Edges between files are left out: they summarize the others (see `closure`).
        """
        sql = f"""SELECT e.from_id, e.to_id, e.type, e.source, e.weight, e.confidence
                  FROM json_each(?1) j CROSS JOIN graph_edges e ON e.to_id = j.value
                  WHERE e.type IN (SELECT value FROM json_each(?2)) AND e.files = 0 AND {FRESH}
                  LIMIT ?3"""
        rows = self._connection.rows(sql, (ids, kinds, limit))
        return list(map(Edge._make, rows))

    def overriding(self, method: int, *, upwards: bool = False) -> list[Edge]:
        """Return edges to a method from those of the same name in the classes below its own, or above it.

        In languages with overloading the name is enough. Constructors override nothing; bases count if they
        are certain.
        """
        near, far = ("from_id", "to_id") if upwards else ("to_id", "from_id")
        own = "substr(m.key, length(m.file_path) + 1, length(m.key) - length(m.file_path || m.label) - 1)"
        named = "substr(c.key, length(c.file_path) + 1) || '.' || w.name"
        sql = f"""WITH RECURSIVE kin(name, class, sure) AS (
                    SELECT m.label, c.id, 1.0 FROM graph_nodes m
                    CROSS JOIN graph_nodes c ON c.id IN {_DEFINED.format(file="m.file_path", rest=own)}
                    WHERE m.id = ?1 AND m.type = 'method'
                      AND m.label NOT IN (SELECT value FROM json_each(?2))
                    UNION SELECT w.name, e.{far}, min(w.sure, e.confidence)
                    FROM kin w CROSS JOIN graph_edges e ON e.{near} = w.class
                    WHERE e.type IN ('inherits', 'implements') AND e.files = 0
                      AND e.confidence >= {GUESS_BELOW} AND {FRESH} LIMIT {MOST_KIN})
                  SELECT m.id, ?1, 'overrides', 'ast', 1.0, max(w.sure)
                  FROM kin w CROSS JOIN graph_nodes c ON c.id = w.class CROSS JOIN graph_nodes m
                    ON m.id IN {_DEFINED.format(file="c.file_path", rest=named)} AND m.id <> ?1
                  GROUP BY 1 ORDER BY 6 DESC, m.key"""
        return [Edge(*r) for r in self._connection.rows(sql, (method, CONSTRUCTORS))]

    # The whole

    def state(self) -> State | None:
        """Return the state after the last run, None before the first."""
        found = self._connection.row(
            """SELECT last_indexed_at, last_commit_sha, node_count, edge_count, stale_edge_count,
                 index_version, roots FROM graph_index_state"""
        )
        return State(*found) if found else None

    def set_state(
        self, *, now: int, commit: str | None, version: int, roots: str, counted: bool = True
    ) -> None:
        """Write the state after a run, with fresh counts if `counted` is set."""
        old = None if counted else self.state()
        nodes, edges, stale = self.counts() if old is None else (old.nodes, old.edges, old.stale_edges)
        self._connection.execute(
            """INSERT OR REPLACE INTO graph_index_state(id, last_indexed_at, last_commit_sha, node_count,
                 edge_count, stale_edge_count, index_version, roots) VALUES (1, ?, ?, ?, ?, ?, ?, ?)""",
            (now, commit, nodes, edges, stale, version, roots),
        )

    def counts(self) -> tuple[int, int, int]:
        """Return the number of nodes, edges and stale edges."""
        nodes = self._connection.value("SELECT count(*) FROM graph_nodes")
        edges = self._connection.value("SELECT count(*) FROM graph_edges")
        stale = self._connection.value(f"SELECT count(*) FROM graph_edges e WHERE NOT {FRESH}")
        return int(nodes), int(edges), int(stale)

    def clear(self) -> None:
        """Delete the whole graph and every chunk, to read it again from the start."""
        # What hangs on others goes first: to empty a table is one step, to follow each row is not.
        children = ("graph_closure", "graph_edges", "graph_names")
        for table in (*children, "graph_files", "graph_nodes", "graph_index_state"):
            self._connection.execute(f"DELETE FROM {table}")


def _file(row: Row) -> FileRow:
    return FileRow._make((*row[:7], bool(row[7])))
