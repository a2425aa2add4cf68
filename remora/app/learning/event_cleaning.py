"""Remove secrets and private spans from events: the first step for everything that a host reports.

Imports are few: a hook does this for every tool call of a host that leaves no transcript.
"""

from __future__ import annotations

from typing import Any

from remora.core.events import Event
from remora.core.secrets import redact
from remora.core.text import without_private
from remora.lifecycle.redaction import redact_json

TEXTS = ("text", "command", "pattern", "url")  # fields of an event that may hold a secret


def clean(event: Event) -> tuple[Event, dict[str, int]]:
    """Return an event without secrets, and the number of secrets by kind.

    Spans that a person marks with `<private>…</private>` are removed first and are not counted.
    """
    if event.kind == "user_prompt":
        event = event._replace(text=without_private(event.text))
    changes: dict[str, Any] = {}
    counts: dict[str, int] = {}
    for name in TEXTS:
        text = getattr(event, name)
        if text and (found := redact(text)).count:
            changes[name] = found.text
            for kind, number in found.redactions:
                counts[kind] = counts.get(kind, 0) + number
    if event.extra:
        before = sum(counts.values())
        extra = redact_json(dict(event.extra), counts)
        if sum(counts.values()) > before:
            changes["extra"] = extra
    return (event._replace(**changes) if changes else event), counts
