"""Who is told at random: a keyed hash, which nobody can predict and a restart repeats."""

from __future__ import annotations

CONTROL, PASSIVE = 0.05, 0.15  # shares of sessions: told nothing; told at the start alone


def draw(salt: str, session: str, what: str) -> float:
    """Return a number from 0 to below 1 that depends on a session and a name alone.

    >>> draw("salt", "cc:1", "7") == draw("salt", "cc:1", "7")
    True
    """
    from hashlib import blake2b  # takes a twentieth of a hook, which mostly draws nothing

    digest = blake2b(f"{salt}:{session}:{what}".encode(), digest_size=8).digest()
    return int.from_bytes(digest) / 2**64


def arm_of_session(salt: str, session: str) -> str:
    """Return the arm of a session, where whole sessions are compared: "control", "passive" or "full"."""
    drawn = draw(salt, session, "session")
    return "control" if drawn < CONTROL else "passive" if drawn < PASSIVE else "full"
