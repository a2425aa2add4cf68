"""Statistics of a stream of commits: co-changing files, change counts, authors and modules.

`CoChange` follows renames and can resume from stored statistics, so a second run reads only new commits.
Ranking is in core.cochange; commit messages are read in sources.fixes.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from heapq import nsmallest
from typing import TYPE_CHECKING

from remora.core.cochange import (
    FILE_HALF_LIFE,
    MAX_FILES,
    NEVER,
    PAIR_HALF_LIFE,
    FileStat,
    PairStat,
    Tree,
    add_log2,
)
from remora.core.modules import module_of as module_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from remora.sources.git_log import Commit, FileChange

AUTHORS_KEPT = 30  # of a file; more than anyone needs, because counts go on in the next run


def renames(files: Sequence[FileChange]) -> list[tuple[str, str]]:
    """Return the (old, new) paths of a commit: git's own renames, and files moved between folders.

    The second kind is a deleted and an added file of the same name, if that name is unique on both sides; git
    misses it when the content changed much.
    """
    found = [(f.old_path, f.path) for f in files if f.status == "R" and f.old_path]
    gone: defaultdict[str, list[str]] = defaultdict(list)
    come: defaultdict[str, list[str]] = defaultdict(list)
    for file in files:
        if file.status in "DA":
            (gone if file.status == "D" else come)[file.path.rpartition("/")[2]].append(file.path)
    found.extend(
        (old[0], come[base][0])
        for base, old in gone.items()
        if len(old) == 1 and len(come.get(base, ())) == 1
    )
    return found


class _Pair:
    __slots__ = ("bond", "commits", "last_date")

    def __init__(self, bond: float = NEVER, commits: int = 0, last_date: str = "") -> None:
        self.bond, self.commits, self.last_date = bond, commits, last_date

    def add(self, bond: float, commits: int, last_date: str) -> None:
        self.bond = add_log2(self.bond, bond)
        self.commits += commits
        self.last_date = max(self.last_date, last_date)


class _File:
    __slots__ = ("authors", "commits", "first_date", "heat", "last", "last_date", "reach")

    def __init__(self) -> None:
        self.commits, self.heat, self.reach, self.last = 0, NEVER, NEVER, -1
        self.first_date = self.last_date = ""
        self.authors: Counter[str] = Counter()

    def seen(self, first: str, last: str) -> None:
        self.first_date = min(self.first_date or first, first or self.first_date)
        self.last_date = max(self.last_date, last)


class CoChange:
    """Statistics of a history, learned commit by commit, oldest first; a core.cochange.History.

    A pair is one object, reached from both of its files. `changed_files`, `changed_pairs` and `removed` are
    the differences from the loaded statistics, so that a store writes only these: first it deletes every row
    of the paths in `removed`, then it writes the changed rows over the old ones.
    """

    def __init__(
        self, clock: int = 0, files: Iterable[FileStat] = (), pairs: Iterable[PairStat] = ()
    ) -> None:
        self._clock = clock
        self._files: defaultdict[str, _File] = defaultdict(_File)
        self._pairs: defaultdict[str, dict[str, _Pair]] = defaultdict(dict)
        self.tree = Tree()
        self.removed: set[str] = set()
        self.moved: list[tuple[str, str]] = []  # (old, new) path, in the order of the commits
        self._hottest: list[str] | None = None
        self._touched: set[str] = set()
        self._touched_pairs: set[tuple[str, str]] = set()
        for stat in files:
            self._load(stat)
        for pair in pairs:
            kept = _Pair(pair.bond, pair.commits, pair.last_date)
            self._pairs[pair.path][pair.other] = self._pairs[pair.other][pair.path] = kept

    def _load(self, stat: FileStat) -> None:
        if stat.commits:
            file = self._files[stat.path]
            file.commits, file.heat, file.reach, file.last = stat.commits, stat.heat, stat.reach, stat.last
            file.first_date, file.last_date = stat.first_date, stat.last_date
            file.authors.update(dict(stat.authors))
        if stat.present:
            self.tree.add(stat.path)

    def learn(self, commit: Commit) -> None:
        """Learn one commit; call it once for each, parents before children."""
        moved = renames(commit.files)
        self.moved += moved
        for old, new in moved:
            self._rename(old, new)
        gone = {old for old, _ in moved}
        names = sorted({file.path for file in commit.files} - gone)
        if len(names) <= MAX_FILES:
            self._count(names, commit)
        for path in gone | {file.path for file in commit.files if file.status == "D"}:
            self.tree.remove(path)
            self._touched.add(path)
        for file in commit.files:
            if file.status != "D":
                self.tree.add(file.path)
                self._touched.add(file.path)
        self._clock += 1
        self._hottest = None

    def _count(self, names: Sequence[str], commit: Commit) -> None:
        now = self._clock / FILE_HALF_LIFE
        for path in names:
            file = self._files[path]
            file.commits += 1
            file.heat = add_log2(file.heat, now)
            file.last = self._clock
            file.seen(commit.date, commit.date)
            file.authors[commit.author] += 1
            self._touched.add(path)
        if len(names) < 2:
            return
        weight = self._clock / PAIR_HALF_LIFE - math.log2(len(names) - 1) / 2
        total = weight + math.log2(len(names) - 1)
        for at, path in enumerate(names):
            self._files[path].reach = add_log2(self._files[path].reach, total)
            for other in names[at + 1 :]:
                self._pair(path, other).add(weight, 1, commit.date)
                self._touched_pairs.add((path, other))

    def _pair(self, path: str, other: str) -> _Pair:
        pair = self._pairs[path].get(other)
        if pair is None:
            pair = self._pairs[path][other] = self._pairs[other][path] = _Pair()
        return pair

    def _rename(self, old: str, new: str) -> None:
        """Add the statistics of one path to another."""
        for other, pair in self._pairs.pop(old, {}).items():
            del self._pairs[other][old]
            self._touched_pairs.discard((min(old, other), max(old, other)))
            if other != new:
                self._pair(new, other).add(pair.bond, pair.commits, pair.last_date)
                self._touched_pairs.add((min(new, other), max(new, other)))
        file = self._files.pop(old, None)
        self._touched.discard(old)
        self.removed.add(old)
        if file is None:
            return
        kept = self._files[new]
        kept.commits += file.commits
        kept.heat = add_log2(kept.heat, file.heat)
        kept.last = max(kept.last, file.last)
        kept.seen(file.first_date, file.last_date)
        kept.authors.update(file.authors)
        kept.reach = NEVER
        for pair in self._pairs.get(new, {}).values():
            kept.reach = add_log2(kept.reach, pair.bond)
        self._touched.add(new)

    def set_tree(self, paths: Iterable[str]) -> None:
        """Set the existing files; a truncated history cannot know them."""
        now = frozenset(paths)
        self._hottest = None
        for path in [p for p in self.tree if p not in now]:
            self.tree.remove(path)
            self._touched.add(path)
        for path in now:
            if path not in self.tree:
                self.tree.add(path)
                self._touched.add(path)

    def changed_files(self) -> list[FileStat]:
        """Return the statistics that differ from the loaded ones, by path."""
        gone = {p for p in self.removed if p not in self._files and p not in self.tree}
        return [self._stat(path) for path in sorted(self._touched - gone)]

    def changed_pairs(self) -> list[PairStat]:
        """Return the pairs that differ from the loaded ones, each once, sorted."""
        return [self._pair_stat(path, other) for path, other in sorted(self._touched_pairs)]

    def clock(self) -> int:
        """Return the number of learned commits."""
        return self._clock

    def partners(self, paths: Sequence[str], limit: int) -> Mapping[str, Sequence[PairStat]]:
        """Return the strongest pairs of each path, by bond, then by the other path."""
        found: dict[str, Sequence[PairStat]] = {}
        for path in paths:
            row = self._pairs.get(path, {})
            best = nsmallest(limit, ((-pair.bond, other) for other, pair in row.items()))
            found[path] = [self._pair_stat(path, other) for _, other in best]
        return found

    def stats(self, paths: Collection[str]) -> Mapping[str, FileStat]:
        """Return the statistics of the paths that exist or ever changed."""
        return {p: self._stat(p) for p in paths if p in self._files or p in self.tree}

    def hottest(self, limit: int) -> Sequence[str]:
        """Return the existing files that change most, by heat, then by path."""
        if self._hottest is None or len(self._hottest) < limit:
            alive = [path for path in self._files if path in self.tree]
            self._hottest = nsmallest(limit, alive, key=lambda path: (-self._files[path].heat, path))
        return self._hottest[:limit]

    def lookalikes(self, path: str) -> Collection[str]:
        """Return the existing files with names similar to a path."""
        return self.tree.lookalikes(path)

    def _stat(self, path: str) -> FileStat:
        present = path in self.tree
        if path not in self._files:
            return FileStat(path, present=present)
        f = self._files[path]
        authors = sorted(f.authors.items(), key=lambda item: (-item[1], item[0]))[:AUTHORS_KEPT]
        return FileStat(
            path, f.commits, f.heat, f.reach, f.last, f.first_date, f.last_date, present, tuple(authors)
        )

    def _pair_stat(self, path: str, other: str) -> PairStat:
        pair = self._pairs[path][other]
        return PairStat(path, other, pair.bond, pair.commits, pair.last_date)
