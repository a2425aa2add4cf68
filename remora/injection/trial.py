"""The trial: hold one injection in ten back at random, so that outcomes can be compared. Pure.

The draws are keyed hashes: unpredictable without the key, and the same after a restart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from remora.injection.decide import decide

if TYPE_CHECKING:
    from remora.core.moments import Moment, Reply
    from remora.injection.decide import Limits, Setting
    from remora.injection.state import State
    from remora.store.hook_reader import HookReader

HELD = "held"  # key of a held-back injection in its line: the ids
WARM_UP = 30  # injections before any is held back, so that new users see all of them
UNIT = "u"  # key of a counted injection in its line: number of memories that were due, and their types


def decide_in_trial(
    moment: Moment,
    state: State,
    past: HookReader,
    setting: Setting,
    session: str,
    lines: Sequence[Mapping[str, Any]],
) -> Reply:
    """Return the reply at a moment, marked if the trial holds it back.

    Args:
        moment: the moment.
        state: the state of the agent.
        past: the store.
        setting: the context of the decision.
        session: id of the session.
        lines: the lines of the session so far; their number is the number of the moment.
    """
    draws = _Draws(past, session, setting.limits, lines)
    reply = decide(moment, state, past, setting._replace(most=draws.most))
    return reply._replace(held=draws.are_against(reply))


class _Draws:
    """The random draws at one moment; the store is queried only if there is a reply."""

    def __init__(
        self, past: HookReader, session: str, limits: Limits, lines: Sequence[Mapping[str, Any]]
    ) -> None:
        self._past = past
        self._session = session
        self._limits = limits
        self._lines = lines

    def most(self) -> int:
        """Return the maximum of memories: the trial's result, a random one while it runs, or the limit."""
        salt, found = self._past.trial()
        at_once = self._limits.at_once
        if found or not salt or not self._share:
            return min(found or at_once, at_once)
        return 1 + int(draw(salt, self._session, f"{len(self._lines)}:most") * at_once)

    def are_against(self, reply: Reply) -> bool:
        """Return whether a reply is held back; never a firm one, nor a memory held back the last time."""
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
        """The share of injections that are held back; 0 for the first WARM_UP of a project."""
        here = sum("said" in line or HELD in line for line in self._lines)
        begun = here >= WARM_UP or here + self._past.spoke(WARM_UP) >= WARM_UP
        return self._limits.held_back / 1000 if begun else 0.0


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
