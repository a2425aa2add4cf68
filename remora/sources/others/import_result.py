"""The result of a reader of another system: memories, notes, sessions, history, and skipped pieces.

The records here pass from `sources` to `app`, which stores them. A reader fills a `Gatherer`, which checks
every piece once (its length, its times, unique ids) and counts. For each kind of thing `seen == taken +
skipped` holds, and every skipped piece has a place and a reason.
"""

from __future__ import annotations

import hashlib
import math
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from remora.core.text import clean, collapse, sound
from remora.core.values import MEMORY_SOURCES, MEMORY_TYPES, Entry, MemoryDraft, Skipped

MAX_CONTENT = 20_000  # characters of one memory; the store takes no more
MAX_TAGS = 50
MAX_FILES = 100
MAX_NAME = 500  # characters of a tag, a path or an id
MAX_ENTRY_NAME = 230  # characters; the store takes 255, and a number may have to follow
MAX_ENTRY = 16 << 20  # bytes of an entry's text
MAX_ALIASES = 1_000
EXAMPLES = 20  # skipped pieces of one file that are named one by one, for each reason


class Unreadable(ValueError):
    """A file or value cannot be read; the message is the reason."""


class FoundSession(NamedTuple):
    """A conversation.

    Attributes:
        id: in the other system.
        created_at: ISO 8601 in UTC, "" if unknown.
        state: ACTIVE, PAUSED or TERMINATED.
        messages: mappings for `SessionLog.add`, oldest first. Each has an `external_id` that is the same at
            every reading, so that adding them again adds nothing.
        consolidated: number of messages, from the first on, that are already in the journal.
    """

    id: str
    created_at: str
    state: str
    messages: tuple[Mapping[str, Any], ...]
    consolidated: int = 0


class Event(NamedTuple):
    """One entry of a history: its time (ISO 8601 in UTC) and its text."""

    time: str
    text: str


class Day(NamedTuple):
    """The note of one day: `YYYY-MM-DD` and its lines."""

    date: str
    lines: tuple[str, ...]


class Link(NamedTuple):
    """A relation between two memories by their external ids; it can be made once both are stored."""

    source: str
    relation_type: str
    target: str
    confidence: float = 1.0


class Count(NamedTuple):
    """The number of seen, taken and skipped things of one kind; seen is the sum of the other two."""

    kind: str
    seen: int
    taken: int
    skipped: int


