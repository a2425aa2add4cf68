"""Import the files of another memory system, each item once; existing data is never changed.

A reader (`sources.others`) reads them. Notes, history, daily notes, conversations and the long-term memory
are stored first, memories and their relations last. The other system's files are only read.

Imported items are recorded by digests, so that items edited or forgotten here stay so. An entry, a memory or
a long-term memory that has another text at a later import counts as known. After a crash, repeated items are
recognised when they are stored: a message or a memory by its id, an entry by its name and text, a line by its
words.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from remora.conversation.log import SessionLog
from remora.core.change import acting
from remora.core.clock import FixedClock
from remora.core.errors import Conflict, InvalidInput, NotFound, RemoraError
from remora.core.secrets import redact
from remora.core.values import Message, Redaction, Relation, Skipped
from remora.disk.files import append_line, lock
from remora.entries.table import Add
from remora.journal.files import Journal
from remora.journal.history import entries as history_entries
from remora.lifecycle.redaction import holds_secret, redact_json

if TYPE_CHECKING:
    from pathlib import Path

    from remora.app.project.open_project import OpenProject, Store
    from remora.core.values import MemoryDraft
    from remora.sources.others.import_result import Count, Found, FoundSession

Progress = Callable[[str, int, int], None]
LEDGER = "moved:"  # prefix of a meta key; the system follows: digests of imported names and lines
FROM = "from"  # metadata of a session: the system of its origin
BATCH = 200  # memories stored in one transaction
OF_USER = "scope:user"  # tag of memories that the other system declares valid in every project


class MoveReport(NamedTuple):
    """The result of an import from one system.

    Attributes:
        system: the system of the files.
        path: the path of the files.
        new: number of new items by kind.
        known: number of items by kind that had been imported, or existed here, before.
        updated: always empty: an import changes no existing item.
        counts: number of items by kind that the reader saw, took and left out.
        skipped: items that were not imported, each with its place and the reason.
        remarks: notes on items that were imported in another form.
        redactions: secrets that were removed, by kind.
        dry_run: nothing was stored; `new` counts the items that would be examined.
        seconds: duration.
    """

    system: str
    path: str
    new: dict[str, int]
    known: dict[str, int]
    updated: dict[str, int]
    counts: tuple[Count, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    remarks: tuple[str, ...] = ()
    redactions: tuple[Redaction, ...] = ()
    dry_run: bool = False
    seconds: float = 0.0


@acting("system:import")
def move_in(
    project: OpenProject,
    path: Path,
    system: str | None = None,
    *,
    of_project: str | None = None,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> MoveReport:
    """Import the files of another system at a path; see `Memory.move_in`."""
    from remora.sources.others.formats import read

    started = time.monotonic()
    _refuse_our_own(project, path)
    system = _chosen(path, system)
    found = read(path, system, now=project.clock.now(), project=of_project)
    if dry_run:
        taken = {c.kind: c.taken for c in found.counts if c.taken}
        return MoveReport(
            system, str(path), taken, {}, {}, found.counts, found.skipped, found.remarks, (), dry_run=True
        )
    with lock(project.location.home / "moving", timeout=60.0):
        move = Move(project, found, progress or (lambda *_: None))
        move.all()
    return MoveReport(
        system,
        str(path),
        dict(move.new),
        dict(move.known),
        {},
        found.counts,
        (*found.skipped, *move.failed),
        found.remarks,
        tuple(Redaction(kind, number) for kind, number in sorted(move.secrets.items())),
        seconds=time.monotonic() - started,
    )


def _refuse_our_own(project: OpenProject, path: Path) -> None:
    """Refuse the data folder: our own journal looks like that of a supported system."""
    ours = project.user_home.parent.resolve()
    if path.resolve().is_relative_to(ours) or path.resolve().is_relative_to(project.location.home.resolve()):
        raise InvalidInput(f"{path} belongs to Remora", hint="Name a folder of the other system.")


def _chosen(path: Path, system: str | None) -> str:
    """Return the given system, or the one detected at a path.

    Raises:
        NotFound: the path has no files of a supported system.
        InvalidInput: the system is unknown, or none was given and the path has files of several.
    """
    from remora.sources.others.formats import SYSTEMS, detect

    if system is not None:
        if system not in SYSTEMS:
            raise InvalidInput(
                f"there is no reader for {system!r}", hint=f"Choose one of {', '.join(SYSTEMS)}."
            )
        return system
    there = detect(path)
    if not there:
        raise NotFound(
            f"{path} has no files of a supported system",
            hint=f"To read them anyway, name the system: {', '.join(SYSTEMS)}.",
        )
    if len(there) > 1:
        raise InvalidInput(f"{path} matches several systems: {', '.join(there)}", hint="Name the system.")
    return there[0]


class Move:
    """The import of one system's items into the stores of a project."""

    def __init__(self, project: OpenProject, found: Found, progress: Progress) -> None:
        self._project = project
        self._found = found
        self._progress = progress
        self._own = project.store("project")
        self._came_over = set(self._own.db.meta.get(LEDGER + found.system) or ())
        self.new: Counter[str] = Counter()
        self.known: Counter[str] = Counter()
        self.failed: list[Skipped] = []
        self.secrets: Counter[str] = Counter()

    def all(self) -> None:
        """Store everything, the journal's files and notes first, memories and their relations last."""
        try:
            self._longterm()
            self._history()
            self._daily()
            self._entries()
            self._sessions()
        finally:
            self._save()
        self._memories()
        self._links()

    # Files

    def _longterm(self) -> None:
        kind, text = "long-term memory", self._clean(self._found.longterm).strip()
        if not text:
            return
        if self._came("longterm"):
            self.known[kind] += 1
            return

        def joined(before: str) -> str | None:
            if text in before:
                return None
            head = f"## From {self._found.system}"
            return f"{before.rstrip()}\n\n{head}\n\n{text}" if before.strip() else text

        changed = self._project.journal().change_memory(lambda reading: joined(reading.text))
        (self.new if changed else self.known)[kind] += 1
        self._note("longterm")

    def _history(self) -> None:
        events = [(e.time, self._clean(e.text).strip()) for e in self._found.history]
        fresh = [e for e in events if not self._came(f"history:{e[0]}\n{e[1]}")]
        here = {(e.time, e.text) for e in history_entries(self._project.memory_folder)} if fresh else set()
        for number, (at, text) in enumerate(fresh, 1):
            if (at, text) not in here:
                Journal(self._project.memory_folder, FixedClock(at)).append_history(text)
                self.new["history"] += 1
            self._note(f"history:{at}\n{text}")
            self._progress("history entries", number, len(fresh))
        self.known["history"] += len(events) - self.new["history"]

    def _daily(self) -> None:
        for day in self._found.daily:
            path = self._project.memory_folder / f"{day.date}.md"
            with lock(self._project.memory_folder / ".daily"):
                try:
                    here = set(path.read_text("utf-8-sig", "replace").splitlines())
                except FileNotFoundError:
                    here = set()
                lines = [self._clean(line).rstrip() for line in day.lines]
                fresh = [
                    line for line in lines if line not in here and not self._came(f"daily:{day.date}\n{line}")
                ]
                if fresh:
                    append_line(path, "".join(f"{line}\n" for line in fresh))
            for line in fresh:
                self._note(f"daily:{day.date}\n{line}")
            self.new["daily lines"] += len(fresh)
            self.known["daily lines"] += len(lines) - len(fresh)

    def _entries(self) -> None:
        store = self._project.entries()
        taken: set[str] = set()
        fresh: list[tuple[str, Add]] = []  # an origin, and the operation that imports it

        def free(name: str) -> bool:
            return name not in taken and store.get(name) is None

        for entry in self._found.entries:
            wanted, content = self._clean(entry.name), self._clean(entry.content)
            origin = f"entry:{wanted}"
            if self._is_here(wanted, content) or self._came(origin):
                self.known["entries"] += 1
                self._note(origin)
                continue
            name = next(filter(free, _names(wanted, self._found.system)))
            others = dict.fromkeys(map(self._clean, entry.aliases))
            aliases = tuple(a for a in others if a != name and free(a))
            taken.update((name, *aliases))
            fresh.append((origin, Add(name, content, entry.kind, aliases, entry.created_at)))
        if not fresh:
            return
        added = self._added([operation for _, operation in fresh])
        for origin, operation in fresh:
            if operation.name in added:
                self._note(origin)
                self.new["entries"] += 1
        self._progress("notes", len(fresh), len(fresh))

    def _is_here(self, name: str, content: str) -> bool:
        """Return whether there is an entry with this text under one of the names that it may get."""
        for candidate in _names(name, self._found.system):
            here = self._project.entries().get(candidate)
            if here is None or here.content == content:
                return here is not None
        return False

    def _added(self, batch: Sequence[Add]) -> set[str]:
        """Add entries with one write, or one by one if one is refused; return the names of the added ones."""
        store = self._project.entries()
        try:
            store.add_all(batch)
            return {entry.name for entry in batch}
        except (InvalidInput, Conflict, NotFound):
            added = set()
        for entry in batch:
            try:
                store.add_all([entry])
                added.add(entry.name)
            except (InvalidInput, Conflict, NotFound) as error:
                self.failed.append(Skipped(f"entry {entry.name}", str(error)))
        return added

    # Conversations

    def _sessions(self) -> None:
        for number, session in enumerate(self._found.sessions, 1):
            try:
                self._session(session)
            except RemoraError as error:
                self.failed.append(Skipped(f"session {redact(session.id).text}", str(error)))
            self._progress("conversations", number, len(self._found.sessions))

    def _session(self, session: FoundSession) -> None:
        if holds_secret(session.id):
            raise InvalidInput("its id holds a secret")
        log = SessionLog(
            self._project.sessions_folder,
            session.id,
            self._project.clock,
            created_at=session.created_at or None,
        )
        begun = log.total() == 0
        clean = [redact_json(dict(m), self.secrets) for m in session.messages]
        added = log.add(clean)
        fresh = len(added.messages) - len(added.repeated)
        self.new["messages"] += fresh
        self.known["messages"] += len(added.repeated)
        (self.new if begun else self.known)["sessions"] += 1
        if log.total() == len(added.messages) and FROM not in log.metadata:
            self._as_it_was(session, log, added.messages)

    def _as_it_was(self, session: FoundSession, log: SessionLog, messages: Sequence[Message]) -> None:
        """Set the consolidation mark and the state that a session had.

        The system of origin is set last: without it, a crash came in between.
        """
        if session.consolidated:
            log.mark_consolidated(messages[session.consolidated - 1].seq)
        if session.state:
            log.set_state(session.state)
        log.update_metadata({FROM: self._found.system})

    # Memories

    def _memories(self) -> None:
        for realm in ("project", "user"):
            store = self._project.store(realm)
            drafts = [d for d in self._found.drafts if (OF_USER in d.tags) == (realm == "user")]
            fresh = [draft for draft in drafts if not self._is_stored(draft, store)]
            for start in range(0, len(fresh), BATCH):
                batch = fresh[start : start + BATCH]
                with store.db.transaction():
                    for draft in batch:
                        self._store(draft, store)
                self._save()
                self._progress("memories", start + len(batch), len(fresh))

    def _is_stored(self, draft: MemoryDraft, store: Store) -> bool:
        """Return whether a memory was imported before, so that the intake does not replace its text."""
        origin = f"memory:{draft.external_id}"
        here = store.db.memories.with_external_id(draft.external_id or "")
        if here is None and not self._came(origin):
            return False
        self.known["memories"] += 1
        self._note(origin)
        return True

    def _store(self, draft: MemoryDraft, store: Store) -> None:
        """Store a memory; an invalid one does not stop the others."""
        try:
            receipt = store.intake.remember(draft, revive=False).receipt
        except InvalidInput as error:
            self.failed.append(Skipped(f"memory {draft.external_id}", str(error)))
            return
        self._note(f"memory:{draft.external_id}")
        stored = receipt is None or receipt.action == "stored"
        (self.new if stored else self.known)["memories"] += 1
        self.secrets.update(dict(receipt.redactions if receipt is not None else ()))

    def _links(self) -> None:
        memories = self._own.db.memories
        for link in self._found.links:
            source, target = memories.with_external_id(link.source), memories.with_external_id(link.target)
            if source is None or target is None or source.id == target.id:
                continue
            relation = Relation(link.relation_type, target.id, None, link.confidence, auto_extracted=True)
            there = any((r.relation_type, r.target_memory_id) == relation[:2] for r in source.relations)
            origin = f"relation:{link.source}\n{link.relation_type} {link.target}"
            if there or self._came(origin):
                self.known["relations"] += 1
                self._note(origin)
                continue
            try:
                self._own.upkeep.edit(source.id, {"relations": (*source.relations, relation)})
            except RemoraError as error:
                self.failed.append(Skipped(f"relation of {link.source}", str(error)))
                continue
            self.new["relations"] += 1
            self._note(origin)
        self._save()

    # Records of imports

    def _clean(self, text: str) -> str:
        clean = redact(text)
        self.secrets.update(dict(clean.redactions))
        return clean.text

    def _came(self, origin: str) -> bool:
        """Return whether an item was imported before, even if it was changed or removed here."""
        return digest(origin) in self._came_over

    def _note(self, origin: str) -> None:
        self._came_over.add(digest(origin))

    def _save(self) -> None:
        self._own.db.meta.set(LEDGER + self._found.system, sorted(self._came_over))


def _names(name: str, system: str) -> Iterator[str]:
    """Yield the names that an entry may get, the best first."""
    yield name
    yield f"{name} (from {system})"
    for number in count(2):
        yield f"{name} (from {system} {number})"


def digest(text: str) -> str:
    """Return a 12-byte hexadecimal digest of a text."""
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=12).hexdigest()
