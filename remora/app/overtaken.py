"""What was learnt of the code, held against the code as it is now.

A session tells what it did. Much of that is undone, renamed or rewritten later, and a memory of it would
mislead. So before one is promoted it is asked whether what it names is still there (in the index, or in the
file or the function that is said to have it), whether some of what was written still stands (in the files),
and whether what resolved an error, or the message that it quotes, does. Later the names alone are asked
again, at each `learn` and `init`: a memory that names what has gone is marked stale, and the mark is lifted
when it is back. Where the code is not indexed nothing is asked, nor of what was learnt on another branch
than the one that is checked out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from remora.app.project import branch_of
from remora.core.clock import to_iso
from remora.core.text import collapse
from remora.lifecycle.flags import with_reason, without_reason
from remora.observer.claims import bound_claims, claims, pinned_claims, placed_claims
from remora.observer.couplings import outside
from remora.observer.rules import is_rule
from remora.observer.wrote import standing
from remora.sources.tree_read import decode, read

if TYPE_CHECKING:
    from remora.app.wiring import Parts
    from remora.core.values import MemoryRecord
    from remora.observer.candidate import Candidate
    from remora.store.graph import Node

STANDS = 0.25  # of the lines that a session wrote: with fewer, what it did was replaced
LEAST_QUOTED, QUOTED = 3, 12  # words of a message that are looked for in the code
MOST_QUOTED = 50  # parts of the code that are asked for them
LARGEST = 2_000_000  # bytes of a file that are looked at
LACKS = "the code no longer has"  # how the reason to review begins; a name follows
_OF_CODE = frozenset({"outcome", "commit", "finding", "qa", "user_words", "self_correction"})
_OF_FILES = frozenset({"co_access", "file_access"})  # what says that files go together: all must be there
_WORD = re.compile(r"\w+")
_VALUE = re.compile(r"[\"'`“”‘’]|: ")  # where a message may show what it was given
# Where something is said to be: a file in a folder of the project.
_LIES_IN = re.compile(
    r"\b(?:defined|declared|implemented|located|lives?|set|configured|loaded|stored) (?:in|from) "
    r"`?(?!/|\.\.)((?:[\w.-]+/)+[\w-]+\.[a-z]{1,5})\b(?!/)"
)
_LISTING = re.compile(r"\bChanged `[^.]*`.*$", re.DOTALL)  # the files at the end are no claims


class Settled(NamedTuple):
    """How many memories were marked as naming what is gone, and of how many the mark was lifted."""

    marked: int = 0
    lifted: int = 0


class CodeNow:
    """The code of a project as it stands; asked about one candidate or text after the other."""

    def __init__(self, parts: Parts) -> None:
        self._root = parts.project.root
        self._chunks, self._graph = parts.room("project").space.chunks, parts.room("project").space.graph
        self._texts: dict[str, str | None] = {}
        self._indexed = self._chunks.any()

    def overtaken(self, candidate: Candidate) -> str:
        """Return why a candidate holds no longer; empty where it does, or nobody can tell."""
        if not self._indexed:
            return ""
        draft = candidate.draft
        files = [path for path in draft.related_files if not outside(path)]
        gone = [path for path in files if not self._there(path)]
        if self._undone(candidate.remedy):
            return "what resolved it is no longer in the code"
        if not self._says(candidate.quotes):
            return "the code no longer says what it quotes"
        if is_rule(draft.content):
            return ""  # it holds wherever such code is written
        if gone and (len(gone) == len(files) or candidate.signal in _OF_FILES):
            return f"`{gone[0]}` is gone"
        if candidate.signal not in _OF_CODE:
            return ""
        if lacking := self.lacks(draft.content, files):
            return f"{LACKS} {lacking[0]}"
        if candidate.wrote and draft.related_files:
            there = [text for path in draft.related_files if (text := self._text(path)) is not None]
            if standing(candidate.wrote, there) < STANDS:
                return "little of what it wrote still stands"
        return ""

    def lacks(self, text: str, files: Sequence[str] = ()) -> list[str]:
        """Return the names that a text says are in the code, or in one of some files, and that are not."""
        if not self._indexed:
            return []
        said = _LISTING.sub("", text)
        missing = [name for name in claims(said) if not self._chunks.mention(name)]
        missing += [path for path in _LIES_IN.findall(said) if not self._somewhere(path)]
        for file, name in placed_claims(said):
            texts = [self._text(path) for path in files if f"/{path}".endswith(f"/{file}")]
            if any(texts) and not any(name in (found or "") for found in texts):
                missing.append(name)
        for pinned in pinned_claims(said):
            there = [found for path in files if (found := self._text(path)) is not None]
            other = f"{pinned.partition('@')[0]}@"
            if any(other in found for found in there) and not any(pinned in found for found in there):
                missing.append(pinned)
        missing += [name for inside, name in bound_claims(said) if not self._uses(files, inside, name)]
        return list(dict.fromkeys(missing))

    def _somewhere(self, path: str) -> bool:
        """Return whether a file is there, or one whose path ends so."""
        return self._there(path) or bool(self._graph.ending(path))

    def _uses(self, files: Sequence[str], inside: str, name: str) -> bool:
        """Return whether a function of some files has a name in it; where there is none, nobody can tell."""
        places = {place for path in files for place in self._graph.places(inside, path)}
        nodes = [self._graph.node(f"{path}:{symbol}") for path, symbol in sorted(places)]
        bodies = [self._lines(node) for node in nodes if node is not None]
        return not any(bodies) or any(name in body for body in bodies)

    def _says(self, quotes: str) -> bool:
        """Return whether some code says what is quoted; of what stands in quotes in it, that or any value."""
        before, value = _VALUE.split(quotes, maxsplit=1) if _VALUE.search(quotes) else (quotes, "")
        words = _WORD.findall(before)[:QUOTED]
        if len(words) < LEAST_QUOTED:
            return True
        parts = self._chunks.saying(words, MOST_QUOTED)
        own = rf"\W{{1,4}}?(?:[%{{$]|{re.escape(_VALUE.split(value)[0])})" if value else ""
        wanted = re.compile(r"\W+".join(words) + own, re.IGNORECASE)
        return any(wanted.search(part) for part in parts)

    def _lines(self, node: Node) -> str:
        lines = (self._text(node.path) or "").split("\n")
        if not self._as_read(node.path):
            return ""  # the lines are those of another text
        return "\n".join(lines[(node.start_line or 1) - 1 : node.end_line])

    def _as_read(self, path: str) -> bool:
        try:
            status = (self._root / path).stat()
        except (OSError, ValueError):
            return False
        return self._graph.stamps([path]).get(path) == (status.st_size, status.st_mtime_ns)

    def _undone(self, remedy: Sequence[tuple[str, str]]) -> bool:
        """Return whether files that can be read have none of the code that resolved something."""
        texts = [(text, code) for path, code in remedy if (text := self._text(path)) is not None]
        return bool(texts) and not any(_begins(code) in collapse(text) for text, code in texts)

    def _there(self, path: str) -> bool:
        try:
            return (self._root / path).exists()
        except (OSError, ValueError):
            return False

    def _text(self, path: str) -> str | None:
        """Return a file of the project; None where there is none, or none that can be read."""
        if path not in self._texts:
            data = read(self._root, path, LARGEST)
            self._texts[path] = decode(data) if isinstance(data, bytes) else None
        return self._texts[path]


def _begins(code: str) -> str:
    """Return a piece of code as far as it was kept, its spaces as one."""
    return collapse(code.partition("…")[0])


def settle_overtaken(parts: Parts) -> Settled:
    """Mark the learnt memories that name what the code no longer has, and lift the mark of others.

    What a person confirmed, pinned or rewrote is left alone.
    """
    space, now = parts.room("project").space, CodeNow(parts)
    at = to_iso(parts.clock.now())
    marked = lifted = 0
    with space.db.transaction():
        for record in _learnt(parts):
            lacking = now.lacks(record.content, record.related_files)
            if lacking and record.stale_at is None:
                changes = {"stale_at": at, **with_reason(record, f"{LACKS} {lacking[0]}")}
                marked += 1
            elif not lacking and record.stale_at is not None and LACKS in (record.review_reason or ""):
                changes = {"stale_at": None, **without_reason(record, LACKS)}
                lifted += 1
            else:
                continue
            space.memories.update(record.id, changes)
    return Settled(marked, lifted)


def _learnt(parts: Parts) -> list[MemoryRecord]:
    """Return the live memories that learning has made of what sessions did to code."""
    space = parts.room("project").space
    ids = space.memories.ids_where(
        "m.deprecated = 0 AND m.pinned = 0 AND m.user_verified = 0 AND m.external_id LIKE 'observed:%'", ()
    )
    found, here = [], branch_of(parts.project.repository)
    for record in space.memories.get_many(ids).values():
        before = space.observed.last_learned(record.id)
        of_code = (record.payload or {}).get("signal") in _OF_CODE
        if record.branch not in (None, here):
            continue  # its code is on a branch of its own
        if of_code and before is not None and before.text == record.content:
            found.append(record)
    return found
