"""Read GolemCore's memory items: JSON Lines of typed memories, in layers and scopes.

    items/episodic/YYYY-MM-DD.jsonl   appended to, one file a day
    items/semantic.jsonl              promoted: constraints, preferences, facts, decisions
    items/procedural.jsonl            promoted: failures, fixes, results of commands
    scopes/session/<channel>/<key>/items/…, scopes/goal/<channel>/<key>/<goal>/items/…,
    scopes/task/<id>/items/…

The same memory occurs in several files: an episodic line, its promoted copy, later versions. They share a
fingerprint, and the newest counts: GolemCore merges the others into it. One with a lifetime of 0 days is a
tombstone: the memory was forgotten, and no older copy restores it.

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

_NAME = r"[a-z0-9_-]{1,32}"
_KEY = r"[A-Za-z0-9_-]{1,128}"
_SCOPE = re.compile(rf"session:{_NAME}:{_KEY}|goal:{_NAME}:{_KEY}:{_KEY}|task:{_KEY}")
_FILE_NAME = re.compile(r"(?:[\w.@-]+/)*[\w.@-]+\.[A-Za-z]\w{0,7}|(?:[\w.@-]+/)+[\w.@-]+")


class Item(NamedTuple):
    """One line: one copy of a memory. Times are ISO 8601 in UTC, "" if unknown."""

    place: str
    name: str
    ttl_days: float | None
    created_at: str
    updated_at: str
    record: Mapping[str, Any]

    @property
    def forgotten(self) -> bool:
        """Whether the line is a tombstone."""
        return self.ttl_days is not None and self.ttl_days <= 0


def read_items(files: Sequence[File], gather: Gatherer, *, now: float | None = None) -> None:
    """Read the memories of some files.

    Args:
        now: seconds since 1970; memories expired by then are left out. None keeps them.
    """
    copies: dict[str, list[Item]] = {}
    for file in files:
        with gather.reading(file.shown):
            for line, record in json_lines(file):
                place = f"{file.shown}:{line}"
                gather.saw("memories")
                if isinstance(record, str):
                    gather.skip("memories", place, record)
                else:
                    item = _item(record, place)
                    copies.setdefault(text(record.get("fingerprint")).strip() or item.name, []).append(item)
    for group in copies.values():
        _take(group, gather, now)


def is_item(record: Mapping[str, Any]) -> bool:
    """Return whether an object is a memory item."""
    return text(record.get("type")).upper() in TYPES and text(record.get("layer")).upper() in LAYERS


def _item(record: Mapping[str, Any], place: str) -> Item:
    created = instant(record.get("createdAt")) or ""
    words = (text(record.get(key)).strip() for key in ("type", "title", "content"))
    return Item(
        place=place,
        name=text(record.get("id")).strip() or text(record.get("fingerprint")).strip() or digest(*words),
        ttl_days=number(record.get("ttlDays")),
        created_at=created,
        updated_at=instant(record.get("updatedAt")) or created,
        record=record,
    )


def _take(group: list[Item], gather: Gatherer, now: float | None) -> None:
    newest = max(reversed(group), key=lambda item: (item.updated_at, item.forgotten))
    why = ""
    if newest.forgotten:
        why = "forgotten (a tombstone)"
    elif now is not None and newest.ttl_days is not None and _is_over(newest, now):
        why = "expired"
    if not why:
        oldest = min(group, key=lambda item: (item.created_at or "9", item.name))  # its name never changes
        gather.draft(_draft(newest, oldest.name), newest.place)
    for item in group:
        if why or item is not newest:
            gather.skip("memories", item.place, why or "another copy of an imported memory")


def _is_over(item: Item, now: float) -> bool:
    begin = item.created_at or item.updated_at
    return bool(begin) and from_iso(begin) + (item.ttl_days or 0.0) * DAY_SECONDS < now


def _draft(item: Item, name: str) -> MemoryDraft:
    record, days = item.record, item.ttl_days
    layer, confidence = text(record.get("layer")).strip().lower(), number(record.get("confidence"))
    draft = MemoryDraft(
        content=_content(text(record.get("title")).strip(), text(record.get("content")).strip()),
        type=TYPES.get(text(record.get("type")).strip().upper(), "pattern"),
        source="agent_explicit"
        if text(record.get("source")).startswith(("user", "tool"))
        else "observer_inferred",
        confidence=CONFIDENCE if confidence is None else confidence,
        tags=(*((f"layer:{layer}",) if layer else ()), *texts(record.get("tags"))),
        related_files=tuple(filter(_is_file_name, texts(record.get("references")))),
        # Here an unused memory expires after several half-lives, in GolemCore after its lifetime.
        decay_half_life_days=min(days, MAX_DAYS) / EXPIRED_HALF_LIVES if days else None,
        external_id=f"golemcore:{name}",
        created_at=item.created_at or None,
        origin_path=item.place.rpartition(":")[0],
        origin_line=int(item.place.rpartition(":")[2]),
    )
    return _scoped(draft, text(record.get("scope")).strip())


def _is_file_name(reference: str) -> bool:
    return len(reference) < 500 and ".." not in reference and bool(_FILE_NAME.fullmatch(reference))


def _content(title: str, content: str) -> str:
    if not content or not title or title.rstrip("….") in content:
        return content or title
    return f"{title}\n{content}"


def _scoped(draft: MemoryDraft, scope: str) -> MemoryDraft:
    kind, _, rest = scope.partition(":")
    if not _SCOPE.fullmatch(scope):
        return draft
    if kind == "session":
        return draft._replace(scope="session", session_id=rest)
    parts = tuple(rest.split(":"))
    return draft._replace(scope="work_unit", work_unit_ref=WorkUnitRef("golemcore", parts, scope))
