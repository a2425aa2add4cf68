"""Which commands to check a piece of work with: what earlier sessions ran, and what the project names.

A command counts for every session in which it passed, alone or as a part of a line; one that never passed
is not suggested for that, nor is one that a memory warns of (a flag that there is not). A session counts half
as much as the one eight sessions later, and up to as much again if it was asked for something alike or edited
the same files. What a rule file of the project names counts as two sessions of today; a task that is only
there as half of one, the second of its purpose as a quarter, and so on; neither where it failed in every
session that ran it, two at least. Where a command failed the last time that it ran as it is, and passes with
variables set, it is shown with them. Where it is known what was edited, checks of that alone stand among
them, if sessions had that habit (see `narrowed`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from remora.core import tasks
from remora.core.purposes import CHECKS, check_in
from remora.core.shell import asks, bare, folder_of, parts_in, wholes_in, without_folder
from remora.core.text import STOP_WORDS
from remora.core.triggers import COMMAND
from remora.retrieval.narrowed import Habit, Habits, Told, habits, narrowed, reaches
from remora.store.ties import TESTS_IT

if TYPE_CHECKING:
    from remora.sources.named_checks import NamedCheck
    from remora.store.observed import Ran
    from remora.store.space import Space

HALF_LIFE = 8.0  # sessions
IN_VAIN = 2  # sessions that ran a named command, and it never passed
NAMED, TASK = 2.0, 0.5  # sessions that a command counts for which a rule file names, or which is a task
ALIKE, SAME_FILES = 1.0, 1.0  # added to a session's weight of 1, times how alike and how many of the files
ELSEWHERE = 0.25  # what a check counts that is run in a folder where nothing was edited
IN_PLACE = 4.0  # and where all was
LOOKED_AT = 200  # sessions
TESTED, TESTS = 10, 2  # files of which the tests are looked for, and tests of one
_BETWEEN = re.compile(r"(?:(?<!\s)\s+)?(?:&&|\|\||;)\s*")
_TIMED = re.compile(r"^(?:g?timeout(?: -\S+)* \d\S*|time|nohup) ")
_PICKING = re.compile(r"\s(?:-v|-x|-vv|-q)(?=\s)|\s(?:-run|-count|-k|--run|-timeout|--timeout)[ =]\S+")


class Suggestion(NamedTuple):
    """A command with what it is for, its score and the evidence in words.

    Attributes:
        score: the share of what could speak for it, 0 to 1.
        why: where it is named, and what sessions it passed in.
        ran: the latter alone, "" where it passed in none.
    """

    command: str
    purpose: str
    score: float
    why: str
    ran: str = ""


def suggest(
    space: Space,
    k: int,
    *,
    task: str = "",
    files: Sequence[str] = (),
    purposes: Sequence[str] = CHECKS,
    named: Sequence[NamedCheck] = (),
    stands: Callable[[str], bool] = lambda _: True,
    there: Callable[[str], bool] = lambda _: True,
) -> list[Suggestion]:
    """Return the commands to check work with, best first; ties in the order in which one runs them.

    Args:
        space: the project's database.
        k: how many.
        task: what is worked on, if anybody said.
        files: what was edited.
        purposes: of "test", "lint", "format", "build".
        named: what the project names.
        stands: whether a command can still be run; what cannot is left out, but for what a rule file names.
        there: whether a file is there; one that was deleted cannot be checked alone.
    """
    ran = list(_parts(space.observed.commands_of(CHECKS), purposes))
    order = list(dict.fromkeys(run.session_id for run in ran))[:LOOKED_AT]
    edited = {i: set(paths) for i, paths in space.observed.edited(order).items()}
    weights = _weights(order, _alike(space, task), edited, files)
    scores: defaultdict[str, float] = defaultdict(float)
    sessions: defaultdict[str, int] = defaultdict(int)
    purpose: dict[str, str] = {}
    tried: defaultdict[str, set[str]] = defaultdict(set)
    checks = _checks(ran, weights)
    shown = habits(checks, edited)
    still = [path for path in files if there(path)]
    near = _with_tests(space, still)
    told = {h: narrowed(h, near if h.of_files and h.tests else still) for h in shown}
    elsewhere = _elsewhere(shown, told, files)
    counted = elsewhere if elsewhere < checks or any(told.values()) else set()
    for session, form, what, passed in ran:
        command = bare(form)
        tried[command].add(session)
        if passed and session in weights and (session, command) not in counted:
            counted.add((session, command))
            scores[command] += weights[session]
            sessions[command] += 1
            purpose.setdefault(command, what)
    forms = _forms(ran)
    by_name = _by_name([check for check in named if check.purpose in purposes])
    for command, (worth, check) in by_name.items():
        if not sessions[command] and len(tried[command]) >= IN_VAIN:
            continue
        scores[command] += worth
        purpose.setdefault(command, check.purpose)
        forms.setdefault(command, check.command)
    alone: dict[str, int] = {}  # checks of what is edited alone, with how many sessions did so
    for command, what, worth, count in _alone(shown, told, weights):
        if what in purposes and worth > scores.get(command, 0.0):
            scores[command], alone[command] = worth, count
            purpose.setdefault(command, what)
            forms.setdefault(command, command)
    for command in scores:
        below = f"{folder_of(command)}/"
        if files and below != "/":
            inside = sum(path.startswith(below) for path in files)
            scores[command] *= ELSEWHERE if not inside else IN_PLACE if inside == len(files) else 1.0
    whole = sum(weights.values()) + max((worth for worth, _ in by_name.values()), default=0.0) or 1.0
    for form in _warned_of(space, [forms[command] for command in scores]):
        del scores[bare(form)]
    order_of = sorted(scores, key=lambda c: (-round(scores[c], 12), CHECKS.index(purpose[c]), c))
    told_to = {command for command, (_, check) in by_name.items() if not check.is_task}  # by a rule file
    best = list(islice((c for c in order_of if c in told_to or stands(forms[c])), k))
    ran_in = {c: _ran(sessions[c], len(order)) for c in best}
    ran_in |= {c: _so_ran(alone[c], len(order)) for c in best if c in alone}
    return [
        Suggestion(
            (by_name[c][1].written if c in by_name else "") or forms[c],
            purpose[c],
            scores[c] / whole,
            "; ".join(filter(None, (_named(by_name[c][1]) if c in by_name else "", ran_in[c]))),
            ran_in[c],
        )
        for c in best
    ]


def _parts(lines: Iterable[Ran], purposes: Container[str]) -> Iterator[Ran]:
    """Yield the checks of each line, with what each is for: a line is for the most telling of its parts."""
    for line in lines:
        for part in parts_of(line.command):
            purpose = check_in(part)
            if purpose in purposes:
                yield line._replace(command=part, purpose=purpose)


def _weights(
    order: Sequence[str], alike: Mapping[str, float], edited: Mapping[str, set[str]], files: Sequence[str]
) -> dict[str, float]:
    """Return what each session counts, the newest first in `order`."""
    found: dict[str, float] = {}
    for age, session in enumerate(order):
        shared = len(edited.get(session, set()).intersection(files)) / len(files) if files else 0.0
        near = 1.0 + ALIKE * alike.get(session, 0.0) + SAME_FILES * shared
        found[session] = 0.5 ** (age / HALF_LIFE) * near
    return found


def _checks(ran: Sequence[Ran], sessions: Container[str]) -> set[tuple[str, str]]:
    """Return the sessions and the checks that passed in them, without their variables."""
    return {(run.session_id, bare(run.command)) for run in ran if run.passed and run.session_id in sessions}


def _with_tests(space: Space, files: Sequence[str]) -> list[str]:
    """Return some files and the tests that the code's graph has of them."""
    found = dict.fromkeys(files)
    for path in files[:TESTED]:
        tests = [(-tie.strength, other) for other, tie in space.ties.of(path).items() if TESTS_IT in tie.why]
        found |= dict.fromkeys(other for _, other in sorted(tests)[:TESTS])
    return list(found)


