"""Prune a project's memory and rebuild its derived data on request, and maintain it daily, after sessions.

The maintenance forgets expired memories, deletes those forgotten long ago, and measures the relevance
threshold for injection with a prompt. If it would forget unusually many memories, or the clock seems to
have jumped, it forgets none and leaves the decision to a person.
"""

from __future__ import annotations

from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from remora.app.health.erase import scrub_when_due
from remora.app.memories.embedding import MODEL, Progress, catch_up
from remora.app.recall.relevance import calibrate
from remora.app.records.note_index import follow_written
from remora.app.records.session import follow
from remora.conversation.log import SessionLog
from remora.conversation.sessions import list_sessions
from remora.core.clock import DAY_SECONDS, from_iso, to_iso
from remora.core.errors import RemoraError, StoreBusy
from remora.disk.files import lock
from remora.lifecycle.prune import PrunePlan, apply, plan

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject, Store
    from remora.store.database import Database

AT = "maintenance.at"  # meta key: the time of the last run, ISO 8601
LOG = "maintenance.log"  # meta key: the reports of the last runs, oldest first
LOGGED = 60  # reports
SHARE, FEW = 0.10, 50  # a run forgets at most this share of the live memories, or FEW if that is more
JUMP = 30 * DAY_SECONDS  # since the last run; after a longer time the clock may have jumped


class Maintained(NamedTuple):
    """The result of one run.

    Attributes:
        at: time of the run, ISO 8601.
        forgotten: ids of the forgotten memories; `restore` brings them back.
        deleted: number of memories deleted for good, 30 days after they were forgotten.
        waiting: number of expired memories kept because so many at once are for a person to decide.
        cached: number of rows dropped from the embedding cache.
        bar: the relevance threshold for injection with a prompt; None if it was not measured.
    """

    at: str
    forgotten: tuple[str, ...] = ()
    deleted: int = 0
    waiting: int = 0
    cached: int = 0
    bar: float | None = None


def prune(project: OpenProject, *, dry_run: bool) -> PrunePlan:
    """Return the memories that were forgotten and deleted, or would be in a dry run; see `Memory.prune`."""
    if not dry_run:
        project.accesses.flush(wait=None)
    used = project.accesses.waiting
    whole = PrunePlan((), (), 0)
    for store in project.stores():
        with nullcontext() if dry_run else store.db.transaction():
            wanted = plan(store.db, project.clock)
            wanted = wanted._replace(forget=tuple(m for m in wanted.forget if m.id not in used))
            if not dry_run:
                apply(store.db, project.clock, wanted)
        if wanted.delete and not dry_run:
            store.db.connection.scrub()
        whole = PrunePlan(
            whole.forget + wanted.forget,
            whole.delete + wanted.delete,
            whole.cache_rows + wanted.cache_rows,
        )
    return whole


def is_due(project: OpenProject) -> bool:
    """Return whether a day has passed since the last run, or since the first memory was created.

    A clock that went back by a day counts too.
    """
    last = project.db.meta.get(AT) or project.db.memories.first_at()
    return isinstance(last, str) and abs(project.clock.now() - from_iso(last)) >= DAY_SECONDS


def maintain_when_due(project: OpenProject) -> Maintained | None:
    """Run once a day, in one process at a time; None if not due, read-only or running elsewhere."""
    if project.read_only or not is_due(project):
        return None
    with suppress(StoreBusy), lock(project.location.home / "maintenance", timeout=0.0):
        return maintain(project) if is_due(project) else None
    return None


def maintain(project: OpenProject) -> Maintained:
    """Run the maintenance now. Each step commits on its own, so a kill loses no finished step."""
    now = project.clock.now()
    project.accesses.flush(wait=None)
    last = project.db.meta.get(AT)
    jumped = isinstance(last, str) and now - from_iso(last) > JUMP
    done = Maintained(to_iso(now))
    for store in project.stores():
        done = _pruned(project, store, done, jumped=jumped)
    scrub_when_due(project)
    with suppress(RemoraError):
        done = done._replace(bar=calibrate(project))
    with project.db.transaction():
        known = reports(project)
        project.db.meta.set(AT, done.at)
        project.db.meta.set(LOG, [*(one._asdict() for one in known[1 - LOGGED :]), done._asdict()])
    return done


def reports(project: OpenProject) -> list[Maintained]:
    """Return the reports of the last runs, oldest first."""
    found: Any = project.db.meta.get(LOG, [])
    for one in found:
        for former in ("revisions", "said"):  # as earlier versions wrote them
            one.pop(former, None)
    return [Maintained(**{**one, "forgotten": tuple(one["forgotten"])}) for one in found]


def _pruned(project: OpenProject, store: Store, done: Maintained, *, jumped: bool) -> Maintained:
    """Forget and delete due memories in one database, unless their number needs a person's decision."""
    db = store.db
    with db.transaction():
        wanted = plan(db, project.clock)
        live = db.memories.counts()["live"]
        limit = SHARE * live if jumped else max(FEW, SHARE * live)
        waiting = len(wanted.forget) if len(wanted.forget) > limit else 0
        if waiting:
            wanted = wanted._replace(forget=(), delete=() if jumped else wanted.delete)
        apply(db, project.clock, wanted)
    if wanted.delete:
        db.connection.scrub()
    return done._replace(
        forgotten=(*done.forgotten, *(record.id for record in wanted.forget)),
        deleted=done.deleted + len(wanted.delete),
        waiting=done.waiting + waiting,
        cached=done.cached + wanted.cache_rows,
    )


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
