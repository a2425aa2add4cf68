"""History entries without a model: an extract, or the raw end of the conversation after a failure."""

from __future__ import annotations

from collections.abc import Sequence

from remora.core.extract import extract
from remora.core.values import Message

FALLBACK_HEAD = "[raw-fallback] Consolidation failed. Recent messages:"
FALLBACK_MESSAGES, FALLBACK_CHARS = 10, 200
ENTRY_CHARS = 2_500  # an entry is read, not searched only


def raw_fallback(messages: Sequence[Message]) -> str:
    """Return the entry of a failed consolidation: the beginnings of the last ten messages."""
    spoken = [m for m in messages if m.content.strip()][-FALLBACK_MESSAGES:]
    lines = [f"{m.role}: {' '.join(m.content.splitlines())[:FALLBACK_CHARS]}" for m in spoken]
    return "\n".join([FALLBACK_HEAD, *lines])


def extracted_entry(messages: Sequence[Message], session_id: str = "") -> str:
    """Return the time of a conversation's last message, if it has one, and an extract of the conversation.

    Args:
        messages: oldest first.
        session_id: named in the first line, if there is one.
    """
    times = [m.time for m in messages if m.time]
    stamp = f"[{times[-1][:10]} {times[-1][11:16]}] " if times else ""
    return stamp + extract(messages, ENTRY_CHARS, session_id=session_id)
