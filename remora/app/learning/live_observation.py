"""Observe a session while it runs: `memory.observe(session_id)`.

A program that runs an agent itself passes its events and reports how the session ended. Nothing is written to
the database meanwhile. Each event is appended, without secrets, to a file beside the database, which is made
durable when a subtask is done; a later observer of the same session reads it first, so that a crash loses
nothing. A transcript of the same session that is learned later replaces these records and counts nothing
twice.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from remora.app.learning import citations
from remora.app.learning.event_cleaning import clean
from remora.app.learning.promotion import Promoter, Taken
from remora.app.learning.work_state import leave_work
from remora.app.project.branches import became, to_stamp
from remora.core.argument_types import checked
from remora.core.cut import sound
from remora.core.errors import InvalidInput, RemoraError
from remora.core.events import Event
from remora.disk.files import make_folder, os_errors
from remora.disk.names import safe_name
from remora.observer import producers
from remora.observer.observer import Observer

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Self

    from remora.app.project.open_project import OpenProject
    from remora.core.events import Observation, Signal
    from remora.core.methodology import ExecutionContext, WorkUnitResult
    from remora.core.values import MemoryRecord, WorkUnitRef

FOLDER = "scratchpads"


@checked
class Watched:
    """A session that is being observed. Use it with `with`, or call `close`.

    Attributes:
        session_id, host: the id of the session and the name of its host.
        restored: the session continues one whose events were kept.
        taken: the result of `finish`, or of the last subtask that was promoted early.
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
            raise InvalidInput("an observed session needs an id and the name of a host")
        project.must_be_writable()
        self.session_id, self.host = session_id, host
        self._project = project
        self._subtasks = subtasks
        known = project.plugins().known
        if methodology not in known:
            hint = f"Installed: {', '.join(sorted(known))}."
            raise InvalidInput(f"unknown methodology {methodology!r}", hint=hint)
        self._methodology = known[methodology]
        self._path = project.location.home / FOLDER / f"{safe_name(f'{host}:{session_id}')}.jsonl"
        self._observer = Observer(session_id, host)
        self._waiting: list[str] = []  # events that are not in the file yet
        self.restored = self._continue()
        self.taken: Taken | None = None
        self._finished = False
        self._unit: WorkUnitRef | None = None  # the unit of work that ended last

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def observe(self, event: Event | Any) -> None:
        """Observe one event; never raises. Secrets are removed first, and an event counts once by its key."""
        with suppress(Exception):  # an invalid event must not stop the agent's program
            cleaned = clean(event)[0]
            known = self._observer.events
            self._observer.observe(cleaned)
            if self._observer.events > known and not self._finished:
                line = json.dumps(cleaned._asdict(), ensure_ascii=False, default=str)
                self._waiting.append(f"\n{sound(line)}")  # in front, so that it never continues a torn line
                self._write()

    def acute(self) -> list[Signal]:
        """Return the signals so far that are worth an injection at once, each signal once."""
        return self._observer.acute()

    def said(self) -> list[str]:
        """Return the sentences of the person so far that may last, without secrets."""
        return self._observer.said()

    @property
    def trouble(self) -> tuple[str, ...]:
        """Internal errors, in words."""
        return tuple(self._observer.trouble)

    def checkpoint(self) -> Path:
        """Make the events so far durable, and return the path of their file.

        Raises:
            StoreError: the file could not be written; the session continues.
        """
        self._write(durable=True)
        return self._path

    def subtask_done(self, context: ExecutionContext, result: WorkUnitResult) -> list[MemoryRecord]:
        """Store the outcome of a finished unit of work, and make the events so far durable.

        In a build of more than five subtasks the session is promoted now, after a success, and not only at
        the end.
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
        stored = [self._project.store("project").intake.remember(draft)] if draft is not None else []
        if result.success and producers.promotes_early(self._subtasks):
            self.taken = self._take(self._observer.finalize("success", "build"), context)
        self.checkpoint()
        return stored

    def relay(self, from_stage: str, to_stage: str, context: ExecutionContext | None = None) -> str:
        """Return the memories that a stage of the methodology hands to the next, as text; empty for none.

        These are the memories of this session, and those of any session in the current unit of work, in a
        part of it, or in the unit that contains it: stages often are sessions of their own.

        Args:
            from_stage, to_stage: names of the stages in the methodology.
            context: the current unit of work; by default the one that ended last here.
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
        """End the session: record its observation, promote memories, delete the kept events.

        Args:
            outcome: "success", "failure", "abandoned" or "unknown"; inferred by default.
            kind: one of the kinds of sessions; inferred by default.

        Raises:
            InvalidInput: the outcome or the kind is not one of these.
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
        """Make the events durable for a later observer of the session, unless it was finished."""
        if self._observer.events and not self._finished:
            with suppress(RemoraError):
                self.checkpoint()

    def _continue(self) -> bool:
        """Observe the events that an earlier observer kept; return whether there were any."""
        with suppress(OSError):
            self._path.with_suffix(".json").unlink(missing_ok=True)  # of versions that kept the state instead
            for line in self._path.read_text("utf-8", "replace").split("\n"):
                with suppress(ValueError, TypeError, KeyError):  # a torn line
                    fields = json.loads(line)
                    self._observer.observe(Event(**{**fields, "paths": tuple(fields["paths"])}))
        self._observer.acute()  # reported before
        return self._observer.events > 0

    def _write(self, *, durable: bool = False) -> None:
        make_folder(self._path.parent)
        with os_errors(self._path, "write"):
            self._path.touch(0o600)
            with self._path.open("a", encoding="utf-8") as file:
                file.write("".join(self._waiting))
                file.flush()
                if durable:
                    os.fsync(file.fileno())
        self._waiting.clear()

    def _stamp(self) -> str | None:
        """Return the branch of memories stored now; None for the whole project."""
        branch = self._observer.timeline.branch()
        since = self._observer.timeline.started
        return to_stamp(became(self._project, branch), since) if branch is not None else None

    def _take(self, observation: Observation, context: ExecutionContext | None = None) -> Taken:
        """Record and promote the session so far; `context` is the unit of work that ended."""
        run = self._project.db.sessions.last_run() + 1
        looks = f"observed|{observation.events}"
        if context is None:
            return Promoter(self._project).take(observation, looks, run)
        of_unit = partial(producers.for_unit, context=context, methodology=self._methodology)
        return Promoter(self._project, made=of_unit).take(observation, looks, run)
