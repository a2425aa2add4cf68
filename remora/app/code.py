"""The code graph of a project: bring it up to date, ask it what a change may break.

The files come from sources.tree, what they say from graph.indexer; only one process of a project
indexes at a time, and a second one that comes meanwhile says so and leaves the work to the first.
"""

from __future__ import annotations

import json
import math
import os
import posixpath
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from remora.app.comparing import TREE, note_listed
from remora.app.freshness import (
    BEGUN,
    LOCK_SECONDS,
    READ_AGAIN,
    checked,
    look_at,
    look_now,
    up_to_date,
)
from remora.app.project import commit_of
from remora.core.clock import to_iso
from remora.core.code import Impact, IndexReport
from remora.core.collector import paused
from remora.core.errors import InvalidInput, NotFound, SourceError, StoreBusy
from remora.core.values import MemoryRecord
from remora.disk.files import lock
from remora.graph.indexer import VERSION, Indexer, Listed, Outcome
from remora.graph.languages import kind_of
from remora.graph.precise import Taken, take
from remora.sources.history import module_of
from remora.sources.tree import LARGEST_CODE, LeftOut, Tree, decode, look, must_be_there, read
from remora.sources.tree_names import GONE
from remora.sources.tree_read import by_content

if TYPE_CHECKING:
    from remora.app.wiring import Parts
    from remora.graph.impact import Found
    from remora.graph.modules import ModuleInfo
    from remora.store.space import Space

Progress = Callable[[str, int, int], None]
LEFT_OUT = "index.left_out"  # meta key: what the last whole run left out, by reason
FEW = 50  # files that are read without a search for garbage meanwhile
WAIT = 10.0  # seconds that whoever brings changes waits for it
PARTNERS = 10  # of each file that become edges of the graph
PARTNERS_OF = "index.partners"  # meta key: the state of history and graph that those edges were made of
MOST_SKIPPED = 200  # named in a report; the counts are of all


def index(
    parts: Parts,
    path: Path | None = None,
    *,
    progress: Progress | None = None,
    stop: Callable[[], bool] = lambda: False,
    wait: float = LOCK_SECONDS,
) -> IndexReport:
    """Bring the whole graph up to date; see `Memory.index`."""
    started = time.monotonic()
    project = parts.project
    if path is not None and not Path(os.path.realpath(path)).is_relative_to(project.root):
        raise InvalidInput(
            f"{path} is not in {project.root}", hint="Open the memory of that folder: Memory.open(path)."
        )
    space = parts.room("project").space
    notes: list[str] = []
    try:
        with lock(project.home / "index", timeout=wait):
            listed_at = time.time_ns()
            tree = look(project.root, project.repository, known=known_kind)
            if tree.cut:
                notes.append(f"only the first {len(tree.files):,} files were looked at")
            listed = [Listed(f.path, f.size, f.mtime_ns) for f in tree.files]
            if not space.meta.get(BEGUN):
                with space.db.transaction(durable=False):
                    space.meta.set(BEGUN, to_iso(parts.clock.now()))
            outcome = _indexer(parts, space).run(
                listed,
                _now(parts),
                commit=commit_of(project.repository),
                progress=progress,
                stop=stop,
            )
            precise = _take_precise(parts, space, notes) if outcome.complete else Taken(0)
            if outcome.complete and space.graph.unlinked():  # what an older SCIP index had said instead
                _indexer(parts, space).run(listed, _now(parts), commit=commit_of(project.repository))
            with space.db.transaction(durable=False):
                space.meta.set(LEFT_OUT, _left_out(tree, space, precise.path))
                note_listed(parts, listed_at, deleted=outcome.deleted > 0)
                space.meta.set(TREE, str(project.root))
                if outcome.complete:
                    space.meta.set(BEGUN, None)
            _settle_layers(parts, space)
    except StoreBusy:
        notes.append("another process is indexing this project; its work is not waited for")
        outcome, precise = Outcome(0, 0, 0, 0, (), complete=False), Taken(0)
    return report(space, outcome, precise.edges, tuple(notes), time.monotonic() - started)


