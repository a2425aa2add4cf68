"""SQL for full-text search: BM25 by FTS5 over memories and turns.

FTS5 returns bm25 as a negative number, best first; here the sign is reversed, so higher is better.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from remora.core.text import any_of, quoted
from remora.core.values import Filters
from remora.store.connection import Connection
from remora.store.memories import condition

# memory_id (unindexed), content, tags, related_files, search_terms. Tags are chosen words and count
# more; parts of identifiers may be incidental and count half.
_MEMORY_WEIGHTS = "0.0, 1.0, 1.5, 1.0, 0.5"
# content, role, time, search_terms. Who spoke and when are context, not the subject.
_TURN_WEIGHTS = "1.0, 1.0, 1.0, 0.5"


FEW = 100  # memories with a stem, up to which it selects
SELECTIVE = 3  # stems that select; one or two may be just what a similar text lacks
_TERMS_REMEMBERED = 5_000
_MOST_ROWS = 1_000_000


class TermStats(NamedTuple):
    """The number of rows of a table, and of rows that hold each term."""

    rows: int
    holding: dict[str, int]


class FullText:
    """Keyword search in one database."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._known: dict[str, tuple[object, TermStats]] = {}

    def memories(self, terms: Sequence[str], filters: Filters, limit: int) -> list[tuple[str, float]]:
        """Return (memory id, bm25) of live memories with at least one term, best first, ties by id."""
        if not (match := any_of(terms)):
            return []
        # Ranking reads the index alone; rows are only looked up for the best, and again for more of
        # them while the filters let too few through.
        take = limit * 2
        while True:
            where, values = condition(filters)
            sql = f"""WITH best AS (
                        SELECT rowid AS seq, -bm25(memories_fts, {_MEMORY_WEIGHTS}) AS score
                        FROM memories_fts WHERE memories_fts MATCH ? ORDER BY score DESC, rowid LIMIT ?)
                      SELECT m.id, best.score, (SELECT count(*) FROM best) FROM best
                      CROSS JOIN memories m INDEXED BY idx_memories_found ON m.seq = best.seq WHERE {where}
                      ORDER BY best.score DESC, m.id LIMIT ?"""
            rows = self._connection.rows(sql, [match, take, *values, limit])
            if len(rows) == limit or (rows and rows[0][2] < take) or take > _MOST_ROWS:
                return [(i, score) for i, score, _ in rows]
            if not rows and not self._more_than(match, take):
                return []
            take *= 8

    def beginning(self, stems: Iterable[str], limit: int) -> list[str]:
        """Return the ids of live memories with a word that begins with one of some stems, best first.

        Where SELECTIVE stems or more are of FEW memories only these select: ranking takes time for each row.
        """
        words = [f'"{stem}"*' for stem in sorted(stems) if '"' not in stem]
        rare = [word for word in words if not self._more_than(f"content : {word}", FEW)]
        match = "content : (" + " OR ".join(rare if len(rare) >= SELECTIVE else words) + ")"
        sql = """WITH best AS (SELECT rowid AS seq, rank FROM memories_fts WHERE memories_fts MATCH ?1
                               ORDER BY rank LIMIT ?2)
                 SELECT m.id FROM best CROSS JOIN memories m ON m.seq = best.seq
                 WHERE m.deprecated = 0 ORDER BY best.rank, m.id"""
        return self._connection.column(sql, (match, limit)) if '"' in match else []

    def _more_than(self, match: str, rows: int) -> bool:
        sql = "SELECT 1 FROM memories_fts WHERE memories_fts MATCH ? LIMIT 1 OFFSET ?"
        return self._connection.row(sql, (match, rows)) is not None

    def naming(self, name: str, limit: int) -> int:
        """Return the number of live memories whose text contains a name, counted up to a limit."""
        sql = """SELECT count(*) FROM (
                   SELECT 1 FROM memories_fts CROSS JOIN memories m ON m.seq = memories_fts.rowid
                   WHERE memories_fts MATCH ? AND m.deprecated = 0 LIMIT ?)"""
        return int(self._connection.value(sql, (f"content : {quoted(name)}", limit)))

    def turns(
        self, terms: Sequence[str], limit: int, among: Sequence[int] | None = None
    ) -> list[tuple[int, float]]:
        """Return (turn row id, bm25) of turns with at least one term, best first, ties by id.

        `among`: only these; None for all.
        """
        return self._said("turns_fts", f"bm25(turns_fts, {_TURN_WEIGHTS})", terms, limit, among)

    def turn_windows(
        self, terms: Sequence[str], limit: int, among: Sequence[int] | None = None
    ) -> list[tuple[int, float]]:
        """Return (turn row id, bm25) for matches in a turn or its neighbours, as `turns` does."""
        return self._said("turn_windows_fts", "bm25(turn_windows_fts)", terms, limit, among)

    def _said(
        self, table: str, score: str, terms: Sequence[str], limit: int, among: Sequence[int] | None
    ) -> list[tuple[int, float]]:
        if not (match := any_of(terms)):
            return []
        only = "" if among is None else "AND rowid IN (SELECT value FROM json_each(?3))"
        sql = f"""SELECT rowid, -{score} AS score FROM {table}
                  WHERE {table} MATCH ?1 {only} ORDER BY score DESC, rowid LIMIT ?2"""
        return self._connection.rows(sql, (match, limit) if among is None else (match, limit, among))

    def rebuild_memories(self) -> None:
        """Rebuild the index of memories from their rows; call inside a transaction."""
        self._connection.execute("DELETE FROM memories_fts")
        self._connection.execute(
            """INSERT INTO memories_fts(rowid, memory_id, content, tags, related_files, search_terms)
               SELECT seq, id, content, tags, related_files, search_terms FROM memories"""
        )

    def term_stats(self, table: str, terms: Sequence[str]) -> TermStats:
        """Return how many rows of "memories" or "turns" hold each term; cached until the index changes.

        FTS5 computes its own idf from this count.
        """
        # The records of totals and of segments: every write to the index changes the second, and
        # counting accesses, which goes on all the time, changes neither.
        version = self._connection.rows(f"SELECT block FROM {table}_fts_data WHERE id IN (1, 10)")
        seen, known = self._known.get(table, (None, TermStats(0, {})))
        if seen != version or len(known.holding) > _TERMS_REMEMBERED or self._connection.writing():
            known = TermStats(int(self._connection.value(f"SELECT count(*) FROM {table}_fts_docsize")), {})
        rows, holding = known
        for term in terms:
            if term not in holding:
                sql = f"SELECT count(*) FROM {table}_fts WHERE {table}_fts MATCH ?"
                holding[term] = int(self._connection.value(sql, (quoted(term),)))
        if not self._connection.writing():
            self._known[table] = (version, TermStats(rows, holding))
        return TermStats(rows, {t: holding[t] for t in terms})
