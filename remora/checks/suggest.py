"""Suggest commands to check a piece of work: those that sessions ran, and those that the project names.

The score is the number of sessions in which a command checked the work and passed (see `counted`). A command
in a rule file counts as two sessions of today, a mere task or a step of CI as half of one, the second of its
purpose as a quarter, and so on: a new project is checked with the commands it names, an older one with those
it uses. Neither counts if it failed in every session that ran it, two at least; commands that a memory warns
of (a flag that does not exist) are left out.

If the edited files are known, checks of the folder that contains all of them come first, and those of other
folders, or of single files that were not edited, last.
"""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from remora.checks.from_sessions import Counted, counted, parts_of
from remora.checks.tasks import WORKFLOWS
from remora.core.programs import CHECKS
from remora.core.triggers import COMMAND
from remora.shell.lines import bare, folder_of, wholes_in, without_folder
from remora.shell.purposes import purpose_of, unwrapped
from remora.shell.trigger_match import asks

if TYPE_CHECKING:
    from remora.checks.from_project import NamedCheck
    from remora.store.database import Database

LOOKED_AT = 200  # sessions
IN_VAIN = 2  # sessions that ran a named command without success
NAMED, TASK = 2.0, 0.5  # weight of a command named in a rule file, and of a task, in sessions
ELSEWHERE = 0.25  # factor for a check of a folder or of files that were not edited
IN_PLACE = 4.0  # factor for the folder that contains all edited files


class Suggestion(NamedTuple):
    """A suggested command with its purpose, its score and the evidence in words.

    Attributes:
        score: its share of the maximum score, 0 to 1.
        why: where it is named, and the sessions in which it passed.
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
    """Return the commands to check work with, best first; ties in the order in which the project names them.

    Args:
        db: the project's database.
        k: maximum number.
        files: the edited files.
        purposes: of core.programs.CHECKS.
        named: the checks that the project names.
        stands: returns whether a command can still run; others are left out unless a rule file names them.
    """
    checks, sessions = counted(db.sessions.commands(LOOKED_AT))
    by_name = _by_name(named)
    found: dict[str, Counted] = {}
    scores: dict[str, float] = {}
    only_named = {c: Counted(name.command, name.purpose, 0.0, 0, 0) for c, (_, name) in by_name.items()}
    for command, ran in (only_named | checks).items():
        worth, name = by_name.get(command, (0.0, None))
        in_vain = not ran.passed and (name is None or ran.tried >= IN_VAIN)
        if ran.purpose in purposes and not in_vain:
            form = ran.command if ran.passed or name is None else name.command
            found[command] = ran._replace(command=form)
            share = (ran.share * sessions + worth) / (sessions + NAMED)
            scores[command] = min(1.0, share * _where(form, files))
    warned = _warned_of(db, [ran.command for ran in found.values()])
    place = {command: at for at, command in enumerate(by_name)}
    order = sorted(scores, key=lambda c: (-round(scores[c], 12), place.get(c, len(place)), c))
    told = {command for command, (_, name) in by_name.items() if not name.is_task}  # by a rule file
    fit = (c for c in order if found[c].command not in warned and (c in told or stands(found[c].command)))
    return [_suggestion(found[c], scores[c], sessions, by_name.get(c)) for c in islice(fit, k)]


def _suggestion(
    ran: Counted, score: float, sessions: int, name: tuple[float, NamedCheck] | None
) -> Suggestion:
    told = _ran(ran.passed, sessions)
    where = ""
    if name is not None:
        kind = "a step" if name[1].path.startswith(WORKFLOWS) else "a task"
        where = f"{kind} of {name[1].path}" if name[1].is_task else f"named in {name[1].path}"
    return Suggestion(ran.command, ran.purpose, score, "; ".join(filter(None, (where, told))), told)


def _by_name(named: Sequence[NamedCheck]) -> dict[str, tuple[float, NamedCheck]]:
    """Return the weight of each named command, and its source."""
    found: dict[str, tuple[float, NamedCheck]] = {}
    tasks_of: defaultdict[str, int] = defaultdict(int)
    for check in named:
        for command in map(bare, parts_of(check.command)):
            if command not in found:
                tasks_of[check.purpose] += check.is_task
                worth = TASK * 0.5 ** (tasks_of[check.purpose] - 1) if check.is_task else NAMED
                found[command] = (worth, check)
    return found


def _where(command: str, files: Sequence[str]) -> float:
    """Return the factor of a check for the edited files, by its folder and its files.

    If no edited files are known, a check of single files belongs to other work.
    """
    if not files:
        return ELSEWHERE if _files_in(command) else 1.0
    folder = folder_of(command)
    inside = [path for path in files if not folder or path.startswith(f"{folder}/")]
    of = _files_in(command)
    if not inside or (of and not any(posixpath.join(folder, name) in files for name in of)):
        return ELSEWHERE
    return IN_PLACE if folder and len(inside) == len(files) else 1.0


def _files_in(command: str) -> list[str]:
    """Return the single files that a check is for; not a program's own, and not an option's value.

    >>> _files_in("pytest -q tests/test_a.py"), _files_in("node scripts/test.js"), _files_in("go test ./a")
    (['tests/test_a.py'], [], [])
    >>> _files_in("biome check --write web/a.ts"), _files_in("eslint --config eslint.config.js")
    (['web/a.ts'], [])
    """
    words = unwrapped(tuple(bare(without_folder(command)).split()))
    first = 2 if purpose_of(words) == "run" else 1
    return [
        posixpath.normpath(word)
        for before, word in zip(words[first - 1 :], words[first:], strict=False)
        if word[:1] != "-" and not _takes_value(before) and posixpath.splitext(word)[1][1:].isalnum()
    ]


def _takes_value(word: str) -> bool:
    return word.startswith("--") and word not in ("--check", "--fix", "--write", "--quiet", "--verbose")


def _ran(passed: int, of: int) -> str:
    """Return the number of sessions in which a command passed, in words.

    >>> _ran(2, 3), _ran(1, 1), _ran(0, 1)
    ('ran and passed in 2 of the last 3 sessions', 'ran and passed in the last session', '')
    """
    if not passed:
        return ""
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