def index_files(parts: Parts, paths: Iterable[str], *, wait: float | None = None) -> IndexReport:
    """Bring some files up to date, given relative to the root; those that are gone leave the graph.

    Args:
        paths: the files.
        wait: seconds for another process that is indexing, WAIT if it is None.

    Raises:
        InvalidInput: a path is empty or not in the project.
        SourceError: the project's folder is not there.
    """
    must_be_there(parts.project.root)
    paths = {_own(parts.project.root, path) for path in paths}
    wait = WAIT if wait is None else wait
    started = time.monotonic()
    space = parts.room("project").space
    listed: list[Listed] = []
    gone: list[str] = []
    known = space.graph.some(paths)
    state = space.graph.state()
    if state is not None and state.version != VERSION:
        return index(parts, wait=wait)  # what another version read goes, so everything has to be read
    for path in sorted(paths):
        try:
            status = (parts.project.root / path).lstat()
        except (OSError, ValueError):
            gone.append(path)
            continue
        if path not in known:
            return index(parts, wait=wait)  # whether a new file is wanted, the listing of all says
        listed.append(Listed(path, status.st_size, status.st_mtime_ns))
    notes: tuple[str, ...] = ()
    try:
        few = paused(len(paths) <= FEW)
        with lock(parts.project.home / "index", timeout=wait), few:
            outcome = _indexer(parts, space, paths).run(listed, _now(parts), whole=False, gone=gone)
            if outcome.deleted:
                with space.db.transaction(durable=False):
                    note_listed(parts, deleted=True)
    except StoreBusy:
        outcome = Outcome(0, 0, 0, 0, (), complete=False)
        notes = ("another process is indexing this project",)
    return report(space, outcome, 0, notes, time.monotonic() - started, counted=False)


def _own(root: Path, path: object) -> str:
    """Return a path relative to the root, as git names it.

    Raises:
        InvalidInput: it is empty, no path, or not in the project.
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


def mark_changed(parts: Parts, paths: Iterable[str]) -> None:
    """Take the edges of changed files out of every answer at once, before anybody reads them again."""
    space = parts.room("project").space
    with space.db.transaction(durable=False):
        space.graph.mark_stale(sorted(set(paths)), _now(parts))


def watch(
    parts: Parts,
    stop: threading.Event,
    said: Callable[[IndexReport], None],
    *,
    debounce_ms: int = 500,
) -> None:
    """Follow the project's files until told to stop; `said` hears of each round."""
    from remora.graph.watch import watch as changes

    first = _index_in_turn(parts, stop)
    said(first)
    known = first.skipped
    for changed in changes(parts.project.root, debounce_ms=debounce_ms, stop=stop, wanted=known_kind):
        mark_changed(parts, changed)
        # What git ignores is told apart by listing; a handful of files is not worth that.
        outcome = _index_in_turn(parts, stop)
        if outcome.read or outcome.deleted or outcome.skipped != known:
            said(outcome)
        known = outcome.skipped


def _index_in_turn(parts: Parts, stop: threading.Event) -> IndexReport:
    """Bring the graph up to date, after whoever else is doing so: what they listed may be older."""
    while True:
        report = index(parts, wait=WAIT)
        if report.complete or stop.is_set():
            return report


def modules(parts: Parts) -> list[ModuleInfo]:
    """Return the modules of the code; see `Memory.modules`."""
    from remora.graph.modules import module_map

    return module_map(parts.room("project").space)


def _indexer(parts: Parts, space: Space, paths: Collection[str] | None = None) -> Indexer:
    """Return what brings a project's graph up to date; with paths, what does so for these alone."""
    root = parts.project.root

    def content(path: str) -> bytes | str:
        found = read(root, path, LARGEST_CODE)
        if isinstance(found, LeftOut) and found.why == GONE:
            must_be_there(root)  # else every file would be taken for deleted
        return found.why if isinstance(found, LeftOut) else found

    clock = space.history.clock()
    files = space.history.all_files() if paths is None else space.history.stats(paths).values()
    heat = {f.path: math.exp2(max(-60.0, f.heat - clock / 40.0)) for f in files if f.present and f.commits}
    return Indexer(
        space,
        content,
        decode=decode,
        unwanted=lambda _, data: by_content(data) or "",
        module_of=module_of,
        heat=heat,
    )


