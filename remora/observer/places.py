"""Memories from recurring searches, files opened by mistake and configuration changes.

An agent that searches for the same name in session after session could have been told where it is. The
answer is the file that was opened or changed after the search; it is reported if most sessions agree on it,
and only for names that are rare enough to mean one thing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from remora.core.events import Observation, SeenCount, Signal
from remora.observer.candidate import (
    KINDS,
    Candidate,
    Evidence,
    Rejected,
    candidate,
    code,
    quoted,
    seen_words,
    too_few,
)
from remora.observer.past_sessions import needed
from remora.observer.paths import is_doc
from remora.store.session_reader import SessionReader, ShownRow

CONFIDENCE = 0.55
OFTEN_GREP, MOST_GREP = 0.04, 0.3  # confidence for each session that searched, and its maximum
_IDENTIFIER = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]|\w_\w|\w[-.]\w")


class Telling(NamedTuple):
    """The memory of a signal: its type, the key of the answer in the signal's detail, and its sentence.

    Without a key the signal itself is the answer.
    """

    type: str
    answer: str
    sentence: str


TELLING: Mapping[str, Telling] = {
    "repeated_grep": Telling(
        "module_insight", "found", "{key} is handled in {answer}: searched for again and again {seen}."
    ),
    "read_abandon": Telling(
        "gotcha", "instead", "{key} is often opened by mistake; meant is {answer} {seen}."
    ),
    "glob_ignore": Telling(
        "gotcha", "instead", "Looking for {key} leads nowhere; what is meant is {answer} {seen}."
    ),
    "config_touch": Telling(
        "causal_dependency", "with", "A change of {key} goes with changes of {answer} {seen}."
    ),
    "import_chase": Telling("causal_dependency", "", "To understand {first} one ends up in {last} {seen}."),
    "parallel_conflict": Telling(
        "gotcha", "", "Parallel agents both changed {key}: give it to one of them {seen}."
    ),
    "external_reference": Telling(
        "module_insight", "then", "{key} is what changes of {answer} are looked up in {seen}."
    ),
}


def places(session: Observation, seen: SessionReader) -> Iterator[Candidate | Rejected]:
    """Yield a candidate, or a rejection with a reason, for each signal of a type in TELLING."""
    return (_judged(session, signal, seen) for signal in session.signals if signal.type in TELLING)


def _judged(session: Observation, signal: Signal, seen: SessionReader) -> Candidate | Rejected:
    """Return the memory of a signal, or why it makes none.

    It rests on the sessions without external text if they suffice, else on the others, and is tainted then.
    """
    name = f"{signal.type.replace('_', ' ')} {quoted(signal.key, 80)}"
    count = seen.sessions_with(signal.type, signal.key)
    needs = needed(KINDS[signal.type].sessions, signal.agents)
    if max(1, count.sessions) < needs:
        return Rejected(name, too_few(count.sessions, needs))
    shown = seen.signals(signal.type, signal.key)
    clean = [one for one in shown if one.taint is None]
    enough = needs if signal.taint is None else KINDS[signal.type].sessions
    by = clean if len(clean) >= enough else [one for one in shown if one.taint is not None]
    if len(by) < needs:
        return Rejected(name, "too few sessions without external text showed it")
    signal = signal._replace(detail=by[-1].detail, paths=by[-1].paths, taint=by[-1].taint)
    answer = majority([_answers(one, TELLING[signal.type].answer) for one in by])
    if not answer and TELLING[signal.type].answer:
        return Rejected(name, "the sessions gave different answers")
    if signal.type == "repeated_grep" and not _IDENTIFIER.search(_typed(signal)):
        return Rejected(name, "the words are too common")
    count = SeenCount()
    for one in by:
        count = count.plus(one.at)
    return _candidate(session, signal, answer, count)


def majority(answers: Sequence[Sequence[str]]) -> str:
    """Return the answer of most sessions that have one; empty if they do not agree.

    >>> majority([["a"], ["b"], ["a", "c"], []]), majority([["a"], ["b"]])
    ('a', '')
    """
    known = Counter(answer for each in answers for answer in each)
    value, n = max(known.items(), key=lambda item: (item[1], item[0]), default=("", 0))
    return value if 2 * n > sum(map(bool, answers)) else ""


def _answers(shown: ShownRow, key: str) -> list[str]:
    found = shown.detail.get(key) or ()
    each = [found] if isinstance(found, str) else [str(one) for one in found]
    return [one for one in each if not is_doc(one)]


def _typed(signal: Signal) -> str:
    """Return the key of a signal; of a search, the name as it was typed."""
    pattern = str(signal.detail.get("pattern") or "")
    return next((w for w in re.findall(r"[A-Za-z_][\w-]+", pattern) if w.lower() == signal.key), signal.key)


def _candidate(session: Observation, signal: Signal, answer: str, count: SeenCount) -> Candidate:
    telling = TELLING[signal.type]
    ends = signal.key.split(" -> ")
    content = telling.sentence.format(
        key=code(_typed(signal)),
        answer=code(answer),
        first=code(ends[0]),
        last=code(ends[-1]),
        seen=seen_words(count),
    )
    often = min(MOST_GREP, OFTEN_GREP * count.sessions) if signal.type == "repeated_grep" else 0.0
    return candidate(
        session,
        telling.type,
        content,
        signal=signal.type,
        key=signal.key,
        confidence=CONFIDENCE + often,
        seen=count,
        evidence=Evidence((signal.step,), signal.events),
        why=f"{signal.type} {seen_words(count)}",
        needs=needed(KINDS[signal.type].sessions, signal.agents),
        files=(answer, *({signal.key} & set(signal.paths))) if answer else ends,
        tags=(signal.type.replace("_", "-"),),
        taint=signal.taint,
    )
