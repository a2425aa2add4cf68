"""Questions with known answers, asked of one project after another by several rankings at once.

What `locomo`, `beam` and `cosqa` share: fill a project, ask every question of every ranking in the same
run, and average. The ranking called "remora" is `Memory.search` as a user calls it, and nothing else.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.common import Options, Table, memory_in, model_of, say, settings_of, workplace
from benchmarks.metrics import Interval, mean, paired_interval
from benchmarks.paths import OURS, WITHOUT, Ranking, plain_rankings, rankings
from remora.app.memory import Memory


class Question(NamedTuple):
    """A question, the caller's ids of everything that answers it, and its category."""

    text: str
    gold: frozenset[str]
    category: str = ""


class Case(NamedTuple):
    """One project: its name, how to fill it, what to ask, and its bare texts for the plain baseline."""

    name: str
    fill: Callable[[Memory], None]
    questions: Sequence[Question]
    texts: Sequence[tuple[str, str]]


class Answer(NamedTuple):
    """A ranking's ids for one question of one case, best first."""

    case: str
    question: Question
    ranked: Sequence[str]


class Run(NamedTuple):
    """Every answer of every ranking, in the same order for each, and what they were made with."""

    answers: Mapping[str, list[Answer]]
    model: str
    settings: Mapping[str, Any]
    fill_seconds: float
    embed_seconds: float
    search_seconds: float


Metric = Callable[[Answer], float]

ENOUGH_CASES = 10  # fewer projects than this say little about how projects differ


def run_cases(cases: Iterable[Case], kind: str, k: int, options: Options, name: str) -> Run:
    """Fill, embed and question one project after another.

    Args:
        cases: the projects.
        kind: "turn", "memory" or "code", the only source of hits that is searched.
        k: how many hits each ranking gives.
        options: `ablate` adds the rankings without single stages; `keep` keeps the projects.
        name: of the benchmark, for progress and kept folders.
    """
    answers: defaultdict[str, list[Answer]] = defaultdict(list)
    model, settings = "none", dict[str, Any]()
    fill = embed = search = 0.0
    for number, case in enumerate(cases, 1):
        started = time.perf_counter()
        with workplace(options.keep, f"{name}-{case.name}") as place:
            with memory_in(place) as memory:
                case.fill(memory)
                filled = time.perf_counter()
                memory.catch_up()
                embedded = time.perf_counter()
                fill, embed = fill + filled - started, embed + embedded - filled
                model, settings = model_of(memory), settings_of(memory)
            # Read-only, so that what one question brought up does not weigh on the next.
            with memory_in(place, read_only=True) as memory:
                made = rankings(memory, kind, k, ablate=options.ablate)
                made |= plain_rankings(memory, case.texts, place / "plain.npy")
                search += _ask(case, made, k, answers)
        seconds = time.perf_counter() - started
        say(f"{name}: {number} {case.name}, {len(case.questions)} questions, {seconds:.0f} s")
    return Run(answers, model, settings, fill, embed, search)


def _ask(case: Case, made: Mapping[str, Ranking], k: int, answers: defaultdict[str, list[Answer]]) -> float:
    """Put every question to every ranking; return the seconds that ours took."""
    seconds = 0.0
    for question in case.questions:
        for name, ranking in made.items():
            started = time.perf_counter()
            ranked = ranking(question.text, k)
            seconds += (time.perf_counter() - started) if name == OURS else 0.0
            answers[name].append(Answer(case.name, question, ranked))
    return seconds


def table(title: str, run: Run, metrics: Mapping[str, Metric]) -> tuple[Table, dict[str, Any]]:
    """Return every ranking's averages as a table and as figures."""
    figures = {
        name: {what: mean(metric(a) for a in answers) for what, metric in metrics.items()}
        for name, answers in run.answers.items()
    }
    rows = tuple((name, *values.values()) for name, values in figures.items())
    return Table(title, ("ranking", *metrics), rows), figures


