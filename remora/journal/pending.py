"""Carry out a consolidation exactly once, despite crashes.

The intent is first written durably to its own file: the exact text for the history, the long-term memory
before and after, and the new mark of the session. Then it is carried out, and the file is removed last. If
the file still exists, a process crashed, and `recover` carries it out again:

- The history files: an entry that a file has is not appended again.
- MEMORY.md: if it matches neither the state before nor the one after, a person edited it; then it stays, and
  the update is kept aside, as in a normal run.
- The session's mark is set by the caller's `done`, which may be called twice with the same numbers.

All of it happens while the caller holds the turn of the journal, so only one process is active.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from remora.core.clock import from_iso, to_iso
from remora.core.errors import InvalidInput, RemoraError
from remora.core.history_entries import render
from remora.disk.files import append_line, os_errors, write_atomic
from remora.journal.files import Journal, Reading

FOLDER = ".pending"

Done = Callable[[str, int], None]  # session id, the last consolidated seq


class Intent(NamedTuple):
    """The intent of a consolidation.

    The session is to be marked up to the message `up_to`; 0 if it has no numbers. `update` is None if
    MEMORY.md is unchanged.
    """

    session: str
    up_to: int
    time: str
    entry: str
    base: str = ""
    update: str | None = None


class Carried(NamedTuple):
    """The result: whether MEMORY.md changed, the text kept aside, and notes."""

    memory_changed: bool = False
    kept_aside: Path | None = None
    notes: tuple[str, ...] = ()


class Recovered(NamedTuple):
    """Consolidations interrupted by a crash: the last message of each session in the history, and notes."""

    reached: dict[str, int]
    notes: tuple[str, ...] = ()


def carry_out(journal: Journal, intent: Intent, done: Done) -> Carried:
    """Write an intent and carry it out.

    Raises:
        StoreError: the intent or the history could not be written. The session is not marked; an intent that
            was written is carried out by the next `recover`.
    """
    path = journal.folder / FOLDER / f"{intent.time.replace(':', '-')}-{os.urandom(4).hex()}.json"
    write_atomic(path, json.dumps(intent._asdict(), ensure_ascii=False))
    return _carry_out(journal, intent, path, done)


def recover(journal: Journal, done: Done) -> Recovered:
    """Finish the consolidations that a crash interrupted; the caller holds the journal's turn.

    Raises:
        StoreError: the history could not be written.
    """
    reached: dict[str, int] = {}
    notes: list[str] = []
    for path in sorted((journal.folder / FOLDER).glob("*.json")):
        try:
            intent = _load(path)
        except RemoraError as error:
            notes.append(f"an interrupted consolidation cannot be finished: {error}")
            continue
        carried = _carry_out(journal, intent, path, done)
        # Also where the session is not marked: these messages are in the history and must not come twice.
        reached[intent.session] = max(reached.get(intent.session, 0), intent.up_to)
        notes += [f"a consolidation of {intent.session or 'a conversation'} was finished", *carried.notes]
    return Recovered(reached, tuple(notes))


def _carry_out(journal: Journal, intent: Intent, path: Path, done: Done) -> Carried:
    block = render(intent.entry, intent.time).encode()
    with journal.history_lock():
        for file in journal.history_of(intent.time):
            with os_errors(file, "read"):
                known = file.read_bytes() if file.exists() else b""
            if block not in known:
                append_line(file, block)
    carried = Carried()
    if intent.update is not None:
        carried = _apply(journal, intent.base, intent.update)
    try:
        if intent.up_to:
            done(intent.session, intent.up_to)
    except RemoraError as error:
        note = f"{intent.session} could not be marked as consolidated up to {intent.up_to}: {error}"
        return carried._replace(notes=(*carried.notes, note))
    with suppress(OSError):  # then the steps are looked at once more, and found done
        path.unlink()
    return carried


def _apply(journal: Journal, base: str, update: str) -> Carried:
    """Apply an update to MEMORY.md; if a person edited it since the model's read, keep the update aside."""
    base, update = base.strip(), update.strip()
    if update == base:
        return Carried()
    reason = ""

    def change(now: Reading) -> str | None:
        nonlocal reason
        if now.problem:
            raise InvalidInput(now.problem)
        edited = now.text not in (base, update)
        reason = "MEMORY.md was edited meanwhile and stays; the update is kept aside" if edited else ""
        return None if edited or now.text == update else update

    try:
        changed = journal.change_memory(change)
    except RemoraError as error:
        changed, reason = False, f"MEMORY.md could not be changed: {error}"
    if not reason:
        return Carried(changed)
    kept, note = aside(journal, update, reason)
    return Carried(changed, kept, notes=(reason, *note))


def aside(journal: Journal, text: str, reason: str) -> tuple[Path | None, tuple[str, ...]]:
    """Keep a text aside; return its path, and a note if even that failed."""
    try:
        return journal.keep_aside(text, reason), ()
    except RemoraError as error:
        return None, (f"it could not be kept aside: {error}",)


def _load(path: Path) -> Intent:
    """Return the intent in a file.

    Raises:
        InvalidInput: the file holds none.
        StoreError: it cannot be read.
    """
    with os_errors(path, "read"):
        data = path.read_bytes()
    try:
        found = json.loads(data)
        return Intent(
            str(found["session"]),
            int(found["up_to"]),
            to_iso(from_iso(found["time"])),
            str(found["entry"]),
            str(found["base"]),
            None if found["update"] is None else str(found["update"]),
        )
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InvalidInput(f"{path} is damaged ({type(error).__name__})") from error