def _elsewhere(shown: Habits, told: Told, files: Sequence[str]) -> set[tuple[str, str]]:
    """Return the checks that say nothing here: they were of single files, or of others than are edited now.

    What is told for the files of now stands in for them; where nothing is, only those of single files go.
    """
    found: set[tuple[str, str]] = set()
    for habit, pairs in shown.items():
        if habit.of_files or told[habit]:
            found.update(pair for pair in pairs if not reaches(pair[1], files))
    return found


def _alone(shown: Habits, told: Told, weights: Mapping[str, float]) -> Iterator[tuple[str, str, float, int]]:
    """Yield the checks of some files alone: command, purpose, what each counts, how many sessions did so.

    `go test ./a` and `go test ./b/...` are one habit, told as most sessions write it.
    """
    written: defaultdict[Habit, dict[Habit, set[str]]] = defaultdict(dict)
    for habit, pairs in shown.items():
        written[habit._replace(lead="", tail="")][habit] = {session for session, _ in pairs}
    for ways in written.values():
        sessions = set().union(*ways.values())
        worth = sum(weights[session] for session in sessions)
        usual = max(ways, key=lambda way: (sum(weights[session] for session in ways[way]), way))
        for command, share in told[usual]:
            yield command, usual.purpose, worth * share, len(sessions)


