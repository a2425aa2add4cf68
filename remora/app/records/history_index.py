"""The history files brought into the search index: an entry that was appended costs what was appended.

An entry stands in HISTORY.md and in its month's file, and is found once, by the month's file. With each
file a digest of what was read of it is kept. Where that is still how the file begins, and an entry begins
right after it, only the rest is read. Anything else (an edit, a file that is gone, lines added to the last
entry, an append that was seen half done) has all history files read again, for what one file no longer
says may stand in another.
"""

from __future__ import annotations

import codecs
import hashlib
import io
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from remora.core.secrets import redact
from remora.store.notes import Written

if TYPE_CHECKING:
    from pathlib import Path

    from remora.journal.history import HistoryEntry
    from remora.store.notes import Notes

_LINE_END = ord("\n")


class Followed(NamedTuple):
    """How many pieces are new, and the files that could not be read."""

    added: int
    unread: frozenset[str] = frozenset()


class _Read(NamedTuple):
    """What a history file has beyond what was indexed: its mark after that, and the new entries."""

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
    """Index what changed in the history files; the caller is inside a transaction.

    The entries of a file that cannot be read are those of the other file until then.

    Args:
        notes: where the pieces go.
        folder: of the files.
        looks: how every history file looks from outside; it is kept in front of the mark.
        changed: the names of those that do not look as they did.
        seen: what was kept of each file.
        anew: read all of them, whatever they look like.
    """
    read = None if anew else _what_follows(folder, changed, seen)
    if read is not None:
        return Followed(sum(_append(notes, one, f"{looks[one.name]}:{one.mark}") for one in read))
    return _all_again(notes, folder, looks)


def _what_follows(folder: Path, changed: Collection[str], seen: Mapping[str, str]) -> list[_Read] | None:
    """Return what was appended to each file; None where more than that happened to one."""
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
    from remora.journal.history import parse

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
    """Return the months first and HISTORY.md last: the first file that has an entry is the one named."""
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
    """Return a piece without the secrets that somebody typed into it."""
    return piece._replace(name=redact(piece.name).text, content=redact(piece.content).text)


# What was appended


def _mark(data: bytes) -> str:
    return _as_mark(len(data), hashlib.blake2b(data, digest_size=16))


def _as_mark(length: int, digest: hashlib.blake2b) -> str:
    return f"{length}:{digest.hexdigest()}"


def _mark_of(seen: str | None) -> str:
    """Return the mark at the end of what was kept of a file; of a new file, that of nothing."""
    return _mark(b"") if seen is None else ":".join(seen.split(":")[-2:])


def _rest(path: Path, mark: str) -> _Read | None:
    """Return the entries behind a mark; None where the file does not simply go on."""
    from remora.journal.history import parse

    data = path.read_bytes()
    length = mark.split(":")[0]
    end = int(length) if length.isdecimal() else 0
    digest = hashlib.blake2b(memoryview(data)[:end], digest_size=16)
    if end > len(data) or _as_mark(end, digest) != mark:
        return None
    rest = data[end:]
    if end and rest and data[end - 1] != _LINE_END and not rest.startswith((b"\n", b"\r\n")):
        return None  # it goes on within a line
    found = list(parse(io.BytesIO(rest), path.name))
    if found and (found[0].time is None or (end and rest.startswith(codecs.BOM_UTF8))):
        return None  # it goes on within an entry
    lines = data.count(b"\n", 0, end)
    moved = [e._replace(start_line=e.start_line + lines, end_line=e.end_line + lines) for e in found]
    digest.update(rest)
    return _Read(path.name, _as_mark(len(data), digest), moved)


def _append(notes: Notes, read: _Read, seen: str) -> int:
    """Add the new entries of a file; one that is known by a later file is now known by this one."""
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
