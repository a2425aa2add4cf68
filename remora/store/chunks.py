"""SQL for chunks of source files: text, full-text index and embedding queue."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from remora.core.code import Chunk
from remora.core.text import any_of, identifier_parts, index_terms
from remora.store.connection import Row, Tables

# bm25 weights: path, name, doc, text, terms.
_WEIGHTS = "1.5, 3.0, 1.5, 1.0, 0.5"
_CHUNK = "c.id, f.path, f.test, c.name, c.start_line, c.end_line, c.text"


class ChunkRow(NamedTuple):
    """A stored chunk of a file."""

    id: int
    path: str
    test: bool
    name: str
    start_line: int
    end_line: int
    text: str


class Chunks(Tables):
    """The chunks of one project's files. Writers call inside a transaction."""

    def put(self, file_id: int, path: str, chunks: Sequence[Chunk], priority: float = 0.0) -> None:
        """Replace the chunks of a file; a chunk with unchanged text keeps its id and its vector."""
        sql = """SELECT id, kind, name, context, doc, text, start_line, end_line FROM code_chunks
                 WHERE file_id = ? ORDER BY start_line, id"""
        known: dict[tuple[str, ...], list[tuple[int, int, int]]] = {}
        for i, *what, start, end in self._connection.rows(sql, (file_id,)):
            known.setdefault(tuple(what), []).append((i, start, end))
        new: list[Chunk] = []
        moved: list[tuple[int, int, int]] = []
        for chunk in chunks:
            same = known.get((chunk.kind, chunk.name, chunk.context, chunk.doc, chunk.text))
            if not same:
                new.append(chunk)
                continue
            i, start, end = same.pop(0)
            if (start, end) != (chunk.start_line, chunk.end_line):
                moved.append((chunk.start_line, chunk.end_line, i))
        gone = [(i,) for left in known.values() for i, _, _ in left]
        self._connection.execute_many("DELETE FROM code_chunks WHERE id = ?", gone)
        self._connection.execute_many(
            "UPDATE code_chunks SET start_line = ?, end_line = ? WHERE id = ?", moved
        )
        if not new:
            return
        start = 1 + int(
            self._connection.value("SELECT seq FROM sqlite_sequence WHERE name = 'code_chunks'") or 0
        )
        ids = range(start, start + len(new))
        self._connection.execute_many(
            """INSERT INTO code_chunks(id, file_id, kind, name, start_line, end_line, context, doc, text)
               VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)""",
            [
                (i, file_id, c.kind, c.name, c.start_line, c.end_line, c.context, c.doc, c.text)
                for i, c in zip(ids, new, strict=True)
            ],
        )
        where = " ".join((path, *identifier_parts(path)))
        self._connection.execute_many(
            "INSERT INTO code_chunks_fts(rowid, path, name, doc, text, terms) VALUES (?, ?, ?, ?, ?, ?)",
            [
                (i, where, c.name, c.doc, c.text, index_terms(f"{c.name} {c.text}"))
                for i, c in zip(ids, new, strict=True)
            ],
        )
        self._connection.execute_many(
            "INSERT OR IGNORE INTO code_chunk_queue(chunk_id, priority) VALUES (?, ?)",
            [(i, priority) for i in ids],
        )

    def count(self) -> int:
        """Return the number of chunks."""
        return int(self._connection.value("SELECT count(*) FROM code_chunks"))

    def any(self) -> bool:
        """Return whether there are any chunks."""
        return self._connection.row("SELECT 1 FROM code_chunks LIMIT 1") is not None

    def get_many(self, ids: Collection[int]) -> dict[int, ChunkRow]:
        """Return chunks by id; unknown ids are absent."""
        sql = f"""SELECT {_CHUNK} FROM json_each(?) j CROSS JOIN code_chunks c ON c.id = j.value
                  JOIN graph_files f ON f.id = c.file_id"""
        rows = self._connection.rows(sql, (ids,))
        return {r[0]: _row(r) for r in rows}

    def paths_of(self, ids: Collection[int]) -> dict[int, str]:
        """Return the file of each chunk."""
        return {i: path for i, (path, _) in self._names(ids).items()}

    def search(self, terms: Sequence[str], limit: int) -> list[tuple[int, float]]:
        """Return (chunk id, bm25) of chunks with at least one term, best first, ties by id."""
        if not (match := any_of(terms)):
            return []
        sql = f"""SELECT rowid, -bm25(code_chunks_fts, {_WEIGHTS}) AS score FROM code_chunks_fts
                  WHERE code_chunks_fts MATCH ? ORDER BY score DESC, rowid LIMIT ?"""
        return self._connection.rows(sql, (match, limit))

    def ranked(
        self, terms: Sequence[str], limit: int
    ) -> tuple[list[tuple[str, str, float]], list[tuple[str, str, float]]]:
        """Return (path, name, bm25) of the best chunks of code, and of the best chunks of tests.

        Matches the text of a chunk only, not its name or path. A repeated term counts repeatedly. One read of
        the index serves both lists.
        """
        if not (match := any_of(terms)):
            return [], []
        sql = """SELECT rowid, -bm25(code_chunks_fts, 0.0, 0.0, 0.0, 1.0, 1.0) AS score FROM code_chunks_fts
                 WHERE code_chunks_fts MATCH ? ORDER BY score DESC, rowid"""
        of_file: dict[int, int] = dict(
            self._connection.rows("SELECT id, file_id FROM code_chunks INDEXED BY idx_chunks_file")
        )
        code = self._connection.rows("SELECT id, test FROM graph_files WHERE kind = 'code' AND skipped = ''")
        tests: dict[int, int] = dict(code)
        best: tuple[list[tuple[int, float]], list[tuple[int, float]]] = ([], [])
        for i, score in self._connection.rows(sql, (match,)):
            test = tests.get(of_file.get(i, 0))
            if test is not None and len(best[test]) < limit:
                best[test].append((i, score))
        named = self._names({i for found in best for i, _ in found})
        own, of_tests = ([(*named[i], score) for i, score in found if i in named] for found in best)
        return own, of_tests

    def _names(self, ids: Collection[int]) -> dict[int, tuple[str, str]]:
        sql = """SELECT c.id, f.path, c.name FROM json_each(?) j CROSS JOIN code_chunks c ON c.id = j.value
                 JOIN graph_files f ON f.id = c.file_id"""
        return {i: (path, name) for i, path, name in self._connection.rows(sql, (ids,))}

    def pending(self, limit: int) -> list[ChunkRow]:
        """Return the chunks that wait for a vector, those of busy files first."""
        sql = f"""SELECT {_CHUNK} FROM code_chunk_queue q JOIN code_chunks c ON c.id = q.chunk_id
                  JOIN graph_files f ON f.id = c.file_id ORDER BY q.priority DESC, q.chunk_id LIMIT ?"""
        return [_row(r) for r in self._connection.rows(sql, (limit,))]

    def pending_count(self) -> int:
        """Return the number of chunks that wait for a vector."""
        return int(self._connection.value("SELECT count(*) FROM code_chunk_queue"))

    def done(self, ids: Iterable[int]) -> None:
        """Remove chunks from the queue."""
        self._connection.execute_many("DELETE FROM code_chunk_queue WHERE chunk_id = ?", [(i,) for i in ids])

    def queue_all(self, model_id: str) -> None:
        """Queue every chunk without a vector of a model."""
        self._connection.execute(
            """INSERT OR IGNORE INTO code_chunk_queue(chunk_id) SELECT c.id FROM code_chunks c
               WHERE NOT EXISTS (SELECT 1 FROM embeddings e WHERE e.owner_kind = 'chunk'
                 AND e.owner_id = CAST(c.id AS TEXT) AND e.model_id = ?)""",
            (model_id,),
        )


def _row(row: Row) -> ChunkRow:
    return ChunkRow._make((*row[:2], bool(row[2]), *row[3:]))