def _by_name(named: Sequence[NamedCheck]) -> dict[str, tuple[float, NamedCheck]]:
    """Return what each named command counts for, and where it is named."""
    found: dict[str, tuple[float, NamedCheck]] = {}
    tasks_of: defaultdict[str, int] = defaultdict(int)
    for check in named:
        for command in map(bare, parts_of(check.command)):
            if command not in found:
                tasks_of[check.purpose] += check.is_task
                worth = TASK * 0.5 ** (tasks_of[check.purpose] - 1) if check.is_task else NAMED
                found[command] = (worth, check)
    return found


def _named(check: NamedCheck) -> str:
    return f"a task of {check.path}" if check.is_task else f"{check.path} names it"


def _ran(passed: int, of: int) -> str:
    """Return in how many sessions a command passed, in words.

    >>> _ran(2, 3), _ran(1, 1), _ran(0, 1)
    ('passed in 2 of the last 3 sessions', 'passed in the last session', '')
    """
    if not passed:
        return ""
    return f"passed in {passed} of the last {of} sessions" if of > 1 else "passed in the last session"


def _so_ran(count: int, of: int) -> str:
    """Return in how many sessions what was edited was checked so, in words.

    >>> _so_ran(2, 3), _so_ran(1, 1)
    ('what is edited alone, as in 2 of the last 3 sessions', 'what is edited alone, as in the last session')
    """
    sessions = f"{count} of the last {of} sessions" if of > 1 else "the last session"
    return f"what is edited alone, as in {sessions}"


def _forms(ran: Sequence[Ran]) -> dict[str, str]:
    """Return the form in which each command that passed is to be run: as it is, or with variables set.

    The newest session that ran it as it is tells; where that failed, or there is none, the newest form with
    variables that passed since is taken.
    """
    places = {session: age for age, session in enumerate(dict.fromkeys(run.session_id for run in ran))}
    plain: dict[str, tuple[int, bool]] = {}  # the newest session that ran it as it is, and whether it passed
    with_variables: dict[str, tuple[int, str]] = {}
    passed: dict[str, None] = {}
    for run in ran:
        command, age = bare(run.command), places[run.session_id]
        if run.passed:
            passed.setdefault(command)
        if run.command == command:
            newest, well = plain.get(command, (age, False))
            if newest == age:
                plain[command] = (age, well or run.passed)
        elif run.passed:
            with_variables.setdefault(command, (age, run.command))
    found = {}
    for command in passed:
        age, well = plain.get(command, (len(places), False))
        since, form = with_variables.get(command, (age, command))
        found[command] = command if well or since > age else form
    return found


def _warned_of(space: Space, commands: Sequence[str]) -> list[str]:
    """Return those commands of which a memory says that they fail for a reason in themselves."""
    whole = {command: wholes_in(command) for command in commands}
    words = {word for command in commands for word in command.split()}
    triggers = space.triggers.of_words(COMMAND, words.union(*whole.values()))
    return [
        command
        for command in commands
        # A cue is some words of a command, or all of one.
        if any(asks(command, (t.key, *t.needs)) if t.needs else t.key in whole[command] for t in triggers)
    ]


def parts_of(command: str) -> list[str]:
    """Return the commands of a line, without what only picks or repeats single tests.

    >>> parts_of("make fmt && make lint"), parts_of("timeout 60 go test -v -run TestA -count=1 ./cli")
    (['make fmt', 'make lint'], ['go test ./cli'])
    >>> parts_of("make fmt && (cd web && npm test -x)")
    ['make fmt', '(cd web && npm test)']
    """
    found = []
    for placed in parts_in(command):
        whole = without_folder(placed)
        for part in _BETWEEN.split(whole) if whole == placed else (whole,):  # that is one program
            plain = " ".join(_PICKING.sub(" ", f"{_TIMED.sub('', part)} ").split())
            if plain:
                found.append(placed.replace(whole, plain) if whole != placed else plain)
    return list(dict.fromkeys(found))


def _alike(space: Space, task: str) -> dict[str, float]:
    """Return how alike what sessions were asked for is to a task, the best 1."""
    words = [w for w in dict.fromkeys(tasks.words(task)) if w not in STOP_WORDS][: tasks.TERMS]
    hits = space.observed.like(words, tasks.TOP_SESSIONS)
    most = max((score for _, score in hits), default=0.0)
    return {session: score / most for session, score in hits} if most > 0 else {}
