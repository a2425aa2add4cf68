"""The brief of a large store: within its tokens, nothing twice, nothing that contradicts itself."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from remora import Memory
from remora.core.relation import relation
from remora.core.tokens import ceil_chars_4

PAIRS = Path(__file__).parents[1] / "core" / "corpora" / "statement_pairs.tsv"
CONTRADICTIONS = 5
NAMES = "billing search login export import audit queue cache report invoice".split()
PARTS = "schema route worker table form banner token index probe filter".split()
RULES = (
    "The {} {} keeps its settings in one file",
    "Changes of the {} {} need a second pair of eyes",
    "Only the nightly job may rebuild the {} {}",
)


def told(text: str) -> list[str]:
    """Return the statements of a brief, without their ids."""
    lines = (line.removeprefix("- ") for line in text.splitlines() if line.startswith("- "))
    return [line.rpartition(" [Memory #")[0] for line in lines if "[Memory #" in line]


@pytest.mark.slow
def test_a_store_of_three_hundred_memories_is_told_in_its_tokens(bare: Memory) -> None:
    """Twenty paraphrases are merged, of five contradictions the later word alone is told."""
    pairs = [line.split("\t") for line in PAIRS.read_text("utf-8").splitlines()]
    same = [one[1:] for one in pairs if one[0] == "same"]
    later = [one[1:] for one in pairs if one[0] == "later"][:CONTRADICTIONS]
    fillers = [rule.format(name, part) for rule in RULES for name in NAMES for part in PARTS]
    room = 300 - 2 * len(same) - 2 * len(later)
    drafts = [{"content": text, "type": "preference", "source": "user_taught"} for text in fillers[:room]]
    bare.remember_each(drafts)
    for place in (0, 1):  # of a pair of the corpus the first is the later word
        for pair in (*same, *later):
            bare.remember(pair[1 - place], type="preference", source="user_taught")
    text = bare.loop("s").brief()
    live = {record.content for record in bare.list(limit=400)}
    said = told(text)
    assert len(said) >= 5
    assert ceil_chars_4(text) <= 1_200
    assert len(said) == len(set(said))
    assert {relation(a, b) for a, b in combinations(said, 2)} <= {"apart"}
    assert not {old for _, old in later} & set(said)
    assert all(new in live and old not in live for new, old in later)
    kept = [(new in live) + (old in live) for new, old in same]
    assert max(kept) == 1
    assert kept.count(0) <= 1  # one is also the earlier word of a contradiction