class Found(NamedTuple):
    """Everything a reader found in one place, without duplicates.

    Attributes:
        system: its name in `formats.SYSTEMS`.
        drafts: memories, each with a stable `external_id`.
        entries: notes and archives. Their `id` is the other system's, 0 if it had none. No two share a name
            or an alias.
        longterm: the text of MEMORY.md, "" if there is none.
        counts: by kind of thing.
        skipped: the pieces that were not imported, with the reason.
        remarks: the pieces that were changed on import.
    """

    system: str
    drafts: tuple[MemoryDraft, ...] = ()
    entries: tuple[Entry, ...] = ()
    sessions: tuple[FoundSession, ...] = ()
    history: tuple[Event, ...] = ()
    daily: tuple[Day, ...] = ()
    longterm: str = ""
    links: tuple[Link, ...] = ()
    counts: tuple[Count, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    remarks: tuple[str, ...] = ()


class Gatherer:
    """Collects the pieces that a reader finds."""

    def __init__(self, system: str) -> None:
        self.system = system
        self._seen: Counter[str] = Counter()
        self._left: Counter[str] = Counter()
        self._skipped: list[Skipped] = []
        self._repeats: Counter[tuple[str, str]] = Counter()
        self._drafts: dict[str, MemoryDraft] = {}
        self._entries: dict[str, Entry] = {}
        self._names: dict[str, str] = {}
        self._given: Counter[str] = Counter()  # how often a name was changed
        self._sessions: dict[str, FoundSession] = {}
        self._history: dict[Event, None] = {}
        self._days: list[Day] = []
        self._longterm = ""
        self._links: dict[Link, None] = {}
        self._remarks: dict[str, list[str]] = {}

    def saw(self, kind: str, number: int = 1) -> None:
        """Count things that a reader found; each is taken or skipped afterwards."""
        self._seen[kind] += number

    def skip(self, kind: str, place: str, why: str, number: int = 1) -> None:
        """Skip a counted piece. Pieces of one file with the same reason are reported together."""
        self._left[kind] += number
        file = place.rpartition(":")[0] or place
        self._repeats[file, why] += 1
        if self._repeats[file, why] <= EXAMPLES:
            self._skipped.append(Skipped(place, why))

    def pass_over(self, kind: str, place: str, why: str, number: int = 1) -> None:
        """Count a piece and skip it."""
        self.saw(kind, number)
        self.skip(kind, place, why, number)

    @contextmanager
    def taking(self, kind: str, place: str) -> Iterator[None]:
        """Count a piece; it is skipped if the block cannot read it."""
        self.saw(kind)
        try:
            yield
        except Unreadable as error:
            self.skip(kind, place, str(error))

    @contextmanager
    def reading(self, place: str, kind: str = "files") -> Iterator[None]:
        """Count and skip a file, or a thing of another kind, if the block cannot read it."""
        try:
            yield
        except Unreadable as error:
            self.pass_over(kind, place, str(error))

    def remark(self, text: str, place: str) -> None:
        """Add a remark about an imported piece; places with the same remark are reported together."""
        self._remarks.setdefault(text, []).append(place)

    def draft(self, draft: MemoryDraft, place: str) -> None:
        """Take a counted memory, if it is valid. `external_id` must be set."""
        content = clean(sound(draft.content)).strip()
        key = clean(sound(draft.external_id or ""))[:MAX_NAME]
        if not any(sign.isalnum() for sign in content):
            self.skip("memories", place, "contains no text")
        elif len(content) > MAX_CONTENT:
            self.skip("memories", place, f"longer than {MAX_CONTENT:,} characters; imported as a note")
            self.saw("entries")
            self.entry(Entry(0, key, content, "note", (), draft.created_at or ""), place)
        elif key in self._drafts:
            self.skip("memories", place, "a duplicate of an imported memory")
        else:
            self._drafts[key] = _sound_draft(draft, self.system)._replace(content=content, external_id=key)

    def link(self, link: Link) -> None:
        """Take a relation; it is kept only if both of its ends are imported as memories."""
        self._links[link] = None

    def entry(self, entry: Entry, place: str) -> None:
        """Take a counted note or archive; its name and aliases are made unique."""
        entry = entry._replace(
            name=_entry_name(entry.name) or f"entry {entry.id}", content=sound(entry.content)
        )
        if len(entry.content.encode()) > MAX_ENTRY:
            self.skip("entries", place, f"longer than {MAX_ENTRY >> 20} MB")
            return
        twin = self._entries.get(entry.name)
        if twin is not None and (twin.content, twin.kind) == (entry.content, entry.kind):
            self.skip("entries", place, "a duplicate of an imported entry")
            return
        name = self._free_name(entry)
        if name != entry.name:
            self.remark("duplicate names were changed", f"{entry.name} is now {name}")
        self._names[name] = name
        self._entries[name] = entry._replace(name=name)

    def _free_name(self, entry: Entry) -> str:
        """Return an unused name; it depends only on the entry and those before it."""
        name = entry.name
        while name in self._names:
            self._given[entry.name] += 1
            number = self._given[entry.name] + 1
            name = f"{entry.name} ({entry.kind})" if number == 2 else f"{entry.name} ({number})"
        return name

    def session(self, session: FoundSession, place: str) -> None:
        """Take a counted session with counted messages."""
        if session.messages and session.id not in self._sessions:
            self._sessions[session.id] = session
            return
        why = "a session with this name was already imported" if session.messages else "contains no messages"
        self.skip("sessions", place, why)
        if session.messages:
            self.skip("messages", place, why, len(session.messages))

    def event(self, time: str, text: str, place: str) -> None:
        """Take a counted entry of a history; the same entry in two files is one."""
        event = Event(time, text)
        if event in self._history:
            self.skip("history", place, "the same entry is in another file")
        else:
            self._history[event] = None

    def day(self, date: str, lines: Iterable[str]) -> None:
        """Take the counted lines of a daily note."""
        self._days.append(Day(date, tuple(lines)))

    def longterm(self, text: str) -> None:
        """Take the counted long-term memory."""
        self._longterm = text

    def found(self) -> Found:
        """Return the collected pieces, in a fixed order."""
        more = [
            Skipped(f"{file}: {number - EXAMPLES:,} more", why)
            for (file, why), number in self._repeats.items()
            if number > EXAMPLES
        ]
        entries = self._with_aliases()
        taken = {
            "memories": len(self._drafts),
            "entries": len(entries),
            "sessions": len(self._sessions),
            "messages": sum(len(one.messages) for one in self._sessions.values()),
            "history": len(self._history),
            "daily lines": sum(len(day.lines) for day in self._days),
            "long-term memory": int(bool(self._longterm)),
        }
        counts = [
            Count(kind, self._seen[kind], taken.get(kind, 0), self._left[kind])
            for kind in dict.fromkeys((*taken, *sorted(self._seen)))
            if self._seen[kind]
        ]
        return Found(
            system=self.system,
            drafts=tuple(self._drafts.values()),
            entries=entries,
            sessions=tuple(self._sessions[key] for key in sorted(self._sessions)),
            history=tuple(sorted(self._history)),
            daily=tuple(sorted(self._days)),
            longterm=self._longterm,
            links=tuple(
                one for one in self._links if one.source in self._drafts and one.target in self._drafts
            ),
            counts=tuple(counts),
            skipped=(*self._skipped, *more),
            remarks=tuple(_together(text, places) for text, places in self._remarks.items()),
        )

    def _with_aliases(self) -> tuple[Entry, ...]:
        """Return the entries with their unique aliases; names take precedence over aliases."""
        found = []
        for entry in self._entries.values():
            kept: dict[str, None] = {}
            for alias in map(_entry_name, entry.aliases):
                if not alias or alias in kept or alias == entry.name:
                    continue
                if alias in self._names:
                    self.remark("duplicate aliases were left out", f"{alias} of {entry.name}")
                elif len(kept) < MAX_ALIASES:
                    kept[alias] = None
            self._names.update(dict.fromkeys(kept, entry.name))
            found.append(entry._replace(aliases=tuple(kept)))
        return tuple(found)


def _together(text: str, places: list[str]) -> str:
    named = dict.fromkeys(places)
    more = f" and {len(named) - EXAMPLES:,} more" if len(named) > EXAMPLES else ""
    return f"{text}: {', '.join(list(named)[:EXAMPLES])}{more}"


def _sound_draft(draft: MemoryDraft, system: str) -> MemoryDraft:
    """Return a draft within the store's limits. An import never marks a memory as verified by the user."""
    confidence = draft.confidence if math.isfinite(draft.confidence) else 0.5
    return draft._replace(
        type=draft.type if draft.type in MEMORY_TYPES else "pattern",
        source=draft.source if draft.source in MEMORY_SOURCES else "mcp_auto",
        confidence=min(1.0, max(0.0, confidence)),
        tags=_names((f"from:{system}", *draft.tags), MAX_TAGS),
        related_files=_names(draft.related_files, MAX_FILES),
        related_modules=_names(draft.related_modules, MAX_FILES),
        user_verified=False,
    )


def _entry_name(written: str) -> str:
    """Return a name on one line, composed (NFC) and short enough for the entry store."""
    name = unicodedata.normalize("NFC", collapse(clean(sound(written))))
    if len(name) <= MAX_ENTRY_NAME:
        return name
    end = hashlib.sha256(name.encode()).hexdigest()[:8]
    return f"{name[: MAX_ENTRY_NAME - 9].rstrip()}~{end}"


def _names(values: Iterable[str], limit: int) -> tuple[str, ...]:
    named = (clean(sound(value)).strip()[:MAX_NAME] for value in values)
    return tuple(dict.fromkeys(name for name in named if name))[:limit]
