"""Update the code graph of a project.

`sources.tree` lists the files and `graph.indexer` extracts their content. Only one process of a project
indexes at a time; a second one leaves the work to the first and reports so.
"""

from __future__ import annotations

import os
import posixpath
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from remora.app.codebase.tree_comparison import BEGUN, TREE, note_listed
from remora.app.project.locate import commit_of
from remora.core.clock import to_iso
from remora.core.cochange import FILE_HALF_LIFE, decayed
from remora.core.code import Listed
from remora.core.collector import paused
from remora.core.decoding import text_of
from remora.core.errors import InvalidInput, SourceError, StoreBusy
from remora.core.paths import module_of
from remora.core.reports import IndexReport
from remora.disk.files import lock
from remora.graph.file_reader import FileReader
from remora.graph.grammars import kind_of
from remora.graph.indexer import VERSION, Indexer, Outcome
from remora.graph.scip import Taken, take
from remora.sources.tree import LARGEST_CODE, Tree, look, must_be_there
from remora.sources.tree_read import GONE, LeftOut, by_content, read

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject
    from remora.store.database import Database

Progress = Callable[[str, int, int], None]
LOCK_SECONDS = 0.5  # that a query waits for another indexer
LEFT_OUT = "index.left_out"  # meta key: number of files that the last full run left out, by reason
FEW = 50  # files that are read with the garbage collector paused
WAIT = 10.0  # seconds to wait for another indexer when changes must be indexed
PARTNERS = 10  # co-changed files of each file that become edges of the graph
PARTNERS_OF = "index.partners"  # meta key: the state of history and graph from which these edges were made
MOST_SKIPPED = 200  # named in a report; the counts are of all


def index(
    project: OpenProject,
    path: Path | None = None,
    *,
    progress: Progress | None = None,
    stop: Callable[[], bool] = lambda: False,
    wait: float = LOCK_SECONDS,
) -> IndexReport:
    """Update the whole graph; see `Memory.index`."""
    started = time.monotonic()
    location = project.location
    if path is not None and not Path(os.path.realpath(path)).is_relative_to(location.root):
        raise InvalidInput(
            f"{path} is not in {location.root}", hint="Open the memory of that folder: Memory.open(path)."
        )
    db = project.db
    notes: list[str] = []
    try:
        with lock(location.home / "index", timeout=wait):
            listed_at = time.time_ns()
            tree = look(location.root, location.repository, known=known_kind)
            if tree.cut:
                notes.append(f"only the first {len(tree.files):,} files were examined")
            if not db.meta.get(BEGUN):
                with db.connection.transaction(durable=False):
                    db.meta.set(BEGUN, to_iso(project.clock.now()))
            outcome = _indexer(project, db).run(
                tree.files,
                _now(project),
                commit=commit_of(location.repository),
                progress=progress,
                stop=stop,
            )
            precise = _take_precise(project, db, notes) if outcome.complete else Taken(0)
            if outcome.complete and db.graph.unlinked():  # files that an older SCIP index had resolved
                _indexer(project, db).run(tree.files, _now(project), commit=commit_of(location.repository))
            with db.connection.transaction(durable=False):
                db.meta.set(LEFT_OUT, _left_out(tree, db, precise.path))
                note_listed(project, listed_at, deleted=outcome.deleted > 0)
                db.meta.set(TREE, str(location.root))
                if outcome.complete:
                    db.meta.set(BEGUN, None)
            _settle_layers(project, db)
    except StoreBusy:
        notes.append("another process is indexing this project; this run does not wait for it")
        outcome, precise = Outcome(0, 0, 0, 0, (), complete=False), Taken(0)
    return report(db, outcome, precise.edges, tuple(notes), time.monotonic() - started)


def index_files(project: OpenProject, paths: Iterable[str], *, wait: float = WAIT) -> IndexReport:
    """Index files given relative to the root; deleted ones are removed from the graph.

    Args:
        paths: the files.
        wait: seconds to wait for another indexing process.

    Raises:
        InvalidInput: a path is empty or not in the project.
        SourceError: the project's folder does not exist.
    """
    must_be_there(project.location.root)
    paths = {_own(project.location.root, path) for path in paths}
    started = time.monotonic()
    db = project.db
    listed: list[Listed] = []
    gone: list[str] = []
    known = db.graph.some(paths)
    state = db.graph.state()
    if state is not None and state.version != VERSION:
        return index(project, wait=wait)  # the graph of another version is replaced as a whole
    for path in sorted(paths):
        try:
            status = (project.location.root / path).lstat()
        except (OSError, ValueError):
            gone.append(path)
            continue
        if path not in known:
            return index(project, wait=wait)  # only the full listing tells whether a new file is wanted
        listed.append(Listed(path, status.st_size, status.st_mtime_ns))
    notes: tuple[str, ...] = ()
    try:
        few = paused(len(paths) <= FEW)
        with lock(project.location.home / "index", timeout=wait), few:
            outcome = _indexer(project, db, paths).run(listed, _now(project), whole=False, gone=gone)
            if outcome.deleted:
                with db.connection.transaction(durable=False):
                    note_listed(project, deleted=True)
    except StoreBusy:
        outcome = Outcome(0, 0, 0, 0, (), complete=False)
        notes = ("another process is indexing this project",)
    return report(db, outcome, 0, notes, time.monotonic() - started, counted=False)


