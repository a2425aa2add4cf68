"""What the neighbourhood boost is worth: which files a commit touches, and where one definition is.

Two questions are put to a repository of one's own choice (`--repo`), through the search as users get it
with `kinds=["code"]` and words only.

A task: the message of each of the newest commits, over the tree of its parent and the history before it.
Files are ranked by their best part; gold are the files of the commit that are in the graph. Beside the
search without and with the boost stands the search as it is by default: its hits are raised for how often
their file changes, whatever it is next to. What the boost adds to that is what neighbourhood is worth.

A place: the first line of a definition's doc string with half of its words left out, over the newest of
these trees. Gold is that definition. Here a raised neighbour is only in the way.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from benchmarks.cochange import InMemory, existing
from benchmarks.common import Options, Report, Table, say
from benchmarks.metrics import all_at, mean, paired_interval, recall_at, reciprocal_rank, unique
from benchmarks.trees import TreeGraph, tree_graph
from remora.core.cochange import MAX_FILES
from remora.core.values import Filters
from remora.retrieval import pipeline
from remora.retrieval.request import Candidate, Reader, Request
from remora.sources.git import Commit
from remora.store.database import Database

WITHOUT, WITH, BUSY, BOTH = "without", "boost", "what changes often", "both"
NEWEST = 300  # commits that are asked
PARTS = 50  # of files that a search returns
PLACES = 300  # definitions that are asked for
LEAST_WORDS = 4

Ranking = Callable[[str], list[Candidate]]


class Asked(NamedTuple):
    """A task or a place: its text, and the files or the part that it is about."""

    text: str
    gold: frozenset[str]


def rankings(db: Database) -> dict[str, Ranking]:
    """Return the rankings of a text's best parts of files."""
    reader = Reader((db,), lambda _: (None, ""), now=0.0, mtime=lambda _: None, boost=True)

    def search(text: str, without: frozenset[str]) -> list[Candidate]:
        request = Request(text, PARTS, Filters(kinds=("code",)), without=without)
        return pipeline.run(reader, request).candidates

    return {
        WITHOUT: lambda text: search(text, frozenset({"boost", "busy"})),
        WITH: lambda text: search(text, frozenset({"busy"})),
        BUSY: lambda text: search(text, frozenset({"boost"})),
        BOTH: lambda text: search(text, frozenset()),
    }


def tasks(graph: TreeGraph, commits: Sequence[Commit], newest: int) -> dict[str, list[list[float]]]:
    """Ask for the files of the newest commits; return recall@10 and all@5 by ranking."""
    history = InMemory()
    # The search asks a history in memory what it asks one in the database; writing each would take hours.
    graph.db.history = history  # type: ignore[assignment]
    ranked = rankings(graph.db)
    found: dict[str, list[list[float]]] = {name: [] for name in ranked}
    wanted = [n for n, c in enumerate(commits) if c.parents and len(c.files) <= MAX_FILES and existing(c)]
    chosen = set(wanted[-newest:])
    for number, commit in enumerate(commits):
        if number in chosen:
            graph.stand_at(commit.parents[0])
            if asked := _task(graph.db, commit):
                for name, ranking in ranked.items():
                    files = unique(c.files[0] for c in ranking(asked.text))
                    found[name].append([recall_at(files, asked.gold, 10), all_at(files, asked.gold, 5)])
                if len(found[WITHOUT]) % 50 == 0:
                    say(f"boost: {len(found[WITHOUT])} tasks")
        history.learn(commit)
    return found


def _task(db: Database, commit: Commit) -> Asked | None:
    gold = frozenset(db.graph.keys(existing(commit)))
    text = f"{commit.subject}\n{commit.body}".strip()
    return Asked(text, gold) if gold and any(c.isalnum() for c in text) else None


def places(db: Database, count: int) -> dict[str, list[float]]:
    """Ask for definitions by half of the words that describe them; return reciprocal ranks."""
    rows = db.connection.rows(
        """SELECT c.id, c.doc FROM code_chunks c JOIN graph_files f ON f.id = c.file_id
           WHERE f.test = 0 AND c.kind NOT IN ('module', 'prose', 'data') AND c.doc <> '' ORDER BY c.id"""
    )
    draw = random.Random(1)
    lines = [(str(i), doc.partition("\n")[0].split()) for i, doc in rows]
    lines = [(i, words) for i, words in lines if len(words) >= LEAST_WORDS]
    ranked = rankings(db)
    found: dict[str, list[float]] = {name: [] for name in ranked}
    for i, words in draw.sample(lines, min(count, len(lines))):
        text = " ".join(draw.sample(words, len(words) // 2))
        if any(c.isalnum() for c in text):
            for name, ranking in ranked.items():
                keys = [c.key[2] for c in ranking(text)]
                found[name].append(reciprocal_rank(keys, {i}))
    return found


def measure(graph: TreeGraph, commits: Sequence[Commit], newest: int, count: int) -> Report:
    """Ask both questions and put the answers side by side."""
    asked = tasks(graph, commits, newest)
    say(f"boost: {count} places")
    placed = places(graph.db, count)
    scores = {
        "tasks: recall@10": {name: [row[0] for row in rows] for name, rows in asked.items()},
        "tasks: all@5": {name: [row[1] for row in rows] for name, rows in asked.items()},
        "places: MRR": placed,
    }
    tables: list[Table] = []
    figures: dict[str, Any] = {"tasks": len(asked[WITHOUT]), "places": len(placed[WITHOUT])}
    for what, values in scores.items():
        table, figures[what] = _compared(f"{what}, {len(values[WITHOUT])} asked", values)
        tables.append(table)
    return Report("boost", figures, tuple(tables))


def _compared(title: str, scores: Mapping[str, Sequence[float]]) -> tuple[Table, dict[str, Any]]:
    """Return the mean of each ranking, and its lead with a 95 % interval: over none, and over the control."""
    rows: list[tuple[object, ...]] = []
    figures: dict[str, Any] = {}
    for name, values in scores.items():
        rival = BUSY if name == BOTH else WITHOUT
        lead = paired_interval([[v] for v in values], [[v] for v in scores[rival]])
        figures[name] = {"mean": mean(values), "over": rival, "lead": lead._asdict()}
        rows.append((name, mean(values), rival, lead.mean, lead.low, lead.high))
    return Table(title, ("", "mean", "over", "lead", "low", "high"), tuple(rows)), figures


def run(options: Options) -> Report:
    """Measure the boost in the repository that was named.

    Raises:
        SystemExit: none was named.
    """
    if options.repo is None:
        raise SystemExit("--repo DIR is needed: a git repository with its history")
    with tree_graph(options.repo) as graph:
        commits = graph.trees.commits()
        say(f"boost: the newest of {len(commits)} commits")
        report = measure(graph, commits, options.limit or NEWEST, options.limit or PLACES)
        return report._replace(name=f"boost-{options.repo.resolve().name}")
