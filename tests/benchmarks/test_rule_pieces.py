"""Which pieces of a project's rule files are kept, with the labels of a reader."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from benchmarks.rule_pieces import PARTS, pieces, report
from tests.helpers import Repo


def test_the_pieces_of_a_clone_are_judged(tmp_path: Path) -> None:
    """Each has a mark of its own; an order is kept, a description is not."""
    repo = Repo(tmp_path / "shop").init()
    repo.commit(
        "rules", {"AGENTS.md": "- Never call `reset_all()` in a handler.\n- The loop reads the queue.\n"}
    )
    judged = dict(pieces(repo.root))
    assert list(judged.values()) == [True, False]


def test_precision_and_recall_of_each_part() -> None:
    """What a reader called either way counts for neither."""
    held = Counter({"rule, kept": 3, "other, kept": 1, "rule, left out": 2, "either, kept": 5})
    found = report({PARTS[0]: held, PARTS[1]: Counter()})
    assert found.figures == {"held back, precision": 0.75, "held back, recall": 0.6}
    assert all(check.met for check in found.checks)
