"""Import the memories of a database shipped with the repository: on request, and unverified."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from remora.app.project.locate import DATABASE
from remora.core.change import acting
from remora.core.errors import NotFound, RemoraError
from remora.core.values import MEMORY_TYPES, MemoryDraft, Taint
from remora.store.foreign import Foreign
from remora.store.migrations import latest

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject

MOST = 2_000  # memories that are read
LARGEST = 256_000_000  # bytes of a shipped database
CONFIDENCE = 0.5
SOURCE = "memory shipped with the repository"


class Shipped(NamedTuple):
    """The home shipped with a repository, its live memories as drafts, and the files that are not read."""

    home: str
    drafts: tuple[MemoryDraft, ...]
    left_alone: tuple[str, ...]


def shipped(project: OpenProject) -> Shipped:
    """Read the memories of the home shipped with the repository; its journal, notes and logs are only named.

    Raises:
        NotFound: there is none.
        StoreError: its database cannot be read.
    """
    home = project.location.foreign
    if home is None:
        raise NotFound(
            "this repository contains no memory", hint="`remora init` reads the repository itself."
        )
    files = sorted(str(path.relative_to(home)) for path in home.rglob("*") if path.is_file())
    others = tuple(name for name in files if not name.startswith((DATABASE, ".gitignore", "key")))
    path = home / DATABASE
    if path.is_symlink() or not path.is_file() or path.stat().st_size > LARGEST:
        return Shipped(str(home), (), others)
    with Foreign(path) as database:
        columns = ("content", "type", "deprecated", "related_files")
        known = database.is_ours() and 0 < database.schema() <= latest()
        if not known or not set(columns) <= set(database.columns("memories")):
            return Shipped(str(home), (), others)
        drafts: list[MemoryDraft] = []
        for row in database.rows("memories", columns):
            if draft := _draft(row):
                drafts.append(draft)
            if len(drafts) == MOST:
                break
    return Shipped(str(home), tuple(drafts), others)


@acting("system:import")
def take_over(project: OpenProject) -> tuple[Shipped, int]:
    """Store the shipped memories as text from outside; return them and the number of new ones.

    Raises:
        NotFound, StoreError: see `shipped`; nothing was stored.
    """
    found = shipped(project)
    records = project.store("project").intake.remember_each(found.drafts)
    new = [
        r for r in records if not isinstance(r, RemoraError) and r.receipt and r.receipt.action == "stored"
    ]
    return found, len(new)


def _draft(row: dict[str, Any]) -> MemoryDraft | None:
    content = row["content"]
    if row["deprecated"] or not isinstance(content, str) or not content.strip():
        return None
    try:
        files = json.loads(row["related_files"] or "[]")
    except (ValueError, TypeError, RecursionError):
        files = []
    named = tuple(f for f in files if isinstance(f, str)) if isinstance(files, list) else ()
    return MemoryDraft(
        content,
        type=row["type"] if row["type"] in MEMORY_TYPES else "pattern",
        confidence=CONFIDENCE,
        related_files=tuple(f for f in named if not Path(f).is_absolute() and ".." not in f)[:20],
        taint=Taint(SOURCE),
        needs_review=True,
    )
