"""LoCoMo: which turns of a long talk between two people answer a question about it.

Every dialogue is a project of its own and every session of it a session: role is the speaker, time the
session's date as it is written, external id the turn's own. The caption of a shared image stands behind
the text. Questions of categories 1 to 4 are asked; category 5 has no answer by design.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import recall
from benchmarks.common import Check, Options, Report
from benchmarks.metrics import all_at, mean, recall_at
from benchmarks.paths import OURS
from benchmarks.recall import Case, Metric, Question
from remora.app.memory import Memory

K = 30
CATEGORIES = {1: "1 multi-hop", 2: "2 temporal", 3: "3 open-domain", 4: "4 single-hop"}
MULTI_HOP = CATEGORIES[1]
_SESSION = re.compile(r"session_(\d+)")
_EVIDENCE = re.compile(r"D(\d+):(\d+)")

METRICS: dict[str, Metric] = {
    "recall@5": lambda a: recall_at(a.ranked, a.question.gold, 5),
    "recall@10": lambda a: recall_at(a.ranked, a.question.gold, 10),
    "recall@30": lambda a: recall_at(a.ranked, a.question.gold, 30),
    "all@10": lambda a: all_at(a.ranked, a.question.gold, 10),
}


def sessions(conversation: Mapping[str, Any]) -> Iterator[tuple[int, str, Sequence[Mapping[str, Any]]]]:
    """Yield (number, date text, turns) of a dialogue's sessions, in order."""
    numbers = sorted(int(m[1]) for key in conversation if (m := _SESSION.fullmatch(key)))
    for number in numbers:
        yield number, conversation.get(f"session_{number}_date_time", ""), conversation[f"session_{number}"]


def spoken(turn: Mapping[str, Any]) -> str:
    """Return what a turn says, with the caption of its image."""
    caption = turn.get("blip_caption")
    return f"{turn['text']} (image: {caption})" if caption else str(turn["text"])


def evidence(texts: Sequence[str], known: frozenset[str]) -> frozenset[str]:
    """Return the turns that evidence texts name; several in one text, leading zeros, unknown ones dropped.

    >>> sorted(evidence(["D8:6; D9:17", "D30:05", "D", "D99:1"], frozenset({"D8:6", "D9:17", "D30:5"})))
    ['D30:5', 'D8:6', 'D9:17']
    """
    found = {f"D{int(a)}:{int(b)}" for text in texts for a, b in _EVIDENCE.findall(text)}
    return frozenset(found & known)


def fill(memory: Memory, conversation: Mapping[str, Any]) -> None:
    """Append every session of a dialogue to a project."""
    for number, date, turns in sessions(conversation):
        memory.session(f"locomo:{number}").extend(
            {
                "role": turn["speaker"],
                "content": spoken(turn),
                "external_id": turn["dia_id"],
                **({"time": date} if date else {}),
            }
            for turn in turns
        )


def case(dialogue: Mapping[str, Any]) -> Case:
    """Return a dialogue as a project to fill and questions to ask."""
    conversation = dialogue["conversation"]
    texts = [
        (turn["dia_id"], f"[{date}] {turn['speaker']}: {spoken(turn)}")
        for _, date, turns in sessions(conversation)
        for turn in turns
    ]
    known = frozenset(key for key, _ in texts)
    questions = [
        Question(str(qa["question"]), gold, CATEGORIES[qa["category"]])
        for qa in dialogue["qa"]
        if qa["category"] in CATEGORIES and (gold := evidence(qa.get("evidence", []), known))
    ]
    return Case(dialogue["sample_id"], partial(fill, conversation=conversation), questions, texts)


def dialogues(folder: Path) -> list[dict[str, Any]]:
    """Return every dialogue of the data set as it is written."""
    files = recall.only(folder, "*.json")
    return [dialogue for path in files for dialogue in json.loads(path.read_text("utf-8"))]


def load(folder: Path) -> list[Case]:
    """Return every dialogue of the data set as a project and its questions."""
    return [case(dialogue) for dialogue in dialogues(folder)]


def run(options: Options) -> Report:
    """Measure all dialogues, or as many as the limit says."""
    cases = load(options.folder("locomo"))[: options.limit]
    done = recall.run_cases(cases, "turn", K, options, "locomo")
    count = len(done.answers[OURS])
    table, figures = recall.table(f"LoCoMo, categories 1-4, {count} questions", done, METRICS)
    categories, by_category = recall.by_category("LoCoMo by category", done, METRICS)
    dialogues, worst = recall.by_case("LoCoMo by dialogue", done, METRICS)
    tables = [table, categories, dialogues]
    multi_hop = {
        name: mean(METRICS["all@10"](a) for a in answers if a.question.category == MULTI_HOP)
        for name, answers in done.answers.items()
    }
    figures |= {
        "questions": count,
        "by category": by_category,
        "worst dialogue": worst,
        "multi-hop all@10": multi_hop,
        "timing": recall.timing(done),
    }
    if options.ablate:
        shown = {what: METRICS[what] for what in ("recall@10", "all@10")}
        parts, figures["parts"] = recall.ablation(done, "LoCoMo", shown)
        tables.append(parts)
    checks: list[Check] = []
    if options.limit is None:
        checks = [
            Check.at_least("LoCoMo recall@10", figures[OURS]["recall@10"], 0.78),
            Check.at_least("LoCoMo all@10", figures[OURS]["all@10"], 0.72),
            Check.at_least("LoCoMo multi-hop all@10", multi_hop[OURS], 0.28),
        ]
    return Report("locomo", figures, tuple(tables), tuple(checks), (), done.model, done.settings)
