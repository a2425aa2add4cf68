"""Memories that the agents of a session cited, and memories that tools showed them.

Section 12 of the design defines two forms: `[Memory #ID: brief text]` and `[^ Memory: brief text]`.
"""

from __future__ import annotations

import re

from remora.core.events import Event
from remora.observer.calls import Call
from remora.observer.state import State, keep_last

MOST = 500  # of each kind
_CITED = re.compile(
    r"\[Memory #(?P<id>[0-9a-f]{8}(?:[0-9a-f-]{0,28}))(?:: [^\]\n]{0,80})?\]"
    r"|\[\^ ?Memory: (?P<text>[^\]\n]{1,80})\]"
)
_ID = re.compile(r"(?<![\w-])[0-9a-f]{8}(?![\w])")


class Citations(State):
    """The citations of a session in order, with repetitions, and the ids of memories that tools showed."""

    def __init__(self) -> None:
        self.cited: list[str] = []
        self.shown: list[str] = []

    def feed(self, event: Event) -> None:
        """Collect the citations of a reply: the first eight characters of an id, or the cited text."""
        if event.kind != "reply" or "Memory" not in event.text:
            return
        for found in _CITED.finditer(event.text):
            keep_last(self.cited, found["id"][:8] if found["id"] else f"“{found['text'].strip()}", MOST)

    def answered(self, call: Call) -> None:
        """Collect the memory ids in the result of a memory tool."""
        if call.action == "memory":
            for found in _ID.findall(call.text):
                if found not in self.shown:
                    keep_last(self.shown, found, MOST)
