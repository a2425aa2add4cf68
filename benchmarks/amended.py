"""What was amended: of two texts on one matter, does the later one come first?

Made-up pairs: a short chat states a fact and later another value of it, among talk of other things. Public
pairs: the questions of BEAM-100K about knowledge that was updated, whose evidence begins with the old value
and ends with the new one; the first half of the chats took part in choices. `hit@1` asks that the new one is
the very first hit.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks import beam, recall
from benchmarks.common import Options, Report, Table, memory_in, model_of, say, workplace
from benchmarks.metrics import mean
from benchmarks.texts import Texts
from remora.app.memory import Memory
from remora.app.recall.search import search
from remora.core.values import Filters

# Question, what was said first, what holds now; by topic, in words that differ from those of the question.
MADE_UP = (
    ("Which database do we use?", "We use Postgres as our database.", "We moved the database to MySQL."),
    ("When is the release?", "The release is on Friday.", "The release has slipped to Tuesday."),
    ("Who reviews the billing code?", "Ann reviews the billing code.", "Now Ben reviews the billing code."),
    ("What is the gateway's timeout?", "The gateway's timeout is 30 s.", "The gateway timeout is 45 s now."),
    ("Where do the logs go?", "All logs go to /var/log/shop.", "The logs go to the journal instead."),
    ("How many workers run in production?", "Production runs 4 workers.", "We run 9 workers in production."),
    ("Which branch do we deploy from?", "We deploy from the branch main.", "Deploy from the release branch."),
    ("What is the limit of uploads?", "Uploads are limited to 10 MB.", "The upload limit went up to 25 MB."),
    ("Which linter do we run?", "Our linter is flake8.", "The linter is ruff since this week."),
    ("What does the mobile team need?", "The mobile team needs JSON.", "The mobile team needs protobuf."),
)
ASIDE = 20  # sentences of other talk before, between and after


class Pair(NamedTuple):
    """A question, the ids of the old and of the new text, and what was found, best first."""

    old: str
    new: str
    ranked: Sequence[str]

    @property
    def first(self) -> bool:
        """Whether the new text comes before the old one."""
        return self.new in self.ranked and self._place(self.new) < self._place(self.old)

    def _place(self, key: str) -> int:
        return self.ranked.index(key) if key in self.ranked else len(self.ranked)


def run(options: Options) -> Report:
    """Ask about every pair, with the rule and without it."""
    rows: list[tuple[object, ...]] = []
    figures: dict[str, float] = {}
    model = "none"
    for without in ("", "amended"):
        made, model = made_up(options.limit, without)
        groups = {"made up": made}
        if options.data is not None:
            found = [public(path, without) for path in _chats(options)]
            half = len(found) // 2
            groups["BEAM, chosen on"] = [pair for pairs in found[:half] for pair in pairs]
            groups["BEAM, the others"] = [pair for pairs in found[half:] for pair in pairs]
        for name, pairs in groups.items():
            named = f"{name}, without the rule" if without else name
            first, hit = mean(p.first for p in pairs), mean(p.ranked[:1] == [p.new] for p in pairs)
            figures |= {f"{named}: new first": first, f"{named}: hit@1": hit}
            rows.append((named, len(pairs), first, hit))
    table = Table("What was amended", ("pairs", "number", "new first", "hit@1"), tuple(rows))
    return Report("amended", figures, (table,), model=model)


def made_up(limit: int | None, without: str) -> tuple[list[Pair], str]:
    """Return what is found of the made-up pairs, each in a project of its own, and the model in use."""
    found, model = [], "none"
    for number, (question, old, new) in enumerate(MADE_UP[:limit]):
        texts = Texts(seed=number)
        aside = [[texts.sentence() for _ in range(ASIDE)] for _ in range(3)]
        lines = [*aside[0], old, *aside[1], new, *aside[2]]
        with workplace() as place, memory_in(place) as memory:
            memory.session("s:1").extend(
                {"role": "user" if line in (old, new) else ("user", "assistant")[n % 2], "content": line}
                | {"external_id": {old: "old", new: "new"}.get(line, str(n))}
                for n, line in enumerate(lines)
            )
            memory.catch_up()
            model = model_of(memory)
            found.append(Pair("old", "new", _asked(memory, question, without)))
    return found, model


def public(path: Path, without: str) -> list[Pair]:
    """Return what is found of a chat's questions about knowledge that was updated."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        chat = json.load(file)
    case = beam.case(path.name.split(".")[0], chat)
    pairs = []
    with workplace() as place, memory_in(place) as memory:
        case.fill(memory)
        memory.catch_up()
        for question in case.questions:
            gold = sorted(question.gold, key=int)
            if question.category == "knowledge_update" and len(gold) > 1:
                pairs.append(Pair(gold[0], gold[-1], _asked(memory, question.text, without)))
    say(f"amended: {case.name}, {len(pairs)} pairs")
    return pairs


def _chats(options: Options) -> Iterator[Path]:
    yield from recall.only(options.folder("beam_100k"), "chat_*.json.gz")[: options.limit]


def _asked(memory: Memory, question: str, without: str) -> list[str]:
    parts = frozenset([without]) if without else frozenset[str]()
    found = search(memory._project, question, beam.K, Filters(kinds=("turn",), branch="*"), without=parts)
    return [hit.external_id or hit.id for hit in found.hits]
