"""Watch a session while it runs: `memory.observe(session_id)`.

A program that runs an agent itself hands its events in and says how it ended. Nothing is written to the
database meanwhile. At a boundary (a subtask is done) everything known is written to a checkpoint, a file
beside the database; whoever observes the same session again goes on from it, so that a crash costs what
came since. A transcript of the same session that is learned later replaces what was recorded here and
counts nothing twice.
"""

from __future__ import annotations

import json
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from remora.app.learning import citations
from remora.app.learning.event_cleaning import clean
from remora.app.learning.promotion import Promoter, Taken
from remora.app.learning.work_state import leave_work
from remora.app.project.argument_types import checked
from remora.app.project.branches import became, to_stamp
from remora.core.errors import InvalidInput, RemoraError
from remora.core.events import Event
from remora.disk.files import write_atomic
from remora.disk.names import safe_name
from remora.observer import producers
from remora.observer.observer import Observer

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType
    from typing import Self

    from remora.app.project.open_project import OpenProject
    from remora.core.events import Observation, Signal
    from remora.core.methodology import ExecutionContext, Methodology, WorkUnitResult
    from remora.core.values import MemoryRecord, WorkUnitRef

FOLDER = "scratchpads"


@checked
class Watched:
    """One session that is being observed. Use it with `with`, or call `close`.

    Attributes:
        session_id, host: whose it is.
        restored: it goes on from a checkpoint.
        taken: what `finish` learned, or the last subtask that was promoted early.
    """

    def __init__(
        self,
        project: OpenProject,
        session_id: str,
        host: str,
        *,
        subtasks: int = 0,
        methodology: str = "native",
    ) -> None:
        if not session_id or not host:
            raise InvalidInput("a session that is observed has an id and a host")
        project.must_be_writable()
        self.session_id, self.host = session_id, host
        self._project = project
        self._subtasks = subtasks
        self._methodology = _plugin(project, methodology)
        self._path = project.location.home / FOLDER / f"{safe_name(f'{host}:{session_id}')}.json"
        found = _read(self._path)
        self._observer = found or Observer(session_id, host)
        self.restored = found is not None
        self.taken: Taken | None = None
        self._finished = False
        self._unit: WorkUnitRef | None = None  # the one that ended last

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def observe(self, event: Event | Any) -> None:
        """Look at one event; never raises. Secrets are taken out first, and a key counts once."""
        with suppress(Exception):  # whatever an agent's program hands in, it must not stop for us
            self._observer.observe(clean(event)[0])

    def acute(self) -> list[Signal]:
        """Return what the session shows by now that is worth saying at once, each thing once."""
        return self._observer.acute()

    @property
    def trouble(self) -> tuple[str, ...]:
        """Defects of ours that were met, in words."""
        return tuple(self._observer.trouble)

    def checkpoint(self) -> Path:
        """Write everything known to disk, durably, and return where.

        Raises:
            StoreError: it could not be written; the session goes on.
        """
        write_atomic(self._path, json.dumps(self._observer.checkpoint(), ensure_ascii=False, default=str))
        return self._path

    def subtask_done(self, context: ExecutionContext, result: WorkUnitResult) -> list[MemoryRecord]:
        """Note that a unit of work ended: its outcome is stored, and everything known is written to disk.

        In a build of more than five subtasks what the session showed so far is promoted now, after a
        success, and not only at the end.
        """
        self._unit = self._methodology.resolve_work_unit_ref(context) or self._unit
        draft = producers.unit_ended(
            context,
            result,
            self._methodology,
            session_id=self.session_id,
            branch=self._stamp(),
            taint=self._observer.tainted(),
        )
        stored = self._project.store("project").intake.remember_many([draft]) if draft is not None else []
        if result.success and producers.promotes_early(self._subtasks):
            self.taken = self._take(self._observer.finalize("success", "build"), context)
        self.checkpoint()
        return stored

    def relay(self, from_stage: str, to_stage: str, context: ExecutionContext | None = None) -> str:
        """Return what a stage of the methodology hands to the next, as text; empty for nothing.

        That is what this session learned, and what any session learned in the unit of work at hand, in a
        part of it, or in the whole that it is a part of: stages often are sessions of their own.

        Args:
            from_stage, to_stage: as the methodology calls them.
            context: the unit of work at hand; by default the one that ended last here.
        """
        unit = self._methodology.resolve_work_unit_ref(context) if context is not None else self._unit
        db = self._project.db
        ids = db.selections.of_session(self.session_id, unit.methodology if unit is not None else None)
        found = db.memories.get_many(ids).values()
        own = [m for m in found if m.session_id == self.session_id or producers.belongs(m, unit)]
        own.sort(key=lambda m: (m.created_at, m.id))
        handed = producers.handed_on(own, from_stage, to_stage, self._methodology)
        return self._methodology.format_relay_context(handed, to_stage) if handed else ""

    def finish(self, outcome: str | None = None, kind: str | None = None) -> Taken:
        """End the session: record what it showed, store what that is worth, drop the checkpoint.

        Args:
            outcome: "success", "failure", "abandoned" or "unknown"; inferred by default.
            kind: one of the kinds of sessions; inferred by default.

        Raises:
            InvalidInput: there is no such outcome or kind.
        """
        observation = self._observer.finalize(outcome, kind)
        self.taken = self._take(observation)
        with suppress(RemoraError):
            leave_work(self._project, self._observer, observation)
            citations.take_in(self._project, observation)
        self._finished = True
        with suppress(OSError):
            self._path.unlink(missing_ok=True)
        return self.taken

    def close(self) -> None:
        """Keep what is known for whoever observes the session again, unless it was finished."""
        if self._observer.events and not self._finished:
            with suppress(RemoraError):
                self.checkpoint()

    def _stamp(self) -> str | None:
        """Return the branch that what is stored now is of; None where it is the project's."""
        branch = self._observer.branch()
        since = self._observer.started()
        return to_stamp(became(self._project, branch), since) if branch is not None else None

    def _take(self, observation: Observation, context: ExecutionContext | None = None) -> Taken:
        """Record and promote what the session showed so far; `context` is the unit of work it ended."""
        run = self._project.db.sessions.last_run() + 1
        looks = f"observed|{observation.events}"
        if context is None:
            return Promoter(self._project).take(observation, looks, run)
        of_unit = partial(producers.for_unit, context=context, methodology=self._methodology)
        return Promoter(self._project).take(observation, looks, run, made=of_unit)


def _plugin(project: OpenProject, name: str) -> Methodology:
    known = project.plugins().known
    if name not in known:
        raise InvalidInput(
            f"there is no methodology {name!r}", hint=f"Installed: {', '.join(sorted(known))}."
        )
    return known[name]


def _read(path: Path) -> Observer | None:
    """Return the observer of a checkpoint; None where there is none that can be used."""
    try:
        return Observer.restore(json.loads(path.read_text("utf-8")))
    except (OSError, ValueError, InvalidInput):
        return None
