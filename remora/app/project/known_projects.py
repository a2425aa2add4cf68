"""List the projects of the data folder whose own folder still exists."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from remora.app.project.locate import data_dir
from remora.app.project.open_project import DATABASE
from remora.store.hook_reader import look


class KnownProject(NamedTuple):
    """A project: its key (the name of its home), the path of its folder, and the folder's name."""

    key: str
    root: str
    name: str


def known_projects(environ: Mapping[str, str]) -> list[KnownProject]:
    """Return the projects in the data folder that have a database and whose folder exists, by name."""
    found = []
    for database in sorted((data_dir(environ) / "projects").glob(f"*/{DATABASE}")):
        hook_reader = look(str(database))
        if hook_reader is None:
            continue
        try:
            root = hook_reader.root()
        finally:
            hook_reader.close()
        if root and Path(root).is_dir():
            found.append(KnownProject(database.parent.name, root, Path(root).name))
    return sorted(found, key=lambda one: (one.name.lower(), one.key))
