"""Random assignment by a keyed hash: unpredictable without the key, and the same after a restart."""

from __future__ import annotations

CONTROL, PASSIVE = 0.05, 0.15  # shares of sessions: no advice; only the brief


def draw(salt: str, session: str, what: str) -> float:
    """Return a number in [0, 1) that depends only on the salt, the session and the name.

    >>> draw("salt", "cc:1", "7") == draw("salt", "cc:1", "7")
    True
    """
    from hashlib import blake2b  # a twentieth of a hook's time, and most hooks draw nothing

    digest = blake2b(f"{salt}:{session}:{what}".encode(), digest_size=8).digest()
    return int.from_bytes(digest) / 2**64


def arm_of_session(salt: str, session: str) -> str:
    """Return the arm of a session, if whole sessions are compared: "control", "passive" or "full"."""
    drawn = draw(salt, session, "session")
    return "control" if drawn < CONTROL else "passive" if drawn < PASSIVE else "full"
