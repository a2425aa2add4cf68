"""Read GolemCore's memory items: JSON Lines of typed memories, in layers and scopes.

    items/episodic/YYYY-MM-DD.jsonl   appended to, one file a day
    items/semantic.jsonl              promoted: constraints, preferences, facts, decisions
    items/procedural.jsonl            promoted: failures, fixes, results of commands
    scopes/session/<channel>/<key>/items/…, scopes/goal/<channel>/<key>/<goal>/items/…,
    scopes/task/<id>/items/…

The same memory occurs in several files: an episodic line, its promoted copy, later versions. Lines with a
common id or fingerprint belong together. The newest determines the state; one with a lifetime of 0 days is a
tombstone: the memory was forgotten, and no older copy restores it. Otherwise they are merged as in GolemCore:
longest text, highest confidence and salience, all tags and references, the widest scope; title, type and
lifetime from the newest.

| GolemCore | here |
|---|---|
| DECISION | decision |
| CONSTRAINT | requirement |
| PREFERENCE | preference |
| FAILURE, FIX | error_pattern |
| PROJECT_FACT | module_insight |
| TASK_STATE | work_state |
| COMMAND_RESULT | pattern |
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from remora.core.clock import DAY_SECONDS, from_iso
from remora.core.strength import EXPIRED_HALF_LIVES
from remora.core.values import MemoryDraft, WorkUnitRef
from remora.sources.instant import instant
from remora.sources.others.files import File, digest, json_lines, number, text, texts
from remora.sources.others.import_result import Gatherer

TYPES = {
    "DECISION": "decision",
    "CONSTRAINT": "requirement",
    "PREFERENCE": "preference",
    "FAILURE": "error_pattern",
    "FIX": "error_pattern",
    "PROJECT_FACT": "module_insight",
    "TASK_STATE": "work_state",
    "COMMAND_RESULT": "pattern",
}
LAYERS = ("WORKING", "EPISODIC", "SEMANTIC", "PROCEDURAL")
CONFIDENCE = 0.55  # GolemCore's default
MAX_DAYS = 1e6

_SCOPE_FOLDERS = re.compile(
    r"scopes/(session)/([^/]+)/([^/]+)/items/|scopes/(goal)/([^/]+)/([^/]+)/([^/]+)/items/|scopes/(task)/([^/]+)/items/"
)
_NAME = r"[a-z0-9_-]{1,32}"
_KEY = r"[A-Za-z0-9_-]{1,128}"
_SCOPE = re.compile(rf"session:{_NAME}:{_KEY}|goal:{_NAME}:{_KEY}:{_KEY}|task:{_KEY}")
_FILE_NAME = re.compile(r"(?:[\w.@-]+/)*[\w.@-]+\.[A-Za-z]\w{0,7}|(?:[\w.@-]+/)+[\w.@-]+")
_WIDTH = ("task", "goal", "session", "global")


class Item(NamedTuple):
    """One line: one copy of a memory. Times are ISO 8601 in UTC, "" if unknown."""

    place: str
    order: int
    id: str
    fingerprint: str
    kind: str
    layer: str
    title: str
    content: str
    scope: str
    source: str
    tags: tuple[str, ...]
    references: tuple[str, ...]
    confidence: float | None
    salience: float | None
    ttl_days: float | None
    created_at: str
    updated_at: str


def read_items(files: Sequence[File], gather: Gatherer, *, now: float | None = None) -> None:
    """Read the memories of some files.

    Args:
        now: seconds since 1970; memories expired by then are left out. None keeps them.
    """
    items: list[Item] = []
    for file in files:
        with gather.reading(file.shown):
            for line, record in json_lines(file):
                place = f"{file.shown}:{line}"
                gather.saw("memories")
                if isinstance(record, str):
                    gather.skip("memories", place, record)
                else:
                    items.append(_item(record, place, len(items)))
    for group in _groups(items):
        _take(group, gather, now)


def is_item(record: Mapping[str, Any]) -> bool:
    """Return whether an object is a memory item."""
    return text(record.get("type")).upper() in TYPES and text(record.get("layer")).upper() in LAYERS


def _item(record: Mapping[str, Any], place: str, order: int) -> Item:
    days = number(record.get("ttlDays"))
    return Item(
        place=place,
        order=order,
        id=text(record.get("id")).strip(),
        fingerprint=text(record.get("fingerprint")).strip(),
        kind=text(record.get("type")).strip().upper(),
        layer=text(record.get("layer")).strip().lower(),
        title=text(record.get("title")).strip(),
        content=text(record.get("content")).strip(),
        scope=_scope(text(record.get("scope")), place),
        source=text(record.get("source")).strip(),
        tags=texts(record.get("tags")),
        references=texts(record.get("references")),
        confidence=number(record.get("confidence")),
        salience=number(record.get("salience")),
        ttl_days=days,
        created_at=instant(record.get("createdAt")) or "",
        updated_at=instant(record.get("updatedAt")) or instant(record.get("createdAt")) or "",
    )


def _scope(written: str, place: str) -> str:
    """Return the scope of an item: as written, else from its folder, else global."""
    written = written.strip()
    kind, _, rest = written.partition(":")
    if kind.lower() == "global":
        return "global"
    channel, colon, after = rest.partition(":")
    named = f"{kind.lower()}:{rest if kind.lower() == 'task' else channel.lower() + colon + after}"
    if _SCOPE.fullmatch(named):
        return named
    if written or not (found := _SCOPE_FOLDERS.search(place)):
        return "global"
    return ":".join(part for part in found.groups() if part)


def _groups(items: list[Item]) -> list[list[Item]]:
    """Return the groups of related items, direct or indirect, in the order of the files."""
    parent = list(range(len(items)))

    def root(at: int) -> int:
        while parent[at] != at:
            parent[at] = parent[parent[at]]
            at = parent[at]
        return at

    first: dict[tuple[str, str], int] = {}
    for item in items:
        for key in _keys(item):
            if key[1]:
                one, other = sorted((root(item.order), root(first.setdefault(key, item.order))))
                parent[other] = one
    groups: dict[int, list[Item]] = {}
    for item in items:
        groups.setdefault(root(item.order), []).append(item)
    return list(groups.values())


def _keys(item: Item) -> tuple[tuple[str, str], ...]:
    own = "" if item.id or item.fingerprint else digest(item.kind, item.title, item.content)
    return ("id", item.id), ("print", item.fingerprint), ("text", own)


def _take(group: list[Item], gather: Gatherer, now: float | None) -> None:
    newest = max(group, key=lambda item: (item.updated_at, _is_tombstone(item), item.order))
    why = ""
    if _is_tombstone(newest):
        why = "forgotten (a tombstone)"
    elif now is not None and newest.ttl_days is not None and _is_over(newest, now):
        why = "expired"
    if why:
        for item in group:
            gather.skip("memories", item.place, why)
        return
    gather.draft(_draft(group, newest), newest.place)
    for item in group:
        if item is not newest:
            gather.skip("memories", item.place, "another copy of an imported memory")


def _is_tombstone(item: Item) -> bool:
    return item.ttl_days is not None and item.ttl_days <= 0


def _is_over(item: Item, now: float) -> bool:
    begin = item.created_at or item.updated_at
    return bool(begin) and from_iso(begin) + (item.ttl_days or 0.0) * DAY_SECONDS < now


def _draft(group: list[Item], newest: Item) -> MemoryDraft:
    """Return one memory for all copies. Its external id is the oldest copy's, which never changes."""
    oldest = min(group, key=lambda item: (item.created_at or "9", item.id, item.fingerprint))
    longest = max(group, key=lambda item: (len(item.content), item.updated_at, item.order))
    scope = max((item.scope for item in group), key=lambda one: _WIDTH.index(one.partition(":")[0]))
    references = tuple(dict.fromkeys(one for item in group for one in item.references))
    files = tuple(one for one in references if _is_file_name(one))
    salience = max((item.salience for item in group if item.salience is not None), default=None)
    rest = [one for one in references if one not in files]
    payload = ({"salience": salience} if salience is not None else {}) | (
        {"references": rest} if rest else {}
    )
    days = newest.ttl_days
    layers = dict.fromkeys(f"layer:{item.layer}" for item in group if item.layer)
    name = oldest.id or oldest.fingerprint or digest(oldest.kind, oldest.title, oldest.content)
    draft = MemoryDraft(
        content=_content(newest.title, longest.content),
        type=TYPES.get(newest.kind, "pattern"),
        source="agent_explicit" if newest.source.startswith(("user", "tool")) else "observer_inferred",
        confidence=max((i.confidence for i in group if i.confidence is not None), default=CONFIDENCE),
        tags=(*layers, *dict.fromkeys(tag for item in group for tag in item.tags)),
        related_files=files,
        payload=payload or None,
        # Here an unused memory expires after several half-lives, in GolemCore after its lifetime.
        decay_half_life_days=min(days, MAX_DAYS) / EXPIRED_HALF_LIVES if days else None,
        external_id=f"golemcore:{name}",
        created_at=oldest.created_at or None,
        origin_path=newest.place.rpartition(":")[0],
        origin_line=int(newest.place.rpartition(":")[2]),
    )
    return _scoped(draft, scope)


def _is_file_name(reference: str) -> bool:
    return len(reference) < 500 and ".." not in reference and bool(_FILE_NAME.fullmatch(reference))


def _content(title: str, content: str) -> str:
    if not content or not title or title.rstrip("….") in content:
        return content or title
    return f"{title}\n{content}"


def _scoped(draft: MemoryDraft, scope: str) -> MemoryDraft:
    kind, _, rest = scope.partition(":")
    if kind == "session":
        return draft._replace(scope="session", session_id=rest)
    if kind in ("goal", "task"):
        parts = tuple(rest.split(":"))
        return draft._replace(scope="work_unit", work_unit_ref=WorkUnitRef("golemcore", parts, scope))
    return draft
