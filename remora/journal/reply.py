r"""Parse the fields of a consolidation from a model's answer, in three tiers.

1. A code fence around the answer is removed and the whole is read as JSON.
2. The first `{…}` that is JSON is read, whatever text is around it.
3. Each field is read separately, as a key and a string in double quotes.

Unlike the original implementation, tier 2 recognizes strings, so that a brace inside one neither opens nor
closes anything, and continues with the next `{` if the first is prose. Raw line feeds inside strings are
accepted in every tier. If an object is opened and never closed, the answer was cut off: then no tier reads
it, because its last field may be incomplete.

An answer may be wrapped like tool arguments: as JSON in a JSON string, as a list with one object, or as
`{"arguments": …}`.
"""

from __future__ import annotations

import json
import re
from typing import Any

from remora.core.fences import unfenced
from remora.core.text import shorten, sound
from remora.llm.client import objects, strip_thinking

HISTORY_ENTRY, MEMORY_UPDATE, FACTS = "history_entry", "memory_update", "facts"

MAX_CHARS = 1_000_000  # of an answer; far more than any model gives
_WRAPPERS = ("arguments", "parameters", "input")
_DEPTH = 4  # wrappers in each other
_STRING = r'"((?>[^"\\]+|\\.)*)"'
# What may follow a field. A quote that somebody forgot to escape is followed by something else, and a
# field that ends there would be half.
_AFTER = r'(?=\s*,?\s*(?:"\w+"\s*:|[}\]]|```|\Z))'
_SIGNS = re.compile(_STRING + '|["{}]', re.DOTALL)


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
    whole = _json(text)
    if whole is not None:
        return _of_value(whole[0])
    if _never_closes(text):
        raise Rejected("the answer was cut off: its JSON does not end")
    for found in objects(text):
        values = _unwrap(found)
        if isinstance(values, dict) and (HISTORY_ENTRY in values or MEMORY_UPDATE in values):
            return values
    fields = {
        key: value for key in (HISTORY_ENTRY, MEMORY_UPDATE) if (value := _field(text, key)) is not None
    }
    if fields:
        return fields
    raise Rejected(f"the answer has no JSON object with the keys: {shorten(text, 80)!r}")


def _json(text: str) -> tuple[Any] | None:
    """Return a text's JSON value in a tuple, None if it is not JSON."""
    try:
        return (json.loads(text, strict=False),)
    except (ValueError, RecursionError):
        return None


def _of_value(value: Any) -> dict[str, Any]:
    found = _unwrap(value)
    if not isinstance(found, dict):
        raise Rejected(f"the answer is JSON, but not an object: {shorten(json.dumps(value), 60)}")
    if HISTORY_ENTRY not in found and MEMORY_UPDATE not in found:
        raise Rejected("the answer is a JSON object without the keys")
    return found


def _unwrap(value: Any) -> Any:
    for _ in range(_DEPTH):
        if isinstance(value, str):
            inner = _json(value)
            if inner is None:
                return value
            value = inner[0]
        elif isinstance(value, list):
            if not value or not isinstance(value[0], dict):
                return value
            value = value[0]
        elif isinstance(value, dict) and HISTORY_ENTRY not in value and MEMORY_UPDATE not in value:
            wrapper = next((w for w in _WRAPPERS if isinstance(value.get(w), dict | list | str)), None)
            if wrapper is None:
                return value
            value = value[wrapper]
        else:
            return value
    return value


def _never_closes(text: str) -> bool:
    """Return whether the object with the fields is opened and not closed, or a string not ended.

    Quotes count from the first key on only, because prose contains unpaired apostrophes and quotes.
    """
    keys = [at for key in (HISTORY_ENTRY, MEMORY_UPDATE) if (at := text.find(f'"{key}"')) >= 0]
    if not keys:
        return False
    before = text[: min(keys)]
    depth = opened = max(0, before.count("{") - before.count("}"))
    for sign in _SIGNS.finditer(text, min(keys)):
        if sign[0] == '"':
            return True
        if sign[0] in "{}":
            depth += 1 if sign[0] == "{" else -1
            if opened and depth == 0:
                return False
    return depth > 0


def _field(text: str, key: str) -> str | None:
    found = re.search(rf'"{key}"\s*:\s*{_STRING}{_AFTER}', text, re.DOTALL)
    if found is None:
        return None
    value = _json(f'"{found[1]}"')
    return value[0] if value is not None and isinstance(value[0], str) else None
