"""BEAM-100K: which messages of a long chat with an assistant answer a question about it.

Every chat is a project of its own and one session in it. The marks that the generator of the data left
at the end of messages are taken off. The questions with labelled evidence are asked; those about what
was never said have none by design.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import recall
from benchmarks.common import Check, Options, Report
from benchmarks.metrics import all_at, recall_at
from benchmarks.paths import OURS, SINGLE_PATHS
from benchmarks.recall import Case, Metric, Question
from remora.app.memory import Memory

K = 50
_MARK = re.compile(r"\s*->->[\s\d,)]*(?:N/A)?\s*$")

METRICS: dict[str, Metric] = {
    "recall@5": lambda a: recall_at(a.ranked, a.question.gold, 5),
    "recall@10": lambda a: recall_at(a.ranked, a.question.gold, 10),
    "recall@50": lambda a: recall_at(a.ranked, a.question.gold, 50),
    "all@10": lambda a: all_at(a.ranked, a.question.gold, 10),
}


def unmarked(text: str) -> str:
    """Return a message without the generator's mark at its end.

    >>> unmarked("Can you help me with that? ->-> 1,12")
    'Can you help me with that?'
    """
    return _MARK.sub("", text)


def fill(memory: Memory, messages: Sequence[Mapping[str, Any]]) -> None:
    """Append a chat to a project as one session."""
    memory.session("beam:1").extend(
        {
            "role": message["role"],
            "content": unmarked(message["content"]),
            "external_id": str(message["id"]),
            **({"time": message["time"]} if message.get("time") else {}),
        }
        for message in messages
    )


def case(name: str, chat: Mapping[str, Any]) -> Case:
    """Return a chat as a project to fill and questions to ask."""
    messages = chat["messages"]
    texts = [(str(m["id"]), f"{m['role']}: {unmarked(m['content'])}") for m in messages]
    known = {key for key, _ in texts}
    questions = [
        Question(q["question"], gold, q["category"])
        for q in chat["questions"]
        if (gold := frozenset(map(str, q["evidence_ids"])) & known)
    ]
    return Case(name, partial(fill, messages=messages), questions, texts)


def load(folder: Path, limit: int | None) -> Iterable[Case]:
    """Yield the chats of the data set, one at a time: together they are large."""
    for path in recall.only(folder, "chat_*.json.gz")[:limit]:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            yield case(path.name.split(".")[0], json.load(file))


def run(options: Options) -> Report:
    """Measure all chats, or as many as the limit says."""
    done = recall.run_cases(load(options.folder("beam_100k"), options.limit), "turn", K, options, "beam")
    count = len(done.answers[OURS])
    table, figures = recall.table(f"BEAM-100K, {count} questions with evidence", done, METRICS)
    categories, by_category = recall.by_category("BEAM-100K by ability", done, METRICS)
    chats, worst = recall.by_case("BEAM-100K by chat", done, METRICS)
    tables = [table, categories, chats]
    figures |= {
        "questions": count,
        "by category": by_category,
        "worst chat": worst,
        "timing": recall.timing(done),
    }
    if options.ablate:
        shown = {what: METRICS[what] for what in ("recall@10", "all@10")}
        parts, figures["parts"] = recall.ablation(done, "BEAM-100K", shown)
        tables.append(parts)
    checks: list[Check] = []
    if options.limit is None:
        ours = figures[OURS]["recall@10"]
        best = max((n for n in figures if n in SINGLE_PATHS), key=lambda n: figures[n]["recall@10"])
        checks = [
            Check.at_least("BEAM recall@10", ours, 0.60),
            Check.above("BEAM recall@10", ours, figures[best]["recall@10"], best),
        ]
    return Report("beam", figures, tuple(tables), tuple(checks), (), done.model, done.settings)
