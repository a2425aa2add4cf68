"""A conversation: its durable log, and the search index that follows the log.

The log is the source. A message is durable in it before it is indexed. An append through this module is
indexed at once, an append of another process before the next search. The indexed offset is stored with the
log's time and a digest of the bytes before the offset, so that an edited, replaced or deleted log is noticed
and its turns are rebuilt.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from remora.conversation.flatten import working_context
from remora.conversation.log import SUFFIX, SessionLog
from remora.conversation.reader import Mark, goes_on, mark_at
from remora.conversation.sessions import list_sessions
from remora.core.argument_types import checked
from remora.core.clock import to_iso
from remora.core.errors import InvalidInput, RemoraError, StoreError
from remora.core.secrets import redact
from remora.core.values import Message, Redaction
from remora.lifecycle.redaction import holds_secret, redact_json

if TYPE_CHECKING:
    from datetime import datetime

    from remora.app.project.open_project import OpenProject
    from remora.app.records.compaction import Compaction
    from remora.app.records.consolidation import Consolidation
    from remora.conversation.cut import Standing
    from remora.conversation.replay import Problem
    from remora.store.database import Database

MARK = "log:"  # prefix of a meta key; the session's id follows: the log's time and digest
PATIENCE = 1.0  # seconds to wait for another writer; the next search continues from there


@checked
class Session:
    """A conversation of a project, by its id (`channel:chat`).

    Attributes:
        redactions: secrets removed from messages that this object appended, by kind.
    """

    def __init__(self, project: OpenProject, session_id: str) -> None:
        if isinstance(session_id, str) and holds_secret(session_id):
            raise InvalidInput("the session id holds a secret", hint="Give it a name that can be stored.")
        self._project = project
        self._lock = project.lock
        self._log = SessionLog(project.sessions_folder, session_id, project.clock)
        self.id = self._log.session_id
        self.redactions: tuple[Redaction, ...] = ()

    def append(
        self,
        /,
        role: str,
        content: str,
        *,
        external_id: str | None = None,
        time: str | float | datetime | None = None,
        **fields: Any,
    ) -> Message:
        """Append one message durably and return it as stored in the log.

        An assistant's final answer also adds the exchange to the day's note (`journal.note_replies`).

        Args:
            role: the speaker, any text that is not empty.
            content: the text; secrets are removed first.
            external_id: your own id; a message whose id is in the log is not appended again.
            time: time of the message: ISO 8601, words, seconds since 1970 or a datetime; now by default.
            **fields: `tool_calls`, `tool_call_id`, `tool_name`, `metadata`.

        Raises:
            InvalidInput: the message cannot be stored; nothing was written.
        """
        message = {"role": role, "content": content, "external_id": external_id, "time": time, **fields}
        kept = self.extend([message])[0]
        if kept.role == "assistant" and not kept.tool_calls and self._project.settings.journal.note_replies:
            with suppress(RemoraError):  # the message is stored; its note is a convenience
                self._note_exchange()
        return kept

    def extend(self, messages: Iterable[Mapping[str, Any] | Message]) -> list[Message]:
        """Append messages in one durable write, all or none; return the stored messages in order."""
        self._require_writable()
        if messages is None:  # elsewhere None is an empty list
            raise InvalidInput("messages must be a list of messages, not None")
        counts: dict[str, int] = {r.kind: r.count for r in self.redactions}
        clean = [_redacted(m, counts) for m in messages]
        with self._lock:
            kept = self._log.extend(clean)
            self.redactions = tuple(Redaction(kind, number) for kind, number in sorted(counts.items()))
            follow(self._project, self._log)
        return kept

    def messages(self) -> list[Message]:
        """Return the working context: the messages from the latest compact or clear marker on.

        After a compaction the first message is its summary (role "system"), and kept tool calls and results
        are plain text.
        """
        return working_context(*self._log.context())

    def history(self) -> list[Message]:
        """Return all messages, oldest first."""
        return self._log.history()

    def count(self) -> int:
        """Return the number of messages in the working context."""
        return self._log.count()

    def clear(self) -> None:
        """Empty the working context; the history stays. `new` also updates the journal first."""
        self._require_writable()
        self._log.clear()

    def new(self) -> Consolidation:
        """Consolidate the conversation into the journal, then empty the working context.

        Returns:
            The consolidation; the context is empty when this returns.

        Raises:
            StoreBusy, StoreError: the journal could not be written; the context is unchanged.
        """
        from remora.app.records.consolidation import consolidate_session

        self._require_writable()
        done = consolidate_session(self._project, self._log)
        self._log.clear()
        return done

    def compact(self, keep_last: int | None = None) -> Compaction:
        """Replace all but the last messages by a summary; the history stays.

        The summary is archived (`memory.entries`) before the context changes, and the removed messages are
        consolidated into the journal.

        Args:
            keep_last: number of messages to keep; `compaction.keep_last` by default. A tool call stays with
                its results.

        Raises:
            InvalidInput: the number is negative.
            StoreBusy, StoreError: nothing could be written; the context is unchanged.
        """
        from remora.app.records.compaction import compact

        self._require_writable()
        return compact(self._project, self._log, keep_last)

    def compact_if_needed(self, input_limit: int | None = None) -> Compaction | None:
        """Compact a conversation that has more tokens than the model accepts, or exceeds its window.

        Call it before each request to the model. It is cheap while there is room.

        Args:
            input_limit: tokens the model accepts; `compaction.model_input_limit` by default.
        """
        from remora.app.records.compaction import compact_if_needed

        self._require_writable()
        return compact_if_needed(self._project, self._log, input_limit)

    def standing(self, input_limit: int | None = None) -> Standing:
        """Return the estimated tokens of the working context, and their limit."""
        from remora.conversation.cut import standing

        return standing(self.messages(), self._project.settings.compaction, input_limit)

    def recap(self) -> str:
        """Return the working context as a section for the system prompt of a fresh model session."""
        from remora.journal.block import recap

        return recap(self.messages())

    def note_today(self) -> str:
        """Add the last exchange to today's note and return the line; empty while there is no answer.

        An assistant's final answer is noted automatically unless `journal.note_replies` is off.

        Raises:
            StoreError: the note could not be written.
        """
        self._require_writable()
        return self._note_exchange()

    def _note_exchange(self) -> str:
        from remora.journal.exchange import note_exchange

        said = [m._replace(content=redact(m.content).text) for m in self.messages()]
        try:
            return note_exchange(self._project.journal(), said, self._project.settings.journal)
        except RemoraError as error:
            raise StoreError(str(error)) from error

    def set_state(self, state: str) -> None:
        """Set the state of the session: ACTIVE, PAUSED or TERMINATED."""
        self._require_writable()
        self._log.set_state(state)

    @property
    def metadata(self) -> dict[str, Any]:
        """The metadata of the session: `key`, `state`, `createdAt`, and the caller's own fields."""
        return self._log.metadata

    def problems(self) -> list[Problem]:
        """Return the lines of the log that were skipped or read in part, with the reason."""
        return self._log.problems()

    def _require_writable(self) -> None:
        self._project.store("project")  # raises if the memory is closed
        self._project.must_be_writable()


