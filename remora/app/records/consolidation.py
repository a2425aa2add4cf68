"""What a conversation said, brought into the journal and among the memories.

The journal writes the history entry and MEMORY.md; the session is marked after that, by its own log;
the facts that a model offers are then stored as memories, as somebody's inference. A crash in between
costs nothing but these facts: the next consolidation finishes the rest.

What a model is asked holds no secret, also where a person typed one into MEMORY.md.
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
    from remora.core.values import MemoryDraft, MemoryRecord, Message
    from remora.llm.client import Completion, LanguageModel
    from remora.llm.client import Message as Said


class Consolidation(NamedTuple):
    """What a consolidation of one session did.

    Attributes:
        session_id: whose.
        how: "model", "extract" (there is no model), "raw-fallback" (it failed) or "nothing".
        messages: how many went into the history now.
        entry: what the history got; empty for "nothing".
        memory_changed: whether MEMORY.md is another one now.
        facts: the memories that were stored or merged with those that were there.
        notes: what did not go as it should.
        kept_aside: a file with an answer, or a part of it, that was not used.
        seconds: how long it took, the wait for others not counted.
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
    """Bring what a session said since the last time into the journal.

    Args:
        project: the open project.
        log: the session's.
        up_to: the last message, by its `seq`; the last there is by default.

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
        done=lambda session_id, seq: _mark(project, session_id, seq, log),
    )
    if outcome.how == "nothing" and told and log.consolidated < told[-1].seq:
        log.mark_consolidated(told[-1].seq)  # bare tool traffic: there is nothing to tell of it
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
    """Bring every session into the journal that said something new; finish what a crash interrupted.

    A log that cannot be read is answered with "nothing" and the reason; the others are done.
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
    """A language model that is told no secrets: what it is asked goes out without them."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self.model_id = model.model_id

    def complete(self, messages: Sequence[Said], **how: Any) -> Completion:
        """Return the model's answer to the messages without their secrets."""
        return self._model.complete([m._replace(content=redact(m.content).text) for m in messages], **how)


def model_of(project: OpenProject, purpose: str) -> tuple[LanguageModel | None, list[str]]:
    """Return the language model for a purpose, and why there is none though one is configured."""
    try:
        model = project.llm(purpose)
    except RemoraError as error:
        return None, [f"no language model: {error}"]
    return Discreet(model) if model is not None else None, []


def _mark(project: OpenProject, session_id: str, seq: int, known: SessionLog | None = None) -> None:
    """Mark a session; a log that is `known` need not be read again."""
    log = known
    if log is None or log.session_id != session_id:
        log = SessionLog(project.sessions_folder, session_id, project.clock)
    if log.path.exists():  # a log that was deleted meanwhile needs no mark
        log.mark_consolidated(seq)


def _store(
    project: OpenProject, session_id: str, outcome: Outcome
) -> tuple[tuple[MemoryRecord, ...], tuple[str, ...]]:
    """Store the facts that a model offered, one by one: a bad one never takes a good one with it.

    What a person forgot stays forgotten, whatever a model says.
    """
    stored: list[MemoryRecord] = []
    problems: list[str] = []
    for fact in outcome.facts:
        try:
            draft = _as_inferred(project, fact, session_id)
            record = project.store("project").intake.remember(draft, revive=False, stated=True)
        except RemoraError as error:
            problems.append(f"a fact was not stored: {error}")
            continue
        if record.receipt is None or record.receipt.action != "skipped":
            stored.append(record)
    return tuple(stored), tuple(problems)


def _as_inferred(project: OpenProject, fact: MemoryDraft, session_id: str) -> MemoryDraft:
    files = paths("related_files", fact.related_files, project.location.root)
    return fact._replace(source="observer_inferred", session_id=session_id or None, related_files=files)
