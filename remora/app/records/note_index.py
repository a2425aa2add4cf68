"""Index the files that people and agents write; the files are the source.

MEMORY.md, HISTORY, the daily notes, the entry store and the files of the memory tool (`tool_files`) may be
edited by hand or by another process at any time. Before a search each file's size and time are compared; a
changed file is cut into pieces again, and a piece with the same text keeps its row and its vector. A history
entry is in two files and is indexed once, for its monthly file. Secrets in a file stay in the file and out of
the index.
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

TOOL_FOLDER, TOOL_ROOT = "tool", "/memories"  # folder of the memory tool's files, and its name in the tool
MOST_READ = 1_048_576  # bytes of such a file; the tool writes none that are larger

PATIENCE = 1.0  # seconds to wait for another writer; the next search tries again


def follow_written(project: OpenProject, *, wait: float | None = PATIENCE) -> int:
    """Index changes of the written files; return the number of new pieces.

    A file that cannot be read keeps its pieces, and if another process holds the database, the index stays as
    it was; the next call tries again.

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
    """Make the next search scan the files, even if scans are slow, because a file is about to change."""
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
    """Return whether a file has the same size and time; a stored state may hold more after these."""
    return known is not None and f"{known}:".startswith(f"{_seen(state)}:")


def _pieces(project: OpenProject, changed: set[str]) -> Iterator[tuple[str, list[Written]]]:
    """Yield the pieces of each changed and readable file, without history and with secrets."""
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
    """Return the pieces of a file of the memory tool, as notes named by the model's path."""
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
    """Index changes of the history files, if there are any."""
    if not any(map(_is_history, gone | changed)):
        return Followed(0)
    known = notes.files()
    looks = {name: _seen(state) for name, state in there.items() if _is_history(name)}
    # An entry of a deleted file may be in another one.
    anew = any(map(_is_history, gone)) or not looks.keys() & known.keys()
    return follow_history(notes, project.memory_folder, looks, changed & looks.keys(), known, anew=anew)
