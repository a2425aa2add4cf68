"""Reminders of problems that a person can fix in seconds, given with answers.

They concern a user's database that cannot be opened, a database shipped with the repository, ignored
settings, memories without a vector, and databases left behind when the home moved.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from remora.app.project.homes import is_own, notice
from remora.app.project.locate import SETTINGS_FILE, data_dir, ignored_settings, shared_root
from remora.app.project.open_project import DATABASE
from remora.core.errors import RemoraError, StoreCorrupt
from remora.core.values import Filters
from remora.store.database import Database
from remora.store.memories import records_in

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject

# Places of a home inside the repository: a folder in the root, or in a hidden folder of the root.
_IN_REPOSITORY = (f"*/{DATABASE}", f".*/*/{DATABASE}")


def reminders(project: OpenProject, *, vectors: bool = False) -> tuple[str, ...]:
    """Return a sentence for each problem.

    Args:
        project: the open project.
        vectors: also count memories without a vector, which loads the embedding model.
    """
    stores = project.stores()
    found = [project.user_trouble] if project.user_trouble else []
    found += filter(None, [notice(project.location.foreign)])
    found += [f"{SETTINGS_FILE}: {line}" for line in ignored_settings(project.location.root)]
    waiting = sum(store.db.vectors.pending_count() for store in stores) if vectors else 0
    if waiting and not project.trouble and project.embedder() is not None:
        one, many = "memory", f"{waiting:,} memories"
        if stores[0].db.turns.count():
            one, many = "memory or turn", f"{waiting:,} memories and turns"
        found.append(
            f"1 {one} has no vector yet; `remora reindex` computes it"
            if waiting == 1
            else f"{many} have no vector yet; `remora reindex` computes them"
        )
    found += [f"{what}; {advice}" for what, advice in left_behind(project)]
    return tuple(found)


def left_behind(project: OpenProject) -> list[tuple[str, str]]:
    """Return each other database of a project with its number of memories, and the advice for it.

    The setting `home` names the folder of a project's data. Changing it moves nothing: earlier memories stay
    in the data folder, or in the folder of the repository that was the home.
    """
    found: list[tuple[str, str]] = []
    for path in _others(project):
        number = _memories_of(project.location.id, path)
        if number == 0:
            continue
        holds = "" if number is None else " with 1 memory" if number == 1 else f" with {number:,} memories"
        what = f"another database of this project{holds} is in {path.parent}"
        advice = f"{_way_back(project, path.parent)}; delete the folder when you no longer need it"
        found.append((what, f"{project.location.home} is in use. {advice}"))
    return found


def _way_back(project: OpenProject, folder: Path) -> str:
    """Return the advice that makes a folder the project's home again."""
    tree = shared_root(project.location.repository, project.location.root)
    if folder.is_relative_to(tree):
        return f"To use that one, set `home` to {folder.relative_to(tree).as_posix()!r} in remora.toml"
    if project.settings.home:
        return "To use that one, remove `home` from the settings"
    return f"To use that one, move {project.location.home} away"


def _others(project: OpenProject) -> Iterator[Path]:
    """Yield other database files that may belong to the same project."""
    location = project.location
    ours = (location.home / DATABASE).resolve()
    tree = shared_root(location.repository, location.root)
    data = data_dir(project.environ)
    projects = data / "projects"
    places = [(projects, (f"*-{location.id}/{DATABASE}",)), (tree, _IN_REPOSITORY)]
    for folder, patterns in places:
        for pattern in patterns:
            try:
                there = (p for p in sorted(folder.glob(pattern)) if p.is_file() and p.resolve() != ours)
                # A database that came with the repository is not opened, not even to count memories.
                yield from (p for p in there if folder != tree or is_own(p.parent, location.repository, data))
            except OSError:  # an unreadable folder holds no usable database
                continue


def _memories_of(project_id: str, path: Path) -> int | None:
    """Return the number of memories of a project in a database file; 0 if it has nothing of the project.

    None if the number is unknown: the file holds conversations only, or cannot be read.
    """
    try:
        db = Database.open(path, realm="project", project_id=project_id, read_only=True)
    except StoreCorrupt:  # apparently not a database of ours
        return 0
    except RemoraError:
        return None
    try:
        some = db.memories.find(Filters(branch="*"), include_deprecated=True, limit=1)
        if some and some[0].project_id != project_id:
            return 0
        counts = db.memories.counts()
        held = counts["live"] + sum(records_in(counts).values())
        return held or (None if db.turns.count() else 0)
    except RemoraError:
        return None
    finally:
        db.close()
