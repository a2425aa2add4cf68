"""At which commands and edits a statement is said again."""

from __future__ import annotations

import pytest

from remora.core.directive import directive
from remora.core.pattern_triggers import pattern_triggers, patterns_of
from remora.core.triggers import Trigger
from tests.core.acts import at_edit, at_line, shown
from tests.tables import table


def of(statement: str) -> list[Trigger]:
    """Return the triggers of a text."""
    found = patterns_of(directive(statement))
    return [trigger for patterns in found for trigger in pattern_triggers(patterns, "m")]


@pytest.mark.parametrize("row", table(__file__, "rules_shown"), ids=lambda row: f"{row[0]}: {row[2]}")
def test_a_rule_is_said_at_what_breaks_it(row: tuple[str, ...]) -> None:
    """A row tells the behaviour, whether the rule is shown, and at which act; its neighbours are silent."""
    _, expected, rule, *act = row
    assert shown(of(rule), *act) == expected


@pytest.mark.parametrize(("statement", "path", "added", "silent"), table(__file__, "rules_in_code"))
def test_an_edit(statement: str, path: str, added: str, silent: str) -> None:
    """An edit counts when it brings in what is forbidden, in code."""
    rule = of(statement)
    assert at_edit(rule, path, added)
    assert not at_edit(rule, path, silent)
    assert not at_edit(rule, path, "", added), "it is taken out"
    assert not at_edit(rule, path, added + "\nmore = 1", added), "it stood there before"
    assert not at_edit(rule, "notes/a.md", added), "prose"


@pytest.mark.parametrize("text", [text for (text,) in table(__file__, "nothing_forbidden")])
def test_what_names_no_forbidden_thing(text: str) -> None:
    """A thought, an order of steps, a purpose, a part ("not just"), a compound with a hyphen."""
    assert directive(text).forbids == ()


def test_what_stands_around_a_name() -> None:
    """A slash alone is no path."""
    assert directive("Use neither `Edit` / `Write` here").about == ()


ORDINARY = 577  # of 658: rules with an action that breaks each, one that obeys it, and another one


def test_ordinary_rules() -> None:
    """Rules as people write them are shown at the action that breaks them, and at no other; most of them."""
    rows = table(__file__, "ordinary_rules")
    assert sum(shown(of(rule), *act) == expected for expected, rule, *act in rows) >= ORDINARY


@pytest.mark.parametrize(
    "text",
    ["The build takes four minutes", "It never worked for me", "npm does not read the proxy", "", "\0" * 50],
)
def test_what_asks_for_nothing_has_no_command(text: str) -> None:
    """A report, a complaint and no text at all are said at no command."""
    assert not at_line(of(text), "npm install && git push --force origin main")
