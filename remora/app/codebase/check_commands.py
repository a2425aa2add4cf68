"""Suggest commands that check a change: those that sessions ran, and those that the project names."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from remora.app.project.arguments import paths
from remora.checks.from_project import named_checks, stands
from remora.checks.suggest import suggest
from remora.core.errors import InvalidInput
from remora.core.programs import CHECKS

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject
    from remora.checks.suggest import Suggestion


def suggest_commands(
    project: OpenProject, k: int, *, task: str = "", files: Any = (), purposes: Sequence[str] = ()
) -> list[Suggestion]:
    """Return the commands that check a change, best first; see `Memory.suggest_commands`."""
    wrong = sorted(set(purposes) - set(CHECKS))
    if wrong:
        raise InvalidInput(f"unknown purpose {wrong[0]!r}", hint=f"Choose one of {', '.join(CHECKS)}.")
    db, root = project.db, project.location.root
    words = (word.strip("`'\",.:;()") for word in task.split())
    named_files = [word for word in words if os.path.isfile(root / word)]  # noqa: PTH113  Path.is_file may raise
    given = paths("files", files or named_files, root)
    return suggest(
        db,
        k,
        files=given,
        purposes=tuple(purposes) or CHECKS,
        named=named_checks(root, given),
        stands=lambda command: stands(root, command, db.history.had),
    )
