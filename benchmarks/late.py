"""Whether a local reranker pays: token-level late interaction with the bundled model.

The judge compares every token of the question with every token of a text and adds up the best cosines
(MaxSim, Khattab and Zaharia 2020), with the token states of the model whose means are our vectors. It
needs no download; it reads each text anew, since token states of everything would be a hundred times the
vectors. It is measured through the search as users would get it, over the first 10 and the first 20 hits,
beside the search without it. It was left out because it gains next to nothing for its time.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks import cosqa, locomo
from benchmarks.common import Options, Report, Table, memory_in, model_of, say, settings_of, workplace
from benchmarks.metrics import mean, paired_interval, unique
from benchmarks.recall import Answer, Case, Metric
from remora.embeddings.onnx import OnnxEmbedder
from remora.embeddings.vectors import normalise

if TYPE_CHECKING:
    from numpy.typing import NDArray

PLAIN = "remora"
DEPTHS = {"late interaction, first 10": 10, "late interaction, first 20": 20}


class LateInteraction:
    """A reranker by MaxSim over the token states of the bundled model; the rest stays in order."""

    def __init__(self, embedder: OnnxEmbedder, depth: int) -> None:
        self._embedder = embedder
        self._depth = depth
        self.seconds = 0.0

    def rerank(self, query: str, documents: Sequence[str], *, timeout: float) -> list[float]:
        """Return the mean of the best cosine of each token of the question, however long it takes."""
        del timeout
        started = time.perf_counter()
        asked = self._tokens([query])[0]
        judged = self._tokens(documents[: self._depth])
        scores = [float((asked @ judged[i].T).max(axis=1).mean()) if i in judged else -1.0
                  for i in range(min(self._depth, len(documents)))]  # fmt: skip
        self.seconds += time.perf_counter() - started
        return [*scores, *(-2.0 - place for place in range(len(documents) - len(scores)))]

    def _tokens(self, texts: Sequence[str]) -> dict[int, NDArray[np.float32]]:
        """Return the token states of length 1 of each text that is not blank, without [CLS] and [SEP]."""
        return {i: normalise(states[1:-1]) for i, states in self._embedder._states(texts) if len(states) > 2}


def judged(
    case: Case, kind: str, k: int, options: Options, name: str
) -> tuple[dict[str, list[Answer]], dict[str, float], str, dict[str, Any]]:
    """Return the answers of the search with and without each judge, and the seconds that each judge took."""
    answers: defaultdict[str, list[Answer]] = defaultdict(list)
    embedder = OnnxEmbedder()
    judges: dict[str, LateInteraction | None] = {PLAIN: None}
    judges |= {name: LateInteraction(embedder, depth) for name, depth in DEPTHS.items()}
    with workplace(options.keep, f"{name}-{case.name}") as place:
        with memory_in(place) as memory:
            case.fill(memory)
            memory.catch_up()
            model, settings = model_of(memory), settings_of(memory)
        for ranking, judge in judges.items():
            with memory_in(place, read_only=True, reranker=judge) as memory:
                for question in case.questions:
                    hits = memory.search(question.text, k, kinds=[kind])
                    ranked = unique(h.external_id or h.path for h in hits)
                    answers[ranking].append(Answer(case.name, question, ranked))
    say(f"late: {name} {case.name}, {len(case.questions)} questions")
    return dict(answers), {n: j.seconds for n, j in judges.items() if j is not None}, model, settings


def run(options: Options) -> Report:
    """Measure LoCoMo's turns and CoSQA's functions, with and without the judge."""
    tables: list[Table] = []
    figures: dict[str, Any] = {}
    model, settings = "none", dict[str, Any]()
    data: list[tuple[str, str, int, list[Case], Mapping[str, Metric]]] = [
        ("locomo", "turn", locomo.K, locomo.load(options.folder("locomo"))[: options.limit], locomo.METRICS),
        ("cosqa", "memory", cosqa.K, [cosqa.load(options)[0]["memory"]], cosqa.METRICS),
    ]
    for name, kind, k, cases, metrics in data:
        answers: defaultdict[str, list[Answer]] = defaultdict(list)
        spent: defaultdict[str, float] = defaultdict(float)
        for case in cases:
            found, seconds, model, settings = judged(case, kind, k, options, name)
            for ranking, own in found.items():
                answers[ranking] += own
                spent[ranking] += seconds.get(ranking, 0.0)
        table, figures[name] = _compared(name, answers, spent, metrics)
        tables.append(table)
    return Report("late", figures, tuple(tables), (), (), model, settings)


def _compared(
    name: str,
    answers: Mapping[str, Sequence[Answer]],
    spent: Mapping[str, float],
    metrics: Mapping[str, Metric],
) -> tuple[Table, dict[str, Any]]:
    """Return each ranking's averages with the lead over the plain search and its 95 % interval."""
    shown = [what for what in ("recall@10", "MRR") if what in metrics]
    rows: list[tuple[object, ...]] = []
    figures: dict[str, Any] = {"questions": len(answers[PLAIN])}
    for ranking, own in answers.items():
        each = 1000 * spent[ranking] / max(1, len(own))
        figures[ranking] = {"judge ms a question": each}
        cells: list[object] = []
        for what in shown:
            ours, plain = [[metrics[what](a)] for a in own], [[metrics[what](a)] for a in answers[PLAIN]]
            lead = paired_interval(ours, plain)
            figures[ranking][what] = {"mean": mean(v for (v,) in ours), "lead": lead._asdict()}
            cells += [mean(v for (v,) in ours), f"{lead.mean:+.3f} [{lead.low:+.3f}, {lead.high:+.3f}]"]
        rows.append((ranking, *cells, each))
    columns = tuple(c for what in shown for c in (what, "lead, 95 % interval"))
    title = f"{name}, {len(answers[PLAIN])} questions"
    return Table(title, ("", *columns, "judge ms a question"), tuple(rows)), figures
