"""At which actions the rules of a project's rule files would be shown, with the labels of a reader."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.rule_triggers import _labels, read, report
from tests.helpers import Repo


def test_the_rules_of_a_clone_are_read(tmp_path: Path) -> None:
    """With the actions at which they would be shown, and a mark that stays the same."""
    repo = Repo(tmp_path / "shop").init()
    repo.commit("rules", {"AGENTS.md": "# Rules\n\n- Never call `reset_all()` in a handler.\n"})
    first, again = list(read(repo.root)), list(read(repo.root))
    assert [(rule, action) for _, rule, action in first] == [
        ("Never call `reset_all()` in a handler.", "runs, adds or edits `reset_all(`")
    ]
    assert first == again


def test_what_was_never_judged_is_unread(tmp_path: Path) -> None:
    """The share is of what was judged; a label must be known."""
    found = report({"a/b": ["1", "2", "3"], "c/d": ["4"]}, {"1": "right", "2": "wrong", "4": "right"})
    assert (found.figures["wrong, share"], found.figures["wrong, mean"]) == (pytest.approx(1 / 3), 0.25)
    assert found.figures["unread"] == 1
    (tmp_path / "labels.tsv").write_text("mark\tlabel\n1\tgood\n", "utf-8")
    with pytest.raises(SystemExit, match="a label is one of"):
        _labels(tmp_path / "labels.tsv")
