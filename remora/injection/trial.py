"""Hold one advice in ten back, so that what followed can be compared. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from remora.core import trial
from remora.core.moments import Reply

HELD = "held"  # key of the line of what was held back: the ids
WARM_UP = 30  # moments that are told before any is held back: whoever begins shall see what they have
UNIT = "u"  # key of a line of advice that the trial counts: how many memories deserved it, and their types


class Past(Protocol):
    """What a trial asks the store."""

    def trial(self) -> tuple[str, int]:
        """Return the salt, and how many memories a moment gets; 0 while that is open."""
        ...

    def spoke(self, times: int) -> int:
        """Return how often anything was said in sessions that are over, up to a number of times."""
        ...

    def held_last(self, memory_ids: Sequence[str]) -> bool:
        """Return whether one of some memories was held back when it was due last."""
        ...


def has_begun(past: Past, lines: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether the trial has begun: a project's first moments are always told."""
    here = sum("said" in line or HELD in line for line in lines)
    return here >= WARM_UP or here + past.spoke(WARM_UP) >= WARM_UP


def most_of(past: Past, session: str, number: int, share: int, at_once: int) -> int:
    """Return how many memories may be said at a moment: what the trial found, else 1 to `at_once` by chance.

    Args:
        past: what the store knows.
        session: id of the session.
        number: of the moment in the session.
        share: of a thousand moments that are held back; without any there is no trial.
        at_once: the most, as set.
    """
    salt, found = past.trial()
    if found or not (salt and share):
        return min(found or at_once, at_once)
    return 1 + int(trial.draw(salt, session, f"{number}:most") * at_once)


def tried(
    reply: Reply, past: Past, session: str, number: int, share: int, lines: Sequence[Mapping[str, Any]]
) -> Reply:
    """Return what deserves to be said, marked where the trial holds it back."""
    return reply._replace(held=_is_held_back(reply, past, session, number, share, lines))


def _is_held_back(
    reply: Reply, past: Past, session: str, number: int, share: int, lines: Sequence[Mapping[str, Any]]
) -> bool:
    """Never a rule, nor what a person pinned or verified, nor a memory that was held back the last time."""
    if reply.firm or not reply.ids or not share:
        return False
    salt, _ = past.trial()
    if not salt or trial.draw(salt, session, str(number)) >= share / 1000:
        return False
    for line in reversed(lines):
        told, held = line.get("said"), line.get(HELD)
        if isinstance(held, list) and set(held).intersection(reply.ids):
            return False
        if isinstance(told, list) and set(told).intersection(reply.ids):
            return True
    return not past.held_last(reply.ids)
