"""What stands in the way of good answers and is easily mended, said beside the answers.

It is a matter of seconds for a person and would else go unseen: a database of their own that cannot
be opened, memories that wait for a vector, a database that was left behind when the home moved.
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
from remora.store.memories import records_in
from remora.store.space import Space

if TYPE_CHECKING:
    from remora.app.project.open_project import Parts

# Where a home inside the repository may lie: a folder of the root, or one in a hidden folder of it.
_IN_REPOSITORY = (f"*/{DATABASE}", f".*/*/{DATABASE}")


def reminders(parts: Parts, *, vectors: bool = False) -> tuple[str, ...]:
    """Return a sentence for each thing that needs a hand; none when all is well.

    Args:
        parts: the open memory.
        vectors: look at what waits for a vector, too; asks for the embedding model.
    """
    rooms = parts.rooms()
    found = [parts.user_trouble] if parts.user_trouble else []
    found += filter(None, [notice(parts.project.foreign)])
    found += [f"{SETTINGS_FILE}: {line}" for line in ignored_settings(parts.project.root)]
    waiting = sum(room.space.vectors.pending_count() for room in rooms) if vectors else 0
    if waiting and not parts.trouble and parts.embedder() is not None:
        turns = rooms[0].space.turns.count() > 0
        what = ("memory or turn", "memories and turns") if turns else ("memory", "memories")
        has = f"{what[0]} has no vector yet" if waiting == 1 else f"{what[1]} have no vector yet"
        found.append(f"{waiting:,} {has}; `remora reindex` gives {'it' if waiting == 1 else 'them'} one")
    found += [f"{what}; {advice}" for what, advice in left_behind(parts)]
    return tuple(found)


def left_behind(parts: Parts) -> list[tuple[str, str]]:
    """Return what other databases of a project hold, and what to do about each.

    The setting `home` says where a project's data lies. Changing it moves nothing: what was remembered
    before stays in the data folder, or in the folder of the repository that was its home.
    """
    found: list[tuple[str, str]] = []
    for path in _others(parts):
        number = _memories_of(parts.project.id, path)
        if number == 0:
            continue
        holds = "" if number is None else f" with {number:,} {'memory' if number == 1 else 'memories'}"
        what = f"another database of this project{holds} lies in {path.parent}"
        advice = f"{_way_back(parts, path.parent)}; delete the folder once nothing in it is needed"
        found.append((what, f"in use is {parts.project.home}. {advice}"))
    return found


def _way_back(parts: Parts, folder: Path) -> str:
    """Return how a folder becomes the project's home again."""
    tree = shared_root(parts.project.repository, parts.project.root)
    if folder.is_relative_to(tree):
        return f"To use that one, set `home` to {folder.relative_to(tree).as_posix()!r} in remora.toml"
    if parts.settings.home:
        return "To use that one, take `home` out of the settings"
    return f"To use that one, move {parts.project.home} away"


def _others(parts: Parts) -> Iterator[Path]:
    """Yield database files that may be another one of the same project."""
    location = parts.project
    ours = (location.home / DATABASE).resolve()
    tree = shared_root(location.repository, location.root)
    data = data_dir(parts.environ)
    projects = data / "projects"
    places = [(projects, (f"*-{location.id}/{DATABASE}",)), (tree, _IN_REPOSITORY)]
    for folder, patterns in places:
        for pattern in patterns:
            try:
                there = (p for p in sorted(folder.glob(pattern)) if p.is_file() and p.resolve() != ours)
                # What came with the repository is not opened, not even to be counted.
                yield from (p for p in there if folder != tree or is_own(p.parent, location.repository, data))
            except OSError:  # a folder that cannot be looked into holds nothing that could be used
                continue


def _memories_of(project_id: str, path: Path) -> int | None:
    """Return how many memories of a project a file has, 0 where it has nothing of it.

    None where there may be something that cannot be counted: conversations, or a file that cannot be read.
    """
    try:
        space = Space.open(path, realm="project", project_id=project_id, read_only=True)
    except StoreCorrupt:  # no database of ours, as far as can be seen
        return 0
    except RemoraError:
        return None
    try:
        some = space.memories.find(Filters(branch="*"), include_deprecated=True, limit=1)
        if some and some[0].project_id != project_id:
            return 0
        counts = space.memories.counts()
        held = counts["live"] + sum(records_in(counts).values())
        return held or (None if space.turns.count() else 0)
    except RemoraError:
        return None
    finally:
        space.close()
