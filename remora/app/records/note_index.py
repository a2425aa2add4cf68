"""What people and agents write into files, brought into the search index: the files are the source.

MEMORY.md, HISTORY, the daily notes, the entry store and the files of the memory tool (`tool_files`) may be
edited by hand or by another process at any time. Before a search each file is looked at; what differs in
size or time is cut into pieces again, and a piece whose text is the same keeps its row and its vector. A
history entry stands in two files and is found once, by its monthly file. Secrets that somebody typed into a
file stay in the file and out of the index.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import date
from typing import TYPE_CHECKING

from remora.app.records.history_index import Followed, clean, follow_history
from remora.core.errors import RemoraError, StoreError
from remora.store.notes import Written

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from remora.app.project.open_project import OpenProject
    from remora.journal.sections import Piece
    from remora.store.notes import Notes

TOOL_FOLDER, TOOL_ROOT = "tool", "/memories"  # where the memory tool's files are, and what it calls that
MOST_READ = 1_048_576  # bytes of such a file; the tool makes none that are larger

PATIENCE = 1.0  # seconds to wait for another writer: the next search goes on where this one gave up


def follow_written(project: OpenProject, *, wait: float | None = PATIENCE) -> int:
    """Index what changed in the written files; returns how many pieces are new.

    A file that cannot be read keeps the pieces it had, and a database that another process holds leaves
    the index as it was; the next call tries again.

    Args:
        project: the open project.
        wait: seconds to wait for another writer of the database; None is the usual busy timeout.
    """
    there = project.written.look(project.memory_folder, _is_written, TOOL_FOLDER)
    if there is None:
        return 0
    db = project.db
    known = db.notes.files()
    gone = known.keys() - there.keys()
    changed = {name for name, state in there.items() if not _is_as(known.get(name), state)}
    added = 0
    if gone or changed:
        unread = set(changed)
        try:
            with db.connection.transaction(durable=False, wait=wait):
                for name in sorted(gone):
                    db.notes.forget(name)
                for name, pieces in _pieces(project, changed):
                    added += db.notes.put(name, _seen(there[name]), pieces, clean)
                    unread.discard(name)
                histories = _follow_history(project, db.notes, there, gone, changed)
                added += histories.added
                unread = {name for name in unread if not _is_history(name)} | histories.unread
        except (StoreError, OSError):
            return 0
        for name in unread:
            del there[name]  # the next search tries again
    project.written.seen = there
    return added


def look_again(project: OpenProject) -> None:
    """Have the next search look at the files, however slow that is: we are about to change one."""
    project.written.next_look = 0.0


def _is_written(name: str) -> bool:
    return name in ("MEMORY.md", "entries.mem") or _is_history(name) or _day(name) is not None


def _is_history(name: str) -> bool:
    return name.startswith("HISTORY") and name.endswith(".md")


def _day(name: str) -> date | None:
    if name.endswith(".md") and len(name) == len("2026-01-31.md"):
        with suppress(ValueError):
            return date.fromisoformat(name.removesuffix(".md"))
    return None


def _seen(state: tuple[int, int]) -> str:
    return f"{state[0]}:{state[1]}"


def _is_as(known: str | None, state: tuple[int, int]) -> bool:
    """Return whether a file looks as it did; of some, more is known than how they looked."""
    return known is not None and f"{known}:".startswith(f"{_seen(state)}:")


def _pieces(project: OpenProject, changed: set[str]) -> Iterator[tuple[str, list[Written]]]:
    """Yield the pieces of each changed file that can be read, but history, with the secrets in them."""
    if "entries.mem" in changed:
        with suppress(RemoraError):
            yield "entries.mem", _entries(project)
    for name in sorted(changed):
        if name == "MEMORY.md" or _day(name) is not None:
            with suppress(OSError):
                yield name, _written(_notes(project, name))
        elif name.startswith(f"{TOOL_FOLDER}/"):
            with suppress(OSError):
                yield name, _tool_file(project.memory_folder / name, name)


def _tool_file(path: Path, name: str) -> list[Written]:
    """Return the pieces of a file of the memory tool, each a note under the name that the model knows."""
    from remora.journal.sections import memory_pieces

    data = path.read_bytes() if path.stat().st_size <= MOST_READ else b""
    if b"\0" in data:
        return []
    title = f"{TOOL_ROOT}{name.removeprefix(TOOL_FOLDER)}"
    found = memory_pieces(data.decode("utf-8-sig", "replace"), name)
    return [Written("note", title, p.start_line, p.end_line, None, p.text) for p in found]


def _notes(project: OpenProject, name: str) -> list[Piece]:
    """Return the pieces of MEMORY.md or of a daily note."""
    from remora.journal.sections import daily_pieces, memory_pieces

    text = (project.memory_folder / name).read_bytes().decode("utf-8-sig", "replace")
    day = _day(name)
    return memory_pieces(text) if day is None else daily_pieces(text, day, project.journal().zone, name)


def _entries(project: OpenProject) -> list[Written]:
    return [
        Written(e.kind, e.name, None, None, e.created_at, e.content)
        for e in project.entries().entries()
        if e.content.strip()
    ]


def _written(pieces: Iterable[Piece]) -> list[Written]:
    return [Written(p.kind, p.heading, p.start_line, p.end_line, p.time, p.text) for p in pieces]


def _follow_history(
    project: OpenProject, notes: Notes, there: dict[str, tuple[int, int]], gone: set[str], changed: set[str]
) -> Followed:
    """Index what changed in the history files, if anything did."""
    if not any(map(_is_history, gone | changed)):
        return Followed(0)
    known = notes.files()
    looks = {name: _seen(state) for name, state in there.items() if _is_history(name)}
    # What stood in a file that is gone may stand in another one, too.
    anew = any(map(_is_history, gone)) or not looks.keys() & known.keys()
    return follow_history(notes, project.memory_folder, looks, changed & looks.keys(), known, anew=anew)
