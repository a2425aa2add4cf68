"""Which files change with this one: every commit of two histories predicted from the earlier ones.

For each commit of 2 to 30 files, in order, each file that existed before is asked for its ten most
related files; then the commit is learned. Gold are the commit's other files that existed in its parent:
nobody can name a file that is not there yet. The figures that count new files as gold too are printed
beside it. Nothing is ever learned from a commit before it is predicted.

The ranking is the one that `Memory.related_files` uses, driven here over the same statistics in
memory. That both give the same lists is shown in the same run: the history of click is replayed into a
real git repository, `Memory.init` reads it up to the parent of each predicted commit, and
`Memory.related_files` must answer what the ranking in memory answers.

With a repository that has the trees (`--repo`), the code graph is brought to the parent of each
predicted commit, and the ranking with its ties is compared in one run with that of the history alone, of
graph and names without any history (as in a clone of a few commits), of names alone, and the rivals. A
clone of click is asked the recorded history; of another repository the newest commits of its own log are
predicted, from all that came before.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from heapq import nsmallest
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.baselines import Ranker, Tally, tally_rankers
from benchmarks.common import Check, Options, Report, Table, memory_in, say, workplace
from benchmarks.metrics import Interval, mean, paired_interval
from benchmarks.repository import build, consistent, stand_at
from benchmarks.trees import TreeGraph, tree_graph
from remora.core.clock import from_iso, to_iso
from remora.core.cochange import CROWD, MAX_FILES, FileStat, PairStat, related
from remora.core.cochange import name as name_of
from remora.sources.git import Commit, FileChange
from remora.sources.history import CoChange

K = 10
HISTORIES = ("click", "entire-cli-dev")
OURS = "remora"
REPLAYED = "click"  # the history whose record starts at its first commit
RIVALS = ("frequency", "recency-weighted", "ROSE rules")
ALONE, GRAPH_ALONE, NAMES_ALONE = "history alone", "graph and names alone", "names alone"
NEWEST = 300  # predicted commits of a repository's own log


class Score(NamedTuple):
    """What one query found: hits among the files that existed, how many did, and how many with new ones."""

    hits: int
    existing: int
    touched: int


Scores = list[list[Score]]  # one list for each predicted commit


def lookalikes(path: str, paths: Collection[str]) -> set[str]:
    """Return the paths with the same stem, in the same small folder, or with a shared rare word."""
    asked, names = name_of(path), {one: name_of(one) for one in paths}
    found = {one for one, its in names.items() if its.stem == asked.stem}
    groups = [[one for one, its in names.items() if its.folder == asked.folder]]
    groups += [[one for one, its in names.items() if word in its.words] for word in asked.words]
    for group in groups:
        if len(group) <= CROWD:
            found.update(group)
    return found - {path}


class InMemory(CoChange):
    """A history in memory that answers what the ranking asks one in the database."""

    def partners(self, paths: Sequence[str], limit: int) -> Mapping[str, Sequence[PairStat]]:
        """Return the strongest pairs of each path, by bond, then by the other path."""
        found: dict[str, Sequence[PairStat]] = {}
        for path in paths:
            row = self._pairs.get(path, {})
            best = nsmallest(limit, ((-pair.bond, other) for other, pair in row.items()))
            found[path] = [row[other]._replace(path=path, other=other) for _, other in best]
        return found

    def stats(self, paths: Collection[str]) -> Mapping[str, FileStat]:
        """Return the statistics of the paths that exist or ever changed."""
        return {p: self.stat(p) for p in paths if p in self._files or p in self.tree}

    def hottest(self, limit: int) -> Sequence[str]:
        """Return the existing files that change most, by heat, then by path."""
        alive = [path for path in self._files if path in self.tree]
        return nsmallest(limit, alive, key=lambda path: (-self._files[path].heat, path))

    def lookalikes(self, path: str) -> Collection[str]:
        """Return the existing files with names similar to a path."""
        return lookalikes(path, self.tree)


def load(path: Path) -> list[Commit]:
    """Return the commits of a recorded history, oldest first."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    if records and from_iso(records[0]["date"]) > from_iso(records[-1]["date"]):
        records.reverse()
    return [_commit(record) for record in records]


def _commit(record: Mapping[str, Any]) -> Commit:
    files = [
        FileChange(f[0][0], f[2], f[1]) if f[0][0] in "RC" else FileChange(f[0][0], f[1])
        for f in record["files"]
    ]
    parents = tuple(record["parent"].split())
    date = to_iso(from_iso(record["date"]))
    return Commit(record["commit"], parents, date, "", record["subject"], record["body"], tuple(files))


def existing(commit: Commit) -> list[str]:
    """Return the paths of a commit's files as they were before it, without new ones."""
    return [f.old_path or f.path for f in commit.files if f.status in "MDRT"]


def predicted(commit: Commit) -> bool:
    """Return whether a commit is a question: more than one file, and not a sweep over the tree."""
    return 2 <= len(commit.files) <= MAX_FILES


