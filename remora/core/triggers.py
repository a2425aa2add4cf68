"""Triggers: the actions at which a memory is shown.

    program   a command that runs it                        key: the program; needs: words beside it
    event     a command that is such an event               key: its stem ("commit"); needs: further stems
    write     an edit that adds it                          key: one of its words; needs: the searched form
    path      an edit below a path                          key: a file, a folder with a slash at its end, or
                                                            the end of a glob ("*.gen.go"); needs: the glob
    output    a failed command with the output              key: its rarest word; needs: the other words
    error     a failed command                              key: the fingerprint of its error
    command   a command that failed because of itself       key: a word of it, or all; needs: further words
    term      an edit that names it                         key: an identifier
    search    a search for it                               key: a pattern, a name
    given     a command or an edit that has a pattern       key: a word of it; needs: the pattern, WHEN

`unless` holds the conditions that suppress the memory: a flag of the command, a command that ran since the
last change, a place. Triggers are made when a memory is stored: from its text by
`remora.core.directive_triggers`, from given patterns by `remora.core.given_triggers`. They are matched in
hooks: edits by `remora.core.edit_match`, shell commands by `remora.shell.trigger_match`.
"""

from __future__ import annotations

import re
from typing import NamedTuple

PROGRAM, EVENT, WRITE, PATH = "program", "event", "write", "path"
OUTPUT, ERROR, COMMAND, TERM, SEARCH = "output", "error", "command", "term", "search"
GIVEN = "given"
AT_EDITS = (WRITE, PATH, GIVEN)
# Marks in `unless`: applies only in one of these, not there, done already, the command that is wanted.
ONLY, NOT_IN, DONE, WANTED = "only:", "not:", "done:", "wanted:"
# The same of patterns that a caller gives: the action must have one of these, and none of those.
IF, BUT = "if:", "but:"
WHEN = "when"  # in `needs` of a given pattern: it is a moment, and nothing is forbidden
DEPENDENCY = "dependency"  # the event of adding a package to the project
INTO = "into"  # in `needs` of a merge: the branch that is checked out follows
MOST_KEYS = 600  # of one edit or command line
TESTS = ("test", "spec")  # stems of folders and files of tests
IDENTIFIER = re.compile(r"[^\W\d]\w*(?:-\w+)*")
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+|\d+")


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


def last_of(name: str) -> str:
    """Return the last part of a qualified name, without the parentheses of a call."""
    return re.split(r"\.|::|->", name.removesuffix("()"))[-1]
