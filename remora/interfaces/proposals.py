"""Parser of memory drafts in JSON: one draft, a list of drafts, or JSON lines.

A draft is an object with the fields of `MemoryDraft`; only `content` is required. An invalid draft is
returned with its place and the reason, so that it does not affect the valid ones.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from remora.app.project.arguments import own_names
from remora.core.errors import InvalidInput
from remora.core.payloads import PAYLOADS

EXAMPLE = """Such as '{"approach_tried": "threads", "why_it_failed": "races"}' for a dead_end."""


class Proposed(NamedTuple):
    """One draft of a document: its place, and its fields or the error."""

    place: str
    fields: dict[str, Any]
    problem: InvalidInput | None = None


def proposals(text: str) -> list[Proposed]:
    """Return the drafts of a JSON document, or of JSON lines, in order.

    Raises:
        InvalidInput: the text is neither, or empty.
    """
    text = text.removeprefix("\ufeff")
    if not text.strip():
        raise InvalidInput("there are no drafts: the text is empty", hint="Give one JSON object per draft.")
    try:
        whole = _parsed(text)
    except InvalidInput as error:
        return _lines(text, error)
    if isinstance(whole, list):
        return [_proposed(f"draft {number}", one) for number, one in enumerate(whole, start=1)]
    return [_proposed("the draft", whole)]


def payload(text: str) -> Any:
    """Return the payload in a JSON text; None for null.

    Raises:
        InvalidInput: the text is not a JSON object or null.
    """
    try:
        found = _parsed(text)
    except InvalidInput as error:
        raise InvalidInput(f"the payload is {error}", hint=EXAMPLE) from None
    if found is not None and not isinstance(found, dict):
        raise InvalidInput("the payload must be a JSON object", hint=EXAMPLE)
    return found


def _lines(text: str, whole: InvalidInput) -> list[Proposed]:
    """Return a draft for each line.

    Raises:
        InvalidInput: no line is an object, so that the text is an invalid document, with the error `whole`.
    """
    objects = False
    found: list[Proposed] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            value = _parsed(line)
        except InvalidInput as error:
            said = str(error).replace("line 1, ", "")
            found.append(Proposed(f"line {number}", {}, InvalidInput(said)))
            continue
        objects = objects or isinstance(value, dict)
        found.append(_proposed(f"line {number}", value))
    if not objects:
        hint = "Give one object, a list of objects, or an object on each line."
        raise InvalidInput(f"the drafts are {whole}", hint=hint)
    return found


def _proposed(place: str, value: object) -> Proposed:
    """Return a draft with its fields from parsed JSON; null counts as missing.

    `Memory.remember_each` checks the fields.
    """
    if not isinstance(value, dict):
        return Proposed(place, {}, InvalidInput("a draft must be a JSON object"))
    try:
        named = own_names(value)
    except InvalidInput as error:
        return Proposed(place, {}, error)
    fields = {name: one for name, one in named.items() if one is not None}
    if "payload" in fields and "type" not in fields:
        hint = f"Name a type, such as {', '.join(PAYLOADS)}."
        return Proposed(place, {}, InvalidInput("a payload needs a type", hint=hint))
    return Proposed(place, fields)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise InvalidInput(f"not JSON ({where}: {error.msg})") from None
    except ValueError as error:  # a number of thousands of digits
        raise InvalidInput(f"not JSON that can be read ({error})") from None
    except RecursionError:
        raise InvalidInput("not JSON that can be read (nested too deep)") from None
