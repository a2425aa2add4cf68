"""Check what sessions suggest against the current files and their links.

Sessions undo or move much of their work later, and a memory of it would mislead. Nothing is checked where
the code is not indexed.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from remora.observer.couplings import outside

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject
    from remora.observer.candidate import Candidate


def overtaken(project: OpenProject, candidate: Candidate) -> str:
    """Return why a candidate no longer holds; empty if it does or if it cannot be determined."""
    if not project.db.chunks.any():
        return ""
    files = [path for path in candidate.draft.related_files if not outside(path)]
    gone = [path for path in files if not _exists(project.location.root / path)]
    together = candidate.signal == "co_access"
    if gone and (together or len(gone) == len(files)):
        return f"`{gone[0]}` no longer exists"
    if together and files[1:] and project.db.file_coupling.of(files[0]).keys() >= {*files[1:]}:
        return "the code already links these files"
    return ""


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False