def replay(
    commits: Sequence[Commit],
    rankers: Mapping[str, Ranker],
    learn: Callable[[Commit], None],
    *,
    begin: int = 0,
    stand_at: Callable[[Commit], None] = lambda _: None,
) -> dict[str, Scores]:
    """Predict each commit with every ranker, then learn it.

    Args:
        commits: oldest first.
        rankers: by their names.
        learn: takes in a commit.
        begin: the first commit that is predicted; earlier ones are only learned.
        stand_at: told of each commit that is about to be predicted.
    """
    found: dict[str, Scores] = {name: [] for name in rankers}
    for number, commit in enumerate(commits):
        before = existing(commit)
        if number >= begin and predicted(commit) and before:
            stand_at(commit)
            for name, ranker in rankers.items():
                found[name].append([_score(ranker, path, before, commit) for path in before])
        learn(commit)
    return found


def _score(ranker: Ranker, path: str, before: Sequence[str], commit: Commit) -> Score:
    gold = set(before) - {path}
    return Score(len(gold & set(ranker(path, K))), len(before) - 1, len(commit.files) - 1)


def summary(scores: Scores, *, new_files: bool) -> tuple[float, float]:
    """Return recall@10 averaged over queries, and averaged over commits."""
    shares = [_shares(commit, new_files=new_files) for commit in scores]
    return mean(s for commit in shares for s in commit), mean(mean(commit) for commit in shares if commit)


def _shares(commit: Sequence[Score], *, new_files: bool = False) -> list[float]:
    if new_files:
        return [s.hits / s.touched for s in commit]
    return [s.hits / s.existing for s in commit if s.existing]


class Measured(NamedTuple):
    """What one history gave: a table, the figures, and our lead over every other ranking."""

    table: Table
    figures: dict[str, Any]
    leads: dict[str, Interval]


def measure(name: str, commits: Sequence[Commit]) -> Measured:
    """Compare the ranking by history with its rivals."""
    history = InMemory()
    ours: dict[str, Ranker] = {OURS: lambda path, k: [hit.path for hit in related(path, history, k)]}
    rivals, learn_rivals = _rivals()

    def learn(commit: Commit) -> None:
        history.learn(commit)
        learn_rivals(commit)

    return _measured(name, commits, replay(commits, ours | rivals, learn))


def measure_with_graph(
    name: str, commits: Sequence[Commit], graph: TreeGraph, newest: int | None
) -> Measured:
    """Compare the ranking by history and code graph with each alone and the rivals."""
    history, blank = InMemory(), InMemory()
    ties = graph.db.file_coupling
    ours: dict[str, Ranker] = {
        OURS: lambda path, k: [hit.path for hit in related(path, history, k, ties.of(path))],
        ALONE: lambda path, k: [hit.path for hit in related(path, history, k)],
        GRAPH_ALONE: lambda path, k: [hit.path for hit in related(path, blank, k, ties.of(path))],
        NAMES_ALONE: lambda path, k: [hit.path for hit in related(path, blank, k)],
    }
    rivals, learn_rivals = _rivals()

    def learn(commit: Commit) -> None:
        history.learn(commit)
        learn_rivals(commit)

    def stand_at(commit: Commit) -> None:
        if commit.parents:
            graph.stand_at(commit.parents[0])
        blank.set_tree(history.tree)

    asked = [n for n, commit in enumerate(commits) if predicted(commit) and existing(commit)]
    begin = asked[-newest] if newest is not None and newest < len(asked) else 0
    scores = replay(commits, ours | rivals, learn, begin=begin, stand_at=stand_at)
    return _measured(name, commits, scores)


def _rivals() -> tuple[dict[str, Ranker], Callable[[Commit], None]]:
    """Return the rankings to compare with, and what teaches them."""
    plain, followed = Tally(follow=False), Tally(follow=True)

    def learn(commit: Commit) -> None:
        plain.learn(commit)
        followed.learn(commit)

    return tally_rankers({"": plain, " + renames": followed}), learn


def _measured(name: str, commits: Sequence[Commit], scores: Mapping[str, Scores]) -> Measured:
    rows = []
    figures: dict[str, Any] = {}
    for ranker, found in scores.items():
        headline, with_new = summary(found, new_files=False), summary(found, new_files=True)
        rows.append((ranker, *headline, *with_new))
        figures[ranker] = {
            "recall@10 by query": headline[0],
            "recall@10 by commit": headline[1],
            "recall@10 with new files by query": with_new[0],
            "recall@10 with new files by commit": with_new[1],
        }
    ours = [_shares(commit) for commit in scores[OURS]]
    leads = {
        ranker: paired_interval(ours, [_shares(commit) for commit in found])
        for ranker, found in scores.items()
        if ranker != OURS
    }
    figures["commits"] = len(commits)
    figures["queries"] = sum(len(commit) for commit in scores[OURS])
    figures["lead"] = {ranker: lead._asdict() for ranker, lead in leads.items()}
    columns = ("ranking", "by query", "by commit", "new files: by query", "by commit")
    title = (
        f"{name}: recall@10, {figures['queries']} queries in {len(scores[OURS])} of {len(commits)} commits"
    )
    return Measured(Table(title, columns, tuple(rows)), figures, leads)


