"""Build the context before a task: the blocks for planning and testing, files to load ahead, the step limit.

`remora.injection` writes the texts; this module calls it with the data of the open project.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from remora.app.codebase.freshness import unfinished
from remora.app.project.arguments import current_branch, file_names, listed
from remora.app.recall.files import HABITS, predict_files
from remora.app.recall.relevance import relevance_bar
from remora.app.recall.search import reader
from remora.core.errors import InvalidInput, RemoraError
from remora.core.values import Context
from remora.injection import planner
from remora.injection.limits import step_factor
from remora.injection.prefetch import MOST_FILES, MOST_TOKENS, Prefetch
from remora.injection.prefetch import prefetch as files_ahead
from remora.injection.scope import Scope, folder_of, scope

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject

LIKELY = 3  # predicted files whose folders are the modules of a task that names none


def context_for(
    project: OpenProject,
    what: str,
    task: str,
    modules: Any,
    files: Any,
    branch: str | None,
    budget: int | None,
) -> tuple[Context, tuple[str, ...]]:
    """Return the block for planning ("plan") or testing ("qa"), and the notes; see `Memory.plan_context`.

    What it holds counts as used.
    """
    where, branch = _place(project, task, modules, files, branch)
    if budget is not None and budget <= 0:
        raise InvalidInput("budget must be above 0 tokens")
    notes = list(filter(None, [unfinished(project)]))
    found = planner.brief(
        reader(project, notes=notes),
        task,
        where,
        what,
        branch=branch,
        budget=budget,
        relevant=relevance_bar(project),
    )
    project.accesses.note(found.hits)
    return found, tuple(dict.fromkeys(notes))


def prefetch(
    project: OpenProject, task: str, modules: Any, files: Any, branch: str | None, *, most: int, budget: int
) -> Prefetch:
    """Return the files to load ahead; see `Memory.prefetch`."""
    where, branch = _place(project, task, modules, files, branch)
    for name, value in (("most", most), ("budget", budget)):
        if value < 1:
            raise InvalidInput(f"{name} must be a whole number above 0, not {value!r}")
    location = project.location
    return files_ahead(
        project.db,
        location.root,
        where,
        repository=location.repository,
        branch=branch,
        most=min(most, MOST_FILES),
        budget=min(budget, MOST_TOKENS),
        without=file_names(files, location.root),
    )


def factor(project: OpenProject, task: str, modules: Any, files: Any, branch: str | None) -> float | None:
    """Return the ratio of actual to planned steps of work; None if unknown; see `Memory.step_factor`."""
    near = planner.calibrations(project.db, *_place(project, task, modules, files, branch))
    closest = max((nearness for nearness, _ in near), default=0.0)
    return step_factor(m for nearness, m in near if nearness == closest)


def _place(
    project: OpenProject, task: str, modules: Any, files: Any, branch: str | None
) -> tuple[Scope, str | None]:
    """Return the scope of a task and its branch.

    The scope of a task that names none is the folders of the files that it will likely touch.

    Raises:
        InvalidInput: a list has items of another type.
    """
    named = listed("modules", modules)
    wrong = [m for m in named if not isinstance(m, str)]
    if wrong:
        raise InvalidInput(f"modules must be a list of texts, not of {type(wrong[0]).__name__}")
    db, branch = project.db, current_branch(project, branch)
    found = scope(db, task, named, file_names(files, project.location.root))
    if found.modules or found.files or not task.strip() or not db.chunks.any():
        return found, branch
    with suppress(RemoraError):
        likely, _ = predict_files(project, task, LIKELY, without=HABITS)
        folders = dict.fromkeys(folder_of(hit.path) for hit in likely)
        found = Scope(tuple(folder for folder in folders if folder))
    return found, branch
