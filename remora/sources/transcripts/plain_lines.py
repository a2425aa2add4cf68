"""Write lines in the format of `plain`, with few imports.

A hook writes one for every tool call in a host without transcripts.
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
        host: the name of the program that writes it.
    """
    return json.dumps({"remora": "events", "version": VERSION, "host": host})


def line_of(event: Event) -> str:
    """Return an event as one line, without a newline and without unset fields.

    >>> line_of(Event("user_prompt", "s1", "p1", text="hi"))
    '{"kind": "user_prompt", "session_id": "s1", "key": "p1", "text": "hi"}'
    """
    fields = {name: value for name, value in event._asdict().items() if value != _DEFAULTS[name]}
    return json.dumps(fields, ensure_ascii=False, default=_as_json)


def _as_json(value: object) -> Any:
    return dict(value) if isinstance(value, Mapping) else str(value)
