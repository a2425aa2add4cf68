"""How well could anything learn a session's checks? A logistic regression that saw all other sessions.

It is no rival but a bound that is kind to itself: for each session it is trained on every other one, later
ones too, it knows who works on which branch, and of several penalties the one that ends best is taken. Its
candidates are the commands that were run before or that the project names and, where it is told what will
be edited, tests of the folders that are. Each is described by how often it and its kind were run (by all,
lately, by that person, on that branch) and by the share of the edited files that it reaches.
"""

from __future__ import annotations

import math
import posixpath
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.agent_sessions import AgentSession
from benchmarks.commands_run import tool
from benchmarks.metrics import mean, recall_at

PENALTIES = (0.1, 0.3, 1.0, 3.0)
LATELY, OWN_LATELY = 10, 6  # sessions
INTEGRATION = "integration"
STEPS = 12  # of Newton's method

Floats = npt.NDArray[np.float64]


class Case(NamedTuple):
    """A session that is asked about, those that were over by then, and the commands known by then."""

    session: AgentSession
    earlier: Sequence[AgentSession]
    known: frozenset[str]


def learnable(cases: Sequence[Case], k: int, *, edited: bool) -> float:
    """Return the mean share of each session's commands among the k that are held for likeliest.

    Args:
        cases: two at least.
        k: how many are named.
        edited: whether it is told what the session will edit.
    """
    asked = [sorted(_candidates(case, edited=edited)) for case in cases]
    whole = len(cases)  # where nothing was known yet, nothing is named
    cases = [case for case, commands in zip(cases, asked, strict=True) if commands]
    asked = [commands for commands in asked if commands]
    if not asked:
        return 0.0
    kinds = sorted({_kind(command) for commands in asked for command in commands})
    rows = [
        np.array([list(_features(case, command, kinds, edited=edited)) for command in commands])
        for case, commands in zip(cases, asked, strict=True)
    ]
    right = [
        np.array([float(command in case.session.verified) for command in commands])
        for case, commands in zip(cases, asked, strict=True)
    ]
    weight = [np.full(len(r), 1.0 / len(c.session.verified)) for r, c in zip(right, cases, strict=True)]
    of = np.repeat(np.arange(len(cases)), [len(commands) for commands in asked])
    x, y, w = np.vstack(rows), np.concatenate(right), np.concatenate(weight)
    found = []
    for penalty in PENALTIES:
        start = _fitted(x, y, w, penalty, np.zeros(x.shape[1]))
        shares = []
        for number, (case, commands) in enumerate(zip(cases, asked, strict=True)):
            others = of != number
            fitted = _fitted(x[others], y[others], w[others], penalty, start)
            order = np.argsort(-(rows[number] @ fitted), kind="stable")
            shares.append(recall_at([commands[n] for n in order], set(case.session.verified), k))
        found.append(sum(shares) / whole)
    return max(found)


def _candidates(case: Case, *, edited: bool) -> set[str]:
    folders = _folders(case.session.gold) if edited else Counter[str]()
    tests = {f"go test {tags}./{f}{tail}" for f in folders for tags in _tags(f) for tail in ("", "/...")}
    return set(case.known) | tests


def _tags(folder: str) -> tuple[str, ...]:
    return ("", f"-tags={INTEGRATION} ") if INTEGRATION in folder else ("",)


def _folders(files: Iterable[str]) -> Counter[str]:
    return Counter(posixpath.dirname(path) for path in files if path.endswith(".go"))


def _features(case: Case, command: str, kinds: Sequence[str], *, edited: bool) -> Iterator[float]:
    session, kind = case.session, _kind(command)
    own = [other for other in case.earlier if _person(other) == _person(session)]
    same = [other for other in case.earlier if other.branch == session.branch]
    for sessions in (case.earlier, case.earlier[-LATELY:], own, own[-OWN_LATELY:], same):
        yield mean(float(command in other.verified) for other in sessions)
        yield mean(float(any(_kind(one) == kind for one in other.verified)) for other in sessions)
    folders = _folders(session.gold) if edited else Counter[str]()
    packages = [word[2:].removesuffix("/...") for word in command.split() if word.startswith("./")]
    inside = sum(count for folder, count in folders.items() if folder in packages)
    below = sum(
        count for folder, count in folders.items() if any(f"{folder}/".startswith(f"{p}/") for p in packages)
    )
    files = math.log1p(len(session.gold)) if edited else 0.0
    for reached in (inside, below):
        share = reached / max(1, folders.total())
        yield from (share, files * share)
    yield float(bool(folders) and folders.most_common(1)[0][0] in packages)
    yield float(bool(folders) and below == folders.total())
    told = (1.0, files, float(any(INTEGRATION in f for f in folders)), float(session.branch == "main"))
    for about in (*told, float(_person(session) == _busiest(case.earlier))):
        yield from (about * (kind == one) for one in kinds)


def _kind(command: str) -> str:
    """Return a command without its packages, with their shape.

    >>> _kind("go test -tags=integration ./a/..."), _kind("mise run fmt")
    ('go test -tags=integration [/...]', 'mise run fmt')
    """
    packages = [word for word in command.split() if word.startswith("./")]
    shape = f" [{'/...' if packages[0].endswith('...') else '/'}]" if len(packages) == 1 else ""
    return f"{tool(command)}{shape or (' [several]' if packages else '')}"


def _person(session: AgentSession) -> str:
    """Return the home folder of who ran a session."""
    cwd = next((str(record["cwd"]) for record in session.records if record.get("cwd")), "")
    return "/".join(cwd.split("/")[:3])


def _busiest(sessions: Sequence[AgentSession]) -> str:
    return Counter(map(_person, sessions)).most_common(1)[0][0] if sessions else ""


def _fitted(x: Floats, y: Floats, weight: Floats, penalty: float, start: Floats) -> Floats:
    """Return the coefficients of a ridge logistic regression (Newton's method), from a first guess."""
    found = start
    for _ in range(STEPS):
        p = 1.0 / (1.0 + np.exp(-np.clip(x @ found, -30.0, 30.0)))
        slope = x.T @ (weight * (p - y)) + penalty * found
        bend = (x * (weight * p * (1.0 - p))[:, None]).T @ x + penalty * np.eye(x.shape[1])
        step = np.linalg.solve(bend, slope)
        found = found - step
        if np.abs(step).max() < 1e-4:
            break
    return found
