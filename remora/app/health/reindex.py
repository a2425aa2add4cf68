"""Rebuild derived data: turns of logs, pieces of written files, full-text rows, missing vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remora.app.memories.embedding import MODEL, Progress, catch_up
from remora.app.records.note_index import follow_written
from remora.app.records.session import follow
from remora.conversation.log import SessionLog
from remora.conversation.sessions import list_sessions

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject
    from remora.store.database import Database

REBUILT_TOGETHER = 500  # memories held in memory at a time


def reindex(project: OpenProject, progress: Progress | None = None) -> int:
    """Rebuild turns, pieces of written files, full-text rows and missing vectors.

    Vectors of other models are deleted once those of the current model are complete. Returns the number of
    turns, pieces and vectors made.
    """
    db = project.db
    made = 0
    logs = list_sessions(project.sessions_folder)
    with db.connection.transaction(durable=False):
        for session_id in {row[0] for row in db.turns.sessions()} - {info.id for info in logs}:
            db.turns.forget_session(session_id)
    for number, info in enumerate(logs, start=1):
        with db.connection.transaction(durable=False):
            db.turns.forget_session(info.id)
        made += follow(project, SessionLog(project.sessions_folder, info.id, project.clock), wait=None)
        if progress:
            progress("sessions", number, len(logs))
    made += _written_again(project)
    for store in project.stores():
        _index_words(store.db)
    made += catch_up(project, None, progress, code=True, missing=True)
    if not project.trouble:
        _drop_other_models(project)
    return made


def _written_again(project: OpenProject) -> int:
    """Rebuild the pieces of every written file, with current search terms."""
    db = project.db
    with db.connection.transaction(durable=False):
        for path in db.notes.files():
            db.notes.forget(path)
    project.written.seen = None
    return follow_written(project, wait=None)


def _index_words(db: Database) -> None:
    """Rebuild the full-text rows of every memory, with current search terms."""
    with db.connection.transaction(durable=False):
        ids = db.selections.all()
        for start in range(0, len(ids), REBUILT_TOGETHER):
            records = db.memories.get_many(ids[start : start + REBUILT_TOGETHER])
            for record in records.values():
                db.memories.index_words(record)
        db.fulltext.rebuild_memories()


def _drop_other_models(project: OpenProject) -> None:
    embedder = project.embedder()
    for store in project.stores():
        complete = store.db.vectors.pending_count() == 0
        if embedder is not None and complete and store.db.meta.get(MODEL) == embedder.model_id:
            with store.db.transaction(durable=False):
                store.db.vectors.drop_other_models(embedder.model_id)
