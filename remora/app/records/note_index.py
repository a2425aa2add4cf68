"""Index the files that people and agents write; the files are the source.

MEMORY.md, HISTORY, the daily notes, the entry store and the files of the memory tool may be edited by hand or
by another process at any time. Before a search each file's size and time are compared; a changed file is cut
into pieces again, and a piece with the same text keeps its row and its vector. Secrets in a file stay in the
file and out of the index.

A history entry is in HISTORY.md and in its month's file, and is indexed once, for the month's file. For each
history file a digest of the indexed bytes is stored. If the file still begins with them and an entry begins
right after them, only the rest is parsed. After any other change (an edit, a deleted file, lines added to the
last entry, an append seen half done) all history files are read again, because an entry removed from one file
may be in another.
"""

from __future__ import annotations

import codecs
import hashlib
import io
from contextlib import suppress
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from remora.core.errors import RemoraError, StoreError
from remora.core.history_entries import HistoryEntry, parse
from remora.core.secrets import redact
from remora.store.notes import Written

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from pathlib import Path

    from remora.app.project.open_project import OpenProject
    from remora.journal.sections import Piece
    from remora.store.notes import Notes

TOOL_FOLDER, TOOL_ROOT = "tool", "/memories"  # folder of the memory tool's files, and its name in the tool
MOST_READ = 1_048_576  # bytes of such a file; larger ones are not searched
PATIENCE = 1.0  # seconds to wait for another writer; the next search tries again
_LINE_END = ord("\n")


class _Read(NamedTuple):
    """The part of a history file after the indexed bytes: the new mark of the file, and the new entries."""

    name: str
    mark: str
    entries: list[HistoryEntry]


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
        unread = {name for name in changed if not _is_history(name)}
        try:
            with db.connection.transaction(durable=False, wait=wait):
                for name in sorted(gone):
                    db.notes.forget(name)
                for name, pieces in _pieces(project, changed):
                    added += db.notes.put(name, _seen(there[name]), pieces, _clean)
                    unread.discard(name)
                new, unread_histories = _follow_history(project, there, gone, changed)
                added += new
        except (StoreError, OSError):
            return 0
        for name in unread | unread_histories:
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


def _clean(piece: Written) -> Written:
    """Return a piece with secrets removed."""
    return piece._replace(name=redact(piece.name).text, content=redact(piece.content).text)


# History


def _follow_history(
    project: OpenProject, there: Mapping[str, tuple[int, int]], gone: set[str], changed: set[str]
) -> tuple[int, set[str]]:
    """Index changes of the history files; return the number of new pieces, and the files that are unreadable.

    The entries of a file that cannot be read are taken from the other file until it can.
    """
    if not any(map(_is_history, gone | changed)):
        return 0, set()
    notes, folder = project.db.notes, project.memory_folder
    known = notes.files()
    looks = {name: _seen(state) for name, state in there.items() if _is_history(name)}
    # An entry of a deleted file may be in another one.
    anew = any(map(_is_history, gone)) or not looks.keys() & known.keys()
    read = None if anew else _what_follows(folder, changed & looks.keys(), known)
    if read is None:
        return _all_again(notes, folder, looks)
    return sum(_append(notes, one, f"{looks[one.name]}:{one.mark}") for one in read), set()


def _what_follows(folder: Path, changed: Collection[str], seen: Mapping[str, str]) -> list[_Read] | None:
    """Return the appended part of each file; None if a file has any other change."""
    found = []
    for name in _in_order(changed):
        try:
            rest = _rest(folder / name, _mark_of(seen.get(name)))
        except OSError:
            return None
        if rest is None:
            return None
        found.append(rest)
    return found


def _all_again(notes: Notes, folder: Path, looks: Mapping[str, str]) -> tuple[int, set[str]]:
    told: set[bytes] = set()
    unread: set[str] = set()
    added = 0
    for name in _in_order(looks):
        try:
            data = (folder / name).read_bytes()
        except OSError:
            notes.put(name, "", [])
            unread.add(name)
            continue
        own = (entry for entry in parse(io.BytesIO(data), name) if _first(entry, told))
        added += notes.put(name, f"{looks[name]}:{_mark(data)}", _history_pieces(own), _clean)
    return added, unread


def _in_order(names: Iterable[str]) -> list[str]:
    """Return the months first and HISTORY.md last: an entry is indexed for its first file."""
    return sorted(names, key=lambda name: (name == "HISTORY.md", name))


def _first(entry: HistoryEntry, told: set[bytes]) -> bool:
    said = hashlib.blake2b(f"{entry.time}\n{entry.text}".encode(), digest_size=16).digest()
    fresh = said not in told
    told.add(said)
    return fresh


def _history_pieces(entries: Iterable[HistoryEntry]) -> list[Written]:
    from remora.journal.sections import history_pieces

    return _written(piece for entry in entries for piece in history_pieces(entry))


def _mark(data: bytes) -> str:
    return _as_mark(len(data), hashlib.blake2b(data, digest_size=16))


def _as_mark(length: int, digest: hashlib.blake2b) -> str:
    return f"{length}:{digest.hexdigest()}"


def _mark_of(seen: str | None) -> str:
    """Return the mark at the end of a file's stored state; for a new file, the mark of no bytes."""
    return _mark(b"") if seen is None else ":".join(seen.split(":")[-2:])


def _rest(path: Path, mark: str) -> _Read | None:
    """Return the entries after a mark; None if the file does not continue with a new entry."""
    data = path.read_bytes()
    length = mark.split(":")[0]
    end = int(length) if length.isdecimal() else 0
    digest = hashlib.blake2b(memoryview(data)[:end], digest_size=16)
    if end > len(data) or _as_mark(end, digest) != mark:
        return None
    rest = data[end:]
    if end and rest and data[end - 1] != _LINE_END and not rest.startswith((b"\n", b"\r\n")):
        return None  # it continues a line
    found = list(parse(io.BytesIO(rest), path.name))
    if found and (found[0].time is None or (end and rest.startswith(codecs.BOM_UTF8))):
        return None  # it continues an entry
    lines = data.count(b"\n", 0, end)
    moved = [e._replace(start_line=e.start_line + lines, end_line=e.end_line + lines) for e in found]
    digest.update(rest)
    return _Read(path.name, _as_mark(len(data), digest), moved)


def _append(notes: Notes, read: _Read, seen: str) -> int:
    """Add the new entries of a file; an entry indexed for a later file in the order moves to this one."""
    known: dict[str | None, dict[str, set[str]]] = {}  # by time and path
    for time, path, content in notes.written_at("history", {entry.time for entry in read.entries}):
        known.setdefault(time, {}).setdefault(path, set()).add(content)
    notes.mark(read.name, seen)
    fresh: list[Written] = []
    for entry in read.entries:
        pieces = [_clean(piece) for piece in _history_pieces([entry])]
        said = {piece.content for piece in pieces}
        paths = known.setdefault(entry.time, {})
        held = next((path for path in _in_order(paths) if said <= paths[path]), None)
        if held is None:
            fresh += pieces
        elif _in_order([held, read.name])[0] != held:
            for piece in pieces:
                notes.move(held, read.name, piece)
        paths.setdefault(read.name, set()).update(said)
    return notes.add(read.name, fresh)
