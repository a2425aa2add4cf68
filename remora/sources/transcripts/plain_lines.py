"""The lines of our own events as they are written: the other side of `plain`, with next to nothing imported.

A hook writes some for every tool call in a host that leaves no transcript.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from remora.core.events import Event

VERSION = 1

_DEFAULTS = Event("", "", "")._asdict()


def header(host: str) -> str:
    """Return the first line of a file, without a newline.

    Args:
        host: what the program that writes it calls itself.
    """
    return json.dumps({"remora": "events", "version": VERSION, "host": host})


def line_of(event: Event) -> str:
    """Return an event as one line, without a newline; what is not set is left out.

    >>> line_of(Event("user_prompt", "s1", "p1", text="hi"))
    '{"kind": "user_prompt", "session_id": "s1", "key": "p1", "text": "hi"}'
    """
    fields = {name: value for name, value in event._asdict().items() if value != _DEFAULTS[name]}
    return json.dumps(fields, ensure_ascii=False, default=_as_json)


def _as_json(value: object) -> Any:
    return dict(value) if isinstance(value, Mapping) else str(value)
