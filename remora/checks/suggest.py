"""Suggest commands to check a piece of work: those that sessions ran, then those that the project names.

The score of a command is the share of sessions in which it checked the work and passed (see `counted`). If
the edited files are known, the checks of their folders come first, and those of other folders last. Commands
that a memory warns of (a flag that does not exist) are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from remora.checks.from_sessions import counted
from remora.core.programs import CHECKS
from remora.core.triggers import COMMAND
from remora.shell.lines import folder_of, wholes_in
from remora.shell.trigger_match import asks

if TYPE_CHECKING:
    from remora.checks.from_project import NamedCheck
    from remora.store.database import Database

LOOKED_AT = 200  # sessions
NAMED = 0.5  # sessions that count for a command of the project which passed in one
UNSURE = 2  # sessions that a score needs to be near the share: a single one shows no habit
IN_VAIN = 2  # sessions that ran a task without success
ELSEWHERE = 0.25  # factor for a check of a folder that has no edited file
IN_PLACE = 4.0  # factor for a folder that has one


class Suggestion(NamedTuple):
    """A suggested command with its purpose, its score and the evidence in words.

    Attributes:
        score: its share of the maximum score, 0 to 1.
        why: the file that names it, and the sessions in which it passed.
        ran: the latter alone, "" if it passed in none.
    """

    command: str
    purpose: str
    score: float
    why: str
    ran: str = ""


def suggest(
    db: Database,
    k: int,
    *,
    files: Sequence[str] = (),
    purposes: Sequence[str] = CHECKS,
    named: Sequence[NamedCheck] = (),
    stands: Callable[[str], bool] = lambda _: True,
) -> list[Suggestion]:
    """Return the commands to check work with, best first.

    Args:
        db: the project's database.
        k: maximum number.
        files: the edited files.
        purposes: of core.programs.CHECKS.
        named: the commands of the project.
        stands: returns whether a command can still run; others are left out.
    """
    checks, sessions = counted(db.sessions.commands(LOOKED_AT))
    own = {check.command: check for check in named}
    found = []
    for command, ran in checks.items():
        if ran.passed:
            told = _ran(ran.passed, sessions)
            why = f"{_named(own[command])}; {told}" if command in own else told
            share = (ran.share * sessions + (NAMED if command in own else 0.0)) / (sessions + UNSURE)
            score = min(1.0, share * _nearness(command, files))
            found.append(Suggestion(ran.command, ran.purpose, score, why, told))
    found.sort(key=lambda one: (-round(one.score, 12), one.command))
    known = {_short(command) for command, ran in checks.items() if ran.passed or ran.tried >= IN_VAIN}
    found += [
        Suggestion(check.command, check.purpose, 0.0, _named(check))
        for check in own.values()
        if _short(check.command) not in known
    ]
    warned = _warned_of(db, [one.command for one in found])
    fit = (s for s in found if s.purpose in purposes and s.command not in warned and stands(s.command))
    return list(islice(fit, k))


def _named(check: NamedCheck) -> str:
    return f"a task of {check.path}" if check.is_task else f"named in {check.path}"


def _nearness(command: str, files: Sequence[str]) -> float:
    """Return the factor of a check for the edited files, by its folder."""
    folder = folder_of(command)
    if not folder or not files:
        return 1.0
    return IN_PLACE if any(path.startswith(f"{folder}/") for path in files) else ELSEWHERE


def _short(command: str) -> str:
    """Return the shorter spelling of a script: `pnpm run lint` is `pnpm lint`."""
    return command.replace(" run ", " ", 1)


def _ran(passed: int, of: int) -> str:
    """Return the number of sessions in which a command passed, in words.

    >>> _ran(2, 3), _ran(1, 1)
    ('ran and passed in 2 of the last 3 sessions', 'ran and passed in the last session')
    """
    if of == 1:
        return "ran and passed in the last session"
    return f"ran and passed in {passed} of the last {of} sessions"


def _warned_of(db: Database, commands: Sequence[str]) -> set[str]:
    """Return the commands that fail for a reason in themselves according to a memory."""
    whole = {command: wholes_in(command) for command in commands}
    words = {word for command in commands for word in command.split()}
    triggers = db.triggers.of_words(COMMAND, words.union(*whole.values()))
    return {
        command
        for command in commands
        # A trigger's key is a part of a command, or all of it.
        if any(asks(command, (t.key, *t.needs)) if t.needs else t.key in whole[command] for t in triggers)
    }
