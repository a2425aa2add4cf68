"""Query the code graph: the impact of a change, and the modules of the code."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from remora.app.codebase.freshness import READ_AGAIN, checked, look_now, up_to_date
from remora.core.code import Impact
from remora.core.collector import paused
from remora.core.errors import NotFound
from remora.core.values import MemoryRecord

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject
    from remora.graph.impact import Found
    from remora.graph.modules import ModuleInfo
    from remora.store.database import Database

T = TypeVar("T")


def modules(project: OpenProject) -> list[ModuleInfo]:
    """Return the modules of the code; see `Memory.modules`."""
    from remora.graph.modules import module_map

    return module_map(project.db)


class Impacts(list[Impact]):
    """The nodes that may break, nearest first, with further knowledge about the target.

    Attributes:
        target: the key of the target's node.
        tests: the impacts that are tests, to be run.
        memories: live memories about the target or its file, strongest first.
        notes: limits of the answer (guesses, a cut, an unfinished index).
    """

    def __init__(
        self, target: str, impacts: Iterable[Impact], memories: Sequence[MemoryRecord], notes: tuple[str, ...]
    ) -> None:
        super().__init__(impacts)
        self.target = target
        self.tests = tuple(i for i in self if i.test)
        self.memories = tuple(memories)
        self.notes = notes


def impact(project: OpenProject, target: str, depth: int, limit: int) -> Impacts:
    """Return the nodes that depend on a target; see `Memory.impact`."""
    from remora.graph.impact import impact as find

    inside = _inside(project, target)

    def ask() -> Found:
        return find(project.db, inside, depth, limit)

    def checked_answer() -> tuple[Found, str]:
        found = ask()
        return checked(project, found, ask, [found.target.path, *(i.path for i in found.impacts)])

    with paused():  # hundreds of objects without reference cycles
        found, notes = _asked(project, checked_answer)
        memories = _memories_about(project.db, found)
        return Impacts(found.target.key, found.impacts, memories, (*notes, *found.notes))


def _asked(project: OpenProject, ask: Callable[[], tuple[Found, str]]) -> tuple[Found, tuple[str, ...]]:
    """Return an answer and the notes on the index.

    A name that is unknown may be newer than the last comparison, and so may every use of a name without a
    known one. Such answers are rare, so the files are compared at once.

    Raises:
        NotFound: the name is still unknown after that.
    """
    before = project.last_look
    notes = up_to_date(project)
    looked = before is None or project.last_look is not before
    answer = _tried(ask)
    empty = isinstance(answer, NotFound) or not answer[0].impacts
    if empty and not looked and (said := look_now(project)):
        notes, answer = said, _tried(ask)
    if isinstance(answer, NotFound):
        why = [note for note in notes if not note.endswith(READ_AGAIN)]
        raise NotFound(str(answer), hint=why[0] if why else answer.hint) from None
    found, note = answer
    return found, notes or ((note,) if note else ())


def _tried(ask: Callable[[], T]) -> T | NotFound:
    try:
        return ask()
    except NotFound as error:
        return error


def _inside(project: OpenProject, target: str) -> str:
    """Return a target with an absolute path made relative to the root."""
    path, colon, symbol = target.strip().partition(":")
    root = project.location.root
    if path.startswith("/") and "\0" not in path:
        whole = Path(os.path.realpath(path))  # Path.resolve fails on a loop of links
        if whole.is_relative_to(root):
            path = whole.relative_to(root).as_posix()
    return f"{path}{colon}{symbol}"


def _memories_about(db: Database, found: Found) -> list[MemoryRecord]:
    """Return the live memories about a target: those linked to its node first, then those on its file.

    Among them, memories that name the symbol come first, then the strongest, then the newest.

    Patterns and decisions about a folder around the file count too, as do the edges of layer 3 as the last
    index run left them, where a glob links a memory to the file.
    """
    from remora.graph.knowledge import remembered

    target = found.target
    before = [name + target.key[len(target.path) :] for name in db.history.names_before(target.path)]
    linked = db.selections.linked_to([target.key, *before])
    parts = target.path.split("/")
    folders = ["/".join(parts[:depth]) + "/" for depth in range(1, len(parts))]
    on_file = db.selections.on_file(target.path, folders)
    tied = remembered(db, {target.key, target.path})
    ids = list(dict.fromkeys((*linked, *on_file, *tied)))[:50]
    records = {i: record for i, record in db.memories.get_many(ids).items() if not record.deprecated}
    ids = [i for i in ids if i in records]
    named = (target.symbol or "").rpartition(".")[2].partition("#")[0]
    ids.sort(key=lambda i: (records[i].created_at, i), reverse=True)
    ids.sort(key=lambda i: (i not in linked, named not in records[i].content, -records[i].confidence))
    return [records[i] for i in ids]
