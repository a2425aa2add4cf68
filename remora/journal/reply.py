r"""Parse the fields of a consolidation from a model's answer, in three tiers.

1. A code fence around the answer is removed and the whole is read as JSON.
2. The first `{…}` that is JSON is read, whatever text is around it.
3. Each field is read separately, as a key and a string in double quotes.

Unlike the original implementation, tier 2 recognizes strings, so that a brace inside one neither opens nor
closes anything, and continues with the next `{` if the first is prose. Raw line feeds inside strings are
accepted in every tier. A field at the end of an answer that was cut off is not read, because it may be
incomplete.

An answer may be wrapped: as JSON in a JSON string, or as a list with one object.
"""

from __future__ import annotations

import json
import re
from itertools import chain
from typing import Any

from remora.core.fences import unfenced
from remora.core.text import shorten, sound
from remora.llm.client import objects, strip_thinking

HISTORY_ENTRY, MEMORY_UPDATE, FACTS = "history_entry", "memory_update", "facts"

MAX_CHARS = 1_000_000  # of an answer; far more than any model gives
_STRING = r'"((?>[^"\\]+|\\.)*)"'
# What may follow a field. A quote that somebody forgot to escape is followed by something else, and a
# field that ends there would be half.
_AFTER = r'(?=\s*,?\s*(?:"\w+"\s*:|[}\]]))'


class Rejected(ValueError):
    """An answer that cannot be used; the message is the reason."""


def read_fields(answer: str, finish_reason: str = "stop") -> dict[str, Any]:
    """Return the fields of an answer, by key.

    Args:
        answer: the model's text.
        finish_reason: "length" if the model was cut off.

    Raises:
        Rejected: there are none.
    """
    text = strip_thinking(sound(answer))
    if finish_reason == "length":
        raise Rejected("the answer was cut off at the token limit")
    if not text:
        raise Rejected("the answer is empty")
    if len(text) > MAX_CHARS:
        raise Rejected(f"the answer has {len(text):,} characters")
    text = unfenced(text)
    for found in chain([_json(text)], objects(text)):
        values = _unwrap(found)
        if isinstance(values, dict) and (HISTORY_ENTRY in values or MEMORY_UPDATE in values):
            return values
    fields = {
        key: value for key in (HISTORY_ENTRY, MEMORY_UPDATE) if (value := _field(text, key)) is not None
    }
    if fields:
        return fields
    raise Rejected(f"the answer has no JSON object with the keys: {shorten(text, 80)!r}")


def _json(text: str) -> Any:
    """Return a text's JSON value, None if it is not JSON."""
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None


def _unwrap(value: Any) -> Any:
    if isinstance(value, str):
        value = _json(value)
    return value[0] if isinstance(value, list) and value else value


def _field(text: str, key: str) -> str | None:
    found = re.search(rf'"{key}"\s*:\s*{_STRING}{_AFTER}', text, re.DOTALL)
    value = _json(f'"{found[1]}"') if found else None
    return value if isinstance(value, str) else None
