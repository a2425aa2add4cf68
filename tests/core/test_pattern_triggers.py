"""At which commands and edits a memory is shown whose triggers somebody gave."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import pytest

from remora.core.edit_match import read_edit, writes
from remora.core.pattern_triggers import pattern_triggers
from remora.shell.trigger_match import marks, read_line, sets_off
from tests.tables import table

Told = Mapping[str, Sequence[str]]


def at_line(told: Told, command: str, branch: str = "", ran: str = "") -> bool:
    """Return whether a memory is shown before a line of shell."""
    line = read_line(command)
    found = [one for one in pattern_triggers(told, "m") if (one.kind, one.key) in line.keys]
    return any(sets_off(line, one, branch, marks(ran)) for one in found)


def at_edit(told: Told, path: str, added: str, removed: str = "", branch: str = "") -> bool:
    """Return whether a memory is shown before an edit."""
    edit = read_edit(path, added, removed)
    found = [one for one in pattern_triggers(told, "m") if (one.kind, one.key) in edit.keys]
    return any(writes(edit, one, branch=branch) for one in found)


def shown(told: str, kind: str, *act: str) -> str:
    """Return whether patterns show their memory at an act: a command with its branch, or an edit."""
    return "shown" if (at_line if kind == "command" else at_edit)(json.loads(told), *act) else "silent"


@pytest.mark.parametrize("row", table(__file__, "patterns_shown"), ids=lambda row: f"{row[0]}: {row[2]}")
def test_patterns_are_met(row: tuple[str, ...]) -> None:
    """All words of a pattern are met in a command or an edit; what is wanted or excepted keeps silent."""
    _, expected, *said = row
    assert shown(*said) == expected


def test_a_branch_alone_is_no_pattern() -> None:
    """It is where another one holds."""
    assert list(pattern_triggers({"when": ["branch release/*"]}, "m")) == []


RIGHT = 770  # of 789: patterns by two readers of the manual, with an action that breaks each, and others


def test_patterns_by_the_manual() -> None:
    """Most are shown at the action that breaks the rule, and at no other."""
    rows = table(__file__, "given_patterns")
    assert sum(shown(*said) == expected for expected, *said in rows) >= RIGHT


@pytest.mark.parametrize("pattern", ["", "`", "...", "\0", "*", "(", "a" * 5_000, "branch ", "-", "é", "!!"])
def test_any_text_is_a_pattern(pattern: str) -> None:
    """None raises, whatever action it is held against."""
    for told in ({"forbids": [pattern]}, {"when": [pattern]}, {"forbids": ["git push"], "unless": [pattern]}):
        at_line(told, "git push && ls")
        at_edit(told, "src/a.py", "a !! b\n(c)")
