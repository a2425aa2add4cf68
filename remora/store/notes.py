"""SQL for written and spoken text: pieces of MEMORY.md, HISTORY, daily notes, entries; quotes.

A quote is stored under its session instead of a file.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from remora.core.text import any_of, index_terms
from remora.core.values import Filters
from remora.store.connection import Tables

# name, content, search_terms: names count more, parts of identifiers half.
_WEIGHTS = "1.5, 1.0, 0.5"
_SELECT = """SELECT n.id, n.kind, n.path, n.name, n.start_line, n.end_line, n.time, n.content, n.answers
             FROM notes n"""
# Of the kinds in ?1, of the branch ?2, from ?3 up to and without ?4, under the path ?5; see `_told`.
_TOLD = """n.kind IN (SELECT value FROM json_each(?1)) AND (?2 = '*' OR n.kind <> 'quote' OR NOT EXISTS (
           SELECT 1 FROM note_files f
           WHERE f.path = n.path AND f.branch IS NOT NULL AND f.branch IS NOT ?2))
           AND (?3 IS NULL OR n.time >= ?3) AND (?4 IS NULL OR n.time < ?4) AND (?5 IS NULL OR n.path = ?5)"""
EVERYWHERE = Filters(branch="*")
BARE = 4  # words; a quote with fewer is also found by the text it answers
SESSION = "session:"  # begins the path of quotes


class Written(NamedTuple):
    """One piece of a written file.

    Attributes:
        kind: "longterm", "note", "archive", "history", "daily" or "quote".
        name: of an entry; empty for text of a file.
        start_line, end_line: in the file, from 1; None for an entry.
        time: when it was written or said, ISO 8601, if known.
        answers: the end of the text that a quote answers.
    """

    kind: str
    name: str
    start_line: int | None
    end_line: int | None
    time: str | None
    content: str
    answers: str = ""


class NoteRow(NamedTuple):
    """A stored piece; `path` is relative to the project's memory folder, or SESSION and a session id."""

    id: int
    kind: str
    path: str
    name: str
    start_line: int | None
    end_line: int | None
    time: str | None
    content: str
    answers: str = ""


