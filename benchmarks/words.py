"""Which sentences of real people become memories by their form alone, and how many of those should.

`DATA/user_words` holds sentences that people of many repositories typed to agents, labelled. Repositories are
reported one by one: a rule that was made for one of them shows there. No sentence is shown or kept here.
"""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

from benchmarks.common import Check, Options, Report, Table
from remora.observer.statements import MOST_LINES, statements

LASTING = ("rule", "fact", "correction_lasting", "takes_back")
PRECISION, RECALL = 0.85, 0.20


def run(options: Options) -> Report:
    """Hear every labelled sentence; those that could be either are not scored."""
    folder = options.folder("user_words")
    messages = {one["mid"]: one["text"] for one in _rows(folder / "messages.jsonl")}
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])  # heard rightly, wrongly, missed
    for one in _rows(folder / "sentences.jsonl"):
        if one["label"] == "unsure":
            continue
        pasted = messages[one["mid"]].count("\n") > MOST_LINES
        heard = not pasted and bool(statements(one["sentence"]))
        lasting = one["label"] in LASTING
        if heard or lasting:
            counts[one["repo"]][0 if heard and lasting else 1 if heard else 2] += 1
    return report(counts)


def report(counts: dict[str, list[int]]) -> Report:
    """Return precision and recall over all repositories, with the counts of each that has any."""
    right, wrong, missed = (sum(one[place] for one in counts.values()) for place in range(3))
    precision = right / (right + wrong) if right + wrong else 0.0
    recall = right / (right + missed) if right + missed else 0.0
    # Repositories are numbered: the data set may not be quoted.
    rows = [(f"repository {n}", *one) for n, (_, one) in enumerate(sorted(counts.items()), 1)]
    worst = max((one[1] for one in counts.values()), default=0)
    checks = (
        Check("precision", precision, f">= {PRECISION}", precision >= PRECISION),
        Check("recall", recall, f">= {RECALL}", recall >= RECALL),
    )
    figures = {"precision": precision, "recall": recall, "right": right, "wrong": wrong, "missed": missed}
    figures["most wrong in one repository"] = worst
    head = ("", "heard rightly", "heard wrongly", "missed")
    return Report("words", figures, (Table("Sentences of people", head, tuple(rows)),), checks)


def _rows(path: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