def follow(project: OpenProject, log: SessionLog, *, wait: float | None = PATIENCE) -> int:
    """Index the messages of a log after the indexed offset; return the number of turns added.

    A failure loses nothing: the log has the messages, and the next call continues from the offset.

    Args:
        project: the open project.
        log: the session's log.
        wait: seconds to wait for another writer of the database; None is the usual busy timeout.
    """
    try:
        return _follow(project, log, wait)
    except (StoreError, OSError):
        return 0


def _follow(project: OpenProject, log: SessionLog, wait: float | None) -> int:
    db = project.db
    offset = db.turns.read_to(log.session_id)
    if offset and not _goes_on(db, log, offset):
        offset = _forget(db, log.session_id, wait)
    elif offset and offset == log.path.stat().st_size:
        return 0
    messages, reached = log.read_from(offset)
    if reached == offset:
        return 0
    at = to_iso(project.clock.now())
    with log.path.open("rb") as file:
        mark = mark_at(file, reached)
    with db.connection.transaction(durable=False, wait=wait):
        new = db.turns.add(log.session_id, log.path.name, messages, reached, at)
        db.meta.set(f"{MARK}{log.session_id}", list(mark))
    return len(new)


def follow_all(project: OpenProject) -> int:
    """Index all changed logs and remove the turns of deleted ones; return the number of turns added.

    If nothing changed, each file costs one stat.
    """
    there = project.logs.look(project.sessions_folder, lambda name: name.endswith(SUFFIX))
    if there is None:
        return 0
    before = project.logs.seen or {}
    db = project.db
    indexed = {path: (session_id, read_to) for session_id, path, read_to, _ in db.turns.sessions()}
    marks = db.meta.starting(MARK)
    ids = {path: session_id for path, (session_id, _) in indexed.items()}
    changed = {name for name, state in there.items() if before.get(name) != state}
    if changed - ids.keys():
        ids |= {info.path.name: info.id for info in list_sessions(project.sessions_folder)}
    added = 0
    for name in sorted(ids.keys() - there.keys()):  # the log was deleted
        with suppress(StoreError):
            _forget(db, ids[name], PATIENCE)
    for name in sorted(changed & ids.keys()):
        size, mtime = there[name]
        known = marks.get(f"{MARK}{ids[name]}")
        if name in indexed and indexed[name][1] == size and known and Mark(*known).mtime == mtime:
            continue
        try:
            added += _follow(project, SessionLog(project.sessions_folder, ids[name], project.clock), PATIENCE)
        except (StoreError, OSError):
            del there[name]  # the next search tries again
    project.logs.seen = there
    return added


def _goes_on(db: Database, log: SessionLog, offset: int) -> bool:
    """Return whether a log still begins with the indexed bytes."""
    known = db.meta.get(f"{MARK}{log.session_id}")
    try:
        with log.path.open("rb") as file:
            return known is not None and goes_on(file, offset, Mark(*known))
    except FileNotFoundError:
        return False


def _forget(db: Database, session_id: str, wait: float | None) -> int:
    """Delete a session's turns; return 0, the offset to index its log from."""
    with db.connection.transaction(durable=False, wait=wait):
        db.turns.forget_session(session_id)
    return 0


def _redacted(message: object, counts: dict[str, int]) -> dict[str, Any]:
    """Return a message without secrets, and without the `seq` of another log.

    An id that holds a secret is refused, since a redacted id no longer identifies its message.
    """
    if isinstance(message, Message):
        message = {k: v for k, v in message._asdict().items() if k != "seq"}
    if not isinstance(message, Mapping):
        raise InvalidInput(f"a message is a mapping with role and content, not {type(message).__name__}")
    clean = dict(message)
    for field, value in clean.items():
        if field in ("external_id", "tool_call_id"):
            if isinstance(value, str) and holds_secret(value):
                raise InvalidInput(f"{field} holds a secret", hint="Give it a name that can be stored.")
        else:
            clean[field] = redact_json(value, counts)
    return clean
