"""Compute the health score of a project's memory from four shares.

score = round(100 · (0.3 fresh + 0.25 reviewed + 0.25 right + 0.2 covered)), from the design. Below ten
memories there is no score: one memory more or less would move it by ten.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from remora.app.codebase.impact import modules
from remora.core.cochange import FILE_HALF_LIFE, decayed
from remora.core.paths import module_of

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject

WEIGHTS = {"fresh": 0.30, "reviewed": 0.25, "right": 0.25, "covered": 0.20}
FEW = 10  # memories below which there is no score
ACTIVE_DAYS = 30.0
WRONG = 0.10  # share of uses that ended in a correction at which "right" is 0


class Coverage(NamedTuple):
    """The memory coverage of a module.

    Attributes:
        module: its name.
        lines: its lines of code.
        memories: number of live memories about it.
        covered: share of its files with a memory.
        heat: its share of the changes by commits; a change 40 commits ago counts half.
    """

    module: str
    lines: int
    memories: int
    covered: float
    heat: float = 0.0


class Health(NamedTuple):
    """The health of a project's memory.

    Attributes:
        score: from 0 to 100; None below ten memories.
        fresh: share of the memories that are not out of date and keep at least half of their confidence.
        reviewed: share of the memories without a pending review.
        right: 1 less ten times the share of uses that ended in a correction, at least 0; 1 without a use.
        covered: share of the lines of code that are in a module with a live memory; 0 without an index.
        memories, active, waiting, outdated: number of live memories, and of those used in the last 30 days,
            waiting for review, and out of date.
        modules: the coverage of each module, the largest first.
    """

    score: int | None
    fresh: float
    reviewed: float
    right: float
    covered: float
    memories: int
    active: int
    waiting: int
    outdated: int
    modules: tuple[Coverage, ...] = ()


def health(project: OpenProject) -> Health:
    """Return the health of a project's memory; see `Memory.health`."""
    live, fresh, waiting, active, outdated = project.db.selections.vigour(project.clock.now(), ACTIVE_DAYS)
    wrong, used = project.db.uses.corrections()
    heat = _heat(project)
    whole = sum(heat.values()) or 1.0
    covered = tuple(
        Coverage(m.name, m.lines, m.memories, m.covered, heat[m.name] / whole)
        for m in sorted(modules(project), key=lambda m: (-m.lines, m.name))
    )
    lines = sum(one.lines for one in covered)
    parts = {
        "fresh": fresh / live if live else 0.0,
        "reviewed": 1 - waiting / live if live else 0.0,
        "right": max(0.0, 1 - wrong / used / WRONG) if used else 1.0,
        "covered": sum(one.lines for one in covered if one.memories) / lines if lines else 0.0,
    }
    score = round(100 * sum(WEIGHTS[name] * share for name, share in parts.items()))
    return Health(
        score=score if live >= FEW else None,
        **parts,
        memories=live,
        active=active,
        waiting=waiting,
        outdated=outdated,
        modules=covered,
    )


def _heat(project: OpenProject) -> dict[str, float]:
    """Return the decayed number of commits to the files of each module."""
    clock = project.db.history.clock()
    heat: defaultdict[str, float] = defaultdict(float)
    for file in project.db.history.all_files():
        if file.present and file.commits:
            heat[module_of(file.path)] += decayed(file.heat, clock, FILE_HALF_LIFE)
    return heat
