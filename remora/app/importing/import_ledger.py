"""Match items of an import with those of the last one, so that changed items are updated.

An item's origin is the name of an entry or the external id of a memory. For each origin the digests of the
last imported text and of its text here are stored: an item whose text here differs by now was edited here
and is not changed.

A reader names the pieces of a file by a digest of their words, `<file>#<digest>`, so a piece that was
extended there gets another name. It is matched with the missing piece of the same file that shares most of
its words, the words of the headings above it included.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from remora.core.sketch import word_set
from remora.core.values import MemoryDraft, MemoryRecord
from remora.store.memories import Memories

META = "moved-last:"  # prefix of a meta key; the system follows
SHARED_WORDS = 0.6  # share of the shorter of two pieces at which one replaces the other
LEAST_WORDS = 2
_PIECE = re.compile(r"(.+)#[0-9a-f]{16}", re.DOTALL)


class Origins:
    """The digests of the last import from each origin, and of the text that it became here."""

    def __init__(self, known: object) -> None:
        self._last: dict[str, tuple[str, str]] = dict(known) if isinstance(known, dict) else {}

    def has(self, origin: str) -> bool:
        """Return whether an item was imported from an origin."""
        return digest(origin) in self._last

    def is_last(self, origin: str, text: str) -> bool:
        """Return whether a text is the last one imported from an origin."""
        return self._of(origin)[0] == digest(text)

    def untouched(self, origin: str, here: str) -> bool:
        """Return whether the item here is unchanged since its import; True for an unknown origin.

        A crash may have prevented the note of an import.
        """
        return not self.has(origin) or self._of(origin)[1] == digest(here)

    def note(self, origin: str, text: str, here: str) -> None:
        """Store an imported text and its text here; the latter is empty if it has no item of its own."""
        self._last[digest(origin)] = digest(text), digest(here) if here else ""

    def forget(self, origin: str) -> None:
        """Remove an origin that was renamed."""
        self._last.pop(digest(origin), None)

    def as_json(self) -> dict[str, Any]:
        """Return the digests, to be stored for the next import."""
        return self._last

    def _of(self, origin: str) -> tuple[str, str]:
        return self._last.get(digest(origin), ("", ""))


class Earlier(NamedTuple):
    """Earlier memories by the external ids of their drafts, and memories of whole files that were split."""

    records: dict[str, MemoryRecord]
    split: tuple[MemoryRecord, ...]


def earlier(memories: Memories, drafts: Sequence[MemoryDraft], there: Collection[str]) -> Earlier:
    """Return the memories that drafts are newer texts of.

    Args:
        memories: of the database that the drafts go into.
        drafts: the drafts that differ from the last import.
        there: the external ids of all items in the other system.
    """
    found: dict[str, MemoryRecord] = {}
    pieces: dict[str, list[MemoryDraft]] = {}
    for draft in drafts:
        name = draft.external_id or ""
        if record := memories.with_external_id(name):
            found[name] = record
        elif piece := _PIECE.fullmatch(name):
            pieces.setdefault(piece[1], []).append(draft)
    split = []
    for file, new in pieces.items():
        gone = [m for m in memories.with_external_ids_below(f"{file}#") if m.external_id not in there]
        found |= _paired(new, gone)
        whole = memories.with_external_id(file)
        if whole is not None and file not in there and not whole.deprecated:
            split.append(whole)
    return Earlier(found, tuple(split))


def _paired(new: Iterable[MemoryDraft], gone: Sequence[MemoryRecord]) -> dict[str, MemoryRecord]:
    """Pair new pieces with missing ones by their external ids, the most similar first."""
    words = {record.id: _words(record) for record in gone}
    likely = []
    for draft in new:
        own = _words(draft)
        for record in gone:
            shared = len(own & words[record.id])
            if shared >= max(LEAST_WORDS, SHARED_WORDS * min(len(own), len(words[record.id]))):
                likely.append((shared / len(own | words[record.id]), draft.external_id or "", record))
    found: dict[str, MemoryRecord] = {}
    taken: set[str] = set()
    for _, name, record in sorted(likely, key=lambda one: (-one[0], one[1], one[2].id)):
        if name not in found and record.id not in taken:
            found[name] = record
            taken.add(record.id)
    return found


def _words(piece: MemoryDraft | MemoryRecord) -> frozenset[str]:
    """Return the words of a piece and of the headings above it, which a short piece repeats in its text."""
    return word_set(f"{piece.context_prefix or ''} {piece.content}")


def digest(text: str) -> str:
    """Return a 12-byte hexadecimal digest of a text."""
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=12).hexdigest()
