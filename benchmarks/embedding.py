"""Embedding: what integer arithmetic costs in quality and saves in processor time.

The texts of LoCoMo's dialogues and of CoSQA's functions are embedded by the bundled model in integers, as it
runs where that is exact, and in floats. Questions are ranked by cosine alone, so that nothing hides what the
vectors are worth. Of CoSQA those functions that answer a query are taken, and drawn others up to 2,000.
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks import cosqa, locomo
from benchmarks.common import Options, Report, Table, say
from benchmarks.metrics import mean, paired_interval
from benchmarks.recall import Answer, Case, Metric
from remora.embeddings.onnx import OnnxEmbedder

FUNCTIONS = 2_000
INTEGERS, FLOATS = "integers", "floats"


def run(options: Options) -> Report:
    """Measure all dialogues and queries, or as many as the limit says."""
    functions = cosqa.load(options)[0]["memory"]
    data: list[tuple[str, list[Case], str, Metric]] = [
        (
            "LoCoMo",
            locomo.load(options.folder("locomo"))[: options.limit],
            "recall@10",
            locomo.METRICS["recall@10"],
        ),
        ("CoSQA", [drawn(functions)], "MRR", cosqa.METRICS["MRR"]),
    ]
    rows: list[tuple[object, ...]] = []
    figures: dict[str, Any] = {}
    for name, cases, what, metric in data:
        found = {way: ranked(way, cases) for way in (INTEGERS, FLOATS)}
        rows.append(_row(name, what, metric, found, figures))
        say(f"embedding: {name}, {figures[name]['questions']} questions")
    columns = ("", "questions", INTEGERS, FLOATS, "difference, 95 % interval", "processor time, floats = 1")
    table = Table("Cosine alone, one thread", columns, tuple(rows))
    return Report("embedding", figures, (table,), model=OnnxEmbedder.model_id)


def drawn(case: Case) -> Case:
    """Return a case with the functions that answer its questions, and others up to `FUNCTIONS`."""
    gold = frozenset(key for question in case.questions for key in question.gold)
    others = [text for text in case.texts if text[0] not in gold]
    random.Random(1).shuffle(others)
    texts = [text for text in case.texts if text[0] in gold]
    return case._replace(texts=[*texts, *others[: max(0, FUNCTIONS - len(texts))]])


def ranked(way: str, cases: Sequence[Case]) -> tuple[list[Answer], float]:
    """Return the answers, best first, and the seconds of processor time that the texts took."""
    embedder = OnnxEmbedder(threads=1, floats=way == FLOATS)
    embedder.embed_query("loads the model")
    answers: list[Answer] = []
    seconds = 0.0
    for case in cases:
        started = time.process_time()
        texts = embedder.embed_documents([text for _, text in case.texts])
        seconds += time.process_time() - started
        questions = embedder.embed_documents([question.text for question in case.questions])
        for question, cosines in zip(case.questions, questions @ texts.T, strict=True):
            best = [case.texts[at][0] for at in np.argsort(-cosines, kind="stable")]
            answers.append(Answer(case.name, question, best))
    embedder.close()
    return answers, seconds


def _row(
    name: str,
    what: str,
    metric: Metric,
    found: Mapping[str, tuple[list[Answer], float]],
    figures: dict[str, Any],
) -> tuple[object, ...]:
    scores = {way: [metric(answer) for answer in answers] for way, (answers, _) in found.items()}
    lead = paired_interval([[s] for s in scores[INTEGERS]], [[s] for s in scores[FLOATS]])
    ratio = found[INTEGERS][1] / found[FLOATS][1]
    figures[name] = {
        "questions": len(scores[INTEGERS]),
        **{f"{way} {what}": mean(own) for way, own in scores.items()},
        "difference": lead._asdict(),
        "processor time": ratio,
    }
    difference = f"{lead.mean:+.3f} [{lead.low:+.3f}, {lead.high:+.3f}]"
    told = (mean(scores[INTEGERS]), mean(scores[FLOATS]), difference, ratio)
    return (f"{name}, {what}", len(scores[INTEGERS]), *told)
