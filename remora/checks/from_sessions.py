"""Count the commands that check a change in the commands of sessions, without a list of known tools.

A command is a check if its words say so (`pnpm --filter api test`, `scripts/lint.sh`), or its runs do:
sessions ran it again, or after their last edit, and it sometimes failed and sometimes passed. A command that
only reads never fails, so it is excluded; so are installation, moving files and version control. Until they
have failed, checks without such words come last.

A command is identified by all its words: one-off commands, for one file or one test, are counted once, and
recurring ones keep their flags. Of the variables set for it, the form that passed in most sessions is shown.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from remora.core.events import Ran
from remora.shell.lines import bare, parts_in, without_folder
from remora.shell.purposes import check_in

HALF_LIFE = 32.0  # sessions
ONLY_RAN = 0.5  # weight of a session that ran a command once, before its last edit
SHOWN_BY = 2  # sessions that show a check whose words say nothing
UNSURE = 0.1  # weight of a check that ran in one session and never failed
_UNPLAIN = re.compile(r"""['"`$<>|…]""")
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


class _Tally:
    """The uses of one command by the ages of sessions: runs, failures, the forms in which it passed."""

    def __init__(self) -> None:
        self.runs: Counter[int] = Counter()
        self.failed: Counter[int] = Counter()
        self.last: set[int] = set()
        self.forms: dict[str, set[int]] = {}
        self.alone = self.fails_alone = False

    def add(self, part: str, run: Ran, age: int, *, alone: bool) -> None:
        self.runs[age] += run.runs
        self.failed[age] += run.failures
        self.alone = self.alone or alone
        self.fails_alone = self.fails_alone or (alone and run.failures > 0)
        if run.last:
            self.last.add(age)
        if run.runs > run.failures:
            self.forms.setdefault(part, set()).add(age)

    @property
    def passed(self) -> list[int]:
        """The sessions in which it passed, the newest first."""
        return sorted(age for age, runs in self.runs.items() if runs > self.failed[age])

    def checked(self, age: int) -> bool:
        """Return whether a session ran it again, or after its last edit."""
        return self.runs[age] > 1 or age in self.last

    def proof(self, command: str) -> float:
        """Return the evidence from its runs alone that a command is a check, 0 if there is none."""
        checked = sum(map(self.checked, self.passed))
        if self.fails_alone and checked >= SHOWN_BY:
            return 1.0
        return UNSURE if checked and self.alone and not _UNPLAIN.search(command) else 0.0

    def form(self, command: str) -> str:
        """Return the form that passed in most sessions; of equal ones, the newest."""
        return min(self.forms, key=lambda f: (-len(self.forms[f]), min(self.forms[f]), f), default=command)


def counted(ran: Sequence[Ran]) -> tuple[dict[str, Counted], int]:
    """Return the checks that sessions ran, by their commands without variables.

    The second value is the number of sessions that checked anything.

    Args:
        ran: the lines of the sessions, newest session first.
    """
    ages = {session: age for age, session in enumerate(dict.fromkeys(run.session_id for run in ran))}
    tallies: dict[str, _Tally] = {}
    for run in ran:
        parts = parts_of(run.command)
        for part in parts:
            tally = tallies.setdefault(bare(part), _Tally())
            tally.add(part, run, ages[run.session_id], alone=len(parts) == 1)
    found: dict[str, tuple[_Tally, str, float]] = {}
    for command, tally in tallies.items():
        said = check_in(command)
        proof = 1.0 if said else tally.proof(command)
        if purpose := said or (proof and check_in(command, shown=True)):
            found[command] = (tally, purpose, proof)
    checking = sorted({age for tally, _, proof in found.values() if proof == 1.0 for age in tally.runs})
    weights = {age: 0.5 ** (place / HALF_LIFE) for place, age in enumerate(checking)}
    whole = sum(weights.values()) or 1.0
    checks = {}
    for command, (tally, purpose, proof) in found.items():
        worth = sum(weights.get(age, 1.0) * (1.0 if tally.checked(age) else ONLY_RAN) for age in tally.passed)
        share = min(1.0, proof * worth / whole)
        checks[command] = Counted(tally.form(command), purpose, share, len(tally.passed), len(tally.runs))
    return checks, len(checking)


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
