"""The trust level of a project: its storage, its changes, and its confidence threshold."""

from __future__ import annotations

from typing import NamedTuple

from remora.app.project.open_project import OpenProject
from remora.core.errors import InvalidInput
from remora.core.trust import (
    EARLIER,
    MANY_WRONG,
    NAMES,
    STATE,
    THRESHOLDS,
    UPGRADED,
    Standing,
    Trust,
    after_session,
    missing,
)

AUTO = "auto"


class TrustReport(NamedTuple):
    """The trust level of a project and its effect.

    Attributes:
        level, name: from 1, "Cautious", to 4, "Autonomous".
        threshold: least confidence at which a memory without a person's confirmation is injected.
        auto: events may raise the level; False if a person chose it.
        why: the reason for the level.
        missing: the conditions of the next level that are not met.
        sessions: number of sessions counted since this level was reached.
        setting: `inject.threshold` if it is set, which overrides the level's threshold; else 0.
    """

    level: int
    name: str
    threshold: float
    auto: bool
    why: str
    missing: tuple[str, ...]
    sessions: int
    setting: float = 0.0


def trust_of(project: OpenProject) -> Trust:
    """Return the trust state of a project."""
    found = project.db.meta.get(STATE)
    if isinstance(found, dict):
        return Trust(**{**found, "seen": tuple(found["seen"])})
    if project.db.meta.get(UPGRADED) is not None:
        return Trust(EARLIER, why="the project existed before trust levels")
    return Trust()


def threshold_of(project: OpenProject) -> float:
    """Return the confidence threshold: the setting, or else that of the level."""
    return project.settings.inject.threshold or THRESHOLDS[trust_of(project).level]


def report(project: OpenProject) -> TrustReport:
    """Return the trust level with its reasons; see `Memory.trust`."""
    trust = trust_of(project)
    return TrustReport(
        trust.level,
        NAMES[trust.level],
        threshold_of(project),
        trust.auto,
        trust.why,
        missing(trust, _standing(project)),
        trust.sessions,
        project.settings.inject.threshold,
    )


def choose(project: OpenProject, level: int | str) -> TrustReport:
    """Fix the trust level, or let events change it again; see `Memory.trust`."""
    project.must_be_writable()
    trust = trust_of(project)
    if level == AUTO:
        chosen = trust._replace(auto=True)
    elif level in NAMES:
        chosen = Trust(int(level), auto=False, why="you chose it", seen=trust.seen)
    else:
        raise InvalidInput(f"unknown trust level {level!r}", hint="Choose 1, 2, 3, 4 or auto.")
    _keep(project, chosen)
    return report(project)


def note_session(project: OpenProject, session: str) -> None:
    """Count a session with injections or learned memories, once, and raise the level when it is due."""
    trust = trust_of(project)
    after = after_session(trust, session, _standing(project))
    if after != trust:
        _keep(project, after)


def too_many_wrong(project: OpenProject, session: str) -> bool:
    """Return whether the memories called wrong in a session are enough to suggest a lower trust level."""
    level = trust_of(project).level
    return level > 1 and sum(s.db.uses.wrong_in(session) for s in project.stores()) >= MANY_WRONG


def _standing(project: OpenProject) -> Standing:
    confirmed, learned = project.db.selections.confirmed()
    return Standing(confirmed, learned, *project.db.uses.corrections())


def _keep(project: OpenProject, trust: Trust) -> None:
    with project.db.transaction():
        project.db.meta.set(STATE, trust._asdict())
