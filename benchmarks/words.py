"""What people typed to agents: what becomes a memory by its form, what is kept as a quote and found again.

`DATA/user_words` holds sentences that people of many repositories typed, labelled. Repositories are reported
one by one: a rule that was made for one of them shows there. No sentence is shown or kept here; the tasks
of `labels/quote_tasks.tsv` are ours, each for one labelled sentence that bears on it.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from typing import Any

from benchmarks.common import ROOT, Check, Options, Report, Table, memory_in, workplace
from remora.app.learning.quotes import take_in
from remora.app.memory import Memory
from remora.core.events import Event
from remora.observer.observer import Observer
from remora.observer.quotes import sentences
from remora.observer.statements import MOST_LINES, statements

LASTING = ("rule", "fact", "correction_lasting", "takes_back")
PRECISION, RECALL = 0.85, 0.20
SHARE, KEPT = 0.30, 0.75
HITS, FOUND = 5, 0.70
LARGE, MANY = 100, 5  # sentences, and lasting ones, of a repository whose share is told
TASKS = ROOT / "benchmarks" / "labels" / "quote_tasks.tsv"


def run(options: Options) -> Report:
    """Hear every labelled sentence; those that could be either are not scored, but count as sentences."""
    folder = options.folder("user_words")
    messages = {one["mid"]: one for one in _rows(folder / "messages.jsonl")}
    labelled = _rows(folder / "sentences.jsonl")
    quotes = {mid: [_plain(text) for text in _quotes(one)] for mid, one in messages.items()}
    heard: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])  # rightly, wrongly, missed
    kept: dict[str, list[int]] = defaultdict(
        lambda: [0, 0, 0, 0]
    )  # sentences, kept, lasting, lasting and kept
    for one in labelled:
        said, lasting = _plain(one["sentence"]), one["label"] in LASTING
        is_kept = _among(said, quotes[one["mid"]])
        for place, adds in enumerate((True, is_kept, lasting, lasting and is_kept)):
            kept[one["repo"]][place] += adds
        if one["label"] == "unsure":
            continue
        pasted = messages[one["mid"]]["text"].count("\n") > MOST_LINES
        is_heard = not pasted and bool(statements(one["sentence"]))
        if is_heard or lasting:
            heard[one["repo"]][0 if is_heard and lasting else 1 if is_heard else 2] += 1
    return report(heard, kept, _found(list(messages.values()), labelled))


def _quotes(message: dict[str, Any]) -> list[str]:
    before = message.get("before") or ""
    return sentences(message["text"], before, first=not before)


def _plain(text: str) -> str:
    return "".join(re.findall(r"\w+", text.lower()))


def _among(said: str, found: list[str]) -> bool:
    """Return whether a sentence is among others, which may be cut a little otherwise."""
    return any(said in one or (one in said and 2 * len(one) > len(said)) for one in found) if said else False


def _found(messages: list[dict[str, Any]], labelled: list[dict[str, Any]]) -> dict[str, list[int]]:
    """Return by repository how many tasks there are, and for how many a search finds the quote they need."""
    tasks = dict(line.split("\t") for line in TASKS.read_text("utf-8").splitlines())
    asked = [one for one in labelled if one["id"] in tasks]
    found: dict[str, list[int]] = {}
    for repo in sorted({one["repo"] for one in asked}):
        with workplace() as folder, memory_in(folder) as memory:
            _say(memory, [one for one in messages if one["repo"] == repo])
            memory.catch_up()
            mine = [one for one in asked if one["repo"] == repo]
            kinds = ("memory", "quote")
            found_for = [memory.search(tasks[one["id"]], HITS, kinds=kinds) for one in mine]
            hits = [[_plain(hit.text) for hit in own] for own in found_for]
            right = sum(_among(_plain(one["sentence"]), own) for one, own in zip(mine, hits, strict=True))
            found[repo] = [len(mine), right]
    return found


def _say(memory: Memory, messages: list[dict[str, Any]]) -> None:
    """Have the sessions of a repository observed, and their quotes stored."""
    db = memory._project.db
    sessions: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for one in sorted(messages, key=lambda one: one["order"]):
        sessions[one["session"]].append(one)
    for name, own in sessions.items():
        observer = Observer(name, "plain")
        for step, one in enumerate(own):
            if one.get("before"):
                observer.observe(Event("reply", name, f"r{step}", step, text=one["before"]))
            observer.observe(Event("user_prompt", name, f"p{step}", step, text=one["text"]))
        with db.connection.transaction():
            take_in(db, observer.finalize())


def report(heard: dict[str, list[int]], kept: dict[str, list[int]], found: dict[str, list[int]]) -> Report:
    """Return the figures over all repositories, with the counts of each."""
    right, wrong, missed = _sums(heard, 3)
    precision = right / (right + wrong) if right + wrong else 0.0
    recall = right / (right + missed) if right + missed else 0.0
    every, quoted, lasting, held = _sums(kept, 4)
    tasks, answered = _sums(found, 2)
    figures = {
        "precision": precision,
        "recall": recall,
        "most wrong in one repository": max((one[1] for one in heard.values()), default=0),
        "share of sentences kept": quoted / every,
        "largest share in a repository": max(one[1] / one[0] for one in kept.values() if one[0] >= LARGE),
        "lasting sentences kept": held / lasting,
        "least in a repository": min(one[3] / one[2] for one in kept.values() if one[2] >= MANY),
        "quotes found for a task": answered / tasks,
        "tasks": tasks,
    }
    checks = (
        Check("precision", precision, f">= {PRECISION}", precision >= PRECISION),
        Check("recall", recall, f">= {RECALL}", recall >= RECALL),
        Check("share of sentences kept", quoted / every, f"<= {SHARE}", quoted / every <= SHARE),
        Check("lasting sentences kept", held / lasting, f">= {KEPT}", held / lasting >= KEPT),
        Check("quotes found for a task", answered / tasks, f">= {FOUND}", answered / tasks >= FOUND),
    )
    # Repositories are numbered: the data set may not be quoted.
    rows = [
        (f"repository {number}", *heard.get(repo, [0, 0, 0]), *kept[repo], *found.get(repo, [0, 0]))
        for number, repo in enumerate(sorted(kept), 1)
    ]
    head = (
        "",
        "heard rightly",
        "wrongly",
        "missed",
        "sentences",
        "kept",
        "lasting",
        "kept",
        "tasks",
        "found",
    )
    return Report("words", figures, (Table("Sentences of people", head, tuple(rows)),), checks)


def _sums(counts: dict[str, list[int]], columns: int) -> list[int]:
    return [sum(one[place] for one in counts.values()) for place in range(columns)]


def _rows(path: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
