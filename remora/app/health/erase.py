"""Erase a memory, a session, a text, a project or everything, down to the last byte.

Files are erased first, then all tables in one transaction, then the free pages: after a kill, a second call
completes the erasure. In a file the words are overwritten in place with a mark of the same length: logs keep
their lines and offsets, and no copy of the old file remains. A keyed digest of the words is kept, so that
they are not learned again.
"""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from remora.app.learning.quotes import origin
from remora.app.project.locate import data_dir
from remora.app.records.session import Session
from remora.conversation.log import SUFFIX
from remora.core.clock import to_iso
from remora.core.errors import InvalidInput, NotFound
from remora.disk import live
from remora.disk.files import os_errors
from remora.disk.names import safe_name
from remora.entries.names import archive_name
from remora.journal import history
from remora.journal.daily import note_line
from remora.lifecycle.prune import keep_erased, keep_forgotten
from remora.lifecycle.upkeep import resolve
from remora.store import erase
from remora.store.items import Items
from remora.store.notes import SESSION

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject, Store
    from remora.core.values import Entry, MemoryRecord, Message

CAPTURED = "captured"  # folder in the home
SCRUB = "erase.scrub"  # meta key: the file may still hold bytes of deleted rows
A_LINE = 24  # characters; shorter lines of archives and history are not erased elsewhere
ALL = 1_000_000  # rows
LEAST = 4  # characters; shorter texts are not erased everywhere
_WORD = re.compile(r"[a-z_]+")
_KEY = re.compile(rb'(?:[^"\\\n]|\\.){0,200}"\s*:')  # the rest of a JSON key
TRIES = 8  # attempts to rewrite a database that other processes use
KEPT_APART = (".db", ".db-wal", ".db-shm", ".lock", ".mem")  # not text; erased in other ways
ELSEWHERE = (
    "backups and exports that you made",
    "the transcripts that coding agents keep themselves",
    "git: commits, and files of the repository",
)


class Erased(NamedTuple):
    """The result of an erasure.

    Attributes:
        memories: number of memories erased.
        sessions: number of sessions erased.
        found: other occurrences of the words: rows by table, and places by file.
        whole: every byte is gone; False if another process kept a database from being rewritten: the daily
            maintenance tries again.
        elsewhere: places outside our reach that may still hold the words.
    """

    memories: int = 0
    sessions: int = 0
    found: dict[str, int] = {}  # noqa: RUF012  never changed
    whole: bool = True
    elsewhere: tuple[str, ...] = ELSEWHERE


def erase_memories(project: OpenProject, ids: Sequence[str]) -> Erased:
    """Erase memories and every other occurrence of their texts."""
    project.must_be_writable()
    records = {record.id: record for record in (_find(project, one) for one in ids)}
    return _erase(project, list(records.values()), [t for r in records.values() for t in _sayings(r)])


def erase_text(project: OpenProject, text: str) -> Erased:
    """Erase a text everywhere, and every memory that contains it.

    Raises:
        InvalidInput: the text is too short or too common.
    """
    project.must_be_writable()
    if not _is_findable(text):
        raise InvalidInput(
            f"{text!r} is too common to be erased everywhere",
            hint="Give several words, or one with a capital letter, a digit or a symbol.",
        )
    forms = [form.casefold() for form in erase.written_forms(text)]
    said = [
        record
        for store in project.stores()
        for record in store.db.memories.get_many(store.db.selections.all()).values()
        if any(form in "\n".join(_sayings(record)).casefold() for form in forms)
    ]
    return _erase(project, said, [text, *(t for record in said for t in _sayings(record))])


def erase_session(project: OpenProject, session_id: str) -> Erased:
    """Erase a conversation or an agent's session: its log, its summaries, and memories learned only from it.

    Its lines in the daily notes and its archives are erased too. A summary that a model wrote into the
    history uses other words: `erase_text` erases that.

    Raises:
        NotFound: there is no such session.
    """
    project.must_be_writable()
    log = project.sessions_folder / f"{safe_name(session_id)}{SUFFIX}"
    said = project.db.injections.latest(ALL, session_id)
    seen = {*project.db.sessions.seen(), *(one.session_id for one in said)}
    known = sorted(one for one in seen if session_id in (one, one.partition(":")[2]))
    if not (log.exists() or known):
        raise NotFound(f"there is no session {session_id!r}", hint="`remora session list` shows them.")
    own = {session_id, *(one.partition(":")[2] for one in known)}
    only = [
        record
        for record in project.db.memories.get_many(project.db.selections.all()).values()
        if {record.session_id, *record.provenance_session_ids} <= own and record.session_id is not None
    ]
    texts = [text for record in only for text in _sayings(record)]
    if log.exists():
        texts += _noted(Session(project, session_id).history())
    archives, others = _archives(project, session_id)
    retold = [line for one in archives for line in one.content.splitlines()]
    retold += _in_history(project, session_id)
    shared = {line for one in others for line in one.content.splitlines()}
    texts += [line for line in retold if len(line) >= A_LINE and line not in shared]
    for one in archives:
        project.entries().remove(one.name)
    done = _erase(project, only, texts, sessions=[session_id, *known])
    for path in (log, *_files_of(project, known)):
        _overwrite_whole(path)
    return done._replace(sessions=1)


