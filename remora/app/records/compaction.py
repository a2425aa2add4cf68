"""Compact a conversation: write summary, archive and marker, each durable before the next.

A crash after the archive leaves one more archive and the conversation unchanged; after the marker, only the
journal is incomplete, and the next consolidation completes it from the log. One compaction of a session runs
at a time, across processes; a `clear` during it wins. If the marker cannot be written, the archive is
removed.

A compaction is due if the context has more tokens than the model accepts, or more messages than the
journal's window. Both move the same boundary in the same log.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, suppress
from typing import TYPE_CHECKING, NamedTuple

from remora.app.records.consolidation import Consolidation, consolidate_session, model_of
from remora.conversation.cut import cut, cut_to_fit, is_summary, standing
from remora.conversation.flatten import FLATTENED_TO, settled, working_context
from remora.conversation.summary import summarise
from remora.core.errors import Conflict, RemoraError
from remora.core.secrets import redact

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject
    from remora.conversation.log import SessionLog
    from remora.core.values import Message

PATIENCE = 10.0  # seconds beyond the time limit of another compaction's model


class Compaction(NamedTuple):
    """The result of a compaction.

    Attributes:
        session_id: the session.
        removed: messages removed from the working context, an earlier summary counted; 0 for none.
        kept: messages that stayed.
        summary: the summary now in the context; empty if nothing was removed.
        how: "model", "extract", or "nothing".
        archive: the name of the archive; empty if nothing was removed.
        why: the reason: "asked", "tokens" or "window".
        notes: problems.
        consolidation: the consolidation of the removed messages; None if it is off or failed.
    """

    session_id: str
    removed: int
    kept: int
    summary: str = ""
    how: str = "nothing"
    archive: str = ""
    why: str = "asked"
    notes: tuple[str, ...] = ()
    consolidation: Consolidation | None = None


class Due(NamedTuple):
    """The reason of a compaction, the context, and the index of the first message to keep."""

    why: str
    messages: list[Message]
    place: int


def due(project: OpenProject, log: SessionLog, input_limit: int | None = None) -> Due | None:
    """Return the reason of a due compaction; None while there is room.

    Args:
        project: the open project.
        log: the session's.
        input_limit: tokens the model accepts; the setting's by default.
    """
    settings, journal = project.settings.compaction, project.settings.journal
    if not settings.enabled:
        return None
    messages, boundary = log.context()
    if standing(working_context(messages, boundary), settings, input_limit).over:
        place = cut_to_fit(messages, settings, input_limit)
        return Due("tokens", messages, place) if place else None
    said = len(messages) - sum(map(is_summary, messages[:1]))
    if journal.enabled and said > journal.memory_window:
        place = cut(messages, journal.memory_window // 2)
        return Due("window", messages, place) if place else None
    return None


def compact(project: OpenProject, log: SessionLog, keep_last: int | None = None) -> Compaction:
    """Replace all but the last messages of a conversation by a summary; see `Session.compact`."""
    keep = project.settings.compaction.keep_last if keep_last is None else keep_last
    with _alone(project, log):
        messages = log.messages()
        done = _shorten(project, log, Due("asked", messages, cut(messages, keep)))
    return _tell_journal(project, log, done)


def compact_if_needed(
    project: OpenProject, log: SessionLog, input_limit: int | None = None
) -> Compaction | None:
    """Compact a conversation that exceeds its model or its window; see `Session.compact_if_needed`."""
    if due(project, log, input_limit) is None:
        return None
    with _alone(project, log):
        wanted = due(project, log, input_limit)  # another process may have done it meanwhile
        if wanted is None:
            return None
        done = _shorten(project, log, wanted)
    return _tell_journal(project, log, done)


def _alone(project: OpenProject, log: SessionLog) -> AbstractContextManager[None]:
    seconds = 2 * project.settings.compaction.summary_timeout + PATIENCE
    return log.shortening(seconds)


def _shorten(project: OpenProject, log: SessionLog, wanted: Due) -> Compaction:
    messages, place = wanted.messages, wanted.place
    if not place:
        return Compaction(log.session_id, 0, len(messages), why=wanted.why)
    model, notes = model_of(project, "compaction")
    made = summarise(messages[:place], model, project.settings.compaction)
    if made.note and not (model is None and made.how == "extract"):
        notes.append(made.note)
    clean = redact(made.text)  # a model may write out a secret in another form
    if clean.count:
        notes.append(f"secrets removed from the summary: {clean.count}")
    store = project.entries()
    archive = store.archive(log.session_id, clean.text)
    kept_from = messages[place].seq if place < len(messages) else messages[-1].seq + 1
    details = {FLATTENED_TO: settled(messages), "how": made.how, "removed": place, "why": wanted.why}
    details |= {"note": made.note} if made.note else {}
    try:
        log.compact(clean.text, kept_from, archive_name=archive.name, details=details)
    except RemoraError as error:
        with suppress(RemoraError):
            store.remove(archive.name)
        if not isinstance(error, Conflict):
            raise
        said = f"nothing was removed: {error}"
        return Compaction(log.session_id, 0, log.count(), why=wanted.why, notes=(said,))
    kept = len(messages) - place
    return Compaction(
        log.session_id, place, kept, clean.text, made.how, archive.name, wanted.why, tuple(notes)
    )


def _tell_journal(project: OpenProject, log: SessionLog, done: Compaction) -> Compaction:
    """Consolidate the removed messages; a failure becomes a note, since the boundary has moved.

    The journal has a lock of its own and its model is slow: the next compaction need not wait for it.
    """
    boundary = log.boundary
    if not done.removed or boundary is None or not project.settings.journal.enabled:
        return done
    try:
        told = consolidate_session(project, log, boundary.kept_from - 1)
    except RemoraError as error:
        return done._replace(notes=(*done.notes, f"not in the journal yet: {error}"))
    return done._replace(consolidation=told)
