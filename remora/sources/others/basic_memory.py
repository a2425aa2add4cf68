"""Read the Markdown notes of basic-memory.

A note has front matter (`title`, `type`, `permalink`, `tags`), text, and lists in two forms that its program
recognizes anywhere in the text:

    - [category] observation #tag (context)
    - relation_type [[Another Note]]

Every note is imported whole, so its relations stay in its text. An observation with a category is also
imported as a memory; the category determines its type. Task list boxes (`[ ]`, `[x]`), transcript times
(`[00:12]`), links, quotes and code are no observations.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from remora.core.text import collapse
from remora.core.values import Entry, MemoryDraft
from remora.sources.instant import instant
from remora.sources.markdown import bullets
from remora.sources.others.files import File, digest, files_of, modified, read_note
from remora.sources.others.import_result import Found, Gatherer, Unreadable
from remora.sources.rule_sense import guess_type
from remora.sources.rule_text import Text

SYSTEM = "basic-memory"
TYPES = {
    "decision": ("decision", "rationale", "choice", "tradeoff", "trade-off"),
    "preference": ("preference", "convention", "style"),
    "requirement": ("requirement", "constraint", "rule", "must", "specification"),
    "gotcha": ("gotcha", "warning", "caveat", "pitfall", "risk", "limitation", "issue"),
    "error_pattern": ("problem", "error", "bug", "failure", "fix", "solution"),
    "pattern": ("pattern", "technique", "method", "tip", "approach", "practice", "best-practice", "example"),
    "module_insight": ("fact", "feature", "architecture", "design", "component", "tech", "insight", "note"),
    "work_state": ("status", "todo", "next", "in-progress", "blocker"),
    "dead_end": ("dead-end", "rejected", "abandoned"),
}
CONFIDENCE = 0.8
NOT_ENTERED = frozenset({".git", ".obsidian", ".trash", "node_modules"})
_BY_CATEGORY = {name: kind for kind, names in TYPES.items() for name in names}

_OBSERVATION = re.compile(r"\[([^\[\]()]+)\]\s+(.+)")
_RELATION = re.compile(r"(?:[^\s\[\]]+|\"[^\"]+\"|'[^']+')\s*\[\[[^\[\]]+\]\](?:\s*\(.*\))?")
_TAG = re.compile(r"(?<!\S)#([^\s#]+)")


class Observation(NamedTuple):
    """A line of the form `[category] text #tag (context)`."""

    line: int
    category: str
    text: str
    tags: tuple[str, ...]


def read(path: Path) -> Found:
    """Return the notes of a folder and its subfolders, or of one file."""
    gather = Gatherer(SYSTEM)
    for file in files_of(path, gather, without=NOT_ENTERED):
        if file.path.suffix != ".md":
            gather.pass_over("files", file.shown, "not a note")
            continue
        with gather.taking("entries", file.shown):
            _take(file, _parse(file), gather)
    return gather.found()


def is_note(file: File) -> bool:
    """Return whether a file is a note: it has a permalink, or observations and relations in this form.

    Raises:
        Unreadable: it cannot be read, or is empty.
    """
    found = _parse(file)
    if found.front.get("permalink"):
        return True
    related = any(_RELATION.fullmatch(text) for _, text in bullets(found.body))
    return bool(found.front.get("title")) and related and any(observations(found.body))


def _parse(file: File) -> Text:
    found = read_note(file.path)
    if not found.body.strip():
        raise Unreadable("empty")
    return found


def _take(file: File, found: Text, gather: Gatherer) -> None:
    if found.note:
        gather.remark(found.note, file.shown)
    title = found.value("title") or file.path.stem
    # The permalink stays when the file is moved; without one the path is the key.
    key = found.value("permalink").strip("/") or file.shown.removesuffix(".md")
    tags = tuple(t for value in found.front.get("tags", ()) for part in value.split(",") if (t := _tag(part)))
    kind = found.value("type") or "note"
    when = instant(found.value("created")) or modified(file.path)
    about = [f"Tags: {', '.join(tags)}"] if tags else []
    about += [f"Type: {kind}"] if kind != "note" else []
    body = "\n\n".join(part for part in (found.body.strip(), "\n".join(about)) if part)
    gather.entry(Entry(0, key, body, "note", (title,), when or ""), file.shown)
    for one in observations(found.body, found.first_line):
        gather.saw("memories")
        draft = MemoryDraft(
            content=f"{title}: {one.text}",
            type=_BY_CATEGORY.get(one.category.lower().replace(" ", "-").replace("_", "-"))
            or guess_type(one.text),
            source="mcp_auto",
            confidence=CONFIDENCE,
            tags=(f"category:{one.category}", *one.tags, *tags),
            external_id=f"{SYSTEM}:{key}#{digest(one.category, collapse(one.text), characters=16)}",
            created_at=when,
            origin_path=file.shown,
            origin_line=one.line,
        )
        gather.draft(draft, f"{file.shown}:{one.line}")


def _tag(text: str) -> str:
    return text.strip().lstrip("#").strip()


def observations(body: str, first_line: int = 1) -> Iterator[Observation]:
    """Yield the observations of a text that have a category.

    >>> [o[1:] for o in observations("- [tip] Rinse it first #brew #hot (Sunday)")]
    [('tip', 'Rinse it first (Sunday)', ('brew', 'hot'))]
    """
    for line, text in bullets(body, first_line):
        found = _OBSERVATION.match(text)
        if not found:
            continue
        category = found[1].strip()
        if category in ("x", "X") or not any(sign.isalpha() for sign in category):
            continue
        tags = tuple(dict.fromkeys(_TAG.findall(found[2])))
        said = collapse(_TAG.sub("", found[2]))
        if said:
            yield Observation(line, category, said, tags)