def _noted(messages: Sequence[Message]) -> list[str]:
    """Return the exchanges of a conversation as the daily notes hold them, without the time."""
    found, asked = [], ""
    for message in messages:
        if message.role == "user":
            asked = message.content
        elif message.role == "assistant" and asked and message.content.strip():
            line = note_line(asked, message.content, datetime.min)
            found.append(line.partition("] ")[2].rstrip("\n"))
    return found


def _in_history(project: OpenProject, session_id: str) -> Iterator[str]:
    """Yield the lines of the history entries that name a conversation."""
    named = re.compile(rf" in {re.escape(session_id)}, extracted without a model")
    for entry in history.entries(project.memory_folder, []):
        if named.search(entry.text):
            yield from entry.text.splitlines()


def _archives(project: OpenProject, session_id: str) -> tuple[list[Entry], list[Entry]]:
    """Return the archives of a conversation, and all others."""
    name = re.compile(re.escape(archive_name(session_id, ())).removesuffix("1") + r"\d+")
    own: list[Entry] = []
    others: list[Entry] = []
    with suppress(NotFound):
        for one in project.entries().entries("archive"):
            (own if name.fullmatch(one.name) else others).append(one)
    return own, others


def erase_project(project: OpenProject) -> Erased:
    """Delete a project's home and the live files of its sessions; closes the project."""
    project.must_be_writable()
    home = project.location.home
    sessions = [Path(path) for path, _ in live.files_of(str(project.location.home), project.environ)]
    project.close()
    for path in (*_all_files(home), *sessions):
        _overwrite_whole(path)
    with os_errors(home, "remove"):
        shutil.rmtree(home, ignore_errors=False)
    return Erased()


def erase_everything(project: OpenProject) -> Erased:
    """Delete the data folder with all projects and the user's memories; closes the project."""
    project.must_be_writable()
    data, home = data_dir(project.environ), project.location.home
    project.close()
    folders = [data] if home.is_relative_to(data) else [data, home]
    for folder in folders:
        for path in _all_files(folder):
            _overwrite_whole(path)
        with os_errors(folder, "remove"):
            shutil.rmtree(folder, ignore_errors=False)
    return Erased()


def scrub_when_due(project: OpenProject) -> bool:
    """Overwrite the bytes that an erasure left in the databases; return False if other processes hold one."""
    return all(_scrubbed(store) for store in project.stores() if store.db.meta.get(SCRUB))


def _erase(
    project: OpenProject, records: Sequence[MemoryRecord], texts: Sequence[str], sessions: Sequence[str] = ()
) -> Erased:
    now = to_iso(project.clock.now())
    mark = f"[erased {now[:10]}]"
    wanted = sorted(set(filter(_is_findable, texts)), key=len, reverse=True)
    found = _in_files(project, wanted, mark)
    found |= _in_entries(project, wanted, mark)
    found |= _in_items(project, wanted, mark)
    project.accesses.flush(wait=None)
    forms = [form for text in wanted for form in erase.written_forms(text)]
    for store in project.stores():
        own = [r for r in records if r.realm == store.db.realm]
        with store.db.transaction():
            store.db.meta.set(SCRUB, now)
            quotes = [row.content for row in store.db.notes.latest("quote", ALL)]
            keep_erased(store.db, [*texts, *(q for q in quotes if any(form in q for form in forms))], now)
            for record in own:
                if record.external_id is not None:
                    keep_forgotten(store.db, record.external_id, now)
            erase.memories(store.db, [record.id for record in own])
            store.db.cache.clear()  # vectors encode the erased texts
            for session in sessions:
                for row in store.db.notes.of_path(f"{SESSION}{session}"):
                    keep_forgotten(store.db, origin(row.path, row.content), now)
                erase.session(store.db, session)
            for table, number in erase.texts(store.db.connection, wanted, mark).items():
                found[table] = found.get(table, 0) + number
    whole = scrub_when_due(project)
    _in_files(project, wanted, mark)  # another process may have written a text back meanwhile
    return Erased(len(records), len(sessions), found, whole)


