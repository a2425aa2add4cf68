"""Statistics of a stream of commits: co-changing files, change counts, authors and modules.

`CoChange` follows renames and can resume from stored statistics, so a second run reads only new commits.
Ranking is in core.cochange; commit messages are read in sources.fixes.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from remora.core.cochange import (
    FILE_HALF_LIFE,
    MAX_FILES,
    NEVER,
    PAIR_HALF_LIFE,
    FileStat,
    PairStat,
    add_log2,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from remora.sources.git import Commit, FileChange

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


class CoChange:
    """Statistics of a history, learned commit by commit, oldest first.

    A pair is found under both of its files. `changed_files`, `changed_pairs` and `removed` are the
    differences from the loaded statistics, so that a store writes only these: first it deletes every row
    of the paths in `removed`, then it writes the changed rows over the old ones.
    """

    def __init__(
        self, clock: int = 0, files: Iterable[FileStat] = (), pairs: Iterable[PairStat] = ()
    ) -> None:
        self._clock = clock
        self._files: dict[str, FileStat] = {}  # those that ever changed, without their authors
        self._authors: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._pairs: defaultdict[str, dict[str, PairStat]] = defaultdict(dict)
        self.tree: set[str] = set()  # the existing files
        self.removed: set[str] = set()
        self.moved: list[tuple[str, str]] = []  # (old, new) path, in the order of the commits
        self._touched: set[str] = set()
        self._touched_pairs: set[tuple[str, str]] = set()
        for stat in files:
            if stat.commits:
                self._files[stat.path] = stat
                self._authors[stat.path].update(dict(stat.authors))
            if stat.present:
                self.tree.add(stat.path)
        for pair in pairs:
            self._pairs[pair.path][pair.other] = self._pairs[pair.other][pair.path] = pair

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
        deleted = gone | {file.path for file in commit.files if file.status == "D"}
        there = {file.path for file in commit.files if file.status != "D"}
        self.tree -= deleted
        self.tree |= there
        self._touched |= deleted | there
        self._clock += 1

    def _count(self, names: Sequence[str], commit: Commit) -> None:
        others = max(len(names) - 1, 0)
        weight = self._clock / PAIR_HALF_LIFE - math.log2(others or 1) / 2
        reach = weight + math.log2(others) if others else NEVER
        heat = self._clock / FILE_HALF_LIFE
        for at, path in enumerate(names):
            self._add(FileStat(path, 1, heat, reach, self._clock, commit.date, commit.date))
            self._authors[path][commit.author] += 1
            for other in names[at + 1 :]:
                self._add_pair(PairStat(path, other, weight, 1, commit.date))

    def _add(self, more: FileStat) -> None:
        """Add to the statistics of a file."""
        self._touched.add(more.path)
        known = self._files.get(more.path)
        if known is None:
            self._files[more.path] = more
            return
        self._files[more.path] = FileStat(
            more.path,
            known.commits + more.commits,
            add_log2(known.heat, more.heat),
            more.reach if known.reach == NEVER else add_log2(known.reach, more.reach),
            max(known.last, more.last),
            min(known.first_date, more.first_date),
            max(known.last_date, more.last_date),
        )

    def _add_pair(self, more: PairStat) -> None:
        """Add to the statistics of two files; `path` comes before `other`."""
        path, other = more.path, more.other
        if known := self._pairs[path].get(other):
            bond, last = add_log2(known.bond, more.bond), max(known.last_date, more.last_date)
            more = PairStat(path, other, bond, known.commits + more.commits, last)
        self._pairs[path][other] = self._pairs[other][path] = more
        self._touched_pairs.add((path, other))

    def _rename(self, old: str, new: str) -> None:
        """Add the statistics of one path to another."""
        for other, pair in self._pairs.pop(old, {}).items():
            del self._pairs[other][old]
            self._touched_pairs.discard((pair.path, pair.other))
            if other != new:
                self._add_pair(pair._replace(path=min(new, other), other=max(new, other)))
        file = self._files.pop(old, None)
        self._touched.discard(old)
        self.removed.add(old)
        if file is None:
            return
        self._add(file._replace(path=new))
        self._authors[new].update(self._authors.pop(old))
        reach = NEVER
        for pair in self._pairs.get(new, {}).values():
            reach = add_log2(reach, pair.bond)
        self._files[new] = self._files[new]._replace(reach=reach)

    def set_tree(self, paths: Iterable[str]) -> None:
        """Set the existing files; a truncated history cannot know them."""
        now = set(paths)
        self._touched |= self.tree ^ now
        self.tree = now

    def changed_files(self) -> list[FileStat]:
        """Return the statistics that differ from the loaded ones, by path."""
        gone = {p for p in self.removed if p not in self._files and p not in self.tree}
        return [self.stat(path) for path in sorted(self._touched - gone)]

    def changed_pairs(self) -> list[PairStat]:
        """Return the pairs that differ from the loaded ones, each once, sorted."""
        return [self._pairs[path][other] for path, other in sorted(self._touched_pairs)]

    def clock(self) -> int:
        """Return the number of learned commits."""
        return self._clock

    def stat(self, path: str) -> FileStat:
        """Return the statistics of a file."""
        authors = sorted(self._authors.get(path, Counter()).items(), key=lambda item: (-item[1], item[0]))
        stat = self._files.get(path, FileStat(path))
        return stat._replace(present=path in self.tree, authors=tuple(authors[:AUTHORS_KEPT]))
