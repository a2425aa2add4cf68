"""What came over from another system before, found again by where it stood there, so that it can be updated.

A thing's origin is the name of an entry or the external id of a memory. Of each the text that came over last
is noted, and what it became here, both as digests: what is different here by now was changed by somebody
and is left alone.

A reader names the pieces of a file after their words, `<file>#<digest>`, so a piece that was extended there
has another name. It is found among the pieces of the same file that are no longer there: the one with
which it shares most of its words, those of the headings above it among them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from remora.core.sketch import word_set
from remora.core.values import MemoryDraft, MemoryRecord
from remora.store.memories import Memories

META = "moved-last:"  # key, with the system behind it
SHARED_WORDS = 0.6  # of the shorter of two pieces, so that one takes the place of the other
LEAST_WORDS = 2
_PIECE = re.compile(r"(.+)#[0-9a-f]{16}", re.DOTALL)


class Origins:
    """What came over last from each origin, and what it became here."""

    def __init__(self, known: object) -> None:
        self._last: dict[str, tuple[str, str]] = dict(known) if isinstance(known, dict) else {}

    def has(self, origin: str) -> bool:
        """Return whether something came over from there."""
        return digest(origin) in self._last

    def is_last(self, origin: str, text: str) -> bool:
        """Return whether this is what came over last from there."""
        return self._of(origin)[0] == digest(text)

    def untouched(self, origin: str, here: str) -> bool:
        """Return whether what it became here is as it was; a crash may have kept us from noting it."""
        return not self.has(origin) or self._of(origin)[1] == digest(here)

    def note(self, origin: str, text: str, here: str) -> None:
        """Note what came over, and what it became; empty where it became nothing of its own."""
        self._last[digest(origin)] = digest(text), digest(here) if here else ""

    def forget(self, origin: str) -> None:
        """Drop an origin that goes by another name now."""
        self._last.pop(digest(origin), None)

    def as_json(self) -> dict[str, Any]:
        """Return all of it, for the next time."""
        return self._last

    def _of(self, origin: str) -> tuple[str, str]:
        return self._last.get(digest(origin), ("", ""))


class Earlier(NamedTuple):
    """What drafts were before, by their external ids, and whole files that are in pieces now."""

    records: dict[str, MemoryRecord]
    split: tuple[MemoryRecord, ...]


def earlier(memories: Memories, drafts: Sequence[MemoryDraft], there: Collection[str]) -> Earlier:
    """Return the memories that drafts are newer texts of.

    Args:
        memories: of the database they go into.
        drafts: what came now and is not what came last.
        there: the external ids of all that the other system has.
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
    """Return which new piece is which one that is gone, the likest first."""
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
    """Return the words of a piece and of the headings above it, which a short one has in its text."""
    return word_set(f"{piece.context_prefix or ''} {piece.content}")


def digest(text: str) -> str:
    """Return a short name for a text."""
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=12).hexdigest()
