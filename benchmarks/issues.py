"""Issues: which file does the fix of a reported bug touch?

Each issue is asked of its repository as it was at the commit before the fix: the tree is checked out
there, `Memory.init` reads code and history up to it and nothing later, and `Memory.predict_files` ranks
the files. Acc@k is the share of issues whose files are all among the first k. Tests, documents and
examples are left out of every ranking, since no fix is looked for there.

The repositories are clones of the two public ones, named `sympy` and `pytest` in the folder that
`--repos` gives. The issues of one repository are asked in the order of its history, so that code and
commits are read on from one to the next.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.baselines import PlainBM25
from benchmarks.common import Check, Options, Report, Table, memory_in, model_of, say, settings_of, workplace
from benchmarks.metrics import mean, paired_interval, unique
from remora.app.memory import Memory
from remora.app.recall.files import predict_files
from remora.app.recall.search import reader
from remora.core.tasks import SIGNALS
from remora.core.text import MAX_QUERY_CHARS
from remora.core.values import Filters
from remora.retrieval import pipeline
from remora.retrieval.request import Request

PROMISED = 0.70
AT = (1, 5, 10)
DEPTH = 60  # asked for, before tests, documents and examples are left out
OURS = "remora"
WITHOUT = "without "
CODE = (".py",)

# What the ablation adds up, in the order of the issue: each line keeps what the lines above have.
STEPS: tuple[tuple[str, frozenset[str]], ...] = (
    ("keywords", frozenset({"parts"})),
    ("+ names and places", frozenset({"names", "frames", "paths"})),
    ("+ vectors", frozenset({"meaning"})),
    ("+ graph", frozenset({"imports"})),
    ("+ history", frozenset({"commits", "heat"})),
)

PARTS = 100  # of files that a search returns
# The neighbourhood boost alone, on what a search of code finds.
SEARCHES: tuple[tuple[str, frozenset[str]], ...] = (
    ("search of code, no boost", frozenset({"boost", "busy"})),
    ("search of code, boost", frozenset({"busy"})),
    ("search of code, what changes often", frozenset({"boost"})),
)

_NOT_SOURCE = re.compile(
    r"(^|/)(tests?|testing|docs?|examples?)/|(^|/)(test_[^/]*|[^/]*_test|conftest)\.py$|(^|/)setup\.py$"
)
_GOLD = re.compile(r"^diff --git a/(\S+) b/", re.MULTILINE)


class Issue(NamedTuple):
    """An issue: where its repository stood, what it says, and the files that its fix touched."""

    id: str
    repository: str
    commit: str
    text: str
    gold: frozenset[str]


class Asked(NamedTuple):
    """The rankings of one issue by name."""

    issue: Issue
    ranked: dict[str, list[str]]


def read(folder: Path) -> list[Issue]:
    """Return the issues of the development part."""
    issues = []
    for line in (folder / "issues_dev.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        gold = frozenset(_GOLD.findall(row["patch"]))
        repository = row["repo"].rpartition("/")[2]
        issues.append(
            Issue(row["instance_id"], repository, row["base_commit"], row["problem_statement"], gold)
        )
    return issues


def run(options: Options) -> Report:
    """Ask every issue, or of each repository as many as the limit says."""
    if options.repos is None:
        raise SystemExit("issues: give --repos, a folder with clones of the repositories")
    issues = read(options.folder("issue_localization"))
    asked: list[Asked] = []
    model, settings = "none", dict[str, Any]()
    for name in sorted({issue.repository for issue in issues}):
        clone = options.repos / name
        if not clone.exists():
            raise SystemExit(f"issues: there is no clone of {name} in the folder that --repos gives")
        own = in_order(clone, [issue for issue in issues if issue.repository == name])[: options.limit]
        with workplace(options.keep, f"issues-{name}") as place:
            for number, (issue, memory) in enumerate(stand(place, clone, own), 1):
                memory.catch_up()
                asked.append(Asked(issue, rankings(memory, issue, ablate=options.ablate)))
                model, settings = model_of(memory), settings_of(memory)
                place_of = next((i for i, p in enumerate(asked[-1].ranked[OURS], 1) if p in issue.gold), 0)
                say(f"issues: {name} {number} of {len(own)}, {issue.id}: found at {place_of or 'no place'}")
    return report(asked, model, settings, whole=options.limit is None)


def in_order(clone: Path, issues: Sequence[Issue]) -> list[Issue]:
    """Return issues in the order of their commits in the history."""
    commits = sorted({issue.commit for issue in issues})
    listed = _git(clone, "rev-list", "--topo-order", "--reverse", *commits).split()
    place = {sha: number for number, sha in enumerate(listed)}
    return sorted(issues, key=lambda issue: (place[issue.commit], issue.id))


def stand(place: Path, clone: Path, issues: Sequence[Issue]) -> Iterator[tuple[Issue, Memory]]:
    """Yield each issue with a memory that has read the repository as it was at its commit."""
    project = place / "project"
    if not project.exists():
        _git(place, "clone", "-q", "--no-checkout", "--shared", str(clone.resolve()), str(project))
    for issue in issues:
        _git(project, "checkout", "-q", "-f", "--detach", issue.commit)
        with memory_in(place) as memory:
            memory.init()
            yield issue, memory


def rankings(memory: Memory, issue: Issue, *, ablate: bool) -> dict[str, list[str]]:
    """Return our ranking, plain BM25 over whole files, and with `ablate` ours part by part."""

    def ours(without: frozenset[str] = frozenset()) -> list[str]:
        found, _ = predict_files(memory._project, issue.text, DEPTH, without=without)
        return [hit.path for hit in found if not _NOT_SOURCE.search(hit.path)]

    found = {OURS: ours(), "plain BM25 of files": plain(memory.root, issue.text)}
    if ablate:
        have: frozenset[str] = frozenset()
        for name, signals in STEPS:
            have |= signals
            found[name] = ours(frozenset(SIGNALS) - have)
        found |= {f"{WITHOUT}{signal}": ours(frozenset({signal})) for signal in SIGNALS}
        found |= by_search(memory, issue.text)
    return found


def by_search(memory: Memory, text: str) -> dict[str, list[str]]:
    """Rank the files by their best part in a search of code: plain, with the boost, and as by default."""
    asked = Request(text[:MAX_QUERY_CHARS], PARTS, Filters(kinds=("code",)), explicit=False)
    found = reader(memory._project, code=True)._replace(boost=True)
    ranked: dict[str, list[str]] = {}
    for name, without in SEARCHES:
        candidates = pipeline.run(found, asked._replace(without=without)).candidates
        files = unique(candidate.files[0] for candidate in candidates)
        ranked[name] = [path for path in files if not _NOT_SOURCE.search(path)]
    return ranked


def plain(root: Path, text: str) -> list[str]:
    """Rank the files by BM25 of their whole texts: what any program could do."""
    names = [p for p in _git(root, "ls-files").splitlines() if p.endswith(CODE) and not _NOT_SOURCE.search(p)]
    files = [(name, root / name) for name in names]
    texts = [(name, file.read_text("utf-8", "replace")) for name, file in files if file.is_file()]
    return PlainBM25(texts).search(text, max(AT))


def right(asked: Asked, ranking: str, k: int) -> float:
    """Return 1 when every file of the fix is among the first k of a ranking."""
    return float(asked.issue.gold <= set(asked.ranked[ranking][:k]))


def report(asked: Sequence[Asked], model: str, settings: dict[str, Any], *, whole: bool) -> Report:
    """Return the shares of issues that each ranking gets right, together and by repository."""
    parts = {"all": list(asked)}
    for name in sorted({a.issue.repository for a in asked}):
        parts[name] = [a for a in asked if a.issue.repository == name]
    names = list(asked[0].ranked)
    figures: dict[str, Any] = {"issues": {part: len(own) for part, own in parts.items()}}
    accuracy: Callable[[Sequence[Asked], str, int], float] = lambda own, name, k: mean(  # noqa: E731
        right(a, name, k) for a in own
    )
    rows = []
    apart = [part for part in parts if part != "all"]
    for name in names:
        own = {
            p: {f"Acc@{k}": accuracy(asked_there, name, k) for k in AT} for p, asked_there in parts.items()
        }
        rows.append((name, *own["all"].values(), *(own[p]["Acc@5"] for p in apart)))
        figures[name] = own
    columns = ("ranking", *(f"Acc@{k}" for k in AT), *(f"{p}: Acc@5" for p in apart))
    tables = [Table(f"Issues, {len(asked)}", columns, tuple(rows))]
    lead = paired_interval(
        [[right(a, OURS, 5)] for a in asked], [[right(a, "plain BM25 of files", 5)] for a in asked]
    )
    figures["lead over plain BM25 at 5"] = lead._asdict()
    got = figures[OURS]["all"]["Acc@5"]
    checks = (Check("Acc@5", got, f">= {PROMISED}", got >= PROMISED),) if whole else ()
    missed = ", ".join(a.issue.id for a in asked if not right(a, OURS, 10))
    notes = (f"not among the first ten: {missed}",)
    return Report("issues", figures, tuple(tables), checks, notes, model, settings)


def _git(folder: Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", "-C", str(folder), *arguments], check=True, capture_output=True, text=True, errors="replace"
    ).stdout