class Notes(Tables):
    """The written pieces of one project. Writers call inside a transaction."""

    def files(self) -> dict[str, str]:
        """Return the state of each file when its pieces were made, by path."""
        sql = "SELECT path, seen FROM note_files WHERE path NOT LIKE ?"
        return dict(self._connection.rows(sql, (f"{SESSION}%",)))

    def bind(self, path: str, branch: str | None) -> None:
        """Restrict a file's or a session's pieces to one branch; None for all branches."""
        self._connection.execute("UPDATE note_files SET branch = ? WHERE path = ?", (branch, path))

    def branch(self, path: str) -> str | None:
        """Return the branch to which pieces are restricted (`bind`); None for all branches."""
        found: str | None = self._connection.value("SELECT branch FROM note_files WHERE path = ?", (path,))
        return found

    def on_branches(self) -> list[tuple[str, str]]:
        """Return (branch, path) of all files and sessions restricted to a branch, in order."""
        return self._connection.rows(
            "SELECT branch, path FROM note_files WHERE branch IS NOT NULL ORDER BY 1, 2"
        )

    def put(
        self,
        path: str,
        seen: str,
        pieces: Iterable[Written],
        clean: Callable[[Written], Written] = lambda piece: piece,
    ) -> int:
        """Replace the pieces of a file; a piece with unchanged text keeps its id, and so its vector.

        Args:
            path: the file.
            seen: its state.
            pieces: its current pieces.
            clean: applied to a piece before it is stored. Stored pieces were already cleaned and are not
                cleaned again.

        Returns:
            The number of new pieces.
        """
        self._connection.execute(
            "INSERT INTO note_files(path, seen) VALUES (?1, ?2) ON CONFLICT(path) DO UPDATE SET seen = ?2",
            (path, seen),
        )
        known: dict[tuple[object, ...], list[tuple[int, object, object]]] = {}
        sql = (
            "SELECT id, start_line, end_line, kind, name, time, content FROM notes WHERE path = ? ORDER BY id"
        )
        for i, start, end, *what in self._connection.rows(sql, (path,)):
            known.setdefault(tuple(what), []).append((i, start, end))
        new: list[Written] = []
        moved: list[tuple[object, object, int]] = []
        for piece in pieces:
            same = known.get(_what(piece))
            if not same:
                piece = clean(piece)
                same = known.get(_what(piece))
            if not same:
                new.append(piece)
                continue
            i, start, end = same.pop(0)
            if (start, end) != (piece.start_line, piece.end_line):
                moved.append((piece.start_line, piece.end_line, i))
        gone = [(i,) for left in known.values() for i, _, _ in left]
        self._connection.execute_many("DELETE FROM notes WHERE id = ?", gone)
        self._connection.execute_many("UPDATE notes SET start_line = ?, end_line = ? WHERE id = ?", moved)
        return self.add(path, new)

    def add(self, path: str, pieces: Collection[Written]) -> int:
        """Add pieces to those of a known file; returns how many."""
        self._connection.execute_many(
            """INSERT INTO notes(kind, path, name, start_line, end_line, time, content, answers, search_terms)
               VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)""",
            [
                (*(p.kind, path, p.name, p.start_line, p.end_line, p.time, p.content, p.answers), _terms(p))
                for p in pieces
            ],
        )
        return len(pieces)

    def forget(self, path: str) -> None:
        """Delete the pieces of a file that no longer exists."""
        self._connection.execute("DELETE FROM notes WHERE path = ?", (path,))
        self._connection.execute("DELETE FROM note_files WHERE path = ?", (path,))

    def of_path(self, path: str) -> list[NoteRow]:
        """Return the pieces of a file, or the quotes of a session, in order of creation."""
        sql = f"{_SELECT} WHERE n.path = ? ORDER BY n.id"
        return [NoteRow._make(r) for r in self._connection.rows(sql, (path,))]

    def latest(self, kind: str, limit: int, session_id: str | None = None) -> list[NoteRow]:
        """Return the newest pieces of a kind; of one session by its id, with or without its host."""
        sql = f"""{_SELECT} WHERE n.kind = ?1
                    AND (?2 IS NULL OR n.path = ?3 || ?2 OR n.path LIKE ?3 || '%:' || ?2)
                  ORDER BY n.time DESC, n.id DESC LIMIT ?4"""
        return [NoteRow._make(r) for r in self._connection.rows(sql, (kind, session_id, SESSION, limit))]

    def remove(self, note_id: int) -> None:
        """Delete one piece."""
        self._connection.execute("DELETE FROM notes WHERE id = ?", (note_id,))

    def any(self) -> bool:
        """Return whether there is any piece."""
        return self._connection.row("SELECT 1 FROM notes LIMIT 1") is not None

    def counts(self) -> dict[str, int]:
        """Return the number of pieces of each kind."""
        return dict(self._connection.rows("SELECT kind, count(*) FROM notes GROUP BY kind ORDER BY kind"))

    def get_many(self, ids: Collection[int]) -> dict[int, NoteRow]:
        """Return pieces by id; unknown ids are absent."""
        sql = f"{_SELECT} WHERE n.id IN (SELECT value FROM json_each(?))"
        return {r[0]: NoteRow._make(r) for r in self._connection.rows(sql, (ids,))}

    def ids_of(
        self, kinds: Collection[str], among: Collection[int] | None = None, filters: Filters = EVERYWHERE
    ) -> set[int]:
        """Return the ids of the pieces of some kinds that pass the filters, of all or among some."""
        given = _told(kinds, filters)
        if among is None:
            return set(self._connection.column(f"SELECT n.id FROM notes n WHERE {_TOLD}", given))
        sql = f"SELECT n.id FROM json_each(?6) j CROSS JOIN notes n ON n.id = j.value WHERE {_TOLD}"
        return set(self._connection.column(sql, (*given, among)))

    def search(
        self, terms: Sequence[str], kinds: Collection[str], limit: int, filters: Filters = EVERYWHERE
    ) -> list[tuple[int, float]]:
        """Return (id, bm25) of pieces of some kinds with at least one term, best first, ties by id.

        `filters`: pieces of other branches, times and sessions are left out.
        """
        if not (match := any_of(terms)):
            return []
        sql = f"""SELECT n.id, -bm25(notes_fts, {_WEIGHTS}) AS score FROM notes_fts
                  CROSS JOIN notes n ON n.id = notes_fts.rowid
                  WHERE notes_fts MATCH ?6 AND {_TOLD} ORDER BY score DESC, n.id LIMIT ?7"""
        given = (*_told(kinds, filters), match, limit)
        return self._connection.rows(sql, given)


def _told(kinds: Collection[str], filters: Filters) -> tuple[object, ...]:
    path = f"{SESSION}{filters.session}" if filters.session is not None else None
    return (sorted(kinds), filters.branch, filters.since, filters.until, path)


def _what(piece: Written) -> tuple[object, ...]:
    return (piece.kind, piece.name, piece.time, piece.content)


def _terms(piece: Written) -> str:
    # A bare answer ("Postgres") is understandable only with its question.
    asked = piece.answers if len(piece.content.split()) < BARE else ""
    return index_terms(f"{piece.name} {piece.content} {asked}")
