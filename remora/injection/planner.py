"""Memory blocks for a planner and a tester before they begin (section 10).

A planner gets decisions and requirements, the steps of earlier work in these modules compared with its plans,
dead ends, files that change with those of the task, outcomes of earlier work, and recipes. A tester gets
requirements, earlier errors and observations of the interface. Each kind of memory has a limit; a kind
without memories has no section, and a block without sections is an empty text.

Lines are facts, as in every text for an agent. Memories that rest on external text are quoted, whatever their
kind: they are never rules and change no number.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from remora.core.evidence import STATED as STATED_BY
from remora.core.evidence import hit_source
from remora.core.strength import current_confidence
from remora.core.text import safe
from remora.core.tokens import ceil_chars_4
from remora.core.values import MEMORY_KINDS, Context, Filters, Hit, MemoryRecord, Reason
from remora.injection import render
from remora.injection.brief import as_note
from remora.injection.limits import ratio
from remora.injection.scope import Scope
from remora.retrieval import pipeline
from remora.retrieval.packing import BUDGETS
from remora.retrieval.request import Request

if TYPE_CHECKING:
    from remora.retrieval.request import Reader
    from remora.store.database import Database

PLAN, QA = "plan", "qa"
STATED = "stated"
PHASES = {PLAN: "define", QA: "validate"}
RELEVANT = 0.35  # score in a search for the task; a hit below it is about something else
LEAST = 0.3  # confidence after decay; memories below it are left out
READ = 50  # memories of a kind and place that are read, before the best are chosen
AS_PLANNED = 0.1  # a ratio this near to 1 is left out


class Kind(NamedTuple):
    """One section of a block: its memory type, its maximum of memories, and its heading.

    `type` is a memory type, or STATED for statements of people, in memories of `types`.
    """

    type: str
    most: int
    heading: str
    types: tuple[str, ...] = ()

    @property
    def read(self) -> tuple[str, ...]:
        """The memory types that are read for the section."""
        return self.types or (self.type,)


# Section 10 gives the limits of a plan; those of a test run are the same where it gives none.
KINDS: dict[str, tuple[Kind, ...]] = {
    PLAN: (
        Kind(
            STATED,
            8,
            "Decisions and requirements",
            types=("requirement", "decision", "preference"),
        ),
        Kind("task_calibration", 5, "Steps that earlier work took here"),
        Kind("dead_end", 8, "Approaches that failed here"),
        Kind("causal_dependency", 10, "Files that change together"),
        Kind("work_unit_outcome", 5, "Outcomes of earlier work here, newest first"),
        Kind("workflow_recipe", 2, "Recipes for such work"),
    ),
    QA: (
        Kind("requirement", 8, "Requirements"),
        Kind("error_pattern", 8, "Earlier errors"),
        Kind("e2e_observation", 8, "Observed behavior of the interface"),
    ),
}
_TITLES = {PLAN: "## Memories for this plan", QA: "## Memories for testing this"}


def brief(
    reader: Reader,
    task: str,
    where: Scope,
    what: str = PLAN,
    *,
    branch: str | None = None,
    budget: int | None = None,
    relevant: float = RELEVANT,
) -> Context:
    """Return the block for a planner or a tester.

    Args:
        reader: the data sources.
        task: in words; may be empty if files or modules are given.
        where: the files and modules of the task.
        what: PLAN or QA.
        branch: memories of this branch are included.
        budget: tokens (characters / 4, rounded up) of the text, at most.
        relevant: the score that a search must give to a memory outside the files and modules of the task.
    """
    total = BUDGETS[PHASES[what]].tokens if budget is None else budget
    return _pack(_gathered(reader, task, where, KINDS[what], branch, relevant), what, total)


def _gathered(
    reader: Reader, task: str, where: Scope, kinds: Sequence[Kind], branch: str | None, relevant: float
) -> dict[str, list[Hit]]:
    """Return the memories of each kind for a task, best first, up to the maximum of the kind."""
    # Without reranker and HyDE: five searches must not wait for a server five times.
    reader = reader._replace(llm=None, reranker=None, hyde=False, embed=cache(reader.embed))
    found: dict[str, list[Hit]] = {}
    for kind in kinds:
        near = _placed(reader, kind, where, branch) if where.filters or where.modules else {}
        searched = _searched(reader, kind, task, branch, relevant) if task.strip() else {}
        hits = [
            _hit(record, near.get(key, 0.0), searched.get(key))
            for key, record in _records(near, searched, reader).items()
            if _worth_telling(record, reader.now)
            if kind.type != STATED or record.source in STATED_BY or record.user_verified
        ]
        found[kind.type] = _chosen(kind, hits)
    return found


def _placed(reader: Reader, kind: Kind, where: Scope, branch: str | None) -> dict[str, float]:
    """Return the nearness of a kind's memories about the task's files or modules, by id."""
    db, known = reader.databases[0], Filters(types=kind.read, branch=branch)
    if kind.type == "task_calibration":
        return {record.id: near for near, record in calibrations(db, where, branch)}
    records: list[MemoryRecord] = []
    if where.filters:
        records += db.memories.find(known._replace(files=where.filters), limit=READ)
    if where.modules:
        records += db.memories.find(known._replace(modules=where.modules), limit=READ)
    nearness = {record.id: where.nearness(record) for record in records}
    return {i: near for i, near in nearness.items() if near > 0}


def calibrations(db: Database, where: Scope, branch: str | None = None) -> list[tuple[float, MemoryRecord]]:
    """Return the calibrations of a task's modules and of the folders around them, with their nearness."""
    if not where.modules:
        return []
    known = db.memories.find(Filters(types=("task_calibration",), branch=branch), limit=4 * READ)
    found = [(where.nearness(m), m) for m in known if m.stale_at is None]
    return [pair for pair in found if pair[0] > 0]


