"""Consolidate a conversation: write its messages to the journal, and its facts to the memories.

The journal writes the history entry and MEMORY.md; then the session is marked in its log; then the facts
that a model offers are stored as inferred memories. A crash in between loses only these facts: the next
consolidation completes the rest.

Prompts to the model hold no secret, even if a person typed one into MEMORY.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from remora.app.project.arguments import paths
from remora.conversation.log import SessionLog
from remora.conversation.sessions import list_sessions
from remora.core.errors import RemoraError, SourceError
from remora.core.secrets import redact
from remora.journal.consolidate import Outcome, consolidate, recover_interrupted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from remora.app.project.open_project import OpenProject
    from remora.core.values import MemoryRecord, Message
    from remora.llm.client import Completion, LanguageModel
    from remora.llm.client import Message as Said


class Consolidation(NamedTuple):
    """The result of consolidating one session.

    Attributes:
        session_id: the session.
        how: "model", "extract" (there is no model), "raw-fallback" (it failed) or "nothing".
        messages: number of messages written to the history.
        entry: the text of the history entry; empty for "nothing".
        memory_changed: whether MEMORY.md was changed.
        facts: the memories that were stored, or merged with existing ones.
        notes: problems.
        kept_aside: a file with an answer, or a part of it, that was not used.
        seconds: duration, without waiting for locks.
    """

    session_id: str
    how: str
    messages: int = 0
    entry: str = ""
    memory_changed: bool = False
    facts: tuple[MemoryRecord, ...] = ()
    notes: tuple[str, ...] = ()
    kept_aside: Path | None = None
    seconds: float = 0.0


def consolidate_session(project: OpenProject, log: SessionLog, up_to: int | None = None) -> Consolidation:
    """Write the messages of a session since its last consolidation to the journal.

    Args:
        project: the open project.
        log: the session's.
        up_to: the `seq` of the last message to include; the last of the log by default.

    Raises:
        StoreBusy: other consolidations took too long. Nothing was written.
        StoreError: the history could not be written. The session is not marked.
    """
    told: list[Message] = []

    def messages() -> list[Message]:
        after = log.consolidated
        told[:] = [m for m in log.since(after) if up_to is None or m.seq <= up_to]
        return [m._replace(content=redact(m.content).text) for m in told]

    model, notes = model_of(project, "consolidation")
    outcome = consolidate(
        project.journal(),
        messages,
        model,
        project.settings.journal,
        session_id=log.session_id,
        done=lambda session_id, seq: _mark(project, session_id, seq),
    )
    if outcome.how == "nothing" and told and log.consolidated < told[-1].seq:
        log.mark_consolidated(told[-1].seq)  # only tool calls and results: no entry for them
    facts, problem = _store(project, log.session_id, outcome)
    return Consolidation(
        log.session_id,
        outcome.how,
        len(told) if outcome.how != "nothing" else 0,
        outcome.history_entry,
        outcome.memory_changed,
        facts,
        (*notes, *outcome.notes, *problem),
        outcome.kept_aside,
        outcome.seconds,
    )


def consolidate_all(project: OpenProject) -> list[Consolidation]:
    """Consolidate every session with new messages, and complete interrupted consolidations.

    For a log that cannot be read the result is "nothing" with the reason; the others are consolidated.
    """
    done = []
    for info in sorted(list_sessions(project.sessions_folder), key=lambda info: (info.updated, info.id)):
        log = SessionLog(project.sessions_folder, info.id, project.clock)
        try:
            if log.path != info.path:
                raise SourceError(f"its session is unknown: {info.problem or info.path}")
            fresh = log.consolidated < log.last_seq
        except RemoraError as error:
            done.append(Consolidation(info.id, "nothing", notes=(f"{info.path.name}: {error}",)))
            continue
        if fresh:
            done.append(consolidate_session(project, log))
    if project.settings.journal.enabled and all(one.how == "nothing" for one in done):
        recover_interrupted(project.journal(), lambda session_id, seq: _mark(project, session_id, seq))
    return done


class Discreet:
    """A language model that gets its prompts with secrets removed."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self.model_id = model.model_id

    def complete(self, messages: Sequence[Said], **how: Any) -> Completion:
        """Return the model's answer to the messages, sent without secrets."""
        return self._model.complete([m._replace(content=redact(m.content).text) for m in messages], **how)


def model_of(project: OpenProject, purpose: str) -> tuple[LanguageModel | None, list[str]]:
    """Return the language model for a purpose, and the reason if a configured model is unavailable."""
    try:
        model = project.llm(purpose)
    except RemoraError as error:
        return None, [f"no language model: {error}"]
    return Discreet(model) if model is not None else None, []


def _mark(project: OpenProject, session_id: str, seq: int) -> None:
    """Mark a session as consolidated."""
    log = SessionLog(project.sessions_folder, session_id, project.clock)
    if log.path.exists():  # a deleted log needs no mark
        log.mark_consolidated(seq)


def _store(
    project: OpenProject, session_id: str, outcome: Outcome
) -> tuple[tuple[MemoryRecord, ...], tuple[str, ...]]:
    """Store the facts that a model offered, one by one: an invalid one does not stop the others.

    A memory that a person forgot stays forgotten.
    """
    stored: list[MemoryRecord] = []
    problems: list[str] = []
    for fact in outcome.facts:
        try:
            files = paths("related_files", fact.related_files, project.location.root)
            draft = fact._replace(session_id=session_id, related_files=files)
            record = project.store("project").intake.remember(draft, revive=False, stated=True)
        except RemoraError as error:
            problems.append(f"a fact was not stored: {error}")
            continue
        if record.receipt is None or record.receipt.action != "skipped":
            stored.append(record)
    return tuple(stored), tuple(problems)
