"""Hold one advice in ten back, so that what followed can be compared. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from remora.core.draw import draw
from remora.injection.decide import Look, decide

if TYPE_CHECKING:
    from remora.core.moments import Moment, Reply
    from remora.injection.decide import Limits, Setting
    from remora.injection.state import State

HELD = "held"  # key of the line of what was held back: the ids
WARM_UP = 30  # moments that are told before any is held back: whoever begins shall see what they have
UNIT = "u"  # key of a line of advice that the trial counts: how many memories deserved it, and their types


class Past(Look, Protocol):
    """What a trial asks the store, besides what a decision does."""

    def trial(self) -> tuple[str, int]:
        """Return the salt, and how many memories a moment gets; 0 while that is open."""
        ...

    def spoke(self, times: int) -> int:
        """Return how often anything was said in sessions that are over, up to a number of times."""
        ...

    def held_last(self, memory_ids: Sequence[str]) -> bool:
        """Return whether one of some memories was held back when it was due last."""
        ...


def decide_in_trial(
    moment: Moment,
    state: State,
    past: Past,
    setting: Setting,
    session: str,
    lines: Sequence[Mapping[str, Any]],
) -> Reply:
    """Return what is said at a moment, marked where the trial holds it back.

    Args:
        moment: what happens.
        state: what the session did and was told.
        past: the store.
        setting: of the project.
        session: id of the session.
        lines: of the session so far; their number is the number of the moment.
    """
    draws = _Draws(past, session, setting.limits, lines)
    reply = decide(moment, state, past, setting._replace(most=draws.most))
    return reply._replace(held=draws.are_against(reply))


class _Draws:
    """What chance decides at one moment; nothing is asked before something is to be said."""

    def __init__(self, past: Past, session: str, limits: Limits, lines: Sequence[Mapping[str, Any]]) -> None:
        self._past = past
        self._session = session
        self._limits = limits
        self._lines = lines

    def most(self) -> int:
        """Return how many memories may be said: what the trial found, else 1 to the limit by chance."""
        salt, found = self._past.trial()
        at_once = self._limits.at_once
        if found or not salt or not self._share:
            return min(found or at_once, at_once)
        return 1 + int(draw(salt, self._session, f"{len(self._lines)}:most") * at_once)

    def are_against(self, reply: Reply) -> bool:
        """Never against a rule, what a person pinned or verified, or a memory held back the last time."""
        if reply.firm or not reply.ids or not self._share:
            return False
        salt, _ = self._past.trial()
        if not salt or draw(salt, self._session, str(len(self._lines))) >= self._share:
            return False
        for line in reversed(self._lines):
            told, held = line.get("said"), line.get(HELD)
            if isinstance(held, list) and set(held).intersection(reply.ids):
                return False
            if isinstance(told, list) and set(told).intersection(reply.ids):
                return True
        return not self._past.held_last(reply.ids)

    @cached_property
    def _share(self) -> float:
        """Return the share of moments that are held back: none of a project's first."""
        here = sum("said" in line or HELD in line for line in self._lines)
        begun = here >= WARM_UP or here + self._past.spoke(WARM_UP) >= WARM_UP
        return self._limits.held_back / 1000 if begun else 0.0
