"""Store the work state of a session, for the session that continues its work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from remora.app.project.branches import became, to_stamp
from remora.core.change import acting
from remora.core.clock import days_between
from remora.core.values import Filters, MemoryRecord, Taint
from remora.injection import work_state
from remora.lifecycle.flags import RETIRED, retired_for

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject
    from remora.core.events import Observation
    from remora.observer.observer import Observer

STATES = 50  # newest work states that are read


def save_work_state(
    project: OpenProject,
    observation: Observation,
    *,
    todo: Sequence[str] = (),
    taint: Taint | None = None,
) -> MemoryRecord | None:
    """Store the work state of a session in place of its earlier one.

    Args:
        project: the open project.
        observation: the observation of the session so far.
        todo: open items of its plan.
        taint: source of text from outside, if the observation has none.

    Returns:
        The memory. None if no work is left (the session's earlier state is then retired), or if a person
            forgot the state.
    """
    project.must_be_writable()
    store = project.store("project")
    db = store.db
    state = work_state.left_by(observation, todo, taint)
    branch = (
        to_stamp(became(project, state.branch), observation.started) if state.open and state.branch else None
    )
    draft = work_state.draft(state, observation.host, observation.session_id, branch)
    own = f"{observation.host}:{observation.session_id}"
    with db.connection.transaction(), acting(f"observer:{own}"):
        known = db.memories.with_external_id(draft.external_id or "")
        if not state.open:
            if known is not None and not known.deprecated:
                store.upkeep.retire(known.id, RETIRED)
            return None
        if known is not None and known.deprecated:
            if not retired_for(known):
                return None
            store.upkeep.restore(known.id)
        record = store.intake.remember(draft, revive=False)
        # The memory decays from the session's latest end, and has its latest files.
        used = min(state.at or record.updated_at, record.updated_at)
        db.memories.update(record.id, {"last_accessed_at": used, "related_files": draft.related_files})
    return record._replace(last_accessed_at=used, related_files=draft.related_files)


def leave_work(project: OpenProject, observer: Observer, observation: Observation) -> MemoryRecord | None:
    """Store the work state of an observed session, as `save_work_state` does.

    A session of long ago has none: its work was continued since, or dropped.

    Args:
        project: the open project.
        observer: the observer of the session, which can continue afterwards.
        observation: its observation.
    """
    ended = observation.ended or observation.started
    if ended and days_between(ended, project.clock.now()) > work_state.FRESH_DAYS:
        return None
    todo = observer.unfinished(ended_well=observation.outcome == "success")
    taint = observer.taint() or observer.repeated(*todo)
    return save_work_state(project, observation, todo=todo, taint=taint)


def last_state(
    project: OpenProject, task: str = "", *, session_id: str | None = None, branch: str | None = None
) -> MemoryRecord | None:
    """Return the work state that a session continues; None if there is none.

    A session that continues gets its own. Another one gets the newest of this branch, unless a later session
    changed files; with a task, only the states and sessions of the same task count.
    """
    db = project.db
    found = db.memories.find(Filters(types=("work_state",), branch=branch), limit=STATES)
    live = [m for m in found if m.stale_at is None]
    live.sort(key=lambda m: (_ended(m), m.id), reverse=True)
    own = [m for m in live if session_id and m.session_id == session_id]
    if own:
        return own[0]
    now = project.clock.now()
    fresh = [m for m in live if days_between(_ended(m), now) <= work_state.FRESH_DAYS]
    asked = bool(task.strip())
    for record in fresh:
        state = work_state.of_record(record)
        if not work_state.on_branch(branch, state) or (asked and not work_state.same_task(task, state)):
            continue
        own_id = f"{(record.payload or {}).get('host', '')}:{record.session_id}"
        for later in db.sessions.changed_after(_ended(record)):
            other = later.id != own_id and work_state.on_branch(later.branch, state)
            if other and (not asked or work_state.same_task(later.prompt, state)):
                return None
        return record
    return None


def _ended(record: MemoryRecord) -> str:
    return work_state.of_record(record).at or record.updated_at
