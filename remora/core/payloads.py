"""The payload fields of the four extended memory types, and their validation at the entry points."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from remora.core.errors import InvalidInput
from remora.core.text import sound


class Field(NamedTuple):
    """One field of a payload: its kind, whether it is required, and its lower bound if it is a number."""

    kind: str  # text | number | whole | texts | steps | mapping
    required: bool = True
    low: float | None = None


# One step of a recipe. `order` may be left out: then the position counts.
STEP: dict[str, Field] = {
    "order": Field("whole"),
    "description": Field("text"),
    "canonical_file": Field("text", required=False),
    "canonical_line": Field("whole", required=False, low=1),
}
MAX_DEPTH = 20  # levels of a free payload
# The origin of a memory, with steps and events; see `observer.candidate.provenance`.
_FROM: dict[str, Field] = {"provenance": Field("mapping", required=False)}

PAYLOADS: dict[str, dict[str, Field]] = {
    "workflow_recipe": {
        "task_pattern": Field("text"),
        "steps": Field("steps"),
        "last_validated_at": Field("text", required=False),
        "success_count": Field("whole", required=False, low=0),
        **_FROM,
    },
    "dead_end": {
        "approach_tried": Field("text"),
        "why_it_failed": Field("text"),
        "alternative_used": Field("text", required=False),
        "task_context": Field("text", required=False),
        "taken_out": Field("texts", required=False),  # words that its revert removed from its files
        **_FROM,
    },
    "prefetch_pattern": {
        "always_read_files": Field("texts"),
        "frequently_read_files": Field("texts"),
        "module_trigger": Field("text"),
        "session_count": Field("whole", low=0),
        **_FROM,
    },
    "task_calibration": {
        "module": Field("text"),
        "methodology": Field("text", required=False),
        "average_actual_steps": Field("number", low=0),
        "average_planned_steps": Field("number", low=0),
        "ratio": Field("number", low=0),
        "sample_count": Field("whole", low=1),
        **_FROM,
    },
}


def validate(memory_type: str, payload: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return the validated payload of a memory type; None if there is none.

    Types without a fixed shape accept any mapping of JSON values. The four extended types may have no payload
    (a person writes one sentence), but not an invalid one. Texts are returned in a form that UTF-8 can
    encode.

    Raises:
        InvalidInput: a field is missing, unknown, of the wrong kind or out of bounds, or holds a value
            that JSON cannot represent (an object, infinity).
    """
    if payload is None:
        return None
    if not isinstance(payload, Mapping):
        raise InvalidInput(f"payload must be a mapping, not {type(payload).__name__}")
    fields = PAYLOADS.get(memory_type)
    if fields is None:
        found: dict[str, Any] = _plain("payload", payload)
        return found
    return _filled(memory_type, fields, payload)


def _filled(name: str, fields: Mapping[str, Field], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the validated fields that are given; None counts as missing."""
    unknown = sorted(repr(key) for key in given if key not in fields)
    missing = [repr(key) for key, field in fields.items() if field.required and given.get(key) is None]
    if unknown or missing:
        wrong = f"has no field {unknown[0]}" if unknown else f"needs {', '.join(missing)}"
        raise InvalidInput(f"{name} {wrong}", hint=f"Its fields are {', '.join(fields)}.")
    return {
        key: _check(f"{name}.{key}", field, given[key])
        for key, field in fields.items()
        if given.get(key) is not None
    }


def _plain(name: str, value: Any, depth: int = 0) -> Any:
    """Return a copy of a JSON value."""
    if depth > MAX_DEPTH:
        raise InvalidInput(f"{name} is nested more than {MAX_DEPTH} levels deep")
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        return sound(value)
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, list | tuple):
        return [_plain(f"{name}[{n}]", item, depth + 1) for n, item in enumerate(value)]
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {sound(key): _plain(f"{name}.{key}", item, depth + 1) for key, item in value.items()}
    raise InvalidInput(f"{name} cannot be stored as JSON: {type(value).__name__} {str(value)[:40]!r}")


_KINDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "text": (lambda v: isinstance(v, str) and bool(v.strip()), "a text that is not blank"),
    "whole": (lambda v: isinstance(v, int) and not isinstance(v, bool), "a whole number"),
    "number": (lambda v: isinstance(v, int | float) and not isinstance(v, bool), "a number"),
    "texts": (
        lambda v: isinstance(v, list | tuple) and all(isinstance(one, str) for one in v),
        "a list of texts",
    ),
    "steps": (lambda v: isinstance(v, list | tuple) and len(v) > 0, "a list of at least one step"),
    "mapping": (lambda v: isinstance(v, Mapping), "a mapping"),
}


def _check(name: str, field: Field, value: Any) -> Any:
    fits, words = _KINDS[field.kind]
    if not fits(value):
        raise InvalidInput(f"{name} must be {words}, not {str(value)[:40]!r}")
    if field.low is not None and value < field.low:
        raise InvalidInput(f"{name} must be at least {field.low:g}, not {value!r}")
    if field.kind != "steps":
        return _plain(name, value)
    steps = [_step(f"{name}: step {number}", number, step) for number, step in enumerate(value, start=1)]
    return sorted(steps, key=lambda step: step["order"])


def _step(name: str, number: int, given: Any) -> dict[str, Any]:
    step = {"description": given} if isinstance(given, str) else given
    if not isinstance(step, Mapping):
        raise InvalidInput(f"{name} must be a text or a mapping, not {type(given).__name__}")
    return _filled(name, STEP, {"order": number, **{k: v for k, v in step.items() if v is not None}})