def _searched(reader: Reader, kind: Kind, task: str, branch: str | None, relevant: float) -> dict[str, Hit]:
    """Return the memories of a kind that a search for the task finds, by id."""
    if kind.type == "task_calibration":  # its text is numbers; its module shows its subject
        return {}
    filters = Filters(types=kind.read, branch=branch, kinds=MEMORY_KINDS)
    request = Request(task, 2 * kind.most, filters, explicit=False)
    hits = pipeline.search(reader, request).hits
    return {hit.id: hit for hit in hits if hit.score >= relevant}


def _records(
    near: Mapping[str, float], searched: Mapping[str, Hit], reader: Reader
) -> dict[str, MemoryRecord]:
    found = reader.databases[0].memories.get_many(i for i in near if i not in searched)
    return {**found, **{i: hit.memory for i, hit in searched.items() if hit.memory is not None}}


def _worth_telling(record: MemoryRecord, now: float) -> bool:
    if record.stale_at is not None or current_confidence(record, now) < LEAST:
        return False
    found = ratio(record) if record.type == "task_calibration" else None
    return found is None or abs(found - 1.0) > AS_PLANNED


def _hit(record: MemoryRecord, near: float, searched: Hit | None) -> Hit:
    """Return a memory as a hit; the score combines its nearness and its score in the search."""
    relevance = searched.score if searched is not None else 0.0
    score = 1.0 - (1.0 - 0.8 * near) * (1.0 - 0.8 * relevance)
    why = searched.why if searched is not None else ()
    if near:
        why = (*why, Reason("scope", near, note="about the task's files or modules"))
    source = hit_source(record.source, record.type)
    return Hit(record.id, source, record.content, score, why, memory=record, realm=record.realm)


def _chosen(kind: Kind, hits: list[Hit]) -> list[Hit]:
    best = sorted(hits, key=lambda h: (-round(h.score, 6), -h.memory.confidence if h.memory else 0.0, h.id))
    if kind.type == "work_unit_outcome":
        best.sort(key=lambda h: h.memory.created_at if h.memory else "", reverse=True)
    return best[: kind.most]


# The text


def _pack(found: Mapping[str, Sequence[Hit]], what: str, budget: int) -> Context:
    """Return the text of a block within a budget in tokens.

    The kinds give their best memories in turn, so that a short text has some of each kind; a memory that
    does not fit is skipped.
    """
    waiting = [hit for row in zip_longest(*found.values()) for hit in row if hit is not None]
    chosen: set[str] = set()
    for hit in waiting:
        if ceil_chars_4(_text(found, chosen | {hit.id}, what)) <= budget:
            chosen.add(hit.id)
    text = safe(_text(found, chosen, what)) if chosen else ""
    shown = tuple(hit for hits in found.values() for hit in hits if hit.id in chosen)
    return Context(text, shown, ceil_chars_4(text), budget, PHASES[what], len(waiting) - len(chosen))


def _text(found: Mapping[str, Sequence[Hit]], chosen: Collection[str], what: str) -> str:
    parts = [_TITLES[what]]
    for kind in KINDS[what]:
        own = [_line(hit) for hit in found[kind.type] if hit.id in chosen]
        if own:
            parts.append("\n".join((f"### {kind.heading}", *own)))
    return "\n\n".join(parts)


def _line(hit: Hit) -> str:
    assert hit.memory is not None
    return render.line(as_note(hit.memory)._replace(unconfirmed=hit.memory.needs_review))
