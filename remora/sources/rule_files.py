"""Find the rule files of a project by the names in `remora/core/rule_names.py`.

In a git repository git lists the files, so ignored trees are not walked; files that are often ignored
themselves (CLAUDE.local.md) are looked up at the root.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from remora.core.errors import SourceError
from remora.core.rule_names import FOLDERS, kind_of
from remora.core.values import Skipped
from remora.sources.git import Repository
from remora.sources.transcripts.paths import MAX_SLUG, slug

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_FILES = 500
MAX_FOLDERS = 20_000  # looked into when there is no git to list the files

_NOT_WALKED = frozenset(
    """node_modules bower_components venv env virtualenv __pycache__ site-packages dist build target out
    vendor third_party Pods DerivedData coverage""".split()
)
_HIDDEN_WALKED = frozenset(
    {".claude", ".cursor", ".windsurf", ".devin", ".clinerules", ".github", ".learnings"}
)
_OF_OTHERS = frozenset("node_modules bower_components site-packages vendor third_party Pods".split())
# Words in the name of a folder with data of tests: its rule files are read by the tests, not by agents.
_SAMPLES = frozenset(("fixture", "fixtures", "testdata"))
_BETWEEN = re.compile(r"[-_.]+")


class Found(NamedTuple):
    """A rule file as found. `path` is the reported path: relative to the root, or "~/…" in the home.

    Attributes:
        folder: where it applies without globs, relative to the root; "" is the whole project.
        whole: whether it is a general file, whose title says nothing about its rules.
    """

    path: str
    kind: str
    folder: str
    file: Path
    whole: bool


def find(root: Path, home: Path | None = None) -> tuple[list[Found], list[Skipped]]:
    """Return the rule files of a project, nearest to its root first, and the skipped ones.

    Args:
        root: the project's folder.
        home: the user's home, for an agent's notes about this project; None leaves it out.
    """
    skipped: list[Skipped] = []
    repository = None
    try:
        repository = Repository.discover(root)
        paths = set(_listed(root, repository, skipped))
    except SourceError as error:
        skipped.append(Skipped("git", f"{error} {error.hint}".strip()))
        paths = set(_walked(root, skipped))
    paths.update(at_root(root))
    found = [
        Found(path, kind[0], kind[1], root / path, kind[2])
        for path in sorted(paths, key=lambda p: (p.count("/"), p))
        if (kind := kind_of(path)) and (root / path).is_file()
    ]
    if home is not None:
        found.extend(_agent_memory(root, home, repository))
    if len(found) > MAX_FILES:
        skipped.append(
            Skipped(f"{len(found) - MAX_FILES} rule files", f"only the first {MAX_FILES} are read")
        )
    return found[:MAX_FILES], skipped


def _listed(root: Path, repository: Repository | None, skipped: list[Skipped]) -> Iterable[str]:
    if repository is None or repository.bare:
        return _walked(root, skipped)
    return (path for path in repository.files(root) if kind_of(path) and _is_own(path))


def _walked(root: Path, skipped: list[Skipped]) -> Iterator[str]:
    """Yield the files below a folder outside any repository, without third-party trees."""
    for looked, (here, folders, names) in enumerate(os.walk(root), 1):
        if looked > MAX_FOLDERS:
            skipped.append(Skipped(here, f"more than {MAX_FOLDERS} folders; the rest was not searched"))
            return
        folders[:] = sorted(f for f in folders if is_walked(Path(here) / f))
        for name in names:
            path = (Path(here) / name).relative_to(root).as_posix()
            if kind_of(path) and _is_own(path):
                yield path


def _is_own(path: str) -> bool:
    """Return whether a rule file is the project's own.

    >>> _is_own("tests/AGENTS.md"), _is_own("test/fixtures/app/AGENTS.md")
    (True, False)
    """
    folders = path.split("/")[:-1]
    named = (word.lower() for folder in folders for word in _BETWEEN.split(folder))
    return _OF_OTHERS.isdisjoint(folders) and _SAMPLES.isdisjoint(named)


def is_walked(folder: Path) -> bool:
    """Return whether a folder may be the project's own: not hidden, not installed, no other project."""
    name = folder.name
    if name in _NOT_WALKED or (name.startswith(".") and name not in _HIDDEN_WALKED):
        return False
    return not (folder / ".git").exists() and not (folder / "pyvenv.cfg").exists()


def at_root(root: Path) -> Iterator[str]:
    """Yield the rule files at the root, ignored by git or not."""
    for folder in ("", ".claude", ".github"):
        for file in sorted((root / folder).glob("*")):
            path = file.relative_to(root).as_posix()
            if kind_of(path) and file.is_file():
                yield path
    for marker, endings, _ in FOLDERS:
        for here, folders, names in os.walk(root / marker):
            folders.sort()
            for name in names:
                if name.endswith(endings):
                    yield (Path(here) / name).relative_to(root).as_posix()


def _agent_memory(root: Path, home: Path, repository: Repository | None) -> Iterator[Found]:
    """Yield Claude Code's notes about the project, found by the name of its main folder."""
    folders = [root.resolve()]
    if repository is not None and repository.common_dir.name == ".git":
        folders.append(repository.common_dir.parent)
    projects = home / ".claude" / "projects"
    for folder in dict.fromkeys(map(str, folders)):
        name = slug(folder)
        for place in sorted(projects.glob(name if len(folder) <= MAX_SLUG else f"{name}*")):
            for file in sorted((place / "memory").glob("*.md")):
                shown = f"~/{file.relative_to(home).as_posix()}"
                yield Found(shown, "claude_memory", "", file, file.name == "MEMORY.md")