def known_kind(path: str) -> bool:
    """Whether a path may be of a kind that can be used; a script without an extension shows when read."""
    return kind_of(path) is not None or "." not in path.rpartition("/")[2]


def _now(parts: Parts) -> int:
    return int(parts.clock.now() * 1000)


def _left_out(tree: Tree, space: Space, used: str) -> dict[str, int]:
    """Return how many files are not read, by reason: what their names say, then what their bytes say.

    A SCIP index that is `used` is not one of them.
    """
    counts = Counter(tree._replace(left_out=tuple(f for f in tree.left_out if f.path != used)).counts())
    for why, number in space.graph.skipped().items():
        counts[why.partition(":")[0]] += number
    return dict(counts)


def _settle_layers(parts: Parts, space: Space) -> None:
    """Let what lies above the code follow it: modules without files go, memories meet their files."""
    from remora.graph.knowledge import refresh as follow_memories

    now = _now(parts)
    learnt = [space.history.clock(), *space.overview.newest_file(), space.observed.count()]
    with space.db.transaction(durable=False):
        space.layers.drop_empty_modules()
        if space.meta.get(PARTNERS_OF) != learnt:
            space.other_sources.put_history(PARTNERS, now)
            space.meta.set(PARTNERS_OF, learnt)
    follow_memories(space, now)


def _take_precise(parts: Parts, space: Space, notes: list[str]) -> Taken:
    """Take the edges of a SCIP index beside the code, when there is one and it is new."""
    try:
        found = take(space, parts.project.root, _now(parts))
    except SourceError as error:
        notes.append(str(error))
        return Taken(0)
    if found.newer:
        files = "1 file" if found.newer == 1 else f"{found.newer:,} files"
        notes.append(f"{found.path} is older than {files}; make it again")
    return found


def report(
    space: Space,
    outcome: Outcome,
    precise: int,
    notes: tuple[str, ...],
    seconds: float,
    *,
    counted: bool = True,
) -> IndexReport:
    """Return what a run did, with the counts as they are now, or as the last whole run left them."""
    state = None if counted else space.graph.state()
    nodes, edges = (state.nodes, state.edges) if state is not None else space.graph.counts()[:2]
    left_out = space.meta.get(LEFT_OUT) or {}
    return IndexReport(
        files=space.graph.file_count(),
        read=outcome.read,
        unchanged=outcome.unchanged,
        resolved=outcome.resolved,
        deleted=outcome.deleted,
        left_out=tuple(sorted(left_out.items(), key=lambda item: (-item[1], item[0]))),
        broken=space.graph.broken_count(),
        skipped=outcome.skipped[:MOST_SKIPPED],
        nodes=nodes,
        edges=edges,
        chunks=space.chunks.count(),
        waiting=space.chunks.pending_count(),
        precise=precise,
        complete=outcome.complete,
        notes=notes,
        seconds=seconds,
    )


class Impacts(list[Impact]):
    """What may break, nearest first, with what else is known about the target.

    Attributes:
        target: the key of the node that was asked about.
        tests: those of the impacts that are tests: what to run.
        memories: live memories about the target or its file, strongest first.
        notes: what to know about the answer (guesses, a cut, an index that is not finished).
    """

    def __init__(
        self, target: str, impacts: Iterable[Impact], memories: Sequence[MemoryRecord], notes: tuple[str, ...]
    ) -> None:
        super().__init__(impacts)
        self.target = target
        self.tests = tuple(i for i in self if i.test)
        self.memories = tuple(memories)
        self.notes = notes


def impact(parts: Parts, target: str, depth: int, limit: int) -> Impacts:
    """Return what depends on a target; see `Memory.impact`."""
    with paused():  # hundreds of objects, and no cycles among them
        return _impact(parts, target, depth, limit)


