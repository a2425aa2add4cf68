"""The four extended memory types and the shapes of their payloads, checked where they come in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from remora.core.errors import InvalidInput


class Field(NamedTuple):
    """One field of a payload: its kind, whether it must be there, and its bounds if it is a number."""

    kind: str  # text | number | whole | texts | steps
    required: bool = True
    low: float | None = None


PAYLOADS: dict[str, dict[str, Field]] = {
    "workflow_recipe": {
        "task_pattern": Field("text"),
        "steps": Field("steps"),
        "last_validated_at": Field("text", required=False),
        "success_count": Field("whole", required=False, low=0),
    },
    "dead_end": {
        "approach_tried": Field("text"),
        "why_it_failed": Field("text"),
        "alternative_used": Field("text", required=False),
        "task_context": Field("text", required=False),
    },
    "prefetch_pattern": {
        "always_read_files": Field("texts"),
        "frequently_read_files": Field("texts"),
        "module_trigger": Field("text"),
        "session_count": Field("whole", low=0),
    },
    "task_calibration": {
        "module": Field("text"),
        "methodology": Field("text", required=False),
        "average_actual_steps": Field("number", low=0),
        "average_planned_steps": Field("number", low=0),
        "ratio": Field("number", low=0),
        "sample_count": Field("whole", low=1),
    },
}


def validate(memory_type: str, payload: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return the payload of a memory type, checked; None where there is none.

    Types without a fixed shape take any mapping of JSON values. The four extended types may come
    without a payload (a person who writes one sentence), but not with a wrong one.

    Raises:
        InvalidInput: a field is missing, unknown, of the wrong kind or out of bounds.
    """
    if payload is None:
        return None
    if not isinstance(payload, Mapping):
        raise InvalidInput(f"payload must be a mapping, not {type(payload).__name__}")
    fields = PAYLOADS.get(memory_type)
    if fields is None:
        return dict(payload)
    unknown = sorted(set(payload) - set(fields))
    if unknown:
        raise InvalidInput(
            f"{memory_type} has no field {unknown[0]!r}", hint=f"Its fields are {', '.join(fields)}."
        )
    checked: dict[str, Any] = {}
    for name, field in fields.items():
        if payload.get(name) is None:
            if field.required:
                raise InvalidInput(
                    f"{memory_type} needs {name!r}", hint=f"Its fields are {', '.join(fields)}."
                )
            continue
        checked[name] = _check(f"{memory_type}.{name}", field, payload[name])
    return checked


def _check(name: str, field: Field, value: Any) -> Any:
    match field.kind:
        case "text":
            if not isinstance(value, str) or not value.strip():
                raise InvalidInput(f"{name} must be a text that says something, not {value!r}")
            return value
        case "number" | "whole":
            whole = field.kind == "whole"
            if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
                raise InvalidInput(f"{name} must be a {'whole ' if whole else ''}number, not {value!r}")
            if field.low is not None and value < field.low:
                raise InvalidInput(f"{name} must be at least {field.low:g}, not {value!r}")
            return value
        case "texts":
            if isinstance(value, str) or not all(isinstance(v, str) for v in value):
                raise InvalidInput(f"{name} must be a list of texts")
            return list(value)
    return _steps(name, value)


def _steps(name: str, value: Any) -> list[dict[str, Any]]:
    if isinstance(value, str) or not value:
        raise InvalidInput(f"{name} must be a list of at least one step")
    steps: list[dict[str, Any]] = []
    for number, raw in enumerate(value, start=1):
        step = {"description": raw} if isinstance(raw, str) else dict(raw)
        if not isinstance(step.get("description"), str) or not step["description"].strip():
            raise InvalidInput(f"{name}: step {number} needs a description")
        step.setdefault("order", number)
        steps.append(
            {k: step[k] for k in ("order", "description", "canonical_file", "canonical_line") if k in step}
        )
    return sorted(steps, key=lambda s: s["order"])
