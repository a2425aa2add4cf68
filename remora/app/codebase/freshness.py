"""Compare the index with the files before a query is answered, at a cost that users do not notice.

Files are compared by size and time, and by content if only the time differs; folders by their time: a new
file can exist only if a folder changed since the files were last listed, and only then git is run. All of it
takes at most a 300th of the time; between two comparisons the files of each answer are still compared, and
all files before an answer that a target is unknown or that nothing depends on it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from remora.app.codebase.tree_comparison import BEGUN, compare, left_out, listed_at, note_listed, other_tree
from remora.app.project.open_project import Look
from remora.core.errors import RemoraError, StoreBusy, StoreError
from remora.sources.branches import on_default
from remora.sources.tree import look
from remora.store.history import COMMIT, REFUSED

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from remora.app.project.open_project import OpenProject
    from remora.store.graph import State

IN_PROGRESS = "knowledge graph: indexing in progress; impact analysis may be incomplete"
NOT_INDEXED = "the code is not indexed yet; run `remora index`"
NO_CODE = "the index contains no code"
NOTHING_TO_ASK = (NOT_INDEXED, NO_CODE)  # notes after which another query would find no more
READ_AGAIN = "read again"  # the end of a note
FEW, FEW_BYTES = 50, 1_000_000  # limits of the changed files that a query indexes again
FIRST = 3  # sessions that get a note on an unfinished index
NAMED = 3  # changed files to name; for more, only their number is given
SHARE = 300  # comparisons take at most 1/SHARE of the time: far less than every hundredth query pays for one
LONGEST = 10.0  # seconds between two comparisons, however long one takes
EXACT_NS = 1_000_000_000  # inaccuracy of the clocks of some file systems

T = TypeVar("T")


def notices(project: OpenProject) -> tuple[str, ...]:
    """Return the notes on the state of the graph for an answer from it (section 21.9)."""
    db = project.db
    if db.graph.is_empty():
        return (NOT_INDEXED if db.graph.state() is None else NO_CODE,)
    if db.graph.state() is None or db.graph.waiting_for_links():
        return (IN_PROGRESS,)
    if stale := db.overview.stale_files():
        if stale == 1:
            return ("1 file changed since the last run and is left out until the next `remora index`",)
        return (f"{stale:,} files changed since the last run and are left out until the next `remora index`",)
    return ()


def up_to_date(project: OpenProject) -> tuple[str, ...]:
    """Index changed files if they are few; return the notes on the index for an answer."""
    note = _looked(project)
    return (note,) if note else notices(project)


def look_now(project: OpenProject) -> tuple[str, ...]:
    """Do the same as `up_to_date`, regardless of the time of the last comparison."""
    project.last_look = None
    return up_to_date(project)


def behind(project: OpenProject) -> int:
    """Return the number of files that differ from the index, new and deleted ones included."""
    db = project.db
    with suppress(RemoraError, OSError):  # if git cannot list the files, count the marked ones
        if project.location.root.is_dir():
            changed, unread = _changed(project)
            return len(changed) + unread
    return db.overview.stale_files()


def history_is_behind(project: OpenProject) -> bool:
    """Return whether the default branch has new commits; False if none was read, or on another branch."""
    meta, repository = project.db.meta, project.location.repository
    if repository is None or not (last := meta.get(COMMIT)):
        return False
    return repository.head() not in (None, last, meta.get(REFUSED)) and on_default(repository)


def unfinished(project: OpenProject) -> str:
    """Return the note on an unfinished index for the first sessions (section 21.9), else ""."""
    note = next(iter(notices(project)), "")
    db = project.db
    if note not in (IN_PROGRESS, NOT_INDEXED) or db.sessions.count(db.meta.get(BEGUN) or "") >= FIRST:
        return ""
    return note


def _looked(project: OpenProject) -> str:
    """Compare all files with the index if that is due; return the note on the index, "" for none."""
    from remora.graph.indexer import VERSION

    graph = project.db.graph
    state = graph.state()
    if state is None or graph.waiting_for_links():
        return ""
    if state.version != VERSION:
        return "the index was made by another version of Remora; `remora index` rebuilds it"
    started, last = time.monotonic(), project.last_look
    if last is not None and last.seen == _seen(project, state) and started < last.until:
        return last.note
    try:
        changed, unread = _changed(project)
        took = time.monotonic() - started
        said, settled = _bring_in(project, changed)
        if unread:
            said, settled = said or _not_compared(project, unread), False
    except (RemoraError, OSError) as error:
        project.last_look = None
        return f"the files could not be compared with the index: {error}"
    until = time.monotonic() + min(SHARE * took, LONGEST)
    note = "" if said.endswith(READ_AGAIN) else said
    project.last_look = Look(until, _seen(project, graph.state()), note) if settled else None
    return said


def _seen(project: OpenProject, state: State | None) -> object:
    """Return a value that changes when git writes to the work tree or an indexer to the graph."""
    runs = state and state.indexed_at, listed_at(project), project.db.overview.stale_files()
    if project.location.repository is None:
        return runs
    return *runs, _written(f"{project.location.repository.git_dir}/index")


def _changed(project: OpenProject) -> tuple[dict[str, int], int]:
    """Return the files that differ from the index with their sizes, new and deleted ones included.

    The second value is the number of files that could not be compared in time.
    """
    from remora.app.codebase.indexing import known_kind
    from remora.graph.indexer import TRY_AGAIN

    db = project.db
    found: dict[str, int] = {}
    doubtful: dict[str, os.stat_result] = {}
    known, folders = set(), {""}
    root = str(project.location.root)
    for path, size, mtime_ns, folder, stale in db.graph.all_stamps():
        known.add(path)
        folders.add(folder)
        status = _status(f"{root}/{path}")
        if status is None:
            found[path] = 0
            continue
        as_read = mtime_ns == status.st_mtime_ns and size == status.st_size
        if stale or not (as_read or mtime_ns == TRY_AGAIN):
            doubtful[path] = status
    unread = 0
    if doubtful:
        compared = compare(project, doubtful)
        unread = len(compared.unread)
        found |= {path: doubtful[path].st_size for path in doubtful if path in compared.other}
    listed = listed_at(project)
    if any(_written(f"{root}/{folder}") > listed - EXACT_NS for folder in folders):
        now = time.time_ns()
        tree = look(project.location.root, project.location.repository, known=known_kind)
        new = {file.path: file.size for file in tree.files if file.path not in known}
        found |= new
        if not (new or project.read_only):
            with suppress(StoreError), db.connection.transaction(durable=False):
                note_listed(project, now)
    return found, unread


def _status(path: str) -> os.stat_result | None:
    """Return the status of a file or folder, None if it does not exist."""
    try:
        return os.stat(path)  # noqa: PTH116  once per file of the project
    except (OSError, ValueError):
        return None


def _written(path: str) -> int:
    """Return the time at which a file was written or a folder got or lost an entry, in ns; 0 for none."""
    status = _status(path)
    return status.st_mtime_ns if status else 0


def _bring_in(project: OpenProject, changed: Mapping[str, int]) -> tuple[str, bool]:
    """Index changed files if they are few; return the note, and whether nothing is left to do."""
    from remora.app.codebase.indexing import LOCK_SECONDS, index_files

    if not changed or not project.location.root.is_dir():
        return "", True
    one = len(changed) == 1
    if project.read_only or len(changed) > FEW or sum(changed.values()) > FEW_BYTES:
        what = _what(changed, other_tree(project))
        if one:
            return f"{what} and is not in this answer yet; run it again", True
        return f"{what} and are not in this answer yet; run it again", True
    if index_files(project, changed, wait=LOCK_SECONDS).complete:
        return _read_again(changed), True
    what = _what(changed)
    note = f"{what}; another process is reading it" if one else f"{what}; another process is reading them"
    return note, False


class Refreshed(NamedTuple):
    """The result of comparing the files of an answer.

    Attributes:
        note: the note on changed files; "" for none.
        apart: files to be left out of this answer alone.
    """

    note: str = ""
    apart: tuple[str, ...] = ()


def refresh(project: OpenProject, paths: Iterable[str]) -> Refreshed:
    """Update the index for those files of an answer that changed since they were read.

    A few are indexed at once. Many (a switched branch) are only excluded, which is fast, and the returned
    note says so: from this answer if the index is of another work tree, and from all answers until they are
    indexed again if it is of this one.
    """
    from remora.app.codebase.indexing import LOCK_SECONDS, index_files, mark_changed
    from remora.graph.indexer import VERSION

    graph = project.db.graph
    root = str(project.location.root)
    changed = []
    doubtful: dict[str, os.stat_result] = {}
    for path, (size, mtime_ns) in graph.stamps(set(paths)).items():
        status = _status(f"{root}/{path}")
        if status is None:
            changed.append(path)
        elif (status.st_size, status.st_mtime_ns) != (size, mtime_ns):
            doubtful[path] = status
    if doubtful:
        changed += sorted(doubtful.keys() - compare(project, doubtful).same)
    if not changed:
        return Refreshed()
    if not project.location.root.is_dir():
        return Refreshed(f"{root} does not exist; this is its state at the last `remora index`")
    if project.read_only:
        return Refreshed(_what(changed))
    state = graph.state()
    if len(changed) <= FEW and state is not None and state.version == VERSION:
        report = index_files(project, changed, wait=LOCK_SECONDS)
        if report.complete:
            return Refreshed(_read_again(changed))
    tree = other_tree(project)
    what = _what(changed, tree)
    what = f"{what}; its references" if len(changed) == 1 else f"{what}; their references"
    if tree:
        return Refreshed(f"{what} are left out until it reads this work tree", tuple(changed))
    mark_changed(project, changed)
    return Refreshed(f"{what} are left out until the next run")


def checked(project: OpenProject, found: T, ask: Callable[[], T], paths: Iterable[str]) -> tuple[T, str]:
    """Return an answer, queried again if files in it had changed, and the note on these files."""
    note, apart = refresh(project, paths)
    if note and not project.read_only:
        try:
            if not apart:
                return ask(), note
            with left_out(project, apart):
                found = ask()
        except StoreBusy:
            note = f"{_what(apart)}; another process is writing, so this answer has their old state"
    return found, note


def _what(changed: Iterable[str], tree: str = "") -> str:
    """Return a description of the changed files; with `tree`, of files that differ in that work tree."""
    paths = sorted(changed)
    names = ", ".join(paths) if len(paths) <= NAMED else f"{len(paths):,} files"
    if tree:
        if len(paths) == 1:
            return f"{names} differs from the work tree that `remora index` read last ({tree})"
        return f"{names} differ from the work tree that `remora index` read last ({tree})"
    return f"{names} changed since the last `remora index`"


def _read_again(changed: Collection[str]) -> str:
    what = _what(changed)
    return f"{what} and was {READ_AGAIN}" if len(changed) == 1 else f"{what} and were {READ_AGAIN}"


def _not_compared(project: OpenProject, count: int) -> str:
    """Return the note on files whose time differs and whose content was not compared yet."""
    tree = other_tree(project)
    of = f", which is of the work tree {tree}" if tree else ""
    if count == 1:
        return f"1 file is not compared with the index yet{of}; the next query continues"
    return f"{count:,} files are not compared with the index yet{of}; the next query continues"
