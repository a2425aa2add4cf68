"""Carry out a consolidation exactly once, despite crashes.

The intent is first written durably to its own file: the exact text for the history, the sizes of the history
files, the long-term memory before and after, and the new mark of the session. Then it is carried out step by
step, and the file is removed last. If the file still exists, a process crashed: `recover` checks which steps
were done and does the others.

- The history files: a complete entry is not appended again. A partial entry at the end of a file, left by a
  crash, is cut off first.
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
from remora.journal.files import Journal, Reading, append_to_each

FOLDER = ".pending"

Done = Callable[[str, int], None]  # session id, the last consolidated seq
Step = Callable[[str], None]  # told what has just been done; tests crash here


class Intent(NamedTuple):
    """The intent of a consolidation.

    `mark`: whether the session is to be marked up to the message `up_to`. `update` is None if MEMORY.md is
    unchanged. `sizes` are the bytes of the history files before. `written`: only the mark is missing.
    """

    session: str
    up_to: int
    mark: bool
    time: str
    entry: str
    base: str = ""
    update: str | None = None
    sizes: tuple[tuple[str, int], ...] = ()
    written: bool = False


class Carried(NamedTuple):
    """The result: whether MEMORY.md changed, the text kept aside, and notes."""

    memory_changed: bool = False
    kept_aside: Path | None = None
    notes: tuple[str, ...] = ()


class Recovered(NamedTuple):
    """Consolidations interrupted by a crash: the last message of each session in the history, and notes."""

    reached: dict[str, int]
    notes: tuple[str, ...] = ()


def carry_out(journal: Journal, intent: Intent, done: Done | None, step: Step) -> Carried:
    """Write an intent and carry it out.

    Raises:
        StoreError: the entry could not be written to any history file, or the intent could not be written.
            Then nothing was changed, and the session is not marked.
    """
    path = journal.folder / FOLDER / f"{intent.time.replace(':', '-')}-{os.urandom(4).hex()}.json"
    with journal.history_lock():
        paths = journal.history_of(intent.time)
        intent = intent._replace(sizes=tuple((file.name, _size(file)) for file in paths))
        _save(path, intent)
        step("intent")
        try:
            problems = _append(journal, intent, step, again=False)
        except RemoraError:
            with suppress(OSError):
                path.unlink()
            raise
    return _finish(journal, intent, path, problems, done, step)


def recover(journal: Journal, done: Done | None, step: Step = lambda _: None) -> Recovered:
    """Finish the consolidations that a crash interrupted.

    Args:
        journal: the caller holds its turn.
        done: marks a session; without it, sessions stay unmarked and their intents stay too.
        step: called with the name of each finished step.
    """
    reached: dict[str, int] = {}
    notes: list[str] = []
    for path in sorted((journal.folder / FOLDER).glob("*.json")):
        try:
            intent = _load(path)
        except RemoraError as error:
            with suppress(OSError):
                path.rename(path.with_suffix(".damaged"))
            notes.append(f"an interrupted consolidation cannot be finished: {error}")
            continue
        if intent.session:
            # Also where the rest fails: these messages are spoken for and must not come twice.
            reached[intent.session] = max(reached.get(intent.session, 0), intent.up_to)
        try:
            problems: tuple[str, ...] = ()
            if not intent.written:
                notes.append(f"a consolidation of {intent.session or 'a conversation'} was finished")
                with journal.history_lock():
                    problems = _append(journal, intent, step, again=True)
            carried = _finish(journal, intent, path, problems, done, step)
        except RemoraError as error:
            notes.append(f"an interrupted consolidation is still not finished: {error}")
            continue
        notes += carried.notes
    return Recovered(reached, tuple(notes))


def _append(journal: Journal, intent: Intent, step: Step, *, again: bool) -> tuple[str, ...]:
    block = render(intent.entry, intent.time).encode()
    sizes = dict(intent.sizes)

    def append(path: Path) -> None:
        if not (again and _holds(path, block, sizes.get(path.name, 0))):
            append_line(path, block)
        step("history" if path == journal.history_path else "month")

    return append_to_each(journal.history_of(intent.time), append)


def _holds(path: Path, block: bytes, size: int) -> bool:
    """Return whether a file has an entry; a partial one at the file's end is cut off."""
    with os_errors(path, "read"):
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return False
    if block in data or block in data.replace(b"\r\n", b"\n"):
        return True
    rest = data[size:]
    if rest and (block.startswith(rest) or (b"\n" + block).startswith(rest)):
        with os_errors(path, "append to"):
            os.truncate(path, size)
    return False


def _finish(
    journal: Journal, intent: Intent, path: Path, problems: tuple[str, ...], done: Done | None, step: Step
) -> Carried:
    """Do the steps after the history: the memory, the mark, and the removal of the intent."""
    carried = Carried(notes=problems)
    if intent.update is not None and not intent.written:
        carried = _apply(journal, intent.base, intent.update, problems)
        step("memory")
    if intent.mark:
        problem = "the caller cannot mark sessions" if done is None else ""
        try:
            if done is not None:
                done(intent.session, intent.up_to)
        except RemoraError as error:
            problem = str(error)
        if problem:
            note = f"{intent.session} could not be marked as consolidated up to {intent.up_to}: {problem}"
            with suppress(RemoraError):  # then the steps are looked at once more, and found done
                _save(path, intent._replace(written=True))
            return carried._replace(notes=(*carried.notes, note))
        step("done")
    with suppress(OSError):  # likewise
        path.unlink()
    step("removed")
    return carried


def _apply(journal: Journal, base: str, update: str, problems: tuple[str, ...]) -> Carried:
    """Apply an update to MEMORY.md; if a person edited it since the model's read, keep the update aside."""
    base, update = base.strip(), update.strip()
    if update == base:
        return Carried(notes=problems)
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
        return Carried(changed, notes=problems)
    kept, note = aside(journal, update, reason)
    return Carried(changed, kept, notes=(*problems, reason, *note))


def aside(journal: Journal, text: str, reason: str) -> tuple[Path | None, tuple[str, ...]]:
    """Keep a text aside; return its path, and a note if even that failed."""
    try:
        return journal.keep_aside(text, reason), ()
    except RemoraError as error:
        return None, (f"it could not be kept aside: {error}",)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _save(path: Path, intent: Intent) -> None:
    write_atomic(path, json.dumps(intent._asdict(), ensure_ascii=False))


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
            bool(found["mark"]),
            to_iso(from_iso(found["time"])),
            str(found["entry"]),
            str(found["base"]),
            None if found["update"] is None else str(found["update"]),
            tuple((str(name), int(size)) for name, size in found["sizes"]),
            bool(found["written"]),
        )
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InvalidInput(f"{path} is damaged ({type(error).__name__})") from error
