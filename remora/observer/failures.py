"""Recurring errors with their remedies.

An error becomes a memory if two sessions met it and the same remedy made the command work in two of them:
another form of the command (without a flag, with a variable set), or a command that ran between the failure
and the success. If the program itself reports an unknown flag, one success without the flag is enough.

A code change in between proves nothing: the next error of that kind needs another change. An error that two
sessions met without a remedy becomes a record of sessions, which is found by search and never injected.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from remora.core.events import ErrorSeen, Observation, SeenCount
from remora.core.text import shorten
from remora.core.values import Taint
from remora.observer.attribution import PRINTED
from remora.observer.candidate import (
    Candidate,
    Evidence,
    Rejected,
    Withdrawn,
    candidate,
    code,
    external_id,
    quoted,
    seen_words,
    sentence,
    too_few,
)
from remora.observer.command_fixes import after, differs, instead, without_flag
from remora.observer.errors import heads
from remora.observer.fingerprint import of_harness, says_nothing
from remora.store.session_reader import ErrorMet, SessionReader

SIGNAL = "error_retry"
RECORD = "work_unit_outcome"  # type of a record of sessions, which is no memory
SESSIONS = 2  # that met the error, and in which the same remedy resolved it
LINE, COMMAND, WAY = 180, 70, 260  # characters
CONFIDENCE, MORE, MOST = 0.6, 0.05, 0.3  # the base, for each time the error was met, for all times at most
_PLACE = re.compile(r"^\S*?\.\w{1,5}:\d+(?::\d+)?:\s*")


class Remedy(NamedTuple):
    """A way to make a failed command work.

    Attributes:
        words: the instruction.
        sessions: number of sessions in which it worked.
        error: as the newest of these sessions met it.
    """

    words: str
    sessions: int
    error: ErrorSeen


def failures(session: Observation, seen: SessionReader) -> Iterator[Candidate | Rejected | Withdrawn]:
    """Yield a memory or a record for each recurring error, and a rejection with a reason for the others."""
    for error in session.errors:
        met = seen.errors(error.fingerprint)
        clean = [m for m in met if m.error.taint is None]
        found = remedy(clean)
        met, found = (clean, found) if found else (met, remedy(met))
        if found:
            yield _candidate(session, error, met, found)
            yield Withdrawn(external_id(RECORD, SIGNAL, error.fingerprint), "its remedy is known now")
        elif reason := not_a_pattern(error, met):
            yield Rejected(f"error {quoted(error.message, 100)}", reason)
        else:
            yield _record(session, error, met)


def not_a_pattern(error: ErrorSeen, met: Sequence[ErrorMet]) -> str:
    """Return why an error is not worth a record; empty if it is."""
    if _says_nothing(error):
        return "it is an error of the agent's tools, or does not say what failed"
    return too_few(len(met), SESSIONS) if len(met) < SESSIONS else ""


def remedy(met: Sequence[ErrorMet]) -> Remedy | None:
    """Return the remedy that resolved an error in most sessions that met it; None if no two agree."""
    if len(met) < SESSIONS or any(_says_nothing(m.error) for m in met):
        return None
    found: dict[str, list[tuple[str, ErrorSeen]]] = {}
    for m in met:
        for key, way in dict(_ways(m.error)).items():  # a session counts once for each
            found.setdefault(key, []).append((way, m.error))
    sure = {key: own for key, own in found.items() if len(own) >= SESSIONS or _is_flag(own[-1][1])}
    if not sure:
        return None
    best = max(sure.values(), key=len)
    way, error = best[-1]
    return Remedy(way, len(best), error)


def _ways(error: ErrorSeen) -> Iterator[tuple[str, str]]:
    """Yield the possible remedies of an error: a key that is equal across sessions, and the words."""
    if error.worked:
        flagless = without_flag(error.message, error.command, error.worked)
        yield differs(error.command, error.worked), flagless or instead(error.worked)
    for command in error.helped if error.resolved else ():
        for head in heads(command):
            yield head, after([command])


def _is_flag(error: ErrorSeen) -> bool:
    return bool(error.worked and without_flag(error.message, error.command, error.worked))


def _says_nothing(error: ErrorSeen) -> bool:
    """Return whether a failure is of the agent's tools, not of a command, or does not say what failed."""
    if not error.command:
        return True
    return of_harness(error.message) or says_nothing(error.message, error.command)


def _candidate(session: Observation, error: ErrorSeen, met: Sequence[ErrorMet], found: Remedy) -> Candidate:
    content = f"{_failed(found.error)}: {shorten(found.words, WAY)}"
    taint = next((m.error.taint for m in reversed(met) if m.error.taint), None)
    why = f"resolved in the same way in {found.sessions} of them"
    return _made(session, error, met, "error_pattern", content, why, taint)


def _record(session: Observation, error: ErrorSeen, met: Sequence[ErrorMet]) -> Candidate:
    resolved = next((m.error.resolved_how for m in reversed(met) if m.error.resolved_how), "")
    content = sentence(_failed(error)) + (f" Once resolved: {shorten(resolved, WAY)}" if resolved else "")
    taint = error.taint or Taint(f"{PRINTED}{error.command or error.tool}", error.steps[0])
    return _made(session, error, met, RECORD, content, "no remedy worked in two of them", taint)


def _failed(error: ErrorSeen) -> str:
    ran = code(shorten(error.command, COMMAND)) if error.command else error.tool
    return f"{ran} fails with {quoted(_PLACE.sub('', error.message.strip()), LINE)}"


def _made(
    session: Observation,
    error: ErrorSeen,
    met: Sequence[ErrorMet],
    memory_type: str,
    content: str,
    why: str,
    taint: Taint | None,
) -> Candidate:
    times = [m.at for m in met if m.at]
    count = SeenCount(len(met), min(times, default=None), max(times, default=None))
    happened = sum(m.error.count for m in met)
    return candidate(
        session,
        memory_type,
        f"{sentence(content)} {seen_words(count)}",
        signal=SIGNAL,
        key=error.fingerprint,
        confidence=CONFIDENCE + min(MOST, MORE * happened),
        seen=count,
        evidence=Evidence(error.steps, error.events),
        why=f"met in {count.sessions} sessions, {why}",
        tags=("error",),
        taint=taint,
    )
