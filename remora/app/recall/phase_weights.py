"""The weights of memory types by phase of work: the defaults, with the versions that a person applied."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from remora.retrieval.weigh import PHASE_WEIGHTS

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject

WEIGHTS = "trial.weights"  # meta key: applied versions, oldest first, each of (phase, type, weight)


def versions(project: OpenProject) -> list[list[Any]]:
    """Return the applied versions, oldest first."""
    found: list[list[Any]] = project.db.meta.get(WEIGHTS) or []
    return found


def weights_of(project: OpenProject) -> Mapping[str, Mapping[str, float]]:
    """Return the weights in force, by phase and type."""
    applied = versions(project)
    if not applied:
        return PHASE_WEIGHTS
    found = {phase: dict(types) for phase, types in PHASE_WEIGHTS.items()}
    for phase, kind, value in applied[-1]:
        found.setdefault(phase, {})[kind] = value
    return found
