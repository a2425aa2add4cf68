"""Check learned memories against the current code.

Sessions undo, rename or rewrite much of their work later, and a memory of it would mislead. So a memory that
a model wrote is promoted only if the names in it are still in the index. Each `learn` and `init` checks
again: a memory that names deleted code is marked stale, and the mark is removed when the code is back.
Nothing is checked where the code is not indexed, nor for memories of another branch than the one that is
checked out.

Only names that are not everyday words count: with an inner capital (`getUserById`), with underscores
(`max_size`), or called (`retry()`). A sentence about removal claims nothing: it stays true if its names
are gone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from remora.app.project.locate import branch_of
from remora.core.change import Change, acting
from remora.core.clock import to_iso
from remora.lifecycle.flags import with_reason, without_reason
from remora.observer.couplings import outside

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject
    from remora.core.values import MemoryRecord
    from remora.observer.candidate import Candidate


SHORTEST = 5  # characters of a name
_SENTENCE = re.compile(r"(?<=[.;:!?])\s+|\n+")
_REMOVAL = re.compile(
    r"\b(?:remov\w*|delet\w*|drop(?:s|ped)?|renam\w*|replac\w*|instead of|no longer|consolidat\w*"
    r"|mov(?:e[ds]?|ing)|extract\w*|from|was|were|previously|duplicat\w*|unused|deprecat\w*|not|never|fails?|without)\b|→|->",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"\b(?=[A-Za-z]\w*?[a-z0-9][A-Z]|[A-Z]{2,}+[a-z]\w|[A-Za-z][^\W_]*+_\w*[a-z])\w++(?![/.-]\w)|`(\w+)\(\)?`"
)


def claims(text: str) -> list[str]:
    """Return the names that exist according to a text, each once, in order.

    >>> claims("Added `parseRow()` and `max_rows`. Removed `readAll`. Uses retry twice.")
    ['parseRow', 'max_rows']
    """
    names: list[str] = []
    for sentence in _SENTENCE.split(text):
        if not _REMOVAL.search(sentence):
            names += [found[1] or found[0] for found in _NAME.finditer(sentence)]
    return [name for name in dict.fromkeys(names) if len(name) >= SHORTEST]


LACKS = "the code no longer has"  # start of the review reason; a name follows
_OF_CODE = frozenset({"written"})  # a person's rule may name code that is yet to be written
# A statement of a location: a file in a folder of the project.
_LIES_IN = re.compile(
    r"\b(?:defined|declared|implemented|located|lives?|set|configured|loaded|stored) (?:in|from) "
    r"`?(?!/|\.\.)((?:[\w.-]+/)+[\w-]+\.[a-z]{1,5})\b(?!/)"
)


class Settled(NamedTuple):
    """Number of memories marked stale because they name deleted code, and of marks removed."""

    marked: int = 0
    lifted: int = 0


class CodeNow:
    """The current code of a project, for checks of candidates and texts."""

    def __init__(self, project: OpenProject) -> None:
        self._root = project.location.root
        self._chunks, self._graph = project.db.chunks, project.db.graph
        self._ties = project.db.file_coupling
        self._indexed = self._chunks.any()

    def overtaken(self, candidate: Candidate) -> str:
        """Return why a candidate no longer holds; empty if it does or if it cannot be determined."""
        if not self._indexed:
            return ""
        draft = candidate.draft
        files = [path for path in draft.related_files if not outside(path)]
        gone = [path for path in files if not self._there(path)]
        together = candidate.signal == "co_access"
        if gone and (together or len(gone) == len(files)):
            return f"`{gone[0]}` no longer exists"
        if together and files[1:] and self._ties.of(files[0]).keys() >= {*files[1:]}:
            return "the code already links these files"
        if candidate.signal not in _OF_CODE:
            return ""
        lacking = self.lacks(draft.content)
        return f"{LACKS} {lacking[0]}" if lacking else ""

    def lacks(self, text: str) -> list[str]:
        """Return the names that a text claims are in the code and that are missing."""
        if not self._indexed:
            return []
        missing = [name for name in claims(text) if not self._chunks.mention(name)]
        places = _LIES_IN.findall(text)  # the end of a path is enough
        missing += [path for path in places if not (self._there(path) or self._graph.ending(path))]
        return list(dict.fromkeys(missing))

    def _there(self, path: str) -> bool:
        try:
            return (self._root / path).exists()
        except (OSError, ValueError):
            return False


@acting("system:code")
def settle_overtaken(project: OpenProject) -> Settled:
    """Mark learned memories that name deleted code as stale, and remove the marks of the others.

    Memories that a person confirmed, pinned or rewrote are not changed.
    """
    db, now = project.db, CodeNow(project)
    at = to_iso(project.clock.now())
    marked = lifted = 0
    with db.connection.transaction():
        for record in _of_code(project):
            lacking = now.lacks(record.content) if _is_of_code(record) else []
            if lacking and record.stale_at is None:
                changes = {"stale_at": at, **with_reason(record, f"{LACKS} {lacking[0]}")}
                change = Change("flag", f"{LACKS} {lacking[0]}")
                marked += 1
            elif not lacking and record.stale_at is not None and LACKS in (record.review_reason or ""):
                changes = {"stale_at": None, **without_reason(record, LACKS)}
                change = Change("resolve", "the code has it again")
                lifted += 1
            else:
                continue
            db.memories.update(record.id, changes, change=change)
    return Settled(marked, lifted)


def _as_learnt(project: OpenProject) -> list[MemoryRecord]:
    """Return the live learned memories that no person has confirmed, pinned or rewritten."""
    db = project.db
    records = db.memories.get_many(db.selections.learnt()).values()
    return [r for r in records if (b := db.sessions.last_learned(r.id)) and b.text == r.content]


def _is_of_code(record: MemoryRecord) -> bool:
    return (record.payload or {}).get("signal") in _OF_CODE


def _of_code(project: OpenProject) -> list[MemoryRecord]:
    """Return the learned memories about code, or marked so, of the project or the branch checked out."""
    here = (None, branch_of(project.location.repository))
    return [
        record
        for record in _as_learnt(project)
        if record.branch in here and (_is_of_code(record) or LACKS in (record.review_reason or ""))
    ]
