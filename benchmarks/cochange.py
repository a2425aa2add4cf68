"""Which files change with this one: every commit of two histories predicted from the earlier ones.

For each commit of 2 to 30 files, in order, each file that existed before is asked for its ten most
related files; then the commit is learnt. Gold are the commit's other files that existed in its parent:
nobody can name a file that is not there yet. The figures that count new files as gold too are printed
beside it. Nothing is ever learnt from a commit before it is predicted.

The ranking is the one that `Memory.related_files` uses, driven here over the same statistics in
memory. That both give the same lists is shown in the same run: the history of click is replayed into a
real git repository, `Memory.init` reads it up to the parent of each predicted commit, and
`Memory.related_files` must answer what the ranking in memory answers.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.baselines import Ranker, Tally, tally_rankers
from benchmarks.common import Check, Options, Report, Table, memory_in, say, workplace
from benchmarks.metrics import Interval, mean, paired_interval
from benchmarks.repository import build, consistent, stand_at
from remora.core.clock import from_iso, to_iso
from remora.core.cochange import MAX_FILES, related
from remora.sources.git_log import Commit, FileChange
from remora.sources.history import CoChange

K = 10
HISTORIES = ("click", "entire-cli-dev")
OURS = "remora"
REPLAYED = "click"  # the history whose record starts at its first commit
RIVALS = ("frequency", "recency-weighted", "ROSE rules")


class Score(NamedTuple):
    """What one query found: hits among the files that existed, how many did, and how many with new ones."""

    hits: int
    existing: int
    touched: int


Scores = list[list[Score]]  # one list for each predicted commit


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
    commits: Sequence[Commit], rankers: Mapping[str, Ranker], learn: Callable[[Commit], None]
) -> dict[str, Scores]:
    """Predict each commit with every ranker, then learn it."""
    found: dict[str, Scores] = {name: [] for name in rankers}
    for commit in commits:
        before = existing(commit)
        if predicted(commit) and before:
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


def measure(name: str, commits: Sequence[Commit]) -> tuple[Table, dict[str, Any], dict[str, Interval]]:
    """Return the table, the figures and our lead over each baseline with its interval."""
    history = CoChange()
    plain, followed = Tally(follow=False), Tally(follow=True)

    def learn(commit: Commit) -> None:
        history.learn(commit)
        plain.learn(commit)
        followed.learn(commit)

    rankers: dict[str, Ranker] = {OURS: lambda path, k: [hit.path for hit in related(path, history, k)]}
    rankers |= tally_rankers({"": plain, " + renames": followed})
    scores = replay(commits, rankers, learn)
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
    return Table(title, columns, tuple(rows)), figures, leads


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
    history = CoChange()
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
        table, figures[name], leads = measure(name, commits)
        tables.append(table)
        rows = tuple((f"over {r}", i.mean, i.low, i.high) for r, i in leads.items())
        tables.append(Table(f"{name}: lead of {OURS}, 95 % interval", ("", "mean", "low", "high"), rows))
        if options.limit is None:
            ours = figures[name][OURS]["recall@10 by query"]
            for rival in RIVALS:
                variants = (rival, f"{rival} + renames")
                best = max(variants, key=lambda v: figures[name][v]["recall@10 by query"])
                value = figures[name][best]["recall@10 by query"]
                checks.append(Check.above(f"{name} recall@10", ours, value, best))
    commits = load(folder / f"{REPLAYED}.jsonl.gz")[: options.limit]
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
    return Report("cochange", figures, tuple(tables), tuple(checks))
