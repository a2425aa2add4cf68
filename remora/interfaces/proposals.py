"""Parser of memory drafts in JSON: one draft, a list of drafts, or JSON lines.

A draft is an object with the fields of `MemoryDraft`; only `content` is required. An invalid draft is
returned with its place and the reason, so that it does not affect the valid ones.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any, NamedTuple

from remora.app.project.arguments import own_names
from remora.core.errors import InvalidInput
from remora.core.payloads import PAYLOADS
from remora.core.values import MemoryDraft, Relation, Taint, WorkUnitRef

RECORDS: dict[str, type[Any]] = {"work_unit_ref": WorkUnitRef, "taint": Taint}  # fields that are objects
ONE, IN_LIST, ON_LINE = "the draft", "draft {}", "line {}"


class Proposed(NamedTuple):
    """One draft of a document: its place, and its fields or the error."""

    place: str
    fields: dict[str, Any]
    problem: InvalidInput | None = None


def proposals(text: str) -> Iterator[Proposed]:
    """Yield the drafts of a JSON document, or of JSON lines, in order.

    Raises:
        InvalidInput: the text is neither, or empty.
    """
    text = text.removeprefix("\ufeff")
    if not text.strip():
        raise InvalidInput("there are no drafts: the text is empty", hint="Give one JSON object per draft.")
    try:
        whole = _parsed(text)
    except InvalidInput as error:
        yield from _lines(text, error)
        return
    if isinstance(whole, list):
        for number, one in enumerate(whole, start=1):
            yield _proposed(IN_LIST.format(number), one)
    else:
        yield _proposed(ONE, whole)


def payload(text: str) -> dict[str, Any] | None:
    """Return the payload in a JSON text; None for null.

    Raises:
        InvalidInput: the text is not a JSON object or null.
    """
    try:
        found = _parsed(text)
    except InvalidInput as error:
        raise InvalidInput(f"the payload is {error}", hint=_payload_hint()) from None
    if found is not None and not isinstance(found, dict):
        raise InvalidInput(f"the payload must be a JSON object, not {_kind(found)}", hint=_payload_hint())
    return found


def fields_of(value: object) -> dict[str, Any]:
    """Return the fields of a draft from parsed JSON; null counts as missing.

    Only names and shapes of the fields are checked here; `Memory.remember` checks the values.

    Raises:
        InvalidInput: the value is not an object, has an unknown field, lacks `content`, or has a payload
            without a type.
    """
    if isinstance(value, Mapping):
        value = own_names(value)
    given = _object("a draft", value, MemoryDraft._fields)
    if "content" not in given:
        raise InvalidInput("a draft needs 'content'", hint='The minimum is {"content": "a statement"}.')
    if "payload" in given and "type" not in given:
        kinds = ", ".join(PAYLOADS)
        raise InvalidInput("a payload needs a type", hint=f"Name a type, such as {kinds}.")
    for name, record in RECORDS.items():
        if name in given:
            given[name] = _record(name, given[name], record)
    if "relations" in given:
        given["relations"] = tuple(
            _record(f"relations[{number}]", one, Relation)
            for number, one in enumerate(_list("relations", given["relations"]))
        )
    for name in ("derived_from", "impacted_node_ids"):
        if name in given:
            given[name] = tuple(_list(name, given[name]))
    return given


def _lines(text: str, whole: InvalidInput) -> Iterator[Proposed]:
    """Yield a draft for each line.

    Raises:
        InvalidInput: no line is an object, so that the text is an invalid document, with the error `whole`.
    """
    lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    objects = 0
    found: list[Proposed] = []
    for number, line in lines:
        place = ON_LINE.format(number)
        try:
            value = _parsed(line)
        except InvalidInput as error:
            said = str(error).replace("line 1, ", "")
            found.append(Proposed(place, {}, InvalidInput(said, hint=error.hint)))
            continue
        objects += isinstance(value, dict)
        found.append(_proposed(place, value))
    if not objects:
        hint = "Give one object, a list of objects, or an object on each line."
        raise InvalidInput(f"the drafts are {whole}", hint=hint)
    yield from found


def _proposed(place: str, value: object) -> Proposed:
    try:
        return Proposed(place, fields_of(value))
    except InvalidInput as error:
        return Proposed(place, {}, error)


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


def _record(name: str, value: object, record: type[Any]) -> Any:
    """Return a record from an object; its values are checked when it is stored."""
    given = _object(name, value, record._fields)
    missing = [n for n in record._fields if n not in given and n not in record._field_defaults]
    if missing:
        raise InvalidInput(f"{name} needs {', '.join(map(repr, missing))}", hint=_hint(record._fields))
    return record(**given)


def _object(name: str, value: object, known: tuple[str, ...]) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise InvalidInput(f"{name} must be a JSON object, not {_kind(value)}")
    for field in value:
        if field not in known:
            close = get_close_matches(field, known, n=1)
            hint = f"Did you mean {close[0]!r}?" if close else _hint(known)
            raise InvalidInput(f"{name} has no field {field!r:.60}", hint=hint)
    return {field: one for field, one in value.items() if one is not None}


def _list(name: str, value: object) -> list[Any]:
    if not isinstance(value, list):
        raise InvalidInput(f"{name} must be a list, not {_kind(value)}")
    return value


def _hint(known: tuple[str, ...]) -> str:
    return f"Its fields are {', '.join(known)}."


def _payload_hint() -> str:
    return """Such as '{"approach_tried": "threads", "why_it_failed": "races"}' for a dead_end."""


def _kind(value: object) -> str:
    """Return the name of a JSON value's type.

    >>> [_kind(value) for value in (None, True, 1.5, "a", [], {})]
    ['null', 'true', 'a number', 'a text', 'a list', 'an object']
    """
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case int() | float():
            return "a number"
        case str():
            return "a text"
        case list():
            return "a list"
    return "an object"
