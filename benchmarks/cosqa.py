"""CoSQA: which Python function answers a question that people typed into a search engine.

All functions are memories of one project, each with its own id; every query has one right function.
MRR looks at the first hundred hits, R@10 at the first ten.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial

from benchmarks import recall
from benchmarks.common import Check, Options, Report
from benchmarks.metrics import recall_at, reciprocal_rank
from benchmarks.paths import OURS, SINGLE_PATHS
from benchmarks.recall import Case, Metric, Question
from remora.app.memory import Memory
from remora.core.errors import InvalidInput
from remora.core.values import MemoryDraft

K = 100
BATCH = 500  # memories stored in one transaction

METRICS: dict[str, Metric] = {
    "MRR": lambda a: reciprocal_rank(a.ranked, a.question.gold),
    "recall@1": lambda a: recall_at(a.ranked, a.question.gold, 1),
    "recall@10": lambda a: recall_at(a.ranked, a.question.gold, 10),
    "recall@100": lambda a: recall_at(a.ranked, a.question.gold, 100),
}


def fill(memory: Memory, functions: Sequence[tuple[str, str]], refused: list[str]) -> None:
    """Remember every function; those that cannot be stored are named in `refused`.

    A batch is stored whole or not at all, so one with a refused function is stored one by one.
    """
    drafts = [MemoryDraft(content=code, type="pattern", external_id=key) for key, code in functions]
    for start in range(0, len(drafts), BATCH):
        batch = drafts[start : start + BATCH]
        try:
            memory.remember_many(batch)
        except InvalidInput:
            for draft in batch:
                try:
                    memory.remember_many([draft])
                except InvalidInput as error:
                    refused.append(f"{draft.external_id}: {error}")


def run(options: Options) -> Report:
    """Ask all 500 queries, or as many as the limit says; the functions are always all there."""
    folder = options.folder("cosqa")
    codes = json.loads((folder / "code_idx_map.txt").read_text("utf-8"))
    functions = [(str(key), code) for code, key in codes.items()]
    queries = json.loads((folder / "cosqa-retrieval-dev-500.json").read_text("utf-8"))
    questions = [Question(q["doc"], frozenset({str(q["retrieval_idx"])})) for q in queries]
    refused: list[str] = []
    case = Case(
        "functions",
        partial(fill, functions=functions, refused=refused),
        questions[: options.limit],
        functions,
    )
    done = recall.run_cases([case], "memory", K, options, "cosqa")
    table, figures = recall.table(
        f"CoSQA dev, {len(case.questions)} queries over {len(functions):,} functions", done, METRICS
    )
    figures |= {
        "questions": len(case.questions),
        "functions": len(functions),
        "refused": len(refused),
        "timing": recall.timing(done),
    }
    tables = [table]
    if options.ablate:
        shown = {what: METRICS[what] for what in ("MRR", "recall@10")}
        parts, figures["parts"] = recall.ablation(done, "CoSQA", shown)
        tables.append(parts)
    checks: list[Check] = []
    if options.limit is None:
        ours = figures[OURS]["MRR"]
        best = max((n for n in figures if n in SINGLE_PATHS), key=lambda n: figures[n]["MRR"])
        promised = figures[best]["MRR"]
        checks = [Check("CoSQA MRR", ours, f">= {promised:.3f} ({best})", ours >= promised)]
    notes = tuple(f"not stored: {reason}" for reason in refused[:10])
    return Report("cosqa", figures, tuple(tables), tuple(checks), notes, done.model, done.settings)