def _find(project: OpenProject, memory_id: str) -> MemoryRecord:
    for store in project.stores():
        with suppress(NotFound):
            return resolve(store.db, memory_id)
    raise NotFound(f"there is no memory {memory_id!r}", hint="`remora list --all` shows the ids.")


def _is_findable(text: str) -> bool:
    """Return whether a text may be erased everywhere: a short or plain word also occurs in keys and roles."""
    return len(text.strip()) >= LEAST and _WORD.fullmatch(text.strip()) is None


def _sayings(record: MemoryRecord) -> list[str]:
    """Return the content of a memory and the texts of its origins, each once."""
    said = [record.content, *(origin.text for origin in record.origins if origin.text)]
    return list(dict.fromkeys(said))


# Files


def _in_files(project: OpenProject, texts: Sequence[str], mark: str) -> dict[str, int]:
    """Overwrite texts in every file of ours; return the number of occurrences by file name."""
    found: dict[str, int] = {}
    forms = [form.encode("utf-8", "surrogatepass") for text in texts for form in erase.written_forms(text)]
    for path in _our_files(project):
        if number := _overwrite(path, forms, mark.encode()):
            found[path.name] = number
    return found


def _our_files(project: OpenProject) -> Iterator[Path]:
    """Yield the text files of the project, and those that all projects share."""
    data, home = data_dir(project.environ), project.location.home
    yield from (p for p in _all_files(home) if not p.name.endswith(KEPT_APART))
    others = data / "projects"
    for path in _all_files(data):
        apart = path.is_relative_to(others) or path.is_relative_to(home)
        if not apart and not path.name.endswith((*KEPT_APART, ".onnx")):
            yield path


def _all_files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
        if path.is_file() and not path.is_symlink():
            yield path


def _files_of(project: OpenProject, sessions: Iterable[str]) -> Iterator[Path]:
    """Yield the live and captured files of sessions, each named "host:session"."""
    for one in sessions:
        host, _, session = one.partition(":")
        name = live.file_name(host, session)
        yield Path(live.folder(project.environ)) / name
        yield project.location.home / CAPTURED / name


def _overwrite(path: Path, forms: Sequence[bytes], mark: bytes) -> int:
    """Overwrite texts in place with as many bytes; return the number of occurrences."""
    try:
        data = path.read_bytes()
    except OSError:
        return 0
    places = [(at, len(form)) for form in forms for at in _places(data, form)]
    if path.suffix in (".jsonl", ".json"):
        places = [(at, size) for at, size in places if _KEY.match(data, at + size) is None]
    if not places:
        return 0
    with os_errors(path, "erase in"), path.open("r+b") as file:
        for at, size in places:
            file.seek(at)
            file.write(mark.ljust(size)[:size] if size >= len(mark) else b"*" * size)
        file.flush()
        os.fsync(file.fileno())
    return len(places)


def _places(data: bytes, form: bytes) -> Iterator[int]:
    at = data.find(form)
    while at >= 0:
        yield at
        at = data.find(form, at + len(form))


def _overwrite_whole(path: Path) -> None:
    """Overwrite a file with zeros and remove it."""
    with os_errors(path, "erase"), suppress(FileNotFoundError):
        with path.open("r+b") as file:
            file.write(b"\0" * path.stat().st_size)
            file.flush()
            os.fsync(file.fileno())
        path.unlink()


# Entries and items


def _in_entries(project: OpenProject, texts: Sequence[str], mark: str) -> dict[str, int]:
    """Erase texts in notes and archives; an entry with a text in its name is removed."""
    found = 0
    with suppress(NotFound):
        entries = project.entries()
        for entry in entries.entries():
            if any(text in name for text in texts for name in (entry.name, *entry.aliases)):
                entries.remove(entry.name)
                found += 1
                continue
            content = entry.content
            for text in texts:
                content = content.replace(text, mark)
            if content != entry.content:
                entries.write(entry.name, content)
                found += 1
    return {"entries": found} if found else {}


def _in_items(project: OpenProject, texts: Sequence[str], mark: str) -> dict[str, int]:
    """Erase texts in the items database, which programs write to."""
    path = project.location.home / "items.db"
    if not path.exists():
        return {}
    with closing(Items.open(path)) as items:
        with items.connection.transaction():
            found = erase.texts(items.connection, texts, mark)
        items.connection.scrub()
    return found


# The databases


def _scrubbed(store: Store) -> bool:
    for attempt in range(TRIES):
        if store.db.connection.scrub():
            with store.db.transaction():
                store.db.meta.remove(SCRUB)
            return True
        time.sleep(0.05 * attempt)
    return False
