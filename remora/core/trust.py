"""Trust levels: decide which memories may be shown without being asked for. Section 13 of the design.

A level is a state that events change, not a function of the number of sessions. A session counts only if
something was shown or learned in it. Statements of a person, confirmed or pinned memories, and rule files are
shown at every level; the level is about the rest.
"""

from __future__ import annotations

import math
from typing import NamedTuple

NAMES = {1: "Cautious", 2: "Standard", 3: "Confident", 4: "Autonomous"}
THRESHOLDS = {1: 0.80, 2: 0.65, 3: 0.55, 4: 0.45}  # minimum confidence for advice
STATE = "trust"  # meta key of the state
UPGRADED = "upgraded"  # meta key: time of the upgrade of an earlier version's store to levels and uses
FIRST, EARLIER = 1, 2  # level of a new store, and of one of an earlier version
TO_STANDARD, CONFIRMED = 3, 0.5  # sessions, and the confirmed share of learned memories
UNREVIEWED = 10  # sessions without a correction that bring a person who never reviews to level 2
TO_CONFIDENT, CORRECTED = 10, 0.05  # sessions at level 2, and the maximum share of uses with a correction
MEASURED = 40  # minimum uses for that share; below, one correction is allowed
MANY_WRONG = 3  # memories called wrong in one session, from which on fewer should be shown
_Z = 1.96
COUNTED = 200  # ids of sessions that are stored, so that none counts twice


class Standing(NamedTuple):
    """A person's confirmations and corrections in a project.

    Attributes:
        confirmed: learned memories that a person confirmed.
        learned: learned memories, including forgotten ones.
        corrections: pairs of a memory and a session in which it was called wrong.
        uses: pairs of a memory and a session in which it was used.
    """

    confirmed: int = 0
    learned: int = 0
    corrections: int = 0
    uses: int = 0


class Trust(NamedTuple):
    """The trust state of a project.

    Attributes:
        level: from 1 to 4.
        sessions: number of counted sessions since this level was reached.
        auto: whether events may raise it; False if a person chose the level.
        why: the reason for the level.
        seen: ids of the latest counted sessions.
    """

    level: int = FIRST
    sessions: int = 0
    auto: bool = True
    why: str = "every new project starts here"
    seen: tuple[str, ...] = ()


def after_session(trust: Trust, session: str, standing: Standing) -> Trust:
    """Return the state after a session in which something was shown or learned; each session counts once.

    >>> after_session(Trust(sessions=2), "cli:3", Standing(confirmed=2, learned=3)).level
    2
    """
    if session in trust.seen:
        return trust
    seen = (*trust.seen, session)[-COUNTED:]
    trust = trust._replace(sessions=trust.sessions + 1, seen=seen)
    why = _raised(trust, standing) if trust.auto else ""
    return trust._replace(level=trust.level + 1, sessions=0, why=why) if why else trust


def missing(trust: Trust, standing: Standing) -> tuple[str, ...]:
    """Return the unmet conditions of the next level, a phrase each; empty if events cannot raise it."""
    if not trust.auto or trust.level >= 3:
        return ()
    if trust.level == 1:
        share = standing.confirmed / standing.learned if standing.learned else 0.0
        told = [_more(TO_STANDARD - trust.sessions)]
        if share < CONFIRMED:
            told.append(f"{CONFIRMED:.0%} of the learned memories confirmed ({share:.0%} now)")
            if not standing.corrections:
                told.append(f"or without a correction: {_more(UNREVIEWED - trust.sessions)}")
        return tuple(filter(None, told))
    told = [_more(TO_CONFIDENT - trust.sessions)]
    told += ["a memory that you confirmed"] if not standing.confirmed else []
    if not _seldom_wrong(standing):
        told.append(f"fewer corrections: under {CORRECTED:.0%} of uses")
    return tuple(filter(None, told))


def _more(sessions: int) -> str:
    return "" if sessions <= 0 else "1 more session" if sessions == 1 else f"{sessions} more sessions"


def _raised(trust: Trust, standing: Standing) -> str:
    """Return the reason for reaching the next level; empty if it is not reached."""
    if trust.level == 1:
        if trust.sessions >= TO_STANDARD and standing.confirmed >= CONFIRMED * max(1, standing.learned):
            return f"you confirmed {standing.confirmed} of {standing.learned} learned memories"
        if trust.sessions >= UNREVIEWED and not standing.corrections:
            return f"{UNREVIEWED} sessions without a correction"
    if trust.level == 2 and trust.sessions >= TO_CONFIDENT and standing.confirmed and _seldom_wrong(standing):
        return f"{TO_CONFIDENT} sessions, {standing.corrections} corrections in {standing.uses} uses"
    return ""


def _seldom_wrong(standing: Standing) -> bool:
    """Return whether corrections are rare: by the Wilson upper bound, or at most one below MEASURED uses."""
    wrong, uses = standing.corrections, standing.uses
    if uses < MEASURED:
        return wrong <= 1
    share = wrong / uses
    middle = share + _Z**2 / (2 * uses)
    spread = _Z * math.sqrt(share * (1 - share) / uses + _Z**2 / (4 * uses**2))
    return wrong == 0 or (middle + spread) / (1 + _Z**2 / uses) < CORRECTED
