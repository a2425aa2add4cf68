"""Keep the code graph up to date: read changed files, and resolve the names that the changes affect.

A run has four parts, each in short transactions, so that it can stop anywhere and the next run continues:

    compare   size and time of each file against its last read; changed or deleted files become stale
              at once, so that no answer shows an outdated edge
    read      changed files are parsed; their nodes, chunks and packed facts are written
    resolve   the names in them, and in the affected files, become edges
    close     the closure is updated for added and removed edges between files

The affected files are those that use a changed name, or a name under which other files re-export it
(graph.names). An edit inside a function affects no other file. The result of any sequence of edits is the
graph of a full run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from remora.core.code import FileFacts, Listed, Outline, Uses
from remora.core.skip import FAILED, sparing
from remora.core.values import Skipped
from remora.graph.file_reader import FileReader, Parsed, Refused
from remora.graph.names import (
    DOT,
    aliases,
    changed_names,
    is_seen_unimported,
    place_names,
    speaks,
    spread,
    takes,
    ways_of,
)
from remora.graph.packed import kept_outline, unpack_outline, unpack_uses
from remora.graph.resolve import Resolver
from remora.graph.roots import Roots, find_roots, is_manifest
from remora.graph.symbols import StoredSymbols
from remora.store.graph import NewFile

if TYPE_CHECKING:
    from remora.core.code import Link
    from remora.store.database import Database
    from remora.store.graph import FileRow

VERSION = 11  # of the facts of a file: a change causes every file to be read again
BATCH_FILES, BATCH_BYTES = 50, 2_000_000  # of one transaction
NO_FACTS = Uses()
OPEN = "graph.closure.open"  # meta key: how far a run that changes edges got, False when it is done
# While reading, the affected files are known in memory only; while linking, they are in the database.
READING, LINKING = "reading", "linking"
TRY_AGAIN = -1  # in place of a file's time: no file has it, so the next run looks again

Progress = Callable[[str, int, int], None]


class Outcome(NamedTuple):
    """The result of a run."""

    read: int
    unchanged: int
    resolved: int
    deleted: int
    skipped: tuple[Skipped, ...]
    complete: bool


class Indexer:
    """Brings the graph of one project up to date.

    Args:
        db: the project's database.
        files: reads its files.
        heat: how busy a file is; busy files get their vectors first.
    """

    def __init__(self, db: Database, files: FileReader, heat: Mapping[str, float]) -> None:
        self._db = db
        self._graph = db.graph
        self._files = files
        self._heat = heat

    def run(
        self,
        listed: Sequence[Listed],
        now: int,
        *,
        whole: bool = True,
        gone: Sequence[str] = (),
        commit: str | None = None,
        progress: Progress | None = None,
        stop: Callable[[], bool] = lambda: False,
    ) -> Outcome:
        """Bring the graph up to date.

        Args:
            listed: the files of the project, or with `whole=False` some that may have changed.
            now: milliseconds since the epoch.
            whole: whether files that are not listed are deleted ones.
            gone: deleted files, if `whole` is False.
            commit: the checked-out commit, to be stored.
            progress: called with ("reading" or "resolving", done, of).
            stop: called between batches; True leaves the rest to the next run.
        """
        state = self._graph.state()
        if state is not None and state.version != VERSION:
            with self._db.transaction(durable=False):
                self._graph.clear()
        known = self._graph.files() if whole else self._graph.some([*(i.path for i in listed), *gone])
        changed = [item for item in listed if _differs(known.get(item.path), item)]
        there = {item.path for item in listed}
        gone = [path for path in (known if whole else gone) if path in known and path not in there]
        self._now, self._report, self._stop = now, progress or (lambda *_: None), stop
        # Affected by changes elsewhere: files, and names.
        self._paths: set[str] = set()
        self._names: set[str] = set()
        self._fresh: dict[str, FileFacts] = {}  # of files just read, where they are few
        left_at = self._db.meta.get(OPEN)
        # A run that died while it read took with it what its files touch elsewhere.
        everything = state is None or left_at not in (None, False, LINKING)
        if changed or gone:
            with self._db.transaction(durable=False):
                self._graph.mark_stale([*(i.path for i in changed), *gone], now)
                self._db.meta.set(OPEN, READING)
        self._delete(gone)
        read, same, skipped = self._take(changed, known)
        skipped_roots: list[Skipped] = []
        shaped = whole or bool(gone) or any(i.path not in known or is_manifest(i.path) for i in changed)
        if shaped or state is None or not state.roots:
            paths = there if whole else {*self._graph.files(), *there} - set(gone)
            roots = find_roots(sorted(paths), self._files.text, skipped_roots)
            moved = state is not None and bool(state.roots) and roots.to_json() != state.roots
        else:  # an edit of a known file does not change the roots
            roots, moved = Roots.from_json(state.roots), False
        resolved, partly = self._resolve(roots, everything=everything or moved)
        complete = not self._graph.unlinked() and read + same + len(skipped) >= len(changed)
        if commit is None and not whole and state is not None:
            commit = state.commit  # a partial run does not know the checked-out commit
        moved_on = state is None or state.commit != commit
        if changed or gone or resolved or moved_on or left_at:
            with self._db.transaction(durable=False):
                self._graph.set_state(
                    now=now,
                    commit=commit,
                    version=VERSION,
                    roots=roots.to_json() if complete else "",
                    counted=whole or state is None,
                )
                if complete:
                    self._db.meta.set(OPEN, False)
        unchanged = len(listed) - len(changed) + same
        return Outcome(
            read,
            unchanged,
            resolved,
            len(gone),
            (*partly, *skipped_roots, *sorted(skipped, key=_is_usual)),
            complete,
        )

    # Reading

    def _delete(self, gone: Sequence[str]) -> None:
        for start in range(0, len(gone), BATCH_FILES):
            with self._db.transaction(durable=False):
                for path in gone[start : start + BATCH_FILES]:
                    self._remove(path)
        self._paths -= set(gone)

    def _remove(self, path: str) -> None:
        """Remove a file, and record the effects; of one that was left out there are none."""
        node = self._graph.node(path)
        if node is not None:
            self._paths.update(self._graph.pointing_at(path))
            before = self._outline(path)
            self._names |= changed_names(path, before, None)
        self._graph.delete_file(path)

    def _take(
        self, changed: Sequence[Listed], known: Mapping[str, FileRow]
    ) -> tuple[int, int, list[Skipped]]:
        """Read changed files batch by batch; returns the number of read, unchanged and failed ones."""
        read = same = 0
        skipped: list[Skipped] = []
        done = 0
        for batch in _batches(changed):
            if self._stop():
                break
            parsed = [self._files.parse(item) for item in batch]
            with self._db.transaction(durable=False):
                for item, new in zip(batch, parsed, strict=True):
                    before = known.get(item.path)
                    if isinstance(new, Refused):
                        skipped.append(Skipped(item.path, new.why))
                        self._leave_out(item, new)
                    elif before is not None and before.hash == new.file.hash and not before.skipped:
                        self._graph.touch(item.path, item.size, item.mtime_ns)
                        same += 1
                    else:
                        failed: list[Skipped] = []
                        with (
                            sparing(item.path, failed, f"{FAILED} be kept: "),
                            self._db.transaction(durable=False),
                        ):
                            self._write(new)
                            read += 1
                        for one in failed:
                            skipped.append(one)
                            self._leave_out(item, Refused(one.why, hash=new.file.hash))
            done += len(batch)
            self._report("reading", done, len(changed))
        return read, same, skipped

    def _leave_out(self, item: Listed, left: Refused) -> None:
        """Record a skipped file; the next run tries again if it changed, or if the reason may pass."""
        self._remove(item.path)
        at = TRY_AGAIN if left.again else item.mtime_ns
        file = NewFile(item.path, "data", "", "", "", False, item.size, at, left.hash, 0, 0, left.why)
        self._graph.put_file(file, self._now)

    def _write(self, new: Parsed) -> None:
        path = new.file.path
        before = self._outline(path)
        after = new.facts.outline if new.facts else None
        self._touch(path, before, after)
        file_id = self._graph.put_file(new.file, self._now)
        self._graph.put_nodes(new.file, after.definitions if after else (), self._now)
        self._db.other_sources.uncover(path)
        if new.facts:
            if len(self._fresh) < BATCH_FILES:
                self._fresh[path] = new.facts
            self._graph.set_names(file_id, ways_of(new.facts, path))
        self._db.chunks.put(file_id, path, new.parts, self._heat.get(path, 0.0))

    def _touch(self, path: str, before: Outline | None, after: Outline | None) -> None:
        """Record the effects of a changed file on other files.

        Its definitions may be used anywhere. A name that it only imports affects the files that import this
        one, and those that import them if they re-export it. Of prose and data only their existence affects
        others.
        """
        if before is None and after is None and self._graph.node(path) is not None:
            return
        names = changed_names(path, before, after)
        if before is None or after is None or "*" in names:
            defined = names
        else:
            defined = changed_names(path, before._replace(imports=after.imports), after)
        self._names |= names if is_seen_unimported(path) else defined
        passed = set(names - defined)
        level = [path] if passed else []
        while level:
            found: set[str] = set()
            for one in level:
                words = set(place_names(one))
                importing = self._graph.importing(one)
                using = set(self._graph.using(passed, among=importing)) - self._paths
                near = {path for path in importing if path in using or speaks(path)}
                for importer in sorted(near):
                    outline = self._outline(importer)
                    if outline is None:
                        continue
                    words |= aliases(outline, one)
                    if importer in using and takes(outline, passed, one):
                        found.add(importer)
                        more = spread(passed, importer, outline)
                        while not passed.issuperset(more):
                            passed |= more
                            more = spread(passed, importer, outline)
                # Any file that has the module, however imported, may use the name after a dot.
                having = set(self._graph.using(words)) - self._paths - found
                self._paths.update(self._graph.using(passed, DOT, among=having))
            self._paths |= found
            if any(map(is_seen_unimported, found)):
                self._names |= passed
            level = sorted(found)

    def _outline(self, path: str) -> Outline | None:
        packed = self._graph.facts(path)[0]
        return kept_outline(packed) if packed else None

    # Resolving

    def _resolve(self, roots: Roots, *, everything: bool) -> tuple[int, list[Skipped]]:
        """Resolve the names of every waiting file; returns the number of files, and of partial ones."""
        with self._db.transaction(durable=False):
            if everything:
                self._graph.unlink_all()
            else:
                self._graph.unlink([*self._paths, *self._using(self._names)])
            if self._db.meta.get(OPEN):
                self._db.meta.set(OPEN, LINKING)
        todo = self._graph.unlinked()
        if not todo:
            return 0, []
        symbols = StoredSymbols(self._graph)
        resolver = Resolver(symbols, roots)
        done = 0
        for start in range(0, len(todo), BATCH_FILES):
            if self._stop():
                break
            batch = todo[start : start + BATCH_FILES]
            found = [(path, self._links(path, resolver)) for path in batch]
            with self._db.transaction(durable=False):
                for path, own in found:
                    self._graph.put_links(path, own, "ast", self._now)
                    self._db.other_sources.prefer_precise(path)
                    self._graph.linked(path, self._now)
                self._db.closure.update(self._graph.keys(batch).values())
            done += len(batch)
            self._report("resolving", done, len(todo))
        return done, resolver.skipped

    def _using(self, touched: set[str]) -> set[str]:
        """Return the files that use a touched name, or one under which a file re-exports it."""
        names = set(touched)
        seen: set[str] = set()
        fresh = names
        while fresh:
            files = set(self._graph.using(fresh)) - seen
            seen |= files
            # A file read before may re-export a name touched since: all are read until nothing is new.
            more: set[str] = set()
            for path in seen:
                outline = self._outline(path)
                if outline is not None:
                    more |= spread(names, path, outline)
            fresh = more - names
            names |= fresh
        return seen

    def _links(self, path: str, resolver: Resolver) -> list[Link]:
        """Return the edges out of a file; none if they cannot be determined."""
        with sparing(path, resolver.skipped, f"{FAILED} be followed: "):
            facts = self._fresh.pop(path, None) or self._facts(path)
            return resolver.links(path, facts) if facts else []
        return []

    def _facts(self, path: str) -> FileFacts | None:
        outline, uses = self._graph.facts(path)
        if outline is None:
            return None
        return FileFacts(unpack_outline(outline), unpack_uses(uses) if uses else NO_FACTS, 0)


def _is_usual(skip: Skipped) -> bool:
    """Return whether a file was skipped for its kind; failed files are reported first."""
    return not skip.why.startswith(FAILED)


def _differs(row: FileRow | None, item: Listed) -> bool:
    return row is None or row.stale or (row.size, row.mtime_ns) != (item.size, item.mtime_ns)


def _batches(items: Sequence[Listed]) -> Iterator[list[Listed]]:
    batch: list[Listed] = []
    size = 0
    for item in items:
        if batch and (len(batch) == BATCH_FILES or size + item.size > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(item)
        size += item.size
    if batch:
        yield batch
