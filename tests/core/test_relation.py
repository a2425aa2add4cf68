"""How a later statement stands to an earlier one."""

from __future__ import annotations

from pathlib import Path

import pytest

from remora.core.relation import relation

PAIRS = Path(__file__).parent / "corpora" / "statement_pairs.tsv"


def pairs() -> list[tuple[str, str, str]]:
    """Return the labelled pairs: what is expected, the later statement, the earlier one."""
    rows = [tuple(line.split("\t")) for line in PAIRS.read_text("utf-8").splitlines()]
    return [(expected, newer, older) for expected, newer, older in rows]


@pytest.mark.parametrize(("expected", "newer", "older"), pairs())
def test_pair(expected: str, newer: str, older: str) -> None:
    """Each pair is told as it is labelled."""
    assert relation(newer, older) == expected


def test_every_answer_is_asked_for() -> None:
    """The pairs hold all three answers."""
    assert {"same", "later", "apart"} == {expected for expected, _, _ in pairs()}
    assert len(pairs()) >= 60


@pytest.mark.parametrize("text", ["", "…", "a", "no", "\ud800", "use " * 20_000])
def test_a_statement_is_the_same_as_itself(text: str) -> None:
    """Also one that is empty, odd or very long."""
    assert relation(text, text) == "same"
