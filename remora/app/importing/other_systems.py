"""Import the files of another memory system.

A reader (`sources.others`) reads them and `import_writer` stores their items: memories and their relations,
notes and archives, conversations, history, daily notes and the long-term memory. The other system's files
are only read.

A second import stores new items and changes no existing one. After a crash, repeated items are recognised
when they are stored: a message or a memory by its id, an entry by its name and text, a line by its words.
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
    """The result of an import from one system.

    Attributes:
        system: the system of the files.
        path: the path of the files.
        new: number of new items by kind.
        known: number of items by kind that had been imported, or existed here, before.
        updated: always empty: an import changes no existing item.
        counts: number of items by kind that the reader saw, took and left out.
        skipped: items that were not imported, each with its place and the reason.
        remarks: notes on items that were imported in another form.
        redactions: secrets that were removed, by kind.
        dry_run: nothing was stored; `new` counts the items that would be examined.
        seconds: duration.
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
    """Import the files of another system at a path; see `Memory.move_in`."""
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
        {},
        found.counts,
        (*found.skipped, *move.failed),
        found.remarks,
        tuple(Redaction(kind, number) for kind, number in sorted(move.secrets.items())),
        seconds=time.monotonic() - started,
    )


def _refuse_our_own(project: OpenProject, path: Path) -> None:
    """Refuse the data folder: our own journal looks like that of a supported system."""
    ours = project.user_home.parent.resolve()
    if path.resolve().is_relative_to(ours) or path.resolve().is_relative_to(project.location.home.resolve()):
        raise InvalidInput(f"{path} belongs to Remora", hint="Name a folder of the other system.")


def _chosen(path: Path, system: str | None) -> str:
    """Return the given system, or the one detected at a path.

    Raises:
        NotFound: the path has no files of a supported system.
        InvalidInput: the system is unknown, or none was given and the path has files of several.
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
            hint=f"To read them anyway, name the system: {', '.join(SYSTEMS)}.",
        )
    if len(there) > 1:
        raise InvalidInput(f"{path} matches several systems: {', '.join(there)}", hint="Name the system.")
    return there[0]
