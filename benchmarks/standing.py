"""What age, staleness and the files at hand are worth, where memories have files, commits and ages.

The conversations and questions of the other data have one type, one source and one age, so nothing that
weighs these can show there. Here a repository of one's own choice (`--repo`) is walked commit by commit,
at the time of each, and two kinds of memories are kept on the way: what each commit said, with its files,
and what each Python function takes, anew whenever that changed. Memories, vectors, the code graph and the
statistics of the history are those of the moment. Two questions are put to the memories:

Tasks: before each of the newest commits, its message, with the first half of its files at hand. Gold is
the other half, in the files that the hits are about.

Facts: at the end, what each function takes that was changed on the way. Of several memories that say it
one holds; gold is that one, and the figure is how often it comes before those that held once.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.cochange import InMemory, existing
from benchmarks.common import Options, Report, Table, memory_in, model_of, say, settings_of, workplace
from benchmarks.metrics import mean, recall_at, reciprocal_rank, unique
from benchmarks.paths import OURS, WITHOUT
from benchmarks.recall import Answer, Metric, Question, Run, ablation, table
from benchmarks.trees import TreeGraph, Trees
from remora.app.recall.search import search
from remora.core.clock import FixedClock, from_iso
from remora.core.errors import InvalidInput
from remora.core.values import Filters, Hit
from remora.retrieval.pipeline import PARTS

if TYPE_CHECKING:
    from remora.app.memory import Memory
    from remora.sources.git import Commit

NEWEST = 300  # commits that are asked
ABOUT = 10  # files that a commit may have to be remembered: one with more says little about each
HITS = 20
# Parts that look at turns or code alone, or that are off until something is set up.
ELSEWHERE = frozenset({"window", "neighbours", "author", "busy", "boost", "rerank", "hyde"})
EVERY_COMMIT = 50  # commits between two lines of progress

TASKS: Mapping[str, Metric] = {
    "recall@10": lambda a: recall_at(a.ranked, a.question.gold, 10),
    "MRR": lambda a: reciprocal_rank(a.ranked, a.question.gold),
}
FACTS: Mapping[str, Metric] = {
    "holds": lambda a: float(a.ranked[:1] == list(a.question.gold)),
    "MRR": lambda a: reciprocal_rank(a.ranked, a.question.gold),
}
Ranking = Callable[[str, Sequence[str]], list[Hit]]


class Walked(InMemory):
    """A history in memory that answers what a search asks one in the database; no agent was watched."""

    def named(self, names: Sequence[str], limit: int = 20) -> list[str]:
        """Return present files whose path is one of the names, or ends in "/" and the name."""
        found = [path for path in self.tree if any(path == n or path.endswith(f"/{n}") for n in names)]
        return sorted(found, key=lambda path: (len(path), path))[:limit]

    def co_access(self, paths: Sequence[str], minimum: float, limit: int) -> list[tuple[str, str, float]]:
        """Return nothing: there were no sessions."""
        del paths, minimum, limit
        return []


class Fact(NamedTuple):
    """What a function took at some time: the file it is in, and the statement about it."""

    path: str
    text: str


class Facts:
    """What every Python function takes, as of the commit that was read last, and what it took before."""

    def __init__(self) -> None:
        self._now: dict[tuple[str, str], str] = {}
        self._files: defaultdict[str, set[str]] = defaultdict(set)
        self.said: defaultdict[tuple[str, str], list[str]] = defaultdict(list)  # statements, oldest first

    def read(self, path: str, source: str | None) -> Iterator[Fact]:
        """Take a file as it is now, None where it is gone; yield what is new to say about it."""
        found = dict(functions(source)) if source is not None else {}
        for name in self._files[path] - found.keys():
            self._now.pop((path, name), None)
        self._files[path] = set(found)
        for name, takes in found.items():
            if self._now.get((path, name)) != takes:
                self._now[path, name] = takes
                text = f"`{name}` in {path} takes {takes}"
                if text not in self.said[path, name]:
                    yield Fact(path, text)
                self.said[path, name].append(text)

    def changed(self) -> Iterator[tuple[str, str, str, frozenset[str]]]:
        """Yield (name, path, what holds, what held once) of each function that is there and has changed."""
        for (path, name), texts in sorted(self.said.items()):
            if (path, name) in self._now and len(set(texts)) > 1:
                yield name, path, texts[-1], frozenset(texts) - {texts[-1]}


def functions(source: str) -> Iterator[tuple[str, str]]:
    """Yield the qualified name of every function and method of a module, and what it takes."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return
    waiting: list[tuple[str, ast.AST]] = [("", tree)]
    seen: set[str] = set()
    while waiting:
        inside, node = waiting.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef):
                waiting.append((f"{inside}{child.name}.", child))
            elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                name = f"{inside}{child.name}"
                if name not in seen:  # of several, under conditions, the first
                    seen.add(name)
                    yield name, ast.unparse(child.args) or "nothing"


def rankings(memory: Memory) -> dict[str, Ranking]:
    """Return the search over memories, and it without each of its parts."""

    def ranking(without: frozenset[str]) -> Ranking:
        filters = Filters(kinds=("memory",))
        return lambda text, files: (
            search(memory._project, text, HITS, filters, None, (), files, without=without).hits
        )

    parts = [part for part in PARTS if part not in ELSEWHERE]
    return {OURS: ranking(frozenset())} | {f"{WITHOUT}{part}": ranking(frozenset({part})) for part in parts}


