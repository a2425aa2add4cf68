"""Memories of a person's words, and of the work units of a methodology.

said        rules that the user stated (statements.py)
handed_on   memories that a stage of a methodology hands to the next

No memory is made of the work of a session: it is in the commits and in the person's own history.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from remora.core.events import Observation, SeenCount, Signal
from remora.core.methodology import NATIVE, ExecutionContext, Methodology, WorkUnitResult
from remora.core.text import words
from remora.core.values import MemoryDraft, MemoryRecord, Taint, WorkUnitRef
from remora.observer.candidate import USER_SAID, Candidate, Evidence, candidate, doubted
from remora.observer.statements import Statement, statements
from remora.store.session_reader import SessionReader

SUBTASKS = 5  # of a build; with more, memories are promoted after each validated one


def said(session: Observation, _: SessionReader) -> Iterator[Candidate]:
    """Yield the rules that the user stated, each once."""
    told_already: set[str] = set()
    for signal in session.signals:
        if signal.type == "self_correction" and signal.detail.get("kind") == "user":
            for statement in statements(str(signal.detail.get("sentence", ""))):
                key = " ".join(words(statement.text))
                if key not in told_already:
                    told_already.add(key)
                    yield _told(session, signal, statement, key)


def _told(session: Observation, signal: Signal, statement: Statement, key: str) -> Candidate:
    at = signal.at or session.ended or session.started
    count = SeenCount(1, at, at)
    return candidate(
        session,
        statement.type,
        f"{statement.text} (said by the user, {at[:10]})" if at else statement.text,
        signal="user_words",
        key=key,
        confidence=0.85,
        seen=count,
        evidence=Evidence((signal.step,), signal.events),
        why="the user said so",
        priority=0.95,
        score=0.9,
        needs=1,
        tags=(USER_SAID,),
        source="user_taught",
    )


def unit_ended(
    context: ExecutionContext,
    result: WorkUnitResult,
    methodology: Methodology = NATIVE,
    *,
    session_id: str | None = None,
    branch: str | None = None,
    taint: Taint | None = None,
) -> MemoryDraft | None:
    """Return the memory of a finished work unit; None if the methodology has nothing to record.

    `taint` is the taint of the session that did the work: its summary may repeat external text.
    """
    content = methodology.on_work_unit_complete(context, result)
    unit = methodology.resolve_work_unit_ref(context)
    if not content or unit is None:
        return None
    memory = MemoryDraft(
        content=content,
        type="work_unit_outcome",
        source="observer_inferred",
        scope="work_unit",
        confidence=0.8,
        tags=("observed", "outcome"),
        session_id=session_id,
        branch=branch,
        work_unit_ref=unit,
        methodology=methodology.id,
        taint=taint,
        payload={"succeeded": result.success},
        external_id=f"observed:work_unit_outcome:{methodology.id}:{'/'.join(unit.hierarchy)}",
    )
    return doubted(memory)


def promotes_early(subtasks: int) -> bool:
    """Return whether a build promotes memories after each validated subtask and not only at its end.

    >>> promotes_early(5), promotes_early(6)
    (False, True)
    """
    return subtasks > SUBTASKS


def for_unit(draft: MemoryDraft, context: ExecutionContext, methodology: Methodology = NATIVE) -> MemoryDraft:
    """Return a draft with the work unit in which it was learned."""
    return draft._replace(
        work_unit_ref=methodology.resolve_work_unit_ref(context), methodology=methodology.id
    )


def belongs(memory: MemoryRecord, unit: WorkUnitRef | None) -> bool:
    """Return whether a memory was learned in a work unit, in a part of it, or in a unit that contains it.

    A spec and each of its subtasks belong together; two subtasks do not.
    """
    own = memory.work_unit_ref
    if own is None or unit is None or own.methodology != unit.methodology:
        return False
    shared = min(len(own.hierarchy), len(unit.hierarchy))
    return own.hierarchy[:shared] == unit.hierarchy[:shared]


def handed_on(
    memories: Sequence[MemoryRecord], from_stage: str, to_stage: str, methodology: Methodology = NATIVE
) -> list[MemoryRecord]:
    """Return the memories that a stage hands to the next, in the given order; none without a transition."""
    for transition in methodology.relay_transitions():
        if (transition.from_stage, transition.to_stage) == (from_stage, to_stage):
            return [m for m in memories if not transition.types or m.type in transition.types]
    return []