def _lead_table(name: str, found: Measured) -> Table:
    rows = tuple((f"over {r}", i.mean, i.low, i.high) for r, i in found.leads.items())
    return Table(f"{name}: lead of {OURS}, 95 % interval", ("", "mean", "low", "high"), rows)


def with_trees(repository: Path, recorded: Sequence[Commit], limit: int | None) -> tuple[Measured, Check]:
    """Measure what the code graph adds, in a repository that has the trees."""
    with tree_graph(repository) as graph:
        is_recorded = bool(recorded) and graph.trees.has(recorded[-1].sha)
        commits = list(recorded) if is_recorded else graph.trees.commits()
        name = f"{REPLAYED if is_recorded else 'the repository'}, with its trees"
        say(f"cochange: {name}, {len(commits)} commits")
        newest = limit if limit is not None else None if is_recorded else NEWEST
        found = measure_with_graph(name, commits, graph, newest)
    ours, alone = (found.figures[ranker]["recall@10 by query"] for ranker in (OURS, ALONE))
    return found, Check.above("recall@10 with the code graph", ours, alone, ALONE)


class Road(NamedTuple):
    """What the road through git and the database gave, beside the ranking in memory.

    Attributes:
        scores: of `Memory.related_files`, one list for each predicted commit.
        asked: queries that were put.
        same: how many of them got the same list in the same order from the ranking in memory.
    """

    scores: Scores
    asked: int
    same: int


def through_the_database(commits: Sequence[Commit]) -> Road:
    """Replay a history into git, and predict each commit with `Memory.related_files`.

    Before each predicted commit the branch is moved to its parent and `Memory.init` reads what is new,
    as a user's would.
    """
    clean = list(consistent(commits))
    history = InMemory()
    scores: Scores = []
    same = 0
    with workplace() as place:
        project = place / "project"
        shas = build(project, clean)
        with memory_in(place) as memory:

            def ranked(path: str, k: int) -> list[str]:
                return [hit.path for hit in memory.related_files(path, k)]

            for at, commit in enumerate(clean):
                before = existing(commit)
                if at and predicted(commit) and before:
                    stand_at(project, shas[at - 1])
                    memory.init()
                    scores.append([_score(ranked, path, before, commit) for path in before])
                    same += sum(ranked(p, K) == [h.path for h in related(p, history, K)] for p in before)
                history.learn(commit)
    return Road(scores, sum(len(commit) for commit in scores), same)


def run(options: Options) -> Report:
    """Measure both histories, then the road through git and the database on a sample."""
    folder = options.folder("git_history")
    tables: list[Table] = []
    figures: dict[str, Any] = {}
    checks: list[Check] = []
    for name in HISTORIES:
        commits = load(folder / f"{name}.jsonl.gz")[: options.limit]
        say(f"cochange: {name}, {len(commits)} commits")
        found = measure(name, commits)
        figures[name] = found.figures
        tables += [found.table, _lead_table(name, found)]
        if options.limit is None:
            ours = figures[name][OURS]["recall@10 by query"]
            for rival in RIVALS:
                variants = (rival, f"{rival} + renames")
                best = max(variants, key=lambda v: figures[name][v]["recall@10 by query"])
                value = figures[name][best]["recall@10 by query"]
                checks.append(Check.above(f"{name} recall@10", ours, value, best))
    recorded = load(folder / f"{REPLAYED}.jsonl.gz")
    if options.repo is not None:
        found, check = with_trees(options.repo, recorded, options.limit)
        figures["with the code graph"] = found.figures
        tables += [found.table, _lead_table("with the code graph", found)]
        checks += [check] if options.limit is None else []
    commits = recorded[: options.limit]
    say(f"cochange: {REPLAYED} through git, Memory.init and Memory.related_files")
    road = through_the_database(commits)
    by_query, by_commit = summary(road.scores, new_files=False)
    figures["through the database"] = {
        "recall@10 by query": by_query,
        "recall@10 by commit": by_commit,
        "asked": road.asked,
        "same": road.same,
    }
    same = "same lists as the ranking in memory"
    told: tuple[tuple[object, ...], ...] = (
        ("recall@10 by query", by_query),
        ("recall@10 by commit", by_commit),
        ("queries", road.asked),
        (same, road.same),
    )
    tables.append(Table(f"{REPLAYED} through git, init and Memory.related_files", ("", ""), told))
    share = road.same / road.asked if road.asked else 0.0
    checks.append(Check(same, share, "1.000", road.same == road.asked > 0))
    name = f"cochange-{options.repo.resolve().name}" if options.repo is not None else "cochange"
    return Report(name, figures, tuple(tables), tuple(checks))
