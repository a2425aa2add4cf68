"""What may be said unasked: decided by who said it and what bore it out, never by a score alone."""

from __future__ import annotations

# Sources whose memories were stated on purpose: by a person, or by an agent that recorded them.
STATED = ("user_taught", "agent_explicit", "mcp_auto")
SESSIONS = 2  # that showed something, from which on it may be said


def may_be_said(source: str, sessions: int, *, kept: bool, tainted: bool) -> bool:
    """Return whether a memory may be said unasked.

    Args:
        source: one of the memory sources.
        sessions: that showed it.
        kept: a person verified or pinned it.
        tainted: it rests on text from outside.
    """
    return kept or (not tainted and (source in STATED or sessions >= SESSIONS))
