"""Find the files related to a file or a task, and the owners of a file."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from remora.app.recall.search import checked_k, checked_query, reader
from remora.core import cochange
from remora.core.cochange import BESIDE, NAMED_ALIKE
from remora.core.errors import InvalidInput, SourceError
from remora.core.text import MAX_QUERY_CHARS
from remora.core.values import FileHit, Ownership

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject

CO_ACCESS_WEIGHT = 0.5
HABITS = frozenset({"often", "lately", "heat"})  # signals that do not depend on the task


def related_files(project: OpenProject, path: str, k: int) -> list[FileHit]:
    """Return files that change, are coupled or are read together with a file; see `Memory.related_files`."""
    from remora.app.codebase.freshness import checked

    wanted, k = _relative(project, path), checked_k(k)
    found = _related(project, wanted, k)
    files = [wanted, *(hit.path for hit in found)]
    return checked(project, found, lambda: _related(project, wanted, k), files)[0]


def ownership(project: OpenProject, path: str) -> Ownership | None:
    """Return the module of a file and its authors; see `Memory.ownership`."""
    return project.db.history.ownership(_relative(project, path))


def _related(project: OpenProject, wanted: str, k: int) -> list[FileHit]:
    """Return the files related to a file by history, code and sessions, best first."""
    db = project.db
    history, ties = db.history, db.file_coupling.of(wanted)
    found = {hit.path: hit for hit in cochange.related(wanted, history, k + 10, ties)}
    for _, other, weight in history.co_access([wanted], 0.0, 50):
        share = min(1.0, weight)
        known = found.get(other, FileHit(other, 0.0))
        # Independent evidence: the probability that both are wrong is the product.
        score = 1.0 - (1.0 - known.score) * (1.0 - CO_ACCESS_WEIGHT * share)
        found[other] = FileHit(other, score, (*known.why, f"read together in agent sessions ({share:.0%})"))
    if not history.stats([wanted]) and not os.path.lexists(project.location.root / wanted):
        # For a file without history only its name and its folder are evidence, the root folder is none.
        telling = {NAMED_ALIKE, BESIDE} if "/" in wanted else {NAMED_ALIKE}
        found = {path: hit for path, hit in found.items() if not telling.isdisjoint(hit.why)}
    there = _in_tree(project)
    if there is not None and there(wanted):  # history and sessions also know files that are gone
        found = {path: hit for path, hit in found.items() if there(path)}
    return sorted(found.values(), key=lambda h: (-h.score, h.path))[:k]


def predict_files(
    project: OpenProject,
    task: str,
    k: int,
    *,
    tests: bool = False,
    without: frozenset[str] = frozenset(),
) -> tuple[list[FileHit], tuple[str, ...]]:
    """Return the files that a task will touch, and notes; see `Memory.predict_files`."""
    from remora.app.codebase.freshness import checked, up_to_date
    from remora.retrieval.files import predict

    text, k = checked_query(task), checked_k(k)
    notes = list(up_to_date(project))
    found = reader(project, without, notes, code=True)
    vector = None
    if "dense" not in without and "meaning" not in without:
        vector, note = found.embed(text[:MAX_QUERY_CHARS])
        if note:
            notes.append(note)
    db = project.db
    there = _in_tree(project)
    branch = _on_branch(project) if "branch" not in without else []
    said: list[str] = []

    def ask() -> list[FileHit]:
        said.clear()
        return predict(
            db,
            text,
            k,
            vector=vector,
            tests=tests,
            branch=branch,
            without=without,
            there=there,
            notes=said,
        )

    hits = ask()
    hits, note = checked(project, hits, ask, [hit.path for hit in hits])
    notes += said
    if note:
        notes.append(note)
    return hits, tuple(dict.fromkeys(notes))


def _on_branch(project: OpenProject) -> list[str]:
    """Return the files that the current branch has changed; none if git fails."""
    from remora.sources.branches import own_files

    repository = project.location.repository
    try:
        return own_files(repository) if repository is not None else []
    except SourceError:
        return []


def _in_tree(project: OpenProject) -> Callable[[str], bool] | None:
    """Return a function that tests whether a file is in the project's tree; None if there is no tree."""
    root, repository = project.location.root, project.location.repository
    if repository is not None and repository.bare:
        return None

    def there(path: str) -> bool:
        inside = not path.startswith("/") and ".." not in path.split("/") and path.partition("/")[0] != ".git"
        return inside and os.path.isfile(root / path)  # noqa: PTH113  a Path's own fails on a loop of links

    return there


def _relative(project: OpenProject, path: str) -> str:
    """Return a path as git names it: relative to the root, with forward slashes."""
    from pathlib import Path

    if not path.strip():
        raise InvalidInput("the path is empty", hint="Name a file of the repository.")
    given = Path(path).expanduser() if path.startswith("~/") else Path(path)
    if given.is_absolute():
        try:
            # A Path's own way to resolve fails on a loop of links.
            return Path(os.path.realpath(given)).relative_to(project.location.root).as_posix()
        except ValueError:
            raise InvalidInput(
                f"{path} is not in {project.location.root}", hint="Name a file of this project."
            ) from None
    return path.replace("\\", "/").removeprefix("./")
