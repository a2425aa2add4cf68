"""Store the observations of UI tools (browsers, interfaces) as memories that wait for review."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from remora.core.errors import InvalidInput, RemoraError
from remora.core.strength import TAINT_FACTOR
from remora.core.values import MemoryDraft, MemoryRecord, Taint, WorkUnitRef
from remora.injection import e2e

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject
    from remora.core.events import Event


def observe_ui(
    project: OpenProject,
    tool: str,
    result: Any,
    arguments: Mapping[str, Any] | None,
    *,
    session_id: str | None = None,
    step: int | None = None,
    work_unit: WorkUnitRef | None = None,
    seconds: float = 5.0,
    **more: Any,
) -> tuple[MemoryRecord | None, tuple[str, ...]]:
    """Store the observation of one answer, and return it with notes; see `Memory.observe_ui`.

    `more` are further fields of the memory.
    """
    if not e2e.is_ui_tool(tool) or not isinstance(result, str):
        return None, ()
    project.must_be_writable()
    mark = e2e.mark(tool, result, arguments)
    with project.lock:
        if known_in_ui(project, mark):
            return None, ()
        model = None
        with suppress(RemoraError):
            model = project.llm("e2e")
    judged = e2e.judge(tool, result, arguments, model=model, seconds=seconds)  # without the lock
    with project.lock:
        record = store_seen(
            project,
            tool,
            mark,
            judged,
            session_id=session_id,
            step=step,
            work_unit_ref=work_unit,
            **more,
        )
    return record, (judged.note,) if judged.note else ()


def known_in_ui(project: OpenProject, mark: str) -> bool:
    """Return whether this UI observation was stored before, even if it was forgotten since."""
    return bool(project.db.selections.of_interface(mark))


def take_in_ui(project: OpenProject, events: Sequence[Event], calls: int) -> int:
    """Store the UI observations of sessions that are learned afterwards.

    A configured model judges the first answers. Rules judge the others, and all that follow once the model
    fails, so that a failing model is waited for once.

    Args:
        project: the open project.
        events: results of UI tools, without secrets.
        calls: number of model calls allowed.

    Returns:
        Number of model calls left.
    """
    model = None
    with suppress(RemoraError):
        model = project.llm("e2e") if calls > 0 else None
    for event in events:
        mark = e2e.mark(event.tool, event.text)
        if known_in_ui(project, mark):
            continue
        judged = e2e.judge(event.tool, event.text, model=model if calls > 0 else None)
        if judged.note:
            calls = 0
        elif judged.by != e2e.RULES:
            calls -= 1
        store_seen(project, event.tool, mark, judged, session_id=event.session_id, step=event.step)
    return calls


def store_seen(
    project: OpenProject,
    tool: str,
    mark: str,
    judged: e2e.Judged,
    *,
    session_id: str | None,
    step: int | None,
    **more: Any,
) -> MemoryRecord | None:
    """Store a UI observation with further fields of its memory; None if it holds nothing new.

    Its text comes from outside: it waits for a person's review, and its confidence is lower until then.
    """
    seen = judged.seen
    if seen is None:
        return None
    draft = MemoryDraft(
        content=seen.text,
        type="e2e_observation",
        source="mcp_auto",
        confidence=e2e.CONFIDENCE * TAINT_FACTOR,
        tags=("interface", seen.kind),
        session_id=session_id,
        taint=Taint(tool, step),
        needs_review=True,
        payload={"observation_type": seen.kind, "tool": tool, "result": mark, "judged_by": judged.by},
        **more,
    )
    with suppress(InvalidInput):  # nothing but a secret
        record = project.store("project").intake.remember(draft, revive=False)
        if record.receipt is not None and record.receipt.action == "stored":
            return record
    return None
