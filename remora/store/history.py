"""SQL for git statistics of files, for commits, and for the rules and commits that were already read.

Renames are source items too: kind "moved" holds the later names of an old name, kind "was" the earlier
names of a file. An old name may be in use again, or on another branch, so no rename is removed.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from remora.core.cochange import CROWD, FileStat, PairStat, name
from remora.core.text import any_of, index_terms
from remora.core.values import Author, Ownership
from remora.store.connection import Row, Tables

_STAT = "path, commits, heat, reach, last_clock, first_date, last_date, present, authors"
CLOCK, COMMIT = "history.clock", "history.commit"
REFUSED = "history.refused"  # meta key: the commit at which there were too many new ones to read unasked
MOVED, WAS = "moved", "was"  # kinds of source items, each of the other's direction

MAX_BODY = 2_000  # characters of a message that are kept
MAX_KEPT = 50_000  # commits: the newest; older ones alone add little


class CommitRow(NamedTuple):
    """A commit without its merge parents. `clock` is the number of commits learned before it."""

    sha: str
    clock: int
    date: str
    subject: str
    body: str
    files: tuple[str, ...]


class History(Tables):
    """The history of one project's files; a `core.cochange.History`."""

    def clock(self) -> int:
        """Return the number of learned commits."""
        found = self._connection.value("SELECT value FROM meta WHERE key = ?", (CLOCK,))
        return int(found) if found is not None else 0

    def partners(self, paths: Sequence[str], limit: int) -> Mapping[str, Sequence[PairStat]]:
        """Return the strongest pairs of each path, by bond, then by the other path."""
        sql = """SELECT path, other, bond, commits, last_date FROM git_pairs
                 WHERE path = ? ORDER BY bond DESC, other LIMIT ?"""
        return {p: [PairStat(*r) for r in self._connection.rows(sql, (p, limit))] for p in paths}

    def stats(self, paths: Collection[str]) -> Mapping[str, FileStat]:
        """Return the statistics of the known paths."""
        sql = f"SELECT {_STAT} FROM git_files WHERE path IN (SELECT value FROM json_each(?))"
        return {r[0]: _stat(r) for r in self._connection.rows(sql, (paths,))}

    def had(self, path: str) -> bool:
        """Return whether some commit or session had a file or a file in a folder, including deleted ones."""
        inside = "path = ?1 OR (path >= ?1 || '/' AND path < ?1 || '0')"
        sql = f"""SELECT EXISTS (SELECT 1 FROM git_files WHERE {inside})
                  OR EXISTS (SELECT 1 FROM observer_session_files WHERE {inside})"""
        return bool(self._connection.value(sql, (path,)))

    def hottest(self, limit: int) -> Sequence[str]:
        """Return the most frequently changed present files, by heat, then by path."""
        sql = "SELECT path FROM git_files WHERE present = 1 AND commits > 0 ORDER BY heat DESC, path LIMIT ?"
        return self._connection.column(sql, (limit,))

    def lookalikes(self, path: str) -> Collection[str]:
        """Return the present files with the same stem, in a small folder, or with a shared rare word."""
        asked = name(path)
        sql = """SELECT path FROM git_files WHERE stem = ?1 AND present = 1
                 UNION SELECT path FROM git_files WHERE folder = ?2 AND present = 1 AND ?3 >=
                   (SELECT count(*) FROM
                     (SELECT 1 FROM git_files WHERE folder = ?2 AND present = 1 LIMIT ?3 + 1))
                 UNION SELECT w.path FROM json_each(?4) j JOIN git_file_words w ON w.word = j.value
                   WHERE ?3 >= (SELECT count(*) FROM
                     (SELECT 1 FROM git_file_words c WHERE c.word = j.value LIMIT ?3 + 1))"""
        values = (asked.stem, asked.folder, CROWD, sorted(asked.words))
        return set(self._connection.column(sql, values)) - {path}

    def all_files(self) -> Iterable[FileStat]:
        """Return the statistics of every file that exists or ever changed, by path."""
        return [_stat(r) for r in self._connection.rows(f"SELECT {_STAT} FROM git_files ORDER BY path")]

    def all_pairs(self) -> Iterable[PairStat]:
        """Return every pair once, `path` before `other`."""
        sql = """SELECT path, other, bond, commits, last_date FROM git_pairs
                 WHERE path < other ORDER BY path, other"""
        return [PairStat(*r) for r in self._connection.rows(sql)]

    def write(
        self,
        *,
        removed: Collection[str],
        files: Sequence[FileStat],
        pairs: Sequence[PairStat],
        modules: Mapping[str, str],
    ) -> None:
        """Write the changes of a run over new commits; call inside a transaction."""
        inside = "IN (SELECT value FROM json_each(?))"
        self._connection.execute(f"DELETE FROM git_pairs WHERE path {inside}", (removed,))
        self._connection.execute(f"DELETE FROM git_pairs WHERE other {inside}", (removed,))
        self._connection.execute(f"DELETE FROM git_files WHERE path {inside}", (removed,))
        rows: list[tuple[object, ...]] = []
        words: list[tuple[str, str]] = []
        for f in files:
            parts = name(f.path)
            dates = (f.first_date, f.last_date)
            authors = json.dumps([list(a) for a in f.authors], ensure_ascii=False)
            module = modules.get(f.path, "")
            counts = (int(f.present), f.commits, f.heat, f.reach, f.last)
            rows.append((f.path, *counts, *dates, authors, module, parts.folder, parts.stem))
            words.extend((word, f.path) for word in parts.words if f.present)
        self._connection.execute_many(
            """INSERT OR REPLACE INTO git_files(path, present, commits, heat, reach, last_clock, first_date,
               last_date, authors, module, folder, stem) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
            rows,
        )
        self._connection.execute_many("INSERT OR IGNORE INTO git_file_words(word, path) VALUES (?, ?)", words)
        self._connection.execute_many(
            "INSERT OR REPLACE INTO git_pairs(path, other, bond, commits, last_date) VALUES (?, ?, ?, ?, ?)",
            [
                (*ends, p.bond, p.commits, p.last_date)
                for p in pairs
                for ends in ((p.path, p.other), (p.other, p.path))
            ],
        )

    def named(self, names: Sequence[str], limit: int = 20) -> list[str]:
        """Return present files whose path is one of the names, or ends in "/" and the name."""
        sql = """SELECT DISTINCT g.path FROM json_each(?) j JOIN git_files g ON g.present = 1 AND
                 (g.path = j.value OR substr(g.path, -length(j.value) - 1) = '/' || j.value)
                 ORDER BY length(g.path), g.path LIMIT ?"""
        return self._connection.column(sql, (names, limit))

    def put_moves(self, moved: Iterable[tuple[str, str]], at: str) -> None:
        """Add renames, (old, new) in order; call inside a transaction."""
        before = {path: set(names) for path, (_, names) in self.seen(WAS).items()}
        changed: set[str] = set()
        for old, new in moved:
            names = ({old} | before.get(old, set())) - {new}
            if not names <= before.get(new, set()):
                before.setdefault(new, set()).update(names)
                changed.add(new)
        since: dict[str, set[str]] = {}
        for new in changed:
            self.set_seen(WAS, new, None, sorted(before[new]), at)
            for old in before[new]:
                since.setdefault(old, set()).add(new)
        known = self.seen(MOVED) if since else {}
        for old, names in since.items():
            self.set_seen(MOVED, old, None, sorted(names.union(known.get(old, (None, ()))[1])), at)

    def names_before(self, path: str) -> list[str]:
        """Return the former paths of a file, in order."""
        sql = "SELECT paths FROM source_items WHERE kind = ? AND key = ?"
        found = self._connection.value(sql, (WAS, path))
        return [str(name) for name in json.loads(found)] if found else []

    def clear(self) -> None:
        """Delete all history, to read it again from the start; call inside a transaction."""
        self._connection.execute("DELETE FROM source_items WHERE kind IN (?, ?)", (MOVED, WAS))
        for table in ("git_pairs", "git_file_words", "git_files"):
            self._connection.execute(f"DELETE FROM {table}")

    def counts(self) -> tuple[int, int]:
        """Return the number of known present files, and of pairs."""
        files = self._connection.value("SELECT count(*) FROM git_files WHERE present = 1")
        pairs = self._connection.value("SELECT count(*) FROM git_pairs WHERE path < other")
        return int(files), int(pairs)

    def modules(self) -> dict[str, int]:
        """Return each module with its number of present files, the largest first."""
        sql = """SELECT module, count(*) FROM git_files WHERE present = 1
                 GROUP BY module ORDER BY 2 DESC, module"""
        return dict(self._connection.rows(sql))

    def ownership(self, path: str) -> Ownership | None:
        """Return the module and the authors of a file, None if the history does not know it."""
        row = self._connection.row(
            """SELECT module, commits, authors, first_date, last_date, present FROM git_files
               WHERE path = ?""",
            (path,),
        )
        if row is None:
            return None
        module, commits, authors, first_date, last_date, present = row
        who = tuple(Author(str(n), int(c)) for n, c in json.loads(authors))
        return Ownership(path, module, commits, who, first_date, last_date, bool(present))

    def co_access(self, paths: Sequence[str], minimum: float, limit: int) -> list[tuple[str, str, float]]:
        """Return (file, partner, weight 0..1) from agent sessions, strongest first."""
        inside = "IN (SELECT value FROM json_each(?1))"
        sql = f"""SELECT file_a, file_b, weight FROM observer_co_access_edges
                  WHERE file_a {inside} AND weight > ?2
                  UNION SELECT file_b, file_a, weight FROM observer_co_access_edges
                  WHERE file_b {inside} AND weight > ?2 AND directional = 0
                  ORDER BY 3 DESC, 1, 2 LIMIT ?3"""
        return self._connection.rows(sql, (paths, minimum, limit))

    def seen(self, kind: str) -> dict[str, tuple[str | None, tuple[str, ...]]]:
        """Return the read source items of a kind (rule, commit): key to (memory id, paths)."""
        rows = self._connection.rows("SELECT key, memory_id, paths FROM source_items WHERE kind = ?", (kind,))
        return {key: (memory_id, tuple(json.loads(paths))) for key, memory_id, paths in rows}

    def set_seen(self, kind: str, key: str, memory_id: str | None, paths: Sequence[str], at: str) -> None:
        """Record that a source item was read and the memory made from it; call inside a transaction."""
        self._connection.execute(
            """INSERT OR REPLACE INTO source_items(kind, key, memory_id, paths, seen_at)
               VALUES (?, ?, ?, ?, ?)""",
            (kind, key, memory_id, json.dumps(list(paths), ensure_ascii=False), at),
        )

    def unsee(self, kind: str, keys: Collection[str]) -> None:
        """Delete source items that no longer exist; call inside a transaction."""
        self._connection.execute_many(
            "DELETE FROM source_items WHERE kind = ? AND key = ?", [(kind, key) for key in sorted(keys)]
        )


def _stat(row: Row) -> FileStat:
    path, commits, heat, reach, last, first_date, last_date, present, authors = row
    who = tuple((str(n), int(c)) for n, c in json.loads(authors))
    return FileStat(path, commits, heat, reach, last, first_date, last_date, bool(present), who)


class Commits(Tables):
    """The commits of one project. Writers call inside a transaction."""

    def add(self, commits: Iterable[CommitRow]) -> None:
        """Store commits; existing ones are left unchanged."""
        for commit in commits:
            body = commit.body[:MAX_BODY]
            added = self._connection.execute(
                """INSERT OR IGNORE INTO git_commits(sha, clock, date, subject, body, files)
                   VALUES (?, ?, ?, ?, ?, ?)""",
                (
                    *(commit.sha, commit.clock, commit.date, commit.subject, body),
                    json.dumps(commit.files, ensure_ascii=False),
                ),
            )
            if added:
                self._connection.execute(
                    "INSERT INTO git_commits_fts(rowid, subject, body, terms) VALUES (?, ?, ?, ?)",
                    (
                        *(self._connection.last_row_id(), commit.subject, body),
                        index_terms(f"{commit.subject} {body}"),
                    ),
                )

    def keep_newest(self, number: int = MAX_KEPT) -> None:
        """Delete all but the newest commits."""
        self._connection.execute(
            """DELETE FROM git_commits WHERE clock <=
               (SELECT clock FROM git_commits ORDER BY clock DESC LIMIT 1 OFFSET ?)""",
            (number,),
        )

    def clear(self) -> None:
        """Forget every commit."""
        self._connection.execute("DELETE FROM git_commits")

    def count(self) -> int:
        """Return the number of commits."""
        return int(self._connection.value("SELECT count(*) FROM git_commits"))

    def newest(self, limit: int) -> list[CommitRow]:
        """Return the newest commits, newest first."""
        sql = "SELECT sha, clock, date, subject, body, files FROM git_commits ORDER BY clock DESC LIMIT ?"
        rows = self._connection.rows(sql, (limit,))
        return [CommitRow._make((*row, tuple(json.loads(files)))) for *row, files in rows]

    def search(self, terms: Sequence[str], limit: int) -> list[tuple[int, float]]:
        """Return (row id, bm25) of commits with at least one term, best first, ties newest first."""
        if not (match := any_of(terms)):
            return []
        sql = """SELECT rowid, -bm25(git_commits_fts) AS score FROM git_commits_fts
                  WHERE git_commits_fts MATCH ? ORDER BY score DESC, rowid DESC LIMIT ?"""
        return self._connection.rows(sql, (match, limit))

    def get_many(self, ids: Collection[int]) -> dict[int, CommitRow]:
        """Return commits by row id."""
        sql = """SELECT c.id, c.sha, c.clock, c.date, c.subject, c.body, c.files FROM json_each(?) j
                 CROSS JOIN git_commits c ON c.id = j.value"""
        rows = self._connection.rows(sql, (ids,))
        return {i: CommitRow._make((*row, tuple(json.loads(files)))) for i, *row, files in rows}

    def messages(self, shas: Collection[str]) -> dict[str, str]:
        """Return commit messages by id; unknown ids are absent."""
        sql = """SELECT c.sha, c.subject || char(10) || c.body FROM json_each(?) j
                 CROSS JOIN git_commits c ON c.sha = j.value"""
        return dict(self._connection.rows(sql, (shas,)))
