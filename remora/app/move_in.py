"""Bring over what another memory system left on disk.

A reader (`sources.others`) says what is there; here it is stored: memories and their relations, notes
and archives, conversations with their boundaries, history, daily notes and the long-term memory. The
other system's files are only read.

Doing it again brings over what is new. What came over is noted by a digest under its own name, so that
a memory that was edited or forgotten here since stays so. A crash in between repeats at most what is
recognised where it is stored: a message by its id, an entry by its name and text, a line by its words.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from remora.conversation.log import SessionLog
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

    from remora.app.wiring import Parts
    from remora.core.values import MemoryDraft
    from remora.sources.others.found import Count, Found, FoundSession

Progress = Callable[[str, int, int], None]
LEDGER = "moved:"  # meta key, with the system behind it: digests of what came over, with its name
FROM = "from"  # metadata of a session: the system that it came from
BATCH = 200  # memories stored in one transaction
_HEADING = re.compile(r" {0,3}#{1,6}\s")
_UNIT = re.compile(  # a line, or a fenced block with all its lines
    r"^ {0,3}(`{3,}|~{3,})[^\n]*\n(?:.*?^ {0,3}\1[^\n]*$|.*)|^[^\n]+$", re.MULTILINE | re.DOTALL
)
ENTRIES_TOGETHER = 2_000  # entries added with one write of their file
OF_USER = "scope:user"  # a tag of what is true in every project, where the other system says so
GONE = "What was said before is not in the files that were moved in."


class MoveReport(NamedTuple):
    """What moving in from one system did.

    Attributes:
        system: whose files they are.
        path: where they lie.
        new: how many of each kind came over now.
        known: how many of each kind had come over, or were here, before.
        counts: how many of each kind the reader saw, took and left out.
        skipped: what did not come over, each with its place and the reason.
        remarks: what came over otherwise than it was.
        redactions: secrets that were taken out, by kind.
        dry_run: nothing was stored; `new` is what would be looked at.
        seconds: how long it took.
    """

    system: str
    path: str
    new: dict[str, int]
    known: dict[str, int]
    counts: tuple[Count, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    remarks: tuple[str, ...] = ()
    redactions: tuple[Redaction, ...] = ()
    dry_run: bool = False
    seconds: float = 0.0


def move_in(
    parts: Parts,
    path: Path,
    system: str | None = None,
    *,
    project: str | None = None,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> MoveReport:
    """Store what another system left at a path; see `Memory.move_in`."""
    from remora.sources.others.formats import read

    started = time.monotonic()
    _refuse_our_own(parts, path)
    system = _chosen(path, system)
    found = read(path, system, now=parts.clock.now(), project=project)
    if dry_run:
        taken = {c.kind: c.taken for c in found.counts if c.taken}
        return MoveReport(
            system, str(path), taken, {}, found.counts, found.skipped, found.remarks, (), dry_run=True
        )
    with lock(parts.project.home / "moving", timeout=60.0):
        move = _Move(parts, found, progress or (lambda *_: None))
        move.all()
    return MoveReport(
        system,
        str(path),
        dict(move.new),
        dict(move.known),
        found.counts,
        (*found.skipped, *move.failed),
        found.remarks,
        tuple(Redaction(kind, number) for kind, number in sorted(move.secrets.items())),
        seconds=time.monotonic() - started,
    )


def _refuse_our_own(parts: Parts, path: Path) -> None:
    """Refuse the data folder: our own journal looks like that of a system it was learnt from."""
    ours = parts.user_home.parent.resolve()
    if path.resolve().is_relative_to(ours) or path.resolve().is_relative_to(parts.project.home.resolve()):
        raise InvalidInput(f"{path} is Remora's own", hint="Name a folder of the other system.")


def _chosen(path: Path, system: str | None) -> str:
    """Return the system that is meant.

    Raises:
        NotFound: there is nothing, or nothing that a reader knows.
        InvalidInput: several systems left something there, and none was named.
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
            f"{path} holds nothing of a system that can be read",
            hint=f"Name the system if it does: {', '.join(SYSTEMS)}.",
        )
    if len(there) > 1:
        raise InvalidInput(f"{path} may be of {' or '.join(there)}", hint="Say of which.")
    return there[0]


