"""Delete permanently: rows, index entries, logged text and the bytes in the file.

`memories` deletes the rows and `texts` replaces the words elsewhere by a mark; `Connection.scrub` then
overwrites the bytes of deleted rows in free pages and in the write-ahead log.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from remora.core.text import collapse, index_terms
from remora.core.values import quote_id
from remora.store.notes import SESSION

if TYPE_CHECKING:
    from remora.store.connection import Connection
    from remora.store.database import Database


def memories(db: Database, ids: Collection[str]) -> None:
    """Delete memories with their vectors, triggers and index rows; call inside a transaction.

    The advice log keeps the fact and the time that they were shown, but not their text.
    """
    if not ids:
        return
    _said(db, ids)
    listed = json.dumps(list(ids))
    db.connection.execute(
        "UPDATE learned SET text = '' WHERE memory_id IN (SELECT value FROM json_each(?))", (listed,)
    )
    db.memories.delete(list(ids))


def quote(db: Database, note_id: int) -> None:
    """Delete a quote with its vector, triggers and index rows; call inside a transaction."""
    _said(db, [quote_id(note_id)])
    db.notes.remove(note_id)


def session(db: Database, session_id: str) -> None:
    """Delete the data of a session, "host:session" or a conversation's id; call inside a transaction."""
    db.observed.remove(session_id)
    db.notes.forget(f"{SESSION}{session_id}")
    db.turns.forget_session(session_id)
    for table in ("memory_use", "injections"):
        db.connection.execute(f"DELETE FROM {table} WHERE session_id = ?", (session_id,))
    db.connection.execute(
        "DELETE FROM meta WHERE key IN (?, ?)", (f"log:{session_id}", f"written:{session_id}")
    )


def texts(connection: Connection, wanted: Sequence[str], mark: str) -> dict[str, int]:
    """Replace some texts by a mark in every table; call inside a transaction.

    Rows derived from files that no longer hold the texts (turns, pieces of files, chunks of code), or from
    git, are deleted and read again; the caller has deleted the memories that contained them.

    Args:
        connection: of the database, Remora's or of the items of a program.
        wanted: the texts; they are found in JSON, too.
        mark: the replacement.

    Returns:
        The number of rows that held one of them, by table.
    """
    forms = list(dict.fromkeys(form for text in wanted for form in written_forms(text)))
    found: dict[str, int] = {}
    for table, columns in _columns_of(connection):
        for form in forms:
            held = " OR ".join(f"instr({column}, ?1)" for column in columns)
            if table in READ_AGAIN:
                number = _drop(connection, table, held, form)
            else:
                sets = ", ".join(f"{column} = replace({column}, ?1, ?2)" for column in columns)
                fts = table == "observer_sessions"
                rows = connection.rows(f"SELECT seq FROM {table} WHERE {held}", (form,)) if fts else []
                number = connection.execute(f"UPDATE OR IGNORE {table} SET {sets} WHERE {held}", (form, mark))
                for (seq,) in rows:
                    _index_session(connection, seq)
            if number:
                found[table] = found.get(table, 0) + number
    return found


def written_forms(text: str) -> tuple[str, ...]:
    r"""Return the possible forms of a text in a file or a column: unchanged, on one line, inside JSON.

    >>> written_forms('say "é"')
    ('say "é"', 'say \\"é\\"', 'say \\"\\u00e9\\"')
    """
    plain = dict.fromkeys((text, collapse(text)))
    inside = (json.dumps(one, ensure_ascii=escaped)[1:-1] for one in plain for escaped in (False, True))
    return tuple(dict.fromkeys((*plain, *inside)))


READ_AGAIN = ("turns", "notes", "code_chunks", "git_commits", "embedding_cache")


def _columns_of(connection: Connection) -> list[tuple[str, list[str]]]:
    """Return the tables with their text columns, without indexes, which follow their tables."""
    sql = """SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'
             AND name NOT LIKE '%\\_fts%' ESCAPE '\\' AND name NOT LIKE 'sqlite_%' ORDER BY name"""
    found = []
    for (table,) in connection.rows(sql):
        info = connection.rows(f"PRAGMA table_info({table})")
        columns = [row[1] for row in info if "TEXT" in (row[2] or "TEXT").upper()]
        if columns:
            found.append((table, columns))
    return found


def _drop(connection: Connection, table: str, held: str, form: str) -> int:
    """Delete rows that can be rebuilt, and mark their sources to be read again."""
    if table == "turns":
        sessions = connection.rows(f"SELECT DISTINCT session_id FROM turns WHERE {held}", (form,))
        for (session,) in sessions:
            connection.execute("DELETE FROM turns WHERE session_id = ?", (session,))
            connection.execute("DELETE FROM sessions WHERE id = ?", (session,))
        return len(sessions)
    if table == "notes":
        connection.execute(
            f"UPDATE note_files SET seen = '' WHERE path IN (SELECT path FROM notes WHERE {held})", (form,)
        )
    return connection.execute(f"DELETE FROM {table} WHERE {held}", (form,))


def _index_session(connection: Connection, seq: int) -> None:
    row = connection.row("SELECT prompt, summary FROM observer_sessions WHERE seq = ?", (seq,))
    if row is not None:
        connection.execute("DELETE FROM observer_sessions_fts WHERE rowid = ?", (seq,))
        connection.execute(
            "INSERT INTO observer_sessions_fts(rowid, prompt, summary, terms) VALUES (?, ?, ?, ?)",
            (seq, *row, index_terms(f"{row[0]} {row[1]}")),
        )


def _said(db: Database, ids: Collection[str]) -> None:
    db.connection.execute(
        """UPDATE injections SET text = '', about = '' WHERE id IN (
             SELECT injection_id FROM injected_memories
             WHERE memory_id IN (SELECT value FROM json_each(?)))""",
        (json.dumps(list(ids)),),
    )
