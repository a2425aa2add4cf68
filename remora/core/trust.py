"""Trust levels: how much may be said unasked, by what the person has confirmed. Section 13 of the design.

A level is a state that events move, never a function of a session's number. Only sessions count in which
something was said or learned. What a person said, confirmed or pinned, and what rule files say, is said at
every level; the level is about the rest.
"""

from __future__ import annotations

import math
from typing import NamedTuple

NAMES = {1: "Cautious", 2: "Standard", 3: "Confident", 4: "Autonomous"}
THRESHOLDS = {1: 0.80, 2: 0.65, 3: 0.55, 4: 0.45}  # confidence from which on a memory is said unasked
STATE = "trust"  # meta key of the state
UPGRADED = "upgraded"  # meta key: when a store of an earlier version was brought up to levels and uses
FIRST, EARLIER = 1, 2  # level of a new store, and of one of an earlier version
TO_STANDARD, CONFIRMED = 3, 0.5  # sessions, and the share of what was learned that a person confirmed
UNREVIEWED = 10  # sessions without a correction after which a person who never reviews is at level 2
TO_CONFIDENT, CORRECTED = 10, 0.05  # sessions at level 2, and the share of uses that ended in a correction
MEASURED = 40  # uses from which on that share can be told; below, one correction is allowed
MANY_WRONG = 3  # memories called wrong in one session, from which on less should be said unasked
_Z = 1.96
COUNTED = 200  # ids of sessions that are remembered, so that none counts twice


class Standing(NamedTuple):
    """What a person did with what was learned and said in a project.

    Attributes:
        confirmed: memories that were learned and that a person confirmed.
        learned: memories that were learned, forgotten ones too.
        corrections: pairs of a memory and a session in which it was called wrong.
        uses: pairs in which it was used.
    """

    confirmed: int = 0
    learned: int = 0
    corrections: int = 0
    uses: int = 0


class Trust(NamedTuple):
    """The state of a project.

    Attributes:
        level: from 1 to 4.
        sessions: that counted since this level was reached.
        auto: events may raise it; False where a person chose the level.
        why: why it is what it is.
        seen: ids of the sessions that counted, the last ones.
    """

    level: int = FIRST
    sessions: int = 0
    auto: bool = True
    why: str = "every new project starts here"
    seen: tuple[str, ...] = ()


def after_session(trust: Trust, session: str, standing: Standing) -> Trust:
    """Return the state after a session in which something was said or learned; one that counted changes none.

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
    """Return what the next level still takes, a phrase each; empty where events do not raise it further."""
    if not trust.auto or trust.level >= 3:
        return ()
    if trust.level == 1:
        share = standing.confirmed / standing.learned if standing.learned else 0.0
        told = [_more(TO_STANDARD - trust.sessions)]
        if share < CONFIRMED:
            told.append(f"{CONFIRMED:.0%} of what was learned confirmed ({share:.0%} now)")
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
    """Return why the next level is reached; empty where it is not."""
    if trust.level == 1:
        if trust.sessions >= TO_STANDARD and standing.confirmed >= CONFIRMED * max(1, standing.learned):
            return f"you confirmed {standing.confirmed} of {standing.learned} learned memories"
        if trust.sessions >= UNREVIEWED and not standing.corrections:
            return f"{UNREVIEWED} sessions without a correction"
    if trust.level == 2 and trust.sessions >= TO_CONFIDENT and standing.confirmed and _seldom_wrong(standing):
        return f"{TO_CONFIDENT} sessions, {standing.corrections} corrections in {standing.uses} uses"
    return ""


def _seldom_wrong(standing: Standing) -> bool:
    """Return whether corrections are few: the upper end of the Wilson interval, once there is enough."""
    wrong, uses = standing.corrections, standing.uses
    if uses < MEASURED:
        return wrong <= 1
    share = wrong / uses
    middle = share + _Z**2 / (2 * uses)
    spread = _Z * math.sqrt(share * (1 - share) / uses + _Z**2 / (4 * uses**2))
    return wrong == 0 or (middle + spread) / (1 + _Z**2 / uses) < CORRECTED