class _Move:
    """One system's things on their way into the stores of a project."""

    def __init__(self, parts: Parts, found: Found, progress: Progress) -> None:
        self._parts = parts
        self._found = found
        self._progress = progress
        self._room = parts.room("project")
        self._called: dict[str, str] = {}  # what entries are called here, by their names there
        self._came_over: set[str] = set(self._room.space.meta.get(LEDGER + found.system) or ())
        self.new: Counter[str] = Counter()
        self.known: Counter[str] = Counter()
        self.failed: list[Skipped] = []
        self.secrets: dict[str, int] = {}

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
        text = self._clean(self._found.longterm).strip()
        if not text:
            return
        units = [unit[0].rstrip() for unit in _UNIT.finditer(text) if unit[0].strip()]
        came = {unit for unit in units if self._came("longterm", unit)}
        head = f"## From {self._found.system}"

        def joined(before: str) -> str | None:
            if not came:
                added = "" if text in before else text
            else:  # it has grown since: what is new in it, under its headings
                added = _under_headings(units, came.union(before.splitlines()))
            if not added:
                return None
            return f"{before.rstrip()}\n\n{head}\n\n{added}" if before.strip() else added

        changed = len(came) < len(set(units)) and self._journal().change_memory(
            lambda reading: joined(reading.text)
        )
        (self.new if changed else self.known)["long-term memory"] += 1
        for unit in units:
            self._note("longterm", unit)

    def _history(self) -> None:
        events = [(e.time, self._clean(e.text).strip()) for e in self._found.history]
        fresh = [e for e in events if not self._came(f"history:{e[0]}", e[1])]
        here = {(e.time, e.text) for e in history_entries(self._parts.memory_folder)} if fresh else set()
        for number, (at, text) in enumerate(fresh, 1):
            if (at, text) not in here:
                Journal(self._parts.memory_folder, FixedClock(at)).append_history(text)
                self.new["history"] += 1
            self._note(f"history:{at}", text)
            self._progress("history entries", number, len(fresh))
        self.known["history"] += len(events) - self.new["history"]

    def _daily(self) -> None:
        for day in self._found.daily:
            path = self._parts.memory_folder / f"{day.date}.md"
            with lock(self._parts.memory_folder / ".daily"):
                try:
                    here = set(path.read_text("utf-8-sig", "replace").splitlines())
                except FileNotFoundError:
                    here = set()
                lines = [self._clean(line).rstrip() for line in day.lines]
                fresh = [
                    line for line in lines if line not in here and not self._came(f"daily:{day.date}", line)
                ]
                if fresh:
                    append_line(path, "".join(f"{line}\n" for line in fresh))
            for line in fresh:
                self._note(f"daily:{day.date}", line)
            self.new["daily lines"] += len(fresh)
            self.known["daily lines"] += len(lines) - len(fresh)

    def _entries(self) -> None:
        store = self._parts.entries()
        taken: set[str] = set()
        fresh: list[tuple[str, str, Add]] = []

        def free(name: str) -> bool:
            return name not in taken and store.get(name) is None

        for entry in self._found.entries:
            wanted, content = self._clean(entry.name), self._clean(entry.content)
            key, here = f"entry:{wanted}", self._as_here(wanted, content)
            self._called[entry.name] = here
            if here or self._came(key, content):
                self.known["entries"] += 1
                self._note(key, content)
                continue
            name = self._called[entry.name] = next(filter(free, _names(wanted, self._found.system)))
            others = dict.fromkeys(map(self._clean, entry.aliases))
            aliases = tuple(a for a in others if a != name and free(a))
            taken.update((name, *aliases))
            fresh.append((key, content, Add(name, content, entry.kind, aliases, entry.created_at)))
        for start in range(0, len(fresh), ENTRIES_TOGETHER):
            batch = fresh[start : start + ENTRIES_TOGETHER]
            for one in self._added(batch):
                self._note(*one)
                self.new["entries"] += 1
            self._progress("notes", min(start + ENTRIES_TOGETHER, len(fresh)), len(fresh))

    def _as_here(self, name: str, content: str) -> str:
        """Return the name under which an entry is here, as it is there; empty if it is not."""
        for candidate in _names(name, self._found.system):
            here = self._parts.entries().get(candidate)
            if here is None:
                return ""
            if here.content == content:
                return candidate
        return ""

    def _added(self, batch: Sequence[tuple[str, str, Add]]) -> list[tuple[str, str]]:
        """Add entries with one write, or one by one where one of them is refused; return what was added."""
        store = self._parts.entries()
        try:
            store.apply(*(operation for _, _, operation in batch))
            return [(key, content) for key, content, _ in batch]
        except (InvalidInput, Conflict):
            added = []
        for key, content, operation in batch:
            try:
                store.apply(operation)
                added.append((key, content))
            except (InvalidInput, Conflict) as error:
                self.failed.append(Skipped(f"entry {operation.name}", str(error)))
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
            self._parts.sessions_folder,
            session.id,
            self._parts.clock,
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
        """Set the boundary, the mark of the journal, the state and the title that a session had.

        Whose it was is said last: where that is missing, a crash came in between.
        """
        if session.consolidated:
            log.mark_consolidated(messages[session.consolidated - 1].seq)
        if session.context_from and log.boundary is None:
            called = self._called.get(session.archive_name)
            archive = self._parts.entries().get(called) if called else None
            summary = session.summary or (archive.content if archive is not None else "") or GONE
            kept = session.context_from
            kept_from = messages[kept].seq if kept < len(messages) else messages[-1].seq + 1
            log.compact(self._clean(summary), kept_from, archive_name=archive.name if archive else None)
        if session.state:
            log.set_state(session.state)
        title = self._clean(session.title)
        log.update_metadata({FROM: self._found.system, **({"title": title} if title else {})})

    # Memories

    def _memories(self) -> None:
        fresh = [d for d in self._found.drafts if not self._came(f"memory:{d.external_id}", d.content)]
        self.known["memories"] += len(self._found.drafts) - len(fresh)
        for realm in ("project", "user"):
            own = [d for d in fresh if (OF_USER in d.tags) == (realm == "user")]
            for start in range(0, len(own), BATCH):
                batch = own[start : start + BATCH]
                try:
                    self._store(batch, realm)
                except InvalidInput:
                    for draft in batch:  # a bad one never takes a good one with it
                        try:
                            self._store([draft], realm)
                        except InvalidInput as error:
                            self.failed.append(Skipped(f"memory {draft.external_id}", str(error)))
                self._progress("memories", min(start + BATCH, len(own)), len(own))

    def _store(self, drafts: Sequence[MemoryDraft], realm: str) -> None:
        records = self._parts.room(realm).intake.remember_many(drafts, revive=False)
        for draft in drafts:
            self._note(f"memory:{draft.external_id}", draft.content)
        self._save()
        for record in records:
            receipt = record.receipt
            stored = receipt is None or receipt.action == "stored"
            (self.new if stored else self.known)["memories"] += 1
            for redaction in receipt.redactions if receipt is not None else ():
                self.secrets[redaction.kind] = self.secrets.get(redaction.kind, 0) + redaction.count

    def _links(self) -> None:
        memories = self._room.space.memories
        for link in self._found.links:
            source, target = memories.with_external_id(link.source), memories.with_external_id(link.target)
            if source is None or target is None or source.id == target.id:
                continue
            relation = Relation(link.relation_type, target.id, None, link.confidence, auto_extracted=True)
            there = any((r.relation_type, r.target_memory_id) == relation[:2] for r in source.relations)
            key = f"relation:{link.source}", f"{link.relation_type} {link.target}"
            if there or self._came(*key):
                self.known["relations"] += 1
                self._note(*key)
                continue
            try:
                self._room.upkeep.edit(source.id, {"relations": (*source.relations, relation)})
            except RemoraError as error:
                self.failed.append(Skipped(f"relation of {link.source}", str(error)))
                continue
            self.new["relations"] += 1
            self._note(*key)
        self._save()

    # What came over

    def _journal(self) -> Journal:
        return self._parts.journal()

    def _clean(self, text: str) -> str:
        clean = redact(text)
        for kind, number in clean.redactions:
            self.secrets[kind] = self.secrets.get(kind, 0) + number
        return clean.text

    def _came(self, name: str, text: str) -> bool:
        """Return whether something came over before, whatever became of it here."""
        return _key(name, text) in self._came_over

    def _note(self, name: str, text: str) -> None:
        self._came_over.add(_key(name, text))

    def _save(self) -> None:
        with self._room.space.db.transaction():
            self._room.space.meta.set(LEDGER + self._found.system, sorted(self._came_over))


def _under_headings(units: Sequence[str], known: Collection[str]) -> str:
    """Return the lines and fenced blocks that are not known, each below the heading it stands under."""
    found: list[str] = []
    heading = ""
    for unit in units:
        if _HEADING.match(unit):
            heading = unit
        elif unit not in known:
            found += [heading, unit] if heading else [unit]
            heading = ""
    return "\n".join(found)


def _key(name: str, text: str) -> str:
    return hashlib.blake2b(f"{name}\n{text}".encode("utf-8", "replace"), digest_size=12).hexdigest()


def _names(name: str, system: str) -> Iterator[str]:
    """Yield the names that an entry may get, the best first."""
    yield name
    yield f"{name} (from {system})"
    for number in count(2):
        yield f"{name} (from {system} {number})"
