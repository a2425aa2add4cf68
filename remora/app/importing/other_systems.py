"""Bring over what another memory system left on disk.

A reader (`sources.others`) says what is there, `moving` stores it: memories and their relations, notes
and archives, conversations with their boundaries, history, daily notes and the long-term memory. The
other system's files are only read.

Doing it again brings over what is new, and the newer text of an entry or a memory that came before, unless it
was edited or forgotten here since. A crash in between repeats at most what is recognised where it is stored:
a message by its id, an entry by its name and text, a line by its words.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from remora.app.importing.import_writer import Move, Progress
from remora.core.change import acting
from remora.core.errors import InvalidInput, NotFound
from remora.core.values import Redaction, Skipped
from remora.disk.files import lock

if TYPE_CHECKING:
    from pathlib import Path

    from remora.app.project.open_project import OpenProject
    from remora.sources.others.import_result import Count


class MoveReport(NamedTuple):
    """What moving in from one system did.

    Attributes:
        system: whose files they are.
        path: where they lie.
        new: how many of each kind came over now.
        known: how many of each kind had come over, or were here, before.
        updated: how many of each kind came over before and have their newer text now.
        counts: how many of each kind the reader saw, took and left out.
        skipped: what did not come over, each with its place and the reason.
        remarks: what came over otherwise than it was.
        redactions: secrets that were taken out, by kind.
        dry_run: nothing was stored; `new` is what would be looked at.
        seconds: how long it took.
    """

    system: str
    path: str
    new: dict[str, int]
    known: dict[str, int]
    updated: dict[str, int]
    counts: tuple[Count, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    remarks: tuple[str, ...] = ()
    redactions: tuple[Redaction, ...] = ()
    dry_run: bool = False
    seconds: float = 0.0


@acting("system:import")
def move_in(
    project: OpenProject,
    path: Path,
    system: str | None = None,
    *,
    of_project: str | None = None,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> MoveReport:
    """Store what another system left at a path; see `Memory.move_in`."""
    from remora.sources.others.formats import read

    started = time.monotonic()
    _refuse_our_own(project, path)
    system = _chosen(path, system)
    found = read(path, system, now=project.clock.now(), project=of_project)
    if dry_run:
        taken = {c.kind: c.taken for c in found.counts if c.taken}
        return MoveReport(
            system, str(path), taken, {}, {}, found.counts, found.skipped, found.remarks, (), dry_run=True
        )
    with lock(project.location.home / "moving", timeout=60.0):
        move = Move(project, found, progress or (lambda *_: None))
        move.all()
    return MoveReport(
        system,
        str(path),
        dict(move.new),
        dict(move.known),
        dict(move.updated),
        found.counts,
        (*found.skipped, *move.failed),
        found.remarks,
        tuple(Redaction(kind, number) for kind, number in sorted(move.secrets.items())),
        seconds=time.monotonic() - started,
    )


def _refuse_our_own(project: OpenProject, path: Path) -> None:
    """Refuse the data folder: our own journal looks like that of a system it was learned from."""
    ours = project.user_home.parent.resolve()
    if path.resolve().is_relative_to(ours) or path.resolve().is_relative_to(project.location.home.resolve()):
        raise InvalidInput(f"{path} is Remora's own", hint="Name a folder of the other system.")


def _chosen(path: Path, system: str | None) -> str:
    """Return the system that is meant.

    Raises:
        NotFound: there is nothing, or nothing that a reader knows.
        InvalidInput: several systems left something there, and none was named.
    """
    from remora.sources.others.formats import SYSTEMS, detect

    if system is not None:
        if system not in SYSTEMS:
            raise InvalidInput(
                f"there is no reader for {system!r}", hint=f"Choose one of {', '.join(SYSTEMS)}."
            )
        return system
    there = detect(path)
    if not there:
        raise NotFound(
            f"{path} has no files of a supported system",
            hint=f"If it has, name the system: {', '.join(SYSTEMS)}.",
        )
    if len(there) > 1:
        raise InvalidInput(f"{path} may be of {', '.join(there)}", hint="Name the system.")
    return there[0]
