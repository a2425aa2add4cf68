"""Which sentences are rules by their form: the corpus has each with its rule, or nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from remora.observer.statements import names_something, stands_alone, statements
from tests.tables import table


@pytest.mark.parametrize(("sentence", "rule"), table(__file__, "rules"))
def test_a_sentence_is_heard_as_its_rule_or_not_at_all(sentence: str, rule: str) -> None:
    """What asks for something lasting by its form is kept as a sentence; all else is left to other ways."""
    assert [s.text for s in statements(sentence)] == [rule] * bool(rule)


def test_what_was_pasted_is_nobodys_rule() -> None:
    """Code, and a prompt of very many lines, is not what the person says."""
    rule = "Always use `make fmt` before a commit"
    assert statements(rule)
    assert statements(f"```\n{rule}\n```") == []
    assert statements("\n".join([rule] * 20)) == []


def test_several_rules_of_a_prompt_are_kept_each_once() -> None:
    """In their order; what is only asked for between them is not."""
    prompt = "Rename it. Never use `eval()`. Then open the file. Use tabs, not spaces. Never use `eval()`."
    assert [s.text for s in statements(prompt)] == ["Never use `eval()`.", "Use tabs, not spaces."]


def test_what_is_to_be_remembered_makes_a_fact() -> None:
    """It is no preference, and loses the request."""
    (found,) = statements("please remember that the demo database lives on `db2`")
    assert (found.type, found.text) == ("gotcha", "The demo database lives on `db2`.")


def test_names_and_what_hangs_in_the_air() -> None:
    """A path, a name or a flag is something; "this" needs what was said around it."""
    told = ("see `a`", "in src/a.py", "the thing")
    assert [names_something(text) for text in told] == [True, True, False]
    assert [stands_alone(text) for text in ("Tests need Docker", "this one needs it")] == [True, False]


def test_the_examples_of_the_documentation() -> None:
    """The table of docs/learning.md: the left column is heard, the right one is not."""
    text = (Path(__file__).parents[2] / "docs" / "learning.md").read_text("utf-8")
    shown = text.partition("| memory | no memory |")[2].partition("\n\n")[0]
    rows = [re.findall(r"\"([^\"]+)\"", row) for row in shown.splitlines()[2:]]
    assert [[len(statements(sentence)) for sentence in row] for row in rows] == [[1, 0]] * len(rows)
    assert len(rows) >= 4
