"""Tell files that changed from those that only have another time, and one work tree from another.

The work trees of a project share one graph, and git gives each its own times for the same content. So where
size and time are not those of the graph, the content decides. Reading it takes time, so a look reads no more
than COMPARED files and no longer than COMPARE_SECONDS; what it found is remembered with the time that the
file has in this tree, and the next look goes on where this one stopped.

When the files were last listed is of one tree, too: which files it has, another does not show.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

from remora.core.code import hash_of
from remora.core.errors import StoreError
from remora.disk.files import lock
from remora.sources.tree import LARGEST_CODE, LeftOut, read
from remora.store.work_trees import Content

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject

LISTED = "index.listed"  # meta key: by work tree when its files were last listed, in ns: later ones are new
BEGUN = "index.begun"  # meta key: when a run began that is not finished, None where all are
TREE = "index.tree"  # meta key: the root of the work tree that the last whole run read
# A file of usual size is read and hashed in a tenth of a millisecond: both bounds are about what a question
# may take before somebody notices. The files keep what is remembered at once small, the seconds hold where
# files are large or the disk is slow.
COMPARED, COMPARE_SECONDS = 2_000, 0.3


class _Undo(Exception):
    """Takes the marks of a block back."""


class Compared(NamedTuple):
    """Files whose size or time is not that of the graph.

    Attributes:
        same: those with the same content.
        other: those with another one.
        unread: those that there was no time for.
    """

    same: set[str]
    other: set[str]
    unread: set[str]


def compare(project: OpenProject, looks: Mapping[str, os.stat_result]) -> Compared:
    """Hold the content of files against what the graph was read from, and remember what came of it."""
    db, root = project.db, str(project.location.root)
    known = {
        **db.work_trees.contents(root, looks),
        **{p: c for p, c in project.contents.items() if p in looks},
    }
    end = time.monotonic() + COMPARE_SECONDS
    found = Compared(set(), set(), set())
    fresh: dict[str, Content] = {}
    marked: set[str] = set()
    foreign = bool(other_tree(project))
    rows = db.graph.some(looks)
    for path, status in looks.items():
        row, now = rows.get(path), (status.st_size, status.st_mtime_ns)
        if row is None or row.size != status.st_size:
            found.other.add(path)
            continue
        if row.mtime_ns == now[1]:
            is_same = True
        elif not row.hash:  # it was left out unread, and has no edges; whether it still is, a run tells
            is_same = foreign
        elif path in known and known[path][:2] == now:
            is_same = known[path].hash == row.hash
        elif len(fresh) < COMPARED and time.monotonic() < end:
            data = read(project.location.root, path, LARGEST_CODE)
            if isinstance(data, LeftOut):
                found.other.add(path)
                continue
            fresh[path] = Content(*now, hash_of(data))
            is_same = fresh[path].hash == row.hash
        else:
            found.unread.add(path)
            continue
        (found.same if is_same else found.other).add(path)
        if is_same and row.stale:
            marked.add(path)
    if fresh or marked:
        project.contents.update(fresh)
        own = set() if foreign else found.same & fresh.keys()
        _remember(project, fresh, {path: looks[path] for path in own | marked})
    return found


def _remember(project: OpenProject, fresh: Mapping[str, Content], same: Mapping[str, os.stat_result]) -> None:
    """Write what files hold, where nobody else is at work: `same` is as the graph knows it after all."""
    if project.read_only:
        return
    db = project.db
    rest = {path: content for path, content in fresh.items() if path not in same}
    with (
        suppress(StoreError),
        lock(project.location.home / "index", timeout=0.0),
        db.connection.transaction(durable=False, wait=0.0),
    ):
        for path, status in same.items():
            db.graph.touch(path, status.st_size, status.st_mtime_ns)
        db.work_trees.put(str(project.location.root), rest)


def other_tree(project: OpenProject) -> str:
    """Return the root of the work tree that the graph was read from, "" where that is this one."""
    tree = project.db.meta.get(TREE) or ""
    return "" if tree == str(project.location.root) else tree


def listed_at(project: OpenProject) -> int:
    """Return when the files of this tree were last listed, in ns, 0 for never."""
    found = project.db.meta.get(LISTED) or {}
    return int(found.get(str(project.location.root), 0)) if isinstance(found, dict) else 0


def note_listed(project: OpenProject, at: int | None = None, *, deleted: bool = False) -> None:
    """Note when the files of this tree were listed; call inside a transaction.

    Args:
        project: the open project.
        at: when that was, in ns; None leaves it.
        deleted: files left the graph, so that a tree where they are has to be listed again.
    """
    db, root = project.db, str(project.location.root)
    before = db.meta.get(LISTED)
    before = before if isinstance(before, dict) else {}
    gone = [tree for tree in before if tree != root and not os.path.isdir(tree)]  # noqa: PTH112
    for tree in gone:
        db.work_trees.forget(tree)
    now = {tree: ns for tree, ns in before.items() if tree == root or not (deleted or tree in gone)}
    if at is not None:
        now[root] = at
    if now != before:
        db.meta.set(LISTED, now)


@contextmanager
def left_out(project: OpenProject, paths: Collection[str]) -> Iterator[None]:
    """Take files out of the answers of a block alone: for another work tree they are as the graph has them.

    Raises:
        StoreBusy: another process is writing.
    """
    db = project.db
    with suppress(_Undo), db.connection.transaction(durable=False, wait=0.5):
        db.graph.mark_stale(sorted(paths), int(project.clock.now() * 1000))
        yield
        raise _Undo
