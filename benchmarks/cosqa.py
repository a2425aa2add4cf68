"""CoSQA: which Python function answers a question that people typed into a search engine.

All functions are memories of one project, each with its own id, and in another project each is a file
of indexed code; every query has one right function.
MRR looks at the first hundred hits, R@10 at the first ten.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from benchmarks import recall
from benchmarks.common import Check, Options, Report, Table
from benchmarks.metrics import recall_at, reciprocal_rank
from benchmarks.paths import OURS, SINGLE_PATHS
from benchmarks.recall import Case, Metric, Question
from remora.app.memory import Memory
from remora.core.errors import InvalidInput
from remora.core.values import MemoryDraft

K = 100
BATCH = 500  # memories stored in one transaction
AIM = 0.60
NAMES = {"memory": "memories", "code": "code"}

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
    memory.catch_up()


def write(memory: Memory, functions: Sequence[tuple[str, str]]) -> None:
    """Write every function as a file of its own and index the folder."""
    for key, code in functions:
        (memory.root / key).write_text(code, "utf-8")
    memory.index()


def load(options: Options) -> tuple[dict[str, Case], list[str]]:
    """Return the projects by kind of hit, and the list that takes what is refused as they are filled."""
    folder = options.folder("cosqa")
    codes = json.loads((folder / "code_idx_map.txt").read_text("utf-8"))
    functions = [(str(key), code) for code, key in codes.items()]
    queries = json.loads((folder / "cosqa-retrieval-dev-500.json").read_text("utf-8"))
    asked = [Question(q["doc"], frozenset({str(q["retrieval_idx"])})) for q in queries][: options.limit]
    refused: list[str] = []
    files = [(f"{key}.py", code) for key, code in functions]
    at_files = [Question(q.text, frozenset(f"{key}.py" for key in q.gold)) for q in asked]
    cases = {
        "memory": Case("functions", partial(fill, functions=functions, refused=refused), asked, functions),
        "code": Case("files", partial(write, functions=files), at_files, files),
    }
    return cases, refused


def run(options: Options) -> Report:
    """Ask all 500 queries, or as many as the limit says, of memories and of indexed code.

    The functions are always all there.
    """
    cases, refused = load(options)
    asked, functions = cases["memory"].questions, cases["memory"].texts
    tables: list[Table] = []
    figures: dict[str, Any] = {"questions": len(asked), "functions": len(functions)}
    checks: list[Check] = []
    for kind, case in cases.items():
        done = recall.run_cases([case], kind, K, options, "cosqa")
        title = f"CoSQA dev, {len(asked)} queries over {len(functions):,} functions as {NAMES[kind]}"
        table, own = recall.table(title, done, METRICS)
        tables.append(table)
        if options.ablate:
            shown = {what: METRICS[what] for what in ("MRR", "recall@10")}
            parts, own["parts"] = recall.ablation(done, f"CoSQA as {NAMES[kind]}", shown)
            tables.append(parts)
        figures[kind] = {**own, "timing": recall.timing(done)}
        if options.limit is None:
            checks += _checks(kind, own)
    figures["refused"] = len(refused)
    notes = tuple(f"not stored: {reason}" for reason in refused[:10])
    return Report("cosqa", figures, tuple(tables), tuple(checks), notes, done.model, done.settings)


def _checks(kind: str, figures: Mapping[str, Mapping[str, float]]) -> list[Check]:
    ours = figures[OURS]["MRR"]
    best = max((n for n in figures if n in SINGLE_PATHS), key=lambda n: figures[n]["MRR"])
    promised = figures[best]["MRR"]
    found = [Check(f"CoSQA MRR as {NAMES[kind]}", ours, f">= {promised:.3f} ({best})", ours >= promised)]
    if kind == "code":
        found.append(Check("CoSQA MRR as code", ours, f">= {AIM}", ours >= AIM))
    return found