def ask_task(commit: Commit, made: Mapping[str, Ranking]) -> list[tuple[str, Answer]]:
    """Return each ranking's files for a commit of which half of the files are at hand."""
    files = sorted(existing(commit))
    text = f"{commit.subject}\n{commit.body}".strip()
    if not 2 <= len(files) <= ABOUT or not any(c.isalnum() for c in text):
        return []
    given, gold = files[: len(files) // 2], frozenset(files[len(files) // 2 :])
    question = Question(text, gold)
    found: list[tuple[str, Answer]] = []
    for name, ranking in made.items():
        about = (f for hit in ranking(text, given) if hit.memory for f in hit.memory.related_files)
        found.append((name, Answer(commit.sha, question, unique(f for f in about if f not in given))))
    return found


def ask_facts(facts: Facts, made: Mapping[str, Ranking]) -> Iterator[tuple[str, Answer]]:
    """Yield each ranking's statements about every function that has changed."""
    for name, path, holds, once in facts.changed():
        question = Question(f"Which arguments does {name} take?", frozenset({holds}), path)
        for ranking_name, ranking in made.items():
            said = [h.text for h in ranking(question.text, ()) if h.text == holds or h.text in once]
            yield ranking_name, Answer(path, question, said)


def walk(memory: Memory, trees: Trees, clock: FixedClock, newest: int) -> tuple[Run, Run]:
    """Live through a history; return the answers to the tasks and to the facts."""
    db = memory._project.db
    graph, history, facts = TreeGraph(trees, db), Walked(), Facts()
    # The search asks a history in memory what it asks one in the database; writing each would take hours.
    db.history = history  # type: ignore[assignment]
    made = rankings(memory)
    tasks: defaultdict[str, list[Answer]] = defaultdict(list)
    commits = trees.commits()
    wanted = [n for n, c in enumerate(commits) if c.parents and 2 <= len(existing(c)) <= ABOUT]
    chosen = set(wanted[-newest:])
    for number, commit in enumerate(commits):
        clock.advance(seconds=max(0.0, from_iso(commit.date) - clock.now()))
        if number in chosen:
            memory.catch_up()
            graph.stand_at(commit.parents[0])
            for name, answer in ask_task(commit, made):
                tasks[name].append(answer)
            if len(tasks[OURS]) % EVERY_COMMIT == 0:
                say(f"standing: {len(tasks[OURS])} tasks")
        history.learn(commit)
        keep(memory, trees, facts, commit)
    memory.catch_up()
    graph.stand_at(commits[-1].sha)
    holding: defaultdict[str, list[Answer]] = defaultdict(list)
    for name, answer in ask_facts(facts, made):
        holding[name].append(answer)
    model, settings = model_of(memory), settings_of(memory)
    return Run(tasks, model, settings, 0, 0, 0), Run(holding, model, settings, 0, 0, 0)


def keep(memory: Memory, trees: Trees, facts: Facts, commit: Commit) -> None:
    """Remember what a commit said and what functions take since."""
    about = [f.path for f in commit.files]
    said = f"{commit.subject}\n{commit.body}".strip()
    if 1 <= len(about) <= ABOUT and any(c.isalnum() for c in said):
        _remember(memory, said, "work_unit_outcome", about, commit.sha)
    python = [f for f in commit.files if f.path.endswith(".py")]
    if not python:
        return
    trees.listed(commit.sha)
    for file in python:
        data = trees.read(file.path)
        source = data.decode("utf-8", "replace") if isinstance(data, bytes) else None
        for fact in facts.read(file.path, source):
            _remember(memory, fact.text, "module_insight", [fact.path], commit.sha)


def _remember(memory: Memory, text: str, kind: str, files: Sequence[str], commit: str) -> None:
    try:
        memory.remember(text, type=kind, related_files=files, commit_sha=commit)
    except InvalidInput as error:  # a message of one sign, a signature that is too long
        say(f"standing: {commit[:8]} was not remembered: {error}")


def run(options: Options) -> Report:
    """Walk the repository that was named.

    Raises:
        SystemExit: none was named.
    """
    if options.repo is None:
        raise SystemExit("--repo DIR is needed: a git repository with its history")
    return measure(options.repo, options.limit or NEWEST)


def measure(repository: Path, newest: int, **parts: Any) -> Report:
    """Walk a repository and put the search beside itself without each of its parts.

    Args:
        repository: a git directory, or a folder with one.
        newest: so many commits are asked.
        **parts: what `Memory.open` takes, such as an embedder.
    """
    clock = FixedClock("1990-01-01T00:00:00Z")
    with workplace() as place, memory_in(place, clock=clock, **parts) as memory:
        trees = Trees(repository)
        try:
            tasks, facts = walk(memory, trees, clock, newest)
        finally:
            trees.close()
    tables: list[Table] = []
    figures: dict[str, Any] = {}
    for what, done, metrics in (("tasks", tasks, TASKS), ("facts", facts, FACTS)):
        ours = Run({OURS: done.answers[OURS]}, done.model, done.settings, 0, 0, 0)
        shown, found = table(f"{what}, {len(done.answers[OURS])} asked", ours, metrics)
        adds, added = ablation(done, what, metrics)
        tables += [shown, adds]
        figures[what] = {"asked": len(done.answers[OURS]), **found[OURS], "parts": added}
    figures["facts"]["by chance"] = mean(1.0 / len(set(a.ranked)) for a in facts.answers[OURS] if a.ranked)
    name = f"standing-{repository.resolve().name}"
    return Report(name, figures, tuple(tables), (), (), tasks.model, tasks.settings)
