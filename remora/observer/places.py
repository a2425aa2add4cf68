"""Memories from recurring searches, files opened by mistake and configuration changes.

An agent that searches for the same name in session after session could have been told where it is. The
answer is the file that was opened or changed after the search; it is reported if most sessions agree on it,
and only for names that are rare enough to mean one thing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
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

AGREE = 0.5  # share of the sessions with an answer that must agree
CONFIDENCE = {"repeated_grep": 0.55, "read_abandon": 0.6, "glob_ignore": 0.55}
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
View = tuple[Signal, Sequence[ShownRow], SeenCount]  # a signal, and the sessions that showed it


def places(session: Observation, seen: SessionReader) -> Iterator[Candidate | Rejected]:
    """Yield a candidate, or a rejection with a reason, for each signal of a type in TELLING."""
    for signal in session.signals:
        if signal.type not in TELLING:
            continue
        count = seen.sessions_with(signal.type, signal.key)
        needs = needed(KINDS[signal.type].sessions, signal.agents)
        if max(1, count.sessions) < needs:
            yield Rejected(_named(signal), too_few(count.sessions, needs))
            continue
        own = ShownRow(
            f"{session.host}:{session.session_id}", signal.at, signal.paths, dict(signal.detail), signal.taint
        )
        shown = (*seen.signals(signal.type, signal.key), *[own] * (signal.agents - 1))
        why = "too few sessions without external text showed it"
        for judged, by, known in _views(signal, shown, count):
            answer, why = _judged(judged, by)
            if not why:
                yield _candidate(session, judged, answer, known)
                break
        else:
            yield Rejected(_named(signal), why)


def _views(signal: Signal, shown: Sequence[ShownRow], count: SeenCount) -> Iterator[View]:
    """Yield the sessions to judge by: those without external text if they suffice, then all.

    A signal that needs both kinds of sessions waits: it would stay tainted, though clean ones may follow.
    """
    needs = KINDS[signal.type].sessions
    clean = [one for one in shown if one.taint is None]
    taints = [one.taint for one in shown if one.taint is not None]
    if taints and len(clean) >= needs:
        newest = signal._replace(detail=clean[-1].detail, paths=clean[-1].paths, agents=1, taint=None)
        known = SeenCount()
        for at in {one.session_id: one.at for one in clean}.values():
            known = known.plus(at)
        yield (newest if signal.taint else signal), clean, known
    if not (clean and taints) or len(taints) >= needs:
        yield signal._replace(taint=signal.taint or (taints[-1] if taints else None)), shown, count


def _named(signal: Signal) -> str:
    return f"{signal.type.replace('_', ' ')} {quoted(signal.key, 80)}"


def majority(answers: Sequence[Collection[str]]) -> str:
    """Return the most frequent of the sessions' answers; empty if they do not agree.

    >>> majority([["a"], ["b"], ["a", "c"], []]), majority([["a"], ["b"], ["c"]])
    ('a', '')
    """
    known = Counter(answer for each in answers for answer in each)
    if not known:
        return ""
    value, n = max(known.items(), key=lambda item: (item[1], item[0]))
    return value if n >= max(2, AGREE * sum(map(bool, answers))) else ""


def _answers(shown: ShownRow, key: str) -> list[str]:
    found = shown.detail.get(key) or ()
    each = [found] if isinstance(found, str) else [str(one) for one in found]
    return [one for one in each if not is_doc(one)]


def _judged(signal: Signal, shown: Sequence[ShownRow]) -> tuple[str, str]:
    """Return the answer of most sessions, empty if none is needed, and why the signal makes no memory."""
    name = signal.key if signal.type == "repeated_grep" else ""
    if name and ("|" in name or not _IDENTIFIER.search(_typed(signal))):
        return "", "the words are too common"
    if not (key := TELLING[signal.type].answer):
        return "", ""
    answer = majority([_answers(one, key) for one in shown])
    if not answer:
        return "", "the sessions gave different answers"
    if name and name.replace("_", "") in re.sub(r"[_-]", "", answer.rsplit("/", 1)[-1].lower()):
        return "", "the file's name shows it"
    return answer, ""


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
    files = (answer, *({signal.key} & set(signal.paths))) if answer else tuple(ends)
    confidence = CONFIDENCE.get(signal.type, 0.55)
    if signal.type == "repeated_grep":
        confidence += min(MOST_GREP, OFTEN_GREP * count.sessions)
    at_once = f", by {signal.agents} agents at once" if signal.agents > 1 else ""
    return candidate(
        session,
        telling.type,
        content,
        signal=signal.type,
        key=signal.key,
        confidence=confidence,
        seen=count,
        evidence=Evidence((signal.step,), signal.events),
        why=f"{signal.type} {seen_words(count)}{at_once}",
        needs=needed(KINDS[signal.type].sessions, signal.agents),
        files=files,
        tags=(signal.type.replace("_", "-"),),
        taint=signal.taint,
    )
