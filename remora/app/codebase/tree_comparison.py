"""Tell changed files from files with only another time, and one work tree from another.

The work trees of a project share one graph, and git gives each its own times for the same content. If size
or time differ from the graph, the content decides. Reading takes time, so one comparison reads at most
COMPARED files and takes at most COMPARE_SECONDS; its results are stored with the file's time in this tree,
and the next comparison continues from there.

The time of the last listing is stored per tree too, since trees differ in their files.
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
from remora.sources.tree import LARGEST_CODE
from remora.sources.tree_read import LeftOut, read
from remora.store.work_trees import Content

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject

LISTED = "index.listed"  # meta key: time of the last listing by work tree, in ns: later files are new
BEGUN = "index.begun"  # meta key: start of an unfinished run, None if all are finished
TREE = "index.tree"  # meta key: the root of the work tree of the last full run
# A file of usual size is read and hashed in a tenth of a millisecond: both limits are about the delay of a
# query that a user does not notice. The number of files bounds the rows stored at once, the seconds apply to
# large files and slow disks.
COMPARED, COMPARE_SECONDS = 2_000, 0.3


class Compared(NamedTuple):
    """Files whose size or time differs from the graph.

    Attributes:
        same: files with the same content.
        other: files with another content.
        unread: files that were not compared for lack of time.
    """

    same: set[str]
    other: set[str]
    unread: set[str]


def compare(project: OpenProject, looks: Mapping[str, os.stat_result]) -> Compared:
    """Compare the content of files with the graph's, and store the results."""
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
        elif not row.hash:  # it was left out unread and has no edges; a run decides whether it still is
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
    """Store content hashes, unless another process writes; files in `same` get their time in the graph."""
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
    """Return the root of the work tree that the graph was read from, "" if it is this one."""
    tree = project.db.meta.get(TREE) or ""
    return "" if tree == str(project.location.root) else tree


def listed_at(project: OpenProject) -> int:
    """Return the time of the last listing of this tree, in ns, 0 for never."""
    found = project.db.meta.get(LISTED) or {}
    return int(found.get(str(project.location.root), 0)) if isinstance(found, dict) else 0


def note_listed(project: OpenProject, at: int | None = None, *, deleted: bool = False) -> None:
    """Store the time of a listing of this tree; call inside a transaction.

    Args:
        project: the open project.
        at: time of the listing in ns; None keeps the stored one.
        deleted: files were removed from the graph, so that other trees, which may have them, must be listed
            again.
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
    """Exclude files from the answers of a block alone; in their own work tree they match the graph.

    Raises:
        StoreBusy: another process is writing.
    """
    db = project.db
    with db.connection.transaction(durable=False, wait=0.5, undo=True):
        db.graph.mark_stale(sorted(paths), int(project.clock.now() * 1000))
        yield
