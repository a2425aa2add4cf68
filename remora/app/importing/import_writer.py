"""Store the items that a reader found in another system: each once, and changed ones with their newer text.

Files and notes come first, memories and their relations last. Imported items are recorded by digests, so
that items edited or forgotten here stay so; `import_ledger` has the digests of items that can be updated.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import count, islice
from typing import TYPE_CHECKING

from remora.app.importing.import_ledger import META, Origins, digest, earlier
from remora.conversation.log import SessionLog
from remora.core.clock import FixedClock
from remora.core.errors import Conflict, InvalidInput, NotFound, RemoraError
from remora.core.fences import fence_after
from remora.core.secrets import redact
from remora.core.values import Message, Redaction, Relation, Skipped
from remora.disk.files import append_line, lock
from remora.entries.table import Add, Write
from remora.journal.files import Journal
from remora.journal.history import entries as history_entries
from remora.lifecycle.redaction import holds_secret, redact_json

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject
    from remora.core.values import MemoryDraft, MemoryRecord
    from remora.sources.others.import_result import Found, FoundSession

Progress = Callable[[str, int, int], None]
Fresh = tuple[str, str, Add | Write]  # an origin, its text, and the operation that imports it
LEDGER = "moved:"  # prefix of a meta key; the system follows: digests of imported names and texts
FROM = "from"  # metadata of a session: the system of its origin
BATCH = 200  # memories stored in one transaction
_HEADING = re.compile(r" {0,3}#{1,6}\s")
ENTRIES_TOGETHER = 2_000  # entries added with one write of their file
NAMES_TRIED = 4  # names under which an imported entry is looked for
OF_USER = "scope:user"  # tag of memories that the other system declares valid in every project


class Move:
    """The import of one system's items into the stores of a project."""

    def __init__(self, project: OpenProject, found: Found, progress: Progress) -> None:
        self._project = project
        self._found = found
        self._progress = progress
        self._own = project.store("project")
        self._before: dict[str, MemoryRecord] = {}  # earlier memories by the external ids of drafts
        self._came_over: set[str] = set(self._own.db.meta.get(LEDGER + found.system) or ())
        self._origins = Origins(self._own.db.meta.get(META + found.system))
        self.new: Counter[str] = Counter()
        self.known: Counter[str] = Counter()
        self.updated: Counter[str] = Counter()
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
        units = _units(text)
        came = {unit for unit in units if self._came("longterm", unit)}
        head = f"## From {self._found.system}"

        def joined(before: str) -> str | None:
            if not came:
                added = "" if text in before else text
            else:  # the text has grown: add the new units, under their headings
                added = _under_headings(units, came.union(before.splitlines()))
            if not added:
                return None
            return f"{before.rstrip()}\n\n{head}\n\n{added}" if before.strip() else added

        changed = len(came) < len(set(units)) and self._project.journal().change_memory(
            lambda reading: joined(reading.text)
        )
        (self.new if changed else self.known)["long-term memory"] += 1
        for unit in units:
            self._note("longterm", unit)

    def _history(self) -> None:
        events = [(e.time, self._clean(e.text).strip()) for e in self._found.history]
        fresh = [e for e in events if not self._came(f"history:{e[0]}", e[1])]
        here = {(e.time, e.text) for e in history_entries(self._project.memory_folder)} if fresh else set()
        for number, (at, text) in enumerate(fresh, 1):
            if (at, text) not in here:
                Journal(self._project.memory_folder, FixedClock(at)).append_history(text)
                self.new["history"] += 1
            self._note(f"history:{at}", text)
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
                    line for line in lines if line not in here and not self._came(f"daily:{day.date}", line)
                ]
                if fresh:
                    append_line(path, "".join(f"{line}\n" for line in fresh))
            for line in fresh:
                self._note(f"daily:{day.date}", line)
            self.new["daily lines"] += len(fresh)
            self.known["daily lines"] += len(lines) - len(fresh)

    def _entries(self) -> None:
        store = self._project.entries()
        taken: set[str] = set()
        fresh: list[Fresh] = []

        def free(name: str) -> bool:
            return name not in taken and store.get(name) is None

        for entry in self._found.entries:
            wanted, content = self._clean(entry.name), self._clean(entry.content)
            key, here = f"entry:{wanted}", self._as_here(wanted, content)
            if here or self._came_last(key, content):
                self.known["entries"] += 1
                self._origins.note(key, content, content if here else "")
                continue
            if self._origins.has(key):
                if here := self._untouched_entry(key, wanted):
                    fresh.append((key, content, Write(here, content)))
                else:
                    self._left_as_it_is("entries", f"entry {wanted}", key, content)
                continue
            name = next(filter(free, _names(wanted, self._found.system)))
            others = dict.fromkeys(map(self._clean, entry.aliases))
            aliases = tuple(a for a in others if a != name and free(a))
            taken.update((name, *aliases))
            fresh.append((key, content, Add(name, content, entry.kind, aliases, entry.created_at)))
        for start in range(0, len(fresh), ENTRIES_TOGETHER):
            batch = fresh[start : start + ENTRIES_TOGETHER]
            for key, content, operation in self._applied(batch):
                self._origins.note(key, content, content)
                (self.new if isinstance(operation, Add) else self.updated)["entries"] += 1
            self._progress("notes", min(start + ENTRIES_TOGETHER, len(fresh)), len(fresh))

    def _as_here(self, name: str, content: str) -> str:
        """Return the name of an entry here with the same text; empty if there is none."""
        for candidate in _names(name, self._found.system):
            here = self._project.entries().get(candidate)
            if here is None:
                return ""
            if here.content == content:
                return candidate
        return ""

    def _untouched_entry(self, key: str, wanted: str) -> str:
        """Return the name of the entry imported from an origin; empty if it was edited or removed here."""
        for name in islice(_names(wanted, self._found.system), NAMES_TRIED):
            here = self._project.entries().get(name)
            if here is not None and self._origins.untouched(key, here.content):
                return here.name
        return ""

    def _applied(self, batch: Sequence[Fresh]) -> Sequence[Fresh]:
        """Apply operations with one write, or one by one if one is refused; return the applied ones."""
        store = self._project.entries()
        try:
            store.apply(*(operation for _, _, operation in batch))
            return batch
        except (InvalidInput, Conflict, NotFound):
            done = []
        for one in batch:
            try:
                store.apply(one[2])
                done.append(one)
            except (InvalidInput, Conflict, NotFound) as error:
                self.failed.append(Skipped(f"entry {one[2].name}", str(error)))
        return done

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
        fresh = [d for d in self._found.drafts if not self._came_last(_memory(d), d.content)]
        self.known["memories"] += len(self._found.drafts) - len(fresh)
        for realm in ("project", "user"):
            own = [d for d in fresh if (OF_USER in d.tags) == (realm == "user")]
            if own:
                own = self._without_edited(own, realm)
            for start in range(0, len(own), BATCH):
                batch = own[start : start + BATCH]
                try:
                    self._store(batch, realm)
                except InvalidInput:
                    for draft in batch:  # an invalid draft does not stop the others
                        try:
                            self._store([draft], realm)
                        except InvalidInput as error:
                            self.failed.append(Skipped(f"memory {draft.external_id}", str(error)))
                self._progress("memories", min(start + BATCH, len(own)), len(own))

    def _without_edited(self, drafts: Sequence[MemoryDraft], realm: str) -> list[MemoryDraft]:
        """Return the drafts without those whose memory was edited here since its import."""
        store = self._project.store(realm)
        there = {draft.external_id or "" for draft in self._found.drafts}
        before = earlier(store.db.memories, drafts, there)
        self._before |= before.records
        for whole in before.split:
            key = f"memory:{whole.external_id}"
            if self._origins.has(key) and self._origins.untouched(key, _here(whole)):
                store.upkeep.forget(whole.id)
                self._origins.forget(key)
                self.updated["memories"] += 1
        kept = []
        for draft in drafts:
            old = before.records.get(draft.external_id or "")
            if old is None or self._origins.untouched(f"memory:{old.external_id}", _here(old)):
                kept.append(draft)
            else:
                self._left_as_it_is("memories", f"memory {draft.external_id}", _memory(draft), draft.content)
        return kept

    def _store(self, drafts: Sequence[MemoryDraft], realm: str) -> None:
        store = self._project.store(realm)
        with store.db.transaction():
            for draft in drafts:
                old = self._before.get(draft.external_id or "")
                if old is not None and old.external_id != draft.external_id:
                    store.db.memories.update(old.id, {"external_id": draft.external_id})
                    self._origins.forget(f"memory:{old.external_id}")
            records = store.intake.remember_many(drafts, revive=False)
        for draft, record in zip(drafts, records, strict=True):
            action = record.receipt.action if record.receipt else "stored"
            # A text that the user taught stays the user's, also when it is imported.
            theirs = action == "merged" and record.source == "user_taught"
            self._origins.note(_memory(draft), draft.content, "" if theirs else _here(record))
            into = {"stored": self.new, "updated": self.updated}.get(action, self.known)
            into["memories"] += 1
        self._save()
        for record in records:
            if record.receipt is not None:
                self._count(record.receipt.redactions)

    def _links(self) -> None:
        memories = self._own.db.memories
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
                self._own.upkeep.edit(source.id, {"relations": (*source.relations, relation)})
            except RemoraError as error:
                self.failed.append(Skipped(f"relation of {link.source}", str(error)))
                continue
            self.new["relations"] += 1
            self._note(*key)
        self._save()

    # Records of imports

    def _clean(self, text: str) -> str:
        clean = redact(text)
        self._count(clean.redactions)
        return clean.text

    def _count(self, redactions: Iterable[Redaction]) -> None:
        for kind, number in redactions:
            self.secrets[kind] = self.secrets.get(kind, 0) + number

    def _came(self, name: str, text: str) -> bool:
        """Return whether a text was imported before, even if it was changed or removed here."""
        return digest(f"{name}\n{text}") in self._came_over

    def _came_last(self, origin: str, text: str) -> bool:
        """Return whether a text is the last one imported from an origin, even if it was changed here."""
        known = self._origins.has(origin)
        return self._origins.is_last(origin, text) if known else self._came(origin, text)

    def _left_as_it_is(self, kind: str, what: str, origin: str, text: str) -> None:
        """Skip the newer text of an item that was changed or removed here."""
        self.known[kind] += 1
        self._origins.note(origin, text, "")
        self.failed.append(Skipped(what, "it was edited here; the newer text was not imported"))

    def _note(self, name: str, text: str) -> None:
        self._came_over.add(digest(f"{name}\n{text}"))

    def _save(self) -> None:
        with self._own.db.transaction():
            self._own.db.meta.set(LEDGER + self._found.system, sorted(self._came_over))
            self._own.db.meta.set(META + self._found.system, self._origins.as_json())


def _units(text: str) -> list[str]:
    """Return the lines that are not blank; a fenced block is one unit."""
    units: list[str] = []
    fence = ""
    for line in text.split("\n"):
        inside, fence = fence, fence_after(line, fence)
        if inside:
            units[-1] += f"\n{line}"
        elif line.strip():
            units.append(line)
    return [unit.rstrip() for unit in units]


def _under_headings(units: Sequence[str], known: Collection[str]) -> str:
    """Return the units that are not known, each below its heading."""
    found: list[str] = []
    heading = ""
    for unit in units:
        if _HEADING.match(unit):
            heading = unit
        elif unit not in known:
            found += [heading, unit] if heading else [unit]
            heading = ""
    return "\n".join(found)


def _memory(draft: MemoryDraft) -> str:
    """Return the name of a memory's origin."""
    return f"memory:{draft.external_id}"


def _here(record: MemoryRecord) -> str:
    """Return the fields of a memory that a person may have edited, as text."""
    return f"{record.type}\n{record.content}"


def _names(name: str, system: str) -> Iterator[str]:
    """Yield the names that an entry may get, the best first."""
    yield name
    yield f"{name} (from {system})"
    for number in count(2):
        yield f"{name} (from {system} {number})"
