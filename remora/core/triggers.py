"""Triggers: the actions at which a memory is shown.

    pattern   a command or an edit that has a pattern       key: a word of it; needs: the pattern, WHEN
    output    a failed command with the output              key: its rarest word; needs: the other words
    error     a failed command                              key: the fingerprint of its error
    command   a command that failed because of itself       key: a word of it, or all; needs: further words
    term      an edit that names it                         key: an identifier
    search    a search for it                               key: a pattern, a name

`unless` holds the conditions of a pattern. Triggers are made when a memory is stored: from patterns
(`remora.core.pattern_triggers`) that somebody gave or that its text has (`remora.core.pattern_triggers`).
They are matched in hooks: edits by `remora.core.edit_match`, shell commands by `remora.shell.trigger_match`.
"""

from __future__ import annotations

from typing import NamedTuple

PATTERN = "pattern"
OUTPUT, ERROR, COMMAND, TERM, SEARCH = "output", "error", "command", "term", "search"
# Marks in `unless`: the action must have one of these patterns, and none of those; it must not have what is
# wanted, which must not have run either; it must be an edit of a file in one of these places.
IF, BUT, WANTED, ONLY = "if:", "but:", "wanted:", "only:"
WHEN = "when"  # in `needs` of a pattern: it is a moment, and nothing is forbidden
DEPENDENCY = "dependency"  # the event of adding a package to the project
MOST_KEYS = 600  # of one edit or command line
TESTS = ("test", "spec")  # stems of folders and files of tests
OF_TESTS = (
    *("test/", "tests/", "__tests__/", "spec/", "specs/"),
    *(f"**/{glob}" for glob in ("test_*", "*_test.*", "*.test.*", "*_spec.*", "*.spec.*", "*Test.*")),
)


class Trigger(NamedTuple):
    """One trigger of a memory; of several memories with one key, the highest weight comes first."""

    kind: str
    key: str
    memory_id: str
    needs: tuple[str, ...] = ()
    weight: float = 1.0
    unless: tuple[str, ...] = ()


def marked(trigger: Trigger, mark: str) -> list[str]:
    """Return the conditions of a trigger that have a mark, without it."""
    return [one.removeprefix(mark) for one in trigger.unless if one.startswith(mark)]
