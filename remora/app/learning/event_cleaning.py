"""Remove secrets and private spans from events: the first step for everything that a host reports.

Imports are few: a hook does this for every tool call of a host that leaves no transcript.
"""

from __future__ import annotations

from typing import Any

from remora.core.events import Event
from remora.core.text import without_private
from remora.lifecycle.redaction import redact_json

TEXTS = ("text", "command", "pattern", "url")  # fields of an event that may hold a secret


def clean(event: Event) -> tuple[Event, dict[str, int]]:
    """Return an event without secrets, and the number of secrets by kind.

    Spans that a person marks with `<private>…</private>` are removed first and are not counted.
    """
    if event.kind == "user_prompt":
        event = event._replace(text=without_private(event.text))
    counts: dict[str, int] = {}
    changes: dict[str, Any] = {name: redact_json(getattr(event, name), counts) for name in TEXTS}
    if event.extra:
        before = sum(counts.values())
        extra = redact_json(dict(event.extra), counts)
        if sum(counts.values()) > before:
            changes["extra"] = extra
    return event._replace(**changes), counts
