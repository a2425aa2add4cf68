"""SQL for commits: messages, touched files and full-text search."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from remora.core.fts import any_of
from remora.core.text import index_terms
from remora.store.connection import Tables

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
