"""Read Claude Code's own notes: the auto memory of a project.

    ~/.claude/projects/<project>/memory/MEMORY.md    an index, and notes
    ~/.claude/projects/<project>/memory/<topic>.md   front matter with name, description and type

The files are split and typed as by `remora init` (`sources/rules.py`), so both produce the same memory. A
short topic file is one memory, named after its file, so an edit there changes it here. The pieces of a long
file, and the lines of the index, are named after their words.
"""

from __future__ import annotations

import re
from pathlib import Path

from remora.core.text import content_hash
from remora.core.values import MemoryDraft
from remora.sources.instant import instant
from remora.sources.others.files import File, files_of, modified, read_note
from remora.sources.others.import_result import Found, Gatherer, Unreadable
from remora.sources.rule_text import Text
from remora.sources.rules import MAX_BYTES, read_memory_text

SYSTEM = "claude-code"
INDEX = "MEMORY.md"
TYPES = ("user", "feedback", "project", "reference")
_NESTED = re.compile(r"\btype:\s*(\w+)")  # newer versions put the type below `metadata`
_LISTS = re.compile(r"^[ \t]*[-*+][ \t]+(?:\*\*)?\[[^\]\n]*\]\((?!\w+:)[^)\n]+\.md\)", re.MULTILINE)


def read(path: Path) -> Found:
    """Return the notes of a project.

    Args:
        path: the `memory` folder, the folder of a project that has one, the folder of all projects, or
            one file.
    """
    gather = Gatherer(SYSTEM)
    for root, prefix in memory_folders(path):
        for file in files_of(root, gather, prefix=prefix):
            if file.path.suffix != ".md" or file.path.parent != (root if root.is_dir() else root.parent):
                gather.pass_over("files", file.shown, "not a note of Claude Code")
            else:
                with gather.reading(file.shown, "memories"):
                    _read_note(file, gather)
    return gather.found()


def memory_folders(path: Path) -> list[tuple[Path, str]]:
    """Return the note folders at a path, each with the path prefix shown for its files."""
    if path.is_file():
        return [(path, "")]
    if (path / "memory").is_dir():
        return [(path / "memory", "")]
    if any(path.glob("*.md")):
        return [(path, "")]
    return [(one, f"{one.parent.name}/") for one in sorted(path.glob("*/memory")) if one.is_dir()]


def is_memory(path: Path) -> bool:
    """Return whether a folder, or a file, holds notes of Claude Code.

    A topic file is recognized by its type, an index by the existing files that it lists.
    """
    for root, _ in memory_folders(path)[:50]:
        files = [root] if root.is_file() else sorted(root.glob("*.md"))[:200]
        for file in files:
            try:
                found = read_note(file, MAX_BYTES)
            except Unreadable:
                continue
            if file.name != INDEX and _type(found) in TYPES and found.front.get("name"):
                return True
            if file.name == INDEX and _LISTS.search(found.body) and len(files) > 1:
                return True
    return False


def _type(found: Text) -> str:
    nested = _NESTED.search(found.value("metadata"))
    return found.value("type") or (nested[1] if nested else "")


def _read_note(file: File, gather: Gatherer) -> None:
    found = read_note(file.path, MAX_BYTES)
    if not found.body.strip():
        raise Unreadable("empty")
    index = file.path.name == INDEX
    drafts, skipped = read_memory_text(found, file.path, file.shown, index=index)
    for one in skipped:
        gather.pass_over("memories", one.what, one.why)
    kind = _type(found)
    when = instant(found.value("modified")) or modified(file.path)
    gather.saw("memories", len(drafts))
    for draft in drafts:
        alone = len(drafts) == 1 and not index
        key = file.shown if alone else f"{file.shown}#{content_hash(draft.content)[:16]}"
        gather.draft(_named(draft, kind, key, when), f"{file.shown}:{draft.origin_line}")


def _named(draft: MemoryDraft, kind: str, key: str, when: str | None) -> MemoryDraft:
    return draft._replace(
        tags=(*draft.tags, f"type:{kind}") if kind in TYPES else draft.tags,
        external_id=f"{SYSTEM}:{key}",
        created_at=when,
        related_files=(),  # they were looked for beside the note, not in the project
        related_modules=(),
    )
