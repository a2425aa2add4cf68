"""Events without secrets and private spans: the first thing that happens to whatever an agent's host tells.

Imports are few: a hook does this for every tool call in a host that leaves no transcript.
"""

from __future__ import annotations

from typing import Any

from remora.core.events import Event
from remora.core.secrets import redact
from remora.core.text import without_private
from remora.lifecycle.redaction import redact_json

TEXTS = ("text", "command", "pattern", "url")  # of an event, where a secret may stand


def clean(event: Event) -> tuple[Event, dict[str, int]]:
    """Return an event without the secrets in it, and how many of each kind there were.

    What a person marks with `<private>…</private>` is taken out first, and is not counted.
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
