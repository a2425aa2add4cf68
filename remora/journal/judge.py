"""Decide whether a model's answer may change the journal.

An answer is used as a whole or not at all: it needs a history entry with content, and a long-term memory that
keeps its content. A partial, empty or truncated answer is rejected, and so is one that would lose memory
without being asked to:

- A memory of more than `SMALL` bytes must keep half of its bytes; answers that lose memory keep next to
  nothing (171 of 10,180 bytes in the case that users reported). A smaller one is a template or a few facts,
  and one correction may rightly change most of it.
- If the memory is over its size and shortening was requested, a quarter of the allowed size must remain: a
  model that leaves less has not shortened the memory but discarded it.

The text replaced by an accepted answer is kept as a version in every case.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from remora.core.text import clean, sound
from remora.core.values import MEMORY_TYPES, MemoryDraft
from remora.journal.reply import FACTS, HISTORY_ENTRY, MEMORY_UPDATE, Rejected, read_fields

SMALL = 200  # bytes
KEPT_SHARE = 0.5
FLOOR_SHARE = 0.25
EMPTY = "(empty)"  # how an empty memory is shown to the model

MAX_FACTS = 20
MAX_FACT_CHARS = 1_000  # a fact is a statement or two
MAX_FACT_FILES = 20
FACT_CONFIDENCE = 0.6  # said by a model about a conversation, confirmed by nobody

# What models write in place of a memory that stays as it is.
_UNCHANGED = frozenset(
    {"unchanged", "no change", "no changes", "same", "same as before", "nothing new", "n/a"}
)


class Reply(NamedTuple):
    """A usable answer. `memory_update` is the new long-term memory, None to leave it unchanged."""

    history_entry: str
    memory_update: str | None
    facts: tuple[MemoryDraft, ...] = ()
    problems: tuple[str, ...] = ()


def judge(answer: str, memory: str, max_memory_size: int, finish_reason: str = "stop") -> Reply:
    """Return the content of a model's answer.

    Args:
        answer: the model's text.
        memory: the long-term memory in the prompt.
        max_memory_size: bytes; a longer memory was to be shortened.
        finish_reason: why the model stopped; "length" if it was cut off.

    Raises:
        Rejected: it cannot be used; the message is the reason.
    """
    fields = read_fields(answer, finish_reason)
    entry = clean(_text_of(fields, HISTORY_ENTRY)).strip()
    if not entry:
        raise Rejected(f"{HISTORY_ENTRY} is blank")
    update = _meant(_text_of(fields, MEMORY_UPDATE), memory)
    loss = what_is_lost(memory, update, max_memory_size)
    if loss:
        raise Rejected(loss)
    facts, problems = read_facts(fields.get(FACTS))
    return Reply(entry, update if update != memory.strip() else None, facts, problems)


def _text_of(values: Mapping[str, Any], key: str) -> str:
    """Return a field as a text, trimmed; an object or a list as JSON."""
    if key not in values:
        raise Rejected(f"{key} is missing")
    value = values[key]
    if isinstance(value, dict | list):
        return sound(json.dumps(value, ensure_ascii=False)) if value else ""
    if not isinstance(value, str):
        raise Rejected(f"{key} is {json.dumps(value)}, not text")
    return sound(value).replace("\r\n", "\n").strip()


def _meant(update: str, memory: str) -> str:
    """Return the meaning of an update: `unchanged` is the memory itself, `(empty)` is nothing."""
    said = update.strip("()[]<>*_\"'. ").casefold()
    if said in _UNCHANGED or update == memory.strip():
        return memory.strip()
    return "" if update == EMPTY else clean(update).strip()


def what_is_lost(memory: str, update: str, max_memory_size: int) -> str:
    r"""Return the reason why an update would lose too much of a memory; empty if it would not.

    >>> what_is_lost("- uses PostgreSQL", "- uses PostgreSQL 16", 8192)
    ''
    >>> what_is_lost("- uses PostgreSQL", "", 8192)
    'memory_update is blank and would empty the memory'
    >>> what_is_lost("- uses PostgreSQL\n" * 100, "- x", 8192)
    'memory_update would shrink the memory from 1,799 to 3 bytes, without a request to shorten it'
    """
    memory, update = memory.strip(), update.strip()
    before, after = len(memory.encode()), len(update.encode())
    if memory and not update:
        return f"{MEMORY_UPDATE} is blank and would empty the memory"
    shrinks = f"{MEMORY_UPDATE} would shrink the memory from {before:,} to {after:,} bytes"
    if before > max_memory_size:
        floor = int(max_memory_size * FLOOR_SHARE)
        asked = f"the requested size was {max_memory_size:,}, and at least {floor:,} must remain"
        return f"{shrinks}; {asked}" if after < floor else ""
    if before > SMALL and after < before * KEPT_SHARE:
        return f"{shrinks}, without a request to shorten it"
    return ""


def read_facts(value: Any) -> tuple[tuple[MemoryDraft, ...], tuple[str, ...]]:
    """Return the valid typed memories of an answer, and a note on the others.

    Args:
        value: the list under the key; anything else for no facts.

    >>> read_facts([{"content": "Tokens live 24 h.", "type": "decision"}, {"type": "decision"}])[1]
    ('facts that could not be used: 1',)
    """
    facts = [_fact(item) for item in value[:MAX_FACTS]] if isinstance(value, list) else []
    drafts = {fact.content: fact for fact in facts if fact is not None}
    bad = facts.count(None)
    return tuple(drafts.values()), (f"facts that could not be used: {bad}",) if bad else ()


def _fact(item: Any) -> MemoryDraft | None:
    content, kind = (item.get("content"), item.get("type")) if isinstance(item, dict) else (None, None)
    if not isinstance(content, str) or len(content) > MAX_FACT_CHARS or kind not in MEMORY_TYPES:
        return None
    text = clean(sound(content)).strip()
    if not text:
        return None
    return MemoryDraft(
        text,
        str(kind),
        source="observer_inferred",
        confidence=FACT_CONFIDENCE,
        related_files=_files(item.get("files")),
    )


def _files(value: Any) -> tuple[str, ...]:
    named = value if isinstance(value, list) else [value]
    files = [sound(name).strip() for name in named if isinstance(name, str)]
    return tuple(dict.fromkeys(filter(None, files)))[:MAX_FACT_FILES]
