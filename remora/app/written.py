"""What people and agents write into files, brought into the search index: the files are the source.

MEMORY.md, HISTORY, the daily notes and the entry store may be edited by hand or by another process at
any time. Before a search each file is looked at; what differs in size or time is cut into pieces
again, and a piece whose text is the same keeps its row and its vector. A history entry stands in two
files and is found once, by its monthly file. Secrets that somebody typed into a file stay in the file
and out of the index.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from datetime import date
from itertools import groupby
from typing import TYPE_CHECKING

from remora.core.errors import RemoraError, StoreError
from remora.core.secrets import redact
from remora.store.notes import Written

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from remora.app.wiring import Parts
    from remora.journal.pieces import Piece

PATIENCE = 1.0  # seconds to wait for another writer: the next search goes on where this one gave up
SLOW_LOOK, LOOK_SHARE = 0.005, 20  # a look at the folder that takes longer is made a twentieth of the time


def follow_written(parts: Parts, *, wait: float | None = PATIENCE) -> int:
    """Index what changed in the written files; returns how many pieces are new.

    A file that cannot be read, and a database that another process holds, leave the index as it was;
    the next call tries again.

    Args:
        parts: the open memory.
        wait: seconds to wait for another writer of the database; None is the usual busy timeout.
    """
    started = time.monotonic()
    if started < parts.written.next_look:
        return 0
    there = _look(parts.memory_folder)
    took = time.monotonic() - started
    parts.written.next_look = started + LOOK_SHARE * took if took > SLOW_LOOK else 0.0
    if there is None or there == parts.written.seen:
        return 0
    space = parts.room("project").space
    known = space.notes.files()
    gone = known.keys() - there.keys()
    changed = {name for name, state in there.items() if known.get(name) != _seen(state)}
    if any(_is_history(name) for name in gone):
        # What stood only in a file that is gone may stand in the other one, too.
        changed |= {name for name in there if _is_history(name)}
    added = 0
    try:
        with space.db.transaction(durable=False, wait=wait):
            for name in sorted(gone):
                space.notes.forget(name)
            for name, pieces in _pieces(parts, changed, there):
                added += space.notes.put(name, _seen(there[name]), pieces)
    except (StoreError, OSError):
        return 0
    parts.written.seen = there
    return added


def _look(folder: Path) -> dict[str, tuple[int, int]] | None:
    """Return the written files of a folder with size and time; None when it cannot be read."""
    found: dict[str, tuple[int, int]] = {}
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if _is_written(entry.name) and entry.is_file():
                    status = entry.stat()
                    found[entry.name] = (status.st_size, status.st_mtime_ns)
    except FileNotFoundError:
        return {}
    except OSError:
        return None
    return found


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
    parts: Parts, changed: Iterable[str], there: dict[str, tuple[int, int]]
) -> Iterator[tuple[str, list[Written]]]:
    """Yield the pieces of each changed file; one that cannot be read now keeps those it had."""
    changed = set(changed)
    if "entries.mem" in changed:
        with suppress(RemoraError):
            yield "entries.mem", _entries(parts)
    if "MEMORY.md" in changed:
        from remora.journal.pieces import memory_pieces

        yield "MEMORY.md", _written(memory_pieces(_text(parts.memory_folder / "MEMORY.md")))
    for name in sorted(changed):
        if (day := _day(name)) is not None:
            from remora.journal.pieces import daily_pieces

            text = _text(parts.memory_folder / name)
            yield name, _written(daily_pieces(text, day, parts.journal().zone, name))
    histories = {name for name in there if _is_history(name)}
    if changed & histories:
        yield from _history(parts, histories)


def _history(parts: Parts, names: set[str]) -> Iterator[tuple[str, list[Written]]]:
    """Yield the pieces of every history file, each entry by one of the files it stands in."""
    from remora.journal.history import entries
    from remora.journal.pieces import history_pieces

    left = set(names)
    for name, own in groupby(entries(parts.memory_folder), lambda entry: entry.path):
        left.discard(name)
        if name in names:
            yield name, _written(piece for entry in own for piece in history_pieces(entry))
    for name in sorted(left):  # everything in it stands in another file
        yield name, []


def _entries(parts: Parts) -> list[Written]:
    return [
        Written(e.kind, e.name, None, None, e.created_at, redact(e.content).text)
        for e in parts.entries().entries()
        if e.content.strip()
    ]


def _written(pieces: Iterable[Piece]) -> list[Written]:
    return [Written(p.kind, p.heading, p.start_line, p.end_line, p.time, redact(p.text).text) for p in pieces]


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8-sig", "replace")
