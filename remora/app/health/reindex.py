"""Make derived data again: turns of the logs, pieces of written files, full-text rows, missing vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remora.lifecycle.intake import search_terms

if TYPE_CHECKING:
    from remora.app.project.open_project import Parts
    from remora.store.space import Space
from remora.app.memories.embedding import MODEL, Progress, catch_up

REBUILT_TOGETHER = 500  # memories held in memory at a time


def reindex(parts: Parts, progress: Progress | None = None) -> int:
    """Make derived data again: turns of the logs, pieces of written files, words, missing vectors.

    Vectors of other models go when those of the present model are complete. Returns how many turns, pieces
    and vectors were made.
    """
    from remora.app.records.session import follow
    from remora.conversation.log import SessionLog
    from remora.conversation.sessions import list_sessions

    space = parts.room("project").space
    made = 0
    logs = list_sessions(parts.sessions_folder)
    with space.db.transaction(durable=False):
        for session_id in {row[0] for row in space.turns.sessions()} - {info.id for info in logs}:
            space.turns.forget_session(session_id)
    for number, info in enumerate(logs, start=1):
        with space.db.transaction(durable=False):
            space.turns.forget_session(info.id)
        made += follow(parts, SessionLog(parts.sessions_folder, info.id, parts.clock), wait=None)
        if progress:
            progress("sessions", number, len(logs))
    made += _written_again(parts)
    for room in parts.rooms():
        _index_words(room.space)
    made += catch_up(parts, None, progress, code=True, missing=True)
    if not parts.trouble:
        _drop_other_models(parts)
    return made


def _written_again(parts: Parts) -> int:
    """Make the pieces of every written file again, with the extra terms as they are made today."""
    from remora.app.records.note_index import follow_written

    space = parts.room("project").space
    with space.db.transaction(durable=False):
        for path in space.notes.files():
            space.notes.forget(path)
    parts.written.seen = None
    return follow_written(parts, wait=None)


def _index_words(space: Space) -> None:
    """Make the full-text rows of every memory again, with the extra terms as they are made today."""
    with space.db.transaction(durable=False):
        ids = space.selections.all()
        for start in range(0, len(ids), REBUILT_TOGETHER):
            records = space.memories.get_many(ids[start : start + REBUILT_TOGETHER])
            for record in records.values():
                terms = search_terms(record)
                space.memories.update(record.id, {}, search_terms=terms)
        space.fulltext.rebuild_memories()


def _drop_other_models(parts: Parts) -> None:
    embedder = parts.embedder()
    for room in parts.rooms():
        complete = room.space.vectors.pending_count() == 0
        if embedder is not None and complete and room.space.meta.get(MODEL) == embedder.model_id:
            with room.space.db.transaction(durable=False):
                room.space.vectors.drop_other_models(embedder.model_id)