def _own(root: Path, path: object) -> str:
    """Return a path relative to the root, as git names it.

    Raises:
        InvalidInput: the value is empty, no path, or not in the project.
    """
    if not isinstance(path, str) or not path:
        raise InvalidInput(f"{path!r:.60} is not a path", hint="Name files of this project.")
    found = path
    if path.startswith("/") and "\0" not in path:
        folder, _, name = path.rpartition("/")
        found = os.path.relpath(f"{os.path.realpath(folder or '/')}/{name}", root)
    found = posixpath.normpath(found)
    if found == ".." or found.startswith("../"):
        raise InvalidInput(f"{path} is not in {root}", hint="Name files of this project.")
    return found


def mark_changed(project: OpenProject, paths: Iterable[str]) -> None:
    """Exclude the edges of changed files from answers at once, before the files are indexed again."""
    db = project.db
    with db.connection.transaction(durable=False):
        db.graph.mark_stale(sorted(set(paths)), _now(project))


def watch(
    project: OpenProject,
    stop: threading.Event,
    said: Callable[[IndexReport], None],
    *,
    debounce_ms: int = 500,
) -> None:
    """Index the project's files on each change until `stop` is set; `said` gets the report of each round."""
    from remora.graph.watch import watch as changes

    first = _index_in_turn(project, stop)
    said(first)
    known = first.skipped
    for changed in changes(project.location.root, debounce_ms=debounce_ms, stop=stop, wanted=known_kind):
        mark_changed(project, changed)
        # Only a full listing tells which files git ignores.
        outcome = _index_in_turn(project, stop)
        if outcome.read or outcome.deleted or outcome.skipped != known:
            said(outcome)
        known = outcome.skipped


def _index_in_turn(project: OpenProject, stop: threading.Event) -> IndexReport:
    """Update the graph after other indexing processes, whose listing may be older."""
    while True:
        report = index(project, wait=WAIT)
        if report.complete or stop.is_set():
            return report


def _indexer(project: OpenProject, db: Database, paths: Collection[str] | None = None) -> Indexer:
    """Return the indexer of a project; with paths, an indexer for these files alone."""
    root = project.location.root

    def content(path: str) -> bytes | str:
        found = read(root, path, LARGEST_CODE)
        if isinstance(found, LeftOut) and found.why == GONE:
            must_be_there(root)  # else every file would count as deleted
        return found.why if isinstance(found, LeftOut) else found

    clock = db.history.clock()
    past = db.history.all_files() if paths is None else db.history.stats(paths).values()
    busy = [f for f in past if f.present and f.commits]
    heat = {f.path: decayed(f.heat, clock, FILE_HALF_LIFE) for f in busy}
    files = FileReader(content, text_of, lambda _, data: by_content(data) or "", module_of)
    return Indexer(db, files, heat)


def known_kind(path: str) -> bool:
    """Return whether a path may be of a usable kind; a script without an extension is recognised later."""
    return kind_of(path) is not None or "." not in path.rpartition("/")[2]


def _now(project: OpenProject) -> int:
    return int(project.clock.now() * 1000)


def _left_out(tree: Tree, db: Database, used: str) -> dict[str, int]:
    """Return the number of files left out, by reason: first by name, then by content.

    The SCIP index `used` does not count.
    """
    counts = Counter(file.why for file in tree.left_out if file.path != used)
    for why, number in db.graph.skipped().items():
        counts[why.partition(":")[0]] += number
    return dict(counts)


def _settle_layers(project: OpenProject, db: Database) -> None:
    """Update the layers above the code: remove modules without files, link memories to files."""
    from remora.graph.knowledge import refresh as follow_memories

    now = _now(project)
    learnt = [db.history.clock(), *db.overview.newest_file(), db.sessions.count()]
    with db.connection.transaction(durable=False):
        db.layers.drop_empty_modules()
        if db.meta.get(PARTNERS_OF) != learnt:
            db.other_sources.put_history(PARTNERS, now)
            db.meta.set(PARTNERS_OF, learnt)
    follow_memories(db, now)


def _take_precise(project: OpenProject, db: Database, notes: list[str]) -> Taken:
    """Read the edges of a SCIP index beside the code, if there is one and it is new."""
    try:
        found = take(db, project.location.root, _now(project))
    except SourceError as error:
        notes.append(str(error))
        return Taken(0)
    if found.newer:
        files = "1 file" if found.newer == 1 else f"{found.newer:,} files"
        notes.append(f"{found.path} is older than {files}; rebuild it")
    return found


def report(
    db: Database,
    outcome: Outcome,
    precise: int,
    notes: tuple[str, ...],
    seconds: float,
    *,
    counted: bool = True,
) -> IndexReport:
    """Return the report of a run, with present counts, or those of the last full run."""
    state = None if counted else db.graph.state()
    nodes, edges = (state.nodes, state.edges) if state is not None else db.graph.counts()[:2]
    left_out = db.meta.get(LEFT_OUT) or {}
    return IndexReport(
        files=db.graph.file_count(),
        read=outcome.read,
        unchanged=outcome.unchanged,
        resolved=outcome.resolved,
        deleted=outcome.deleted,
        left_out=tuple(sorted(left_out.items(), key=lambda item: (-item[1], item[0]))),
        broken=db.graph.broken_count(),
        skipped=outcome.skipped[:MOST_SKIPPED],
        nodes=nodes,
        edges=edges,
        chunks=db.chunks.count(),
        waiting=db.chunks.pending_count(),
        precise=precise,
        complete=outcome.complete,
        notes=notes,
        seconds=seconds,
    )