def _impact(parts: Parts, target: str, depth: int, limit: int) -> Impacts:
    from remora.graph.impact import impact as find

    space = parts.room("project").space
    inside = _inside(parts, target)

    def ask() -> Found:
        return find(space, inside, depth, limit)

    found, notes = _asked(parts, inside, ask)
    found, note = checked(parts, found, ask, [found.target.path, *(i.path for i in found.impacts)])
    notes = notes or ((note,) if note else ())
    memories = _memories_about(space, found)
    return Impacts(found.target.key, found.impacts, memories, (*notes, *found.notes))


def _asked(parts: Parts, target: str, ask: Callable[[], Found]) -> tuple[Found, tuple[str, ...]]:
    """Return an answer and what to say of the index.

    A name that nothing is called by may have been written since the files were looked at: that it is unknown
    is rare, and worth a look at once.

    Raises:
        NotFound: nothing is called so after that either.
    """
    before = parts.last_look
    notes = up_to_date(parts)
    looked = before is None or parts.last_look is not before
    try:
        return ask(), notes
    except NotFound as error:
        missing = error
    ways = [partial(look_at, parts, target), *(() if looked else (partial(look_now, parts),))]
    for look_again in ways:
        if said := look_again():
            notes = said
            try:
                return ask(), notes
            except NotFound as error:
                missing = error
    why = [note for note in notes if not note.endswith(READ_AGAIN)]
    raise NotFound(str(missing), hint=why[0] if why else missing.hint) from None


def _inside(parts: Parts, target: str) -> str:
    """Return a target with its path relative to the root, where it was absolute."""
    path, colon, symbol = target.strip().partition(":")
    root = parts.project.root
    if path.startswith("/") and "\0" not in path:
        whole = Path(os.path.realpath(path))  # a Path's own way to ask fails on a loop of links
        if whole.is_relative_to(root):
            path = whole.relative_to(root).as_posix()
    return f"{path}{colon}{symbol}"


def _memories_about(space: Space, found: Found) -> list[MemoryRecord]:
    """Return the live memories about a target: those linked to its node first, then those on its file.

    Of these the ones that name the symbol come first, then the strongest, then the newest.

    Patterns and decisions are also those of a folder around the file, and of layer 3 as the last index run
    left it: there a glob ties them to the file.
    """
    from remora.graph.knowledge import remembered

    target = found.target
    before = [name + target.key[len(target.path) :] for name in space.history.names_before(target.path)]
    linked = space.memories.ids_where(
        """m.deprecated = 0 AND m.id IN (
             SELECT t.id FROM json_each(?1) k CROSS JOIN memories t ON t.target_node_id = k.value
             UNION SELECT i.id FROM memories i WHERE i.impacted_node_ids <> '[]' AND EXISTS (
               SELECT 1 FROM json_each(i.impacted_node_ids) j JOIN json_each(?1) k ON j.value = k.value))""",
        (json.dumps([target.key, *before]),),
    )
    parts = target.path.split("/")
    folders = ["/".join(parts[:depth]) + "/" for depth in range(1, len(parts))]
    on_file = space.memories.ids_where(
        """m.deprecated = 0 AND m.id IN (
             SELECT f.memory_id FROM memory_files f WHERE f.file_path = ?1
             UNION SELECT f.memory_id FROM json_each(?2) j CROSS JOIN memory_files f ON f.file_path = j.value
               CROSS JOIN memories p ON p.id = f.memory_id WHERE p.type IN ('pattern', 'decision'))""",
        (target.path, json.dumps(folders)),
    )
    tied = remembered(space, {target.key, target.path})
    ids = list(dict.fromkeys((*linked, *on_file, *tied)))[:50]
    records = {i: record for i, record in space.memories.get_many(ids).items() if not record.deprecated}
    ids = [i for i in ids if i in records]
    named = (target.symbol or "").rpartition(".")[2].partition("#")[0]
    ids.sort(key=lambda i: (records[i].created_at, i), reverse=True)
    ids.sort(key=lambda i: (i not in linked, named not in records[i].content, -records[i].confidence))
    return [records[i] for i in ids]
