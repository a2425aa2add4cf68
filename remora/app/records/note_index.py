"""Index the files that people and agents write; the files are the source.

MEMORY.md, HISTORY, the daily notes, the entry store and the files of the memory tool may be edited by hand or
by another process at any time. Before a search each file's size and time are compared; a changed file is cut
into pieces again, and a piece with the same text keeps its row and its vector. Secrets in a file stay in the
file and out of the index.

A history entry is in HISTORY.md and in its month's file, and is indexed for the month's file; of HISTORY.md
only the entries of months without a file are indexed.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import date
from typing import TYPE_CHECKING

from remora.core.errors import RemoraError, StoreError
from remora.core.history_entries import HISTORY, month_file, parse
from remora.core.secrets import redact
from remora.store.notes import Written

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

    from remora.app.project.open_project import OpenProject
    from remora.journal.sections import Piece

TOOL_FOLDER, TOOL_ROOT = "tool", "/memories"  # folder of the memory tool's files, and its name in the tool
MOST_READ = 1_048_576  # bytes of such a file; larger ones are not searched
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
    changed = {name for name, state in there.items() if known.get(name) != _seen(state)}
    if HISTORY in there and any(_is_history(name) for name in known.keys() ^ there.keys()):
        changed.add(HISTORY)
    added = 0
    if gone or changed:
        unread = set(changed)
        try:
            with db.connection.transaction(durable=False, wait=wait):
                for name in sorted(gone):
                    db.notes.forget(name)
                for name, pieces in _pieces(project, changed, there):
                    added += db.notes.put(name, _seen(there[name]), pieces, _clean)
                    unread.discard(name)
        except (StoreError, OSError):
            return 0
        for name in unread:
            del there[name]  # the next search tries again
    project.written.seen = there
    return added


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


def _pieces(
    project: OpenProject, changed: set[str], there: Collection[str]
) -> Iterator[tuple[str, list[Written]]]:
    """Yield the pieces of each changed and readable file, with secrets."""
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
        elif _is_history(name):
            with suppress(OSError):
                yield name, _history(project.memory_folder / name, there)


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


def _history(path: Path, there: Collection[str]) -> list[Written]:
    """Return the pieces of a history file; of HISTORY.md without those of the months with a file."""
    from remora.journal.sections import history_pieces

    with path.open("rb") as lines:
        return _written(
            piece
            for entry in parse(lines, path.name)
            if path.name != HISTORY or entry.time is None or month_file(entry.time) not in there
            for piece in history_pieces(entry)
        )


def _entries(project: OpenProject) -> list[Written]:
    return [
        Written(e.kind, e.name, None, None, e.created_at, e.content)
        for e in project.entries().entries()
        if e.content.strip()
    ]


def _written(pieces: Iterable[Piece]) -> list[Written]:
    return [Written(p.kind, p.heading, p.start_line, p.end_line, p.time, p.text) for p in pieces]


def _clean(piece: Written) -> Written:
    """Return a piece with secrets removed."""
    return piece._replace(name=redact(piece.name).text, content=redact(piece.content).text)
