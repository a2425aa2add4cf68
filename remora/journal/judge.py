"""Decide whether a model's answer may change the journal.

An answer is used as a whole or not at all: it needs a history entry with content, and a long-term memory that
keeps its content. A partial, empty or truncated answer is rejected, and so is one that would lose memory
without being asked to:

- A memory of more than `SMALL` bytes must keep half of its bytes and half of its words. The words distinguish
  a reordered text from a replaced one; half of them leaves room for real rewriting, while answers that lose
  memory keep next to nothing (171 of 10,180 bytes in the case that users reported). Below `SMALL` bytes a
  memory is a template or a few facts, and one correction may rightly change most of it; of more than `TINY`
  bytes a quarter must remain.
- If an accepted answer is shorter by more than a tenth, the outcome says so.
- If the memory is over its size and shortening was requested, a quarter of the allowed size must remain: a
  model that leaves less has not shortened the memory but discarded it.

The text replaced by an accepted answer is kept as a version in every case.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from remora.core.text import cjk_pairs, clean, shorten, sound, words
from remora.core.values import MEMORY_TYPES, MemoryDraft
from remora.journal.reply import FACTS, HISTORY_ENTRY, MEMORY_UPDATE, Rejected, read_fields

SMALL, TINY = 400, 80  # bytes
SHORTER = 0.9  # share of the bytes below which an outcome says that the memory became shorter
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
    before, after = len(memory.strip().encode()), len(update.encode())
    if TINY < before <= max_memory_size and after < before * SHORTER:
        shorter = (
            f"the memory became shorter, {after:,} instead of {before:,} bytes; versions/ has it as it was"
        )
        problems = (*problems, shorter)
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
    >>> what_is_lost("- uses PostgreSQL\n" * 10, "- x", 8192)
    'memory_update would shrink the memory from 179 to 3 bytes, without a request to shorten it'
    """
    memory, update = memory.strip(), update.strip()
    before, after = len(memory.encode()), len(update.encode())
    if memory and not update:
        return f"{MEMORY_UPDATE} is blank and would empty the memory"
    if before <= TINY or memory == update:
        return ""
    shrinks = f"{MEMORY_UPDATE} would shrink the memory from {before:,} to {after:,} bytes"
    if before <= SMALL:
        return f"{shrinks}, without a request to shorten it" if after < before * FLOOR_SHARE else ""
    if before > max_memory_size:
        floor = int(max_memory_size * FLOOR_SHARE)
        asked = f"the requested size was {max_memory_size:,}, and at least {floor:,} must remain"
        return f"{shrinks}; {asked}" if after < floor else ""
    if after < before * KEPT_SHARE:
        return f"{shrinks}, without a request to shorten it"
    had = _terms(memory)
    kept = len(had & _terms(update))
    if kept < len(had) * KEPT_SHARE:
        return f"{MEMORY_UPDATE} would keep only {kept} of the {len(had)} words of the memory"
    return ""


def _terms(text: str) -> frozenset[str]:
    """Return the words of a text; for scripts without spaces the pairs of characters."""
    return frozenset([word for word in words(text) if not cjk_pairs(word)] + cjk_pairs(text))


def read_facts(value: Any) -> tuple[tuple[MemoryDraft, ...], tuple[str, ...]]:
    """Return the valid typed memories of an answer, and the errors of the others.

    Args:
        value: the list under the key; None for no facts.

    >>> read_facts([{"content": "Tokens live 24 h.", "type": "decision"}, {"type": "decision"}])[1]
    ('fact 2: content is missing',)
    """
    if value is None:
        return (), ()
    if not isinstance(value, list):
        return (), (f"{FACTS} is not a list",)
    drafts: dict[str, MemoryDraft] = {}
    problems: list[str] = []
    for number, item in enumerate(value[:MAX_FACTS], 1):
        fact = _fact(item)
        if isinstance(fact, str):
            problems.append(f"fact {number}: {fact}")
        else:
            drafts.setdefault(fact.content, fact)
    if len(value) > MAX_FACTS:
        problems.append(f"{len(value) - MAX_FACTS} facts beyond the first {MAX_FACTS} were left out")
    return tuple(drafts.values()), tuple(problems)


def _fact(item: Any) -> MemoryDraft | str:
    if not isinstance(item, dict):
        return f"it is {shorten(json.dumps(item), 40)}, not an object"
    content, kind = item.get("content"), item.get("type")
    if not isinstance(content, str) or not clean(sound(content)).strip():
        return "content is missing"
    if len(content) > MAX_FACT_CHARS:
        return f"content has {len(content):,} characters, more than {MAX_FACT_CHARS:,}"
    if kind not in MEMORY_TYPES:
        return f"unknown type {shorten(json.dumps(kind), 40)}"
    return MemoryDraft(
        clean(sound(content)).strip(),
        str(kind),
        source="observer_inferred",
        confidence=FACT_CONFIDENCE,
        related_files=_files(item.get("files") or item.get("related_files")),
    )


def _files(value: Any) -> tuple[str, ...]:
    named: Sequence[Any] = [value] if isinstance(value, str) else value if isinstance(value, list) else ()
    return tuple(dict.fromkeys(sound(f).strip() for f in named if isinstance(f, str) and f.strip()))[
        :MAX_FACT_FILES
    ]
