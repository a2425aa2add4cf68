"""Index the history files incrementally: after an append, only the new entries are parsed and stored.

An entry is written to HISTORY.md and to its month's file, and is indexed once, for the month's file. For each
file a digest of the indexed bytes is stored. If the file still begins with them and an entry begins right
after them, only the rest is parsed. After any other change (an edit, a deleted file, lines added to the last
entry, an append seen half done) all history files are read again, because an entry removed from one file may
be in another.
"""

from __future__ import annotations

import codecs
import hashlib
import io
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from remora.core.history_entries import HistoryEntry, parse
from remora.core.secrets import redact
from remora.store.notes import Written

if TYPE_CHECKING:
    from pathlib import Path

    from remora.store.notes import Notes

_LINE_END = ord("\n")


class Followed(NamedTuple):
    """The number of new pieces, and the files that could not be read."""

    added: int
    unread: frozenset[str] = frozenset()


class _Read(NamedTuple):
    """The part of a history file after the indexed bytes: the new mark of the file, and the new entries."""

    name: str
    mark: str
    entries: list[HistoryEntry]


def follow_history(
    notes: Notes,
    folder: Path,
    looks: Mapping[str, str],
    changed: Collection[str],
    seen: Mapping[str, str],
    *,
    anew: bool,
) -> Followed:
    """Index changes of the history files; the caller is inside a transaction.

    The entries of a file that cannot be read are taken from the other file until it can.

    Args:
        notes: the table of pieces.
        folder: the folder of the files.
        looks: size and time of every history file, stored in front of its mark.
        changed: names of the files whose size or time changed.
        seen: the stored state of each file.
        anew: read all files, whatever their state.
    """
    read = None if anew else _what_follows(folder, changed, seen)
    if read is not None:
        return Followed(sum(_append(notes, one, f"{looks[one.name]}:{one.mark}") for one in read))
    return _all_again(notes, folder, looks)


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


def _all_again(notes: Notes, folder: Path, looks: Mapping[str, str]) -> Followed:
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
        added += notes.put(name, f"{looks[name]}:{_mark(data)}", _pieces(own), clean)
    return Followed(added, frozenset(unread))


def _in_order(names: Iterable[str]) -> list[str]:
    """Return the months first and HISTORY.md last: an entry is indexed for its first file."""
    return sorted(names, key=lambda name: (name == "HISTORY.md", name))


def _first(entry: HistoryEntry, told: set[bytes]) -> bool:
    said = hashlib.blake2b(f"{entry.time}\n{entry.text}".encode(), digest_size=16).digest()
    fresh = said not in told
    told.add(said)
    return fresh


def _pieces(entries: Iterable[HistoryEntry]) -> list[Written]:
    from remora.journal.sections import history_pieces

    return [
        Written(piece.kind, piece.heading, piece.start_line, piece.end_line, piece.time, piece.text)
        for entry in entries
        for piece in history_pieces(entry)
    ]


def clean(piece: Written) -> Written:
    """Return a piece with secrets removed."""
    return piece._replace(name=redact(piece.name).text, content=redact(piece.content).text)


# Appended entries


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
        pieces = [clean(piece) for piece in _pieces([entry])]
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
