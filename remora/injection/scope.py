"""The scope of a task: the files and modules that are given, and those that its words name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from remora.core.paths import matches
from remora.core.query import named_paths
from remora.core.tasks import words

if TYPE_CHECKING:
    from remora.core.values import MemoryRecord
    from remora.store.database import Database

FILE, MODULE, AROUND = 1.0, 0.6, 0.3  # nearness of a memory: about a file, in a module, above or below one
# Names of folders that are words of any task; a task that says "tests" does not mean the folder.
_EVERYWHERE = frozenset(
    """src lib libs app apps test tests doc docs code main core common util utils tools scripts api cmd pkg
    internal bin config build data model models types server client web ui""".split()
)
_FOLDER = re.compile(r"(?<![\w/.:-])(?:[\w.-]+/)+(?![\w/.*-])")  # "web/", "web/api/"
_MOST_NAMED = 3  # modules that a task's words can name; more matches are common words


class Scope(NamedTuple):
    """Files and modules (folders, without a slash at the end), relative to the root."""

    modules: tuple[str, ...] = ()
    files: tuple[str, ...] = ()

    @property
    def filters(self) -> tuple[str, ...]:
        """The patterns for a memory's files: the files, and everything below the modules."""
        return (*self.files, *(f"{module}/" for module in self.modules if module != "."))

    def nearness(self, record: MemoryRecord) -> float:
        """Return the nearness of a memory to the task's files and modules, from 0 to 1."""
        if any(f in self.files or _names(f, self.files) for f in record.related_files):
            return FILE
        found = 0.0
        for module in self.modules:
            if module in record.related_modules or any(
                path == module or path.startswith(f"{module}/") for path in record.related_files
            ):
                return MODULE
            if any(_within(module, own) or _within(own, module) for own in record.related_modules):
                found = AROUND
        return found


def scope(db: Database, task: str, modules: Sequence[str] = (), files: Sequence[str] = ()) -> Scope:
    """Return the scope of a task.

    Args:
        db: the project's database.
        task: in words; files and folders ("web/") that it names count as given, and so do modules if none is
            given.
        modules: folders, relative to the root.
        files: relative to the root; their folders count as modules.
    """
    named = named_paths(task)
    known = db.history.named(named) if named else []
    at_root = {path for path in known if "/" not in path}  # of files of one name, the bare name is this one
    known = [path for path in known if path in named or path.rpartition("/")[2] not in at_root]
    paths = list(dict.fromkeys((*files, *known, *(n for n in named if "/" in n))))
    given = [plain for m in modules if (plain := m.strip().strip("/").removeprefix("./"))]
    folders = [folder_of(path) for path in (*paths, *_FOLDER.findall(task))]
    if not given and not folders:
        folders = _named_modules(db, task)
    return Scope(tuple(dict.fromkeys((*given, *(f for f in folders if f)))), tuple(paths))


def folder_of(path: str) -> str:
    """Return the folder of a file; empty at the root.

    >>> folder_of("auth/tokens.py"), folder_of("setup.py")
    ('auth', '')
    """
    return path.rpartition("/")[0]


def _named_modules(db: Database, task: str) -> list[str]:
    said = set(words(task)) - _EVERYWHERE
    known = db.history.modules()
    found = [module for module in known if module.rpartition("/")[2].lower() in said]
    return found if len(found) <= _MOST_NAMED else []


def _names(pattern: str, files: Sequence[str]) -> bool:
    return "*" in pattern and any(matches(pattern, file) for file in files)


def _within(folder: str, above: str) -> bool:
    return folder.startswith(f"{above}/")
