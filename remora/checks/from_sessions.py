"""Count the commands that check a change in the commands of sessions.

A command is a check if its words say so (`pnpm --filter api test`), or if several sessions ran it and it
failed: a command that only reads never fails.

A command is identified by all its words except the variables set for it: one-off commands, for one file or
one test, are counted once, and recurring ones keep their flags. It is shown in the form that passed last.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from remora.core.events import Ran
from remora.shell.lines import bare, parts_in, without_folder
from remora.shell.purposes import check_in

HALF_LIFE = 32.0  # sessions
ONLY_RAN = 0.5  # weight of a session that ran a command once, before its last edit
SHOWN_BY = 2  # sessions that show a check whose words say nothing
_TIMED = re.compile(r"^(?:g?timeout(?: -\S+)* \d\S*|time|nohup) ")


class Counted(NamedTuple):
    """A check, counted from sessions.

    Attributes:
        command: the command to run, with its variables.
        purpose: one of core.programs.CHECKS.
        share: share of checking sessions that ran it as a check, newer ones weighted more;
            0 if it never passed.
        passed, tried: number of sessions in which it passed, and in which it ran.
    """

    command: str
    purpose: str
    share: float
    passed: int
    tried: int


def counted(ran: Sequence[Ran]) -> tuple[dict[str, Counted], int]:
    """Return the checks that sessions ran, by their commands without variables.

    The second value is the number of sessions that checked anything.

    Args:
        ran: the lines of the sessions, newest session first.
    """
    forms: dict[str, str] = {}
    failed: set[str] = set()
    uses: defaultdict[str, defaultdict[str, list[Ran]]] = defaultdict(lambda: defaultdict(list))
    for run in ran:
        parts = parts_of(run.command)
        for part in parts:
            command = bare(part)
            uses[command][run.session_id].append(run)
            if run.runs > run.failures:
                forms.setdefault(command, part)
            if run.failures and len(parts) == 1:
                failed.add(command)
    purposes = {
        command: purpose
        for command, sessions in uses.items()
        if (purpose := check_in(command, shown=command in failed and len(sessions) >= SHOWN_BY))
    }
    checking = {session for command in purposes for session in uses[command]}
    newest_first = [
        session for session in dict.fromkeys(run.session_id for run in ran) if session in checking
    ]
    weights = {session: 0.5 ** (age / HALF_LIFE) for age, session in enumerate(newest_first)}
    whole = sum(weights.values())
    checks = {}
    for command, purpose in purposes.items():
        sessions = uses[command]
        passed = [session for session, runs in sessions.items() if any(r.runs > r.failures for r in runs)]
        share = sum(weights[session] * _weight(sessions[session]) for session in passed) / whole
        form = forms.get(command, command)
        checks[command] = Counted(form, purpose, share, len(passed), len(sessions))
    return checks, len(checking)


def _weight(runs: Sequence[Ran]) -> float:
    """Return the weight of a session: less if it did not run a command again, or after its last edit."""
    return 1.0 if sum(run.runs for run in runs) > 1 or any(run.last for run in runs) else ONLY_RAN


def parts_of(line: str) -> list[str]:
    """Return the commands of a line in normal form, each with its flags, variables and folder.

    >>> parts_of("make fmt && (cd web && timeout 60 npm test -x)")
    ['make fmt', '(cd web && npm test -x)']
    """
    found = []
    for part in parts_in(line):
        whole = without_folder(part)
        plain = _TIMED.sub("", whole).strip()
        found.append(part.replace(whole, plain) if plain != whole else part)
    return [part for part in dict.fromkeys(found) if part]
