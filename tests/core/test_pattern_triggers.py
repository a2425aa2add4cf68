"""At which commands and edits a memory is shown whose triggers somebody gave."""

from __future__ import annotations

import json

import pytest

from remora.core.pattern_triggers import pattern_triggers
from remora.core.triggers import Trigger
from tests.core.acts import at_edit, at_line, shown
from tests.tables import table


def of(told: str) -> list[Trigger]:
    """Return the triggers of patterns that somebody gave, as JSON."""
    return list(pattern_triggers(json.loads(told), "m"))


@pytest.mark.parametrize("row", table(__file__, "patterns_shown"), ids=lambda row: f"{row[0]}: {row[2]}")
def test_patterns_are_met(row: tuple[str, ...]) -> None:
    """All words of a pattern are met in a command or an edit; what is wanted or excepted keeps silent."""
    _, expected, told, *act = row
    assert shown(of(told), *act) == expected


def test_a_branch_alone_is_no_pattern() -> None:
    """It is where another one holds."""
    assert of('{"when": ["branch release/*"]}') == []


RIGHT = 770  # of 789: patterns by two readers of the manual, with an action that breaks each, and others


def test_patterns_by_the_manual() -> None:
    """Most are shown at the action that breaks the rule, and at no other."""
    rows = table(__file__, "given_patterns")
    assert sum(shown(of(told), *act) == expected for expected, told, *act in rows) >= RIGHT


@pytest.mark.parametrize("pattern", ["", "`", "...", "\0", "*", "(", "a" * 5_000, "branch ", "-", "é", "!!"])
def test_any_text_is_a_pattern(pattern: str) -> None:
    """None raises, whatever action it is held against."""
    for told in ({"forbids": [pattern]}, {"when": [pattern]}, {"forbids": ["git push"], "unless": [pattern]}):
        found = of(json.dumps(told))
        at_line(found, "git push && ls")
        at_edit(found, "src/a.py", "a !! b\n(c)")
