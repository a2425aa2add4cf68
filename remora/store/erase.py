"""Delete permanently: rows, index entries, logged text and the bytes in the file.

`memories` deletes the rows and `texts` replaces the words elsewhere by a mark; `Connection.scrub` then
overwrites the bytes of deleted rows in free pages and in the write-ahead log.
"""

from __future__ import annotations

import json
from collections import Counter
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
    db.connection.execute(
        "UPDATE learned SET text = '' WHERE memory_id IN (SELECT value FROM json_each(?))", (ids,)
    )
    db.connection.execute(
        """UPDATE shared_entries SET line = json_replace(line, '$.body', json('null'))
           WHERE memory_id IN (SELECT value FROM json_each(?))""",
        (ids,),
    )
    db.memories.delete(list(ids))


def quote(db: Database, note_id: int) -> None:
    """Delete a quote with its vector, triggers and index rows; call inside a transaction."""
    _said(db, [quote_id(note_id)])
    db.notes.remove(note_id)


def session(db: Database, session_id: str) -> None:
    """Delete the data of a session, "host:session" or a conversation's id; call inside a transaction."""
    db.sessions.remove(session_id)
    db.notes.forget(f"{SESSION}{session_id}")
    db.turns.forget_session(session_id)
    for table in ("memory_use", "injections"):
        db.connection.execute(f"DELETE FROM {table} WHERE session_id = ?", (session_id,))
    db.connection.execute(
        "DELETE FROM meta WHERE key IN (?, ?)", (f"log:{session_id}", f"written:{session_id}")
    )


def texts(connection: Connection, wanted: Sequence[str], mark: str) -> dict[str, int]:
    """Replace some texts by a mark wherever free text is stored; call inside a transaction.

    Rows derived from files that no longer hold the texts (turns, pieces of files, chunks of code), or from
    git, are deleted and read again. The content of memories and its earlier versions stay as they are while a
    live memory says it: the caller deletes the memories that are meant.

    Args:
        connection: of the database, Remora's or of the items of a program.
        wanted: the texts; they are found in JSON, too.
        mark: the replacement.

    Returns:
        The number of rows that held one of them, by table.
    """
    forms = list(dict.fromkeys(form for text in wanted for form in written_forms(text)))
    there = {table for (table,) in connection.rows("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    found: Counter[str] = Counter()
    for table in (table for table in FREE_TEXT if table in there):
        for form in forms:
            if table in READ_AGAIN:
                found[table] += _drop(connection, table, form)
            else:
                found[table] += _replace(connection, table, form, mark)
    return dict(+found)


def in_sessions(connection: Connection, text: str, mark: str) -> None:
    """Replace a text by a mark in what is stored of sessions; call inside a transaction."""
    for form in written_forms(text):
        _replace(connection, "observer_sessions", form, mark)


def written_forms(text: str) -> tuple[str, ...]:
    r"""Return the possible forms of a text in a file or a column: unchanged, on one line, inside JSON.

    >>> written_forms('say "é"')
    ('say "é"', 'say \\"é\\"', 'say \\"\\u00e9\\"')
    """
    plain = dict.fromkeys((text, collapse(text)))
    inside = (json.dumps(one, ensure_ascii=escaped)[1:-1] for one in plain for escaped in (False, True))
    return tuple(dict.fromkeys((*plain, *inside)))


# The columns with free text. Names, paths, kinds and keys are not free text: a mark in their place would
# break references to them.
FREE_TEXT: dict[str, tuple[str, ...]] = {
    "memories": ("citation_text", "context_prefix", "payload", "origins", "review_reason", "triggers"),
    "memory_revisions": ("fields", "why"),
    "injections": ("about", "text", "why", "followed"),
    "learned": ("why", "text"),
    "observer_sessions": ("why", "prompt", "summary"),
    "observer_signals": ("key", "detail"),
    "observer_session_errors": ("command", "message", "resolved_how", "detail"),
    "observer_session_commands": ("command",),
    "observer_session_sequences": ("sequence",),
    "observer_error_patterns": ("error_message", "resolved_how"),
    "meta": ("value",),
    "turns": ("content",),
    "notes": ("content", "name", "answers"),
    "code_chunks": ("name", "context", "doc", "text"),
    "git_commits": ("subject", "body"),
    "items": ("value", "indexed"),
}
READ_AGAIN = ("turns", "notes", "code_chunks", "git_commits")
# A memory whose own text matches, but which is not to be deleted, is kept unchanged with its history.
_NOT_SAID = {
    "memories": "NOT instr(content, ?1)",
    "memory_revisions": """NOT EXISTS (SELECT 1 FROM memories m
        WHERE m.id = memory_revisions.memory_id AND instr(m.content, ?1))""",
}


def _held(table: str) -> str:
    """Return the condition that a row holds the text ?1."""
    return " OR ".join(f"instr({column}, ?1)" for column in FREE_TEXT[table])


def _replace(connection: Connection, table: str, form: str, mark: str) -> int:
    """Put the mark in the place of a text; returns how many rows held it."""
    where = f"({_held(table)}) AND {_NOT_SAID.get(table, '1')}"
    indexed = table == "observer_sessions"
    rows = connection.rows(f"SELECT seq FROM {table} WHERE {where}", (form,)) if indexed else []
    sets = ", ".join(f"{column} = replace({column}, ?1, ?2)" for column in FREE_TEXT[table])
    number = connection.execute(f"UPDATE OR REPLACE {table} SET {sets} WHERE {where}", (form, mark))
    for (seq,) in rows:
        _index_session(connection, seq)
    return number


def _drop(connection: Connection, table: str, form: str) -> int:
    """Delete rows that can be rebuilt, and mark their sources to be read again."""
    held = _held(table)
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
        (ids,),
    )
