"""At which commands and edits a statement is said again."""

from __future__ import annotations

import pytest

from remora.core.directive import directive
from remora.core.edit_match import read_edit, writes
from remora.core.pattern_triggers import pattern_triggers, patterns_of
from remora.core.triggers import Trigger
from remora.shell.trigger_match import marks, read_line, sets_off
from tests.tables import table


def triggers_of(statement: str) -> list[Trigger]:
    """Return the triggers of a text."""
    found = patterns_of(directive(statement))
    return [trigger for patterns in found for trigger in pattern_triggers(patterns, "m")]


def at_line(statement: str, command: str, branch: str = "", ran: str = "") -> bool:
    """Return whether a statement is said before a line of shell."""
    line = read_line(command)
    found = [one for one in triggers_of(statement) if (one.kind, one.key) in line.keys]
    return any(sets_off(line, one, branch, marks(ran)) for one in found)


def at_edit(statement: str, path: str, added: str, removed: str = "") -> bool:
    """Return whether a statement is said before an edit."""
    edit = read_edit(path, added, removed)
    found = [one for one in triggers_of(statement) if (one.kind, one.key) in edit.keys]
    return any(writes(edit, one) for one in found)


def shown(rule: str, kind: str, *act: str) -> str:
    """Return whether a rule is shown at an act: a command with its branch and what ran, or an edit."""
    return "shown" if (at_line if kind == "command" else at_edit)(rule, *act) else "silent"


@pytest.mark.parametrize("row", table(__file__, "rules_shown"), ids=lambda row: f"{row[0]}: {row[2]}")
def test_a_rule_is_said_at_what_breaks_it(row: tuple[str, ...]) -> None:
    """A row tells the behaviour, whether the rule is shown, and at which act; its neighbours are silent."""
    _, expected, *said = row
    assert shown(*said) == expected


@pytest.mark.parametrize(("statement", "path", "added", "silent"), table(__file__, "rules_in_code"))
def test_an_edit(statement: str, path: str, added: str, silent: str) -> None:
    """An edit counts when it brings in what is forbidden, in code."""
    assert at_edit(statement, path, added)
    assert not at_edit(statement, path, silent)
    assert not at_edit(statement, path, "", added), "it is taken out"
    assert not at_edit(statement, path, added + "\nmore = 1", added), "it stood there before"
    assert not at_edit(statement, "notes/a.md", added), "prose"


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
    assert sum(shown(*said) == expected for expected, *said in rows) >= ORDINARY


@pytest.mark.parametrize(
    "text",
    ["The build takes four minutes", "It never worked for me", "npm does not read the proxy", "", "\0" * 50],
)
def test_what_asks_for_nothing_has_no_command(text: str) -> None:
    """A report, a complaint and no text at all are said at no command."""
    assert not at_line(text, "npm install && git push --force origin main")