def by_category(title: str, run: Run, metrics: Mapping[str, Metric]) -> tuple[Table, dict[str, Any]]:
    """Return the averages of our ranking for each category of questions."""
    return _grouped(title, "category", run, metrics, lambda answer: answer.question.category)


def by_case(title: str, run: Run, metrics: Mapping[str, Metric]) -> tuple[Table, dict[str, Any]]:
    """Return the averages of our ranking for each project, and as figures the worst of each metric."""
    table, figures = _grouped(title, "project", run, metrics, lambda answer: answer.case)
    return table, {what: min(found[what] for found in figures.values()) for what in metrics}


def _grouped(
    title: str, what: str, run: Run, metrics: Mapping[str, Metric], group: Callable[[Answer], str]
) -> tuple[Table, dict[str, Any]]:
    groups: dict[str, list[Answer]] = defaultdict(list)
    for answer in run.answers[OURS]:
        groups[group(answer)].append(answer)
    figures = {
        name: {"questions": len(groups[name])}
        | {called: mean(metric(a) for a in groups[name]) for called, metric in metrics.items()}
        for name in sorted(groups)
    }
    rows = tuple((name, *values.values()) for name, values in figures.items())
    return Table(title, (what, "questions", *metrics), rows), figures


def ablation(run: Run, name: str, metrics: Mapping[str, Metric]) -> tuple[Table, dict[str, Any]]:
    """Return what each part adds: ours minus the search without it, with 95 % intervals.

    The table leaves out parts without which no ranking changed; the figures have them all.
    """
    ours = run.answers[OURS]
    rows: list[tuple[object, ...]] = []
    figures: dict[str, Any] = {}
    for ranking, answers in run.answers.items():
        if not ranking.startswith(WITHOUT):
            continue
        part = ranking.removeprefix(WITHOUT)
        changed = sum(a.ranked != b.ranked for a, b in zip(ours, answers, strict=True))
        leads = {what: _lead(ours, answers, metric) for what, metric in metrics.items()}
        figures[part] = {"rankings changed": changed}
        figures[part] |= {what: lead._asdict() for what, lead in leads.items()}
        cells = [c for lead in leads.values() for c in (lead.mean, f"[{lead.low:+.3f}, {lead.high:+.3f}]")]
        if changed:
            rows.append((part, changed, *cells))
    columns = tuple(column for what in metrics for column in (what, "95 % interval"))
    idle = [part for part, found in figures.items() if not found["rankings changed"]]
    title = f"{name}: what each part adds" + (
        f" (no ranking changes without {', '.join(idle)})" if idle else ""
    )
    return Table(title, ("part", "rankings changed", *columns), tuple(rows)), figures


def _lead(ours: Sequence[Answer], theirs: Sequence[Answer], metric: Metric) -> Interval:
    """Draw whole projects where there are enough of them, otherwise questions."""
    grouped: defaultdict[str, tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
    few = len({answer.case for answer in ours}) < ENOUGH_CASES
    for number, (a, b) in enumerate(zip(ours, theirs, strict=True)):
        group = grouped[str(number) if few else a.case]
        group[0].append(metric(a))
        group[1].append(metric(b))
    return paired_interval([a for a, _ in grouped.values()], [b for _, b in grouped.values()])


def timing(run: Run) -> dict[str, float]:
    """Return how long the parts of a run took, for the record; compare only within one machine."""
    questions = max(1, len(run.answers[OURS]))
    return {
        "fill seconds": run.fill_seconds,
        "embed seconds": run.embed_seconds,
        "search milliseconds a question": 1000 * run.search_seconds / questions,
    }


def only(folder: Path, pattern: str) -> list[Path]:
    """Return the files of a data set in order.

    Raises:
        SystemExit: there are none.
    """
    found = sorted(folder.glob(pattern))
    if not found:
        raise SystemExit(f"there is no {pattern} in {folder.name}/")
    return found
