"""Memories from recurring searches, files opened by mistake and configuration changes.

An agent that searches for the same name in session after session could have been told where it is. The
answer is the file that was opened or changed after the search; it is reported if most sessions agree on it,
and only for names that are rare enough to mean one thing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from remora.core.events import Observation, SeenCount, Signal
from remora.observer import signals
from remora.observer.candidate import Candidate, Evidence, Rejected, candidate
from remora.observer.past_sessions import needed
from remora.observer.paths import is_doc
from remora.observer.sentences import code, listed, quoted, seen_words, too_few
from remora.store.session_reader import SessionReader, ShownRow

AGREE = 0.5  # share of the sessions with an answer that must agree
CONFIDENCE = {"repeated_grep": 0.55, "read_abandon": 0.6, "glob_ignore": 0.55}
OFTEN_GREP, MOST_GREP = 0.04, 0.3  # confidence for each session that searched, and its maximum
_IDENTIFIER = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]|\w_\w|\w[-.]\w")
_SAYS_NOTHING = frozenset(
    """
    agent agents branch checkpoint checkpoints command commands commit commits config context data error
    errors false file files fixme hook hooks id input key list logging main message metadata name output
    path paths print result return session sessions settings state strategy string strings test tests todo
    true type types user value values
    """.split()
)

Told = tuple[str, str, tuple[str, ...]]  # memory type, content, files
View = tuple[Signal, Sequence[ShownRow], SeenCount]  # a signal, and the sessions that showed it


def places(session: Observation, seen: SessionReader) -> Iterator[Candidate | Rejected]:
    """Yield a candidate, or a rejection with a reason, for each signal of a type in `_TELL`."""
    for signal in session.signals:
        tell = _TELL.get(signal.type)
        if tell is None:
            continue
        count = seen.sessions_with(signal.type, signal.key)
        needs = needed(signals.KINDS[signal.type].sessions, signal.agents)
        if max(1, count.sessions) < needs:
            yield Rejected(_named(signal), too_few(count.sessions, needs))
            continue
        own = ShownRow(
            f"{session.host}:{session.session_id}", signal.at, signal.paths, dict(signal.detail), signal.taint
        )
        shown = (*seen.signals(signal.type, signal.key), *[own] * (signal.agents - 1))
        why = "too few sessions without external text showed it"
        for view in _views(signal, shown, count):
            told = tell(*view)
            if not isinstance(told, str):
                yield _candidate(session, view[0], told, view[2])
                break
            why = told
        else:
            yield Rejected(_named(signal), why)


def _views(signal: Signal, shown: Sequence[ShownRow], count: SeenCount) -> Iterator[View]:
    """Yield the sessions to judge by: those without external text if they suffice, then all.

    A signal that needs both kinds of sessions waits: it would stay tainted, though clean ones may follow.
    """
    needs = signals.KINDS[signal.type].sessions
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


def majority(values: Sequence[str]) -> str:
    """Return the most frequent of the non-empty values; empty if they do not agree.

    >>> majority(["a", "b", "a", ""]), majority(["a", "b", "c"])
    ('a', '')
    """
    known = [v for v in values if v]
    if not known:
        return ""
    value, n = max(Counter(known).items(), key=lambda item: (item[1], item[0]))
    return value if n >= max(2, AGREE * len(known)) else ""


def _texts(shown: Sequence[ShownRow], name: str) -> list[str]:
    return [str(s.detail.get(name) or "") for s in shown]


def _grep(signal: Signal, shown: Sequence[ShownRow], count: SeenCount) -> Told | str:
    names = [n for n in signal.key.split("|") if n]
    pattern = str(signal.detail.get("pattern") or signal.key)
    if (
        not names
        or all(n in _SAYS_NOTHING for n in names)
        or len(names) > 2
        or not _IDENTIFIER.search(pattern)
    ):
        return "the words are too common"
    answer = majority(_texts(shown, "found"))
    if not answer:
        return "the sessions found different answers"
    what = _plain(pattern, names)
    if any(n.replace("_", "") in re.sub(r"[_-]", "", answer.rsplit("/", 1)[-1].lower()) for n in names):
        return "the file's name shows it"
    changed = any(s.detail.get("changed") for s in shown)
    content = (
        f"{listed(what, 2)} {'is' if len(what) == 1 else 'are'} handled in {code(answer)}: searched for "
        f"again and "
        f"again, and {'changed' if changed else 'answered'} there {seen_words(count)}."
    )
    return "module_insight", content, (answer,)


def _plain(pattern: str, names: Sequence[str]) -> list[str]:
    """Return the names of a search as typed, without the pattern syntax."""
    found = re.findall(r"[A-Za-z_][\w-]{2,}", pattern)
    kept = [w for w in dict.fromkeys(found) if w.lower() in names]
    return kept or list(names)


def _instead(signal: Signal, shown: Sequence[ShownRow], count: SeenCount) -> Told | str:
    right = majority(_texts(shown, "instead"))
    if not right:
        return "the sessions opened different files"
    meant = f"{code(right)} {seen_words(count)}"
    if signal.type == "read_abandon":
        content = f"{code(signal.key)} is often opened by mistake; meant is {meant}."
        return "gotcha", content, (right, signal.key)
    return "gotcha", f"Looking for {code(signal.key)} leads nowhere; what is meant is {meant}.", (right,)


def _config(signal: Signal, shown: Sequence[ShownRow], count: SeenCount) -> Told | str:
    beside: Counter[str] = Counter(
        str(p) for s in shown for p in s.detail.get("with", ()) or () if not is_doc(str(p))
    )
    enough = max(2, AGREE * len(shown))
    files = [p for p, n in sorted(beside.items(), key=lambda item: (-item[1], item[0])) if n >= enough][:3]
    if not files:
        return "the files changed with it differ between sessions"
    content = f"A change of {code(signal.key)} goes with changes of {listed(files)} {seen_words(count)}."
    return "causal_dependency", content, (signal.key, *files)


def _chase(signal: Signal, _: Sequence[ShownRow], count: SeenCount) -> Told | str:
    chain = [str(p) for p in signal.detail.get("chain", ()) or ()]
    if len(chain) < 3:
        return "the chain is too short"
    ends = f"To understand {code(chain[0])} one ends up in {code(chain[-1])}"
    content = f"{ends}, by way of {listed(chain[1:-1])} {seen_words(count)}."
    return "causal_dependency", content, tuple(chain)


def _conflict(signal: Signal, _: Sequence[ShownRow], count: SeenCount) -> Told | str:
    path = signal.paths[0] if signal.paths else signal.key
    content = f"Parallel agents both changed {code(path)}: give it to one of them {seen_words(count)}."
    return "gotcha", content, (path,)


def _reference(signal: Signal, shown: Sequence[ShownRow], count: SeenCount) -> Told | str:
    then = majority(_texts(shown, "then"))
    if not then or not signal.key.startswith("http"):
        return "no change in the repository followed it"
    content = f"{code(signal.key)} is what changes of {code(then)} are looked up in {seen_words(count)}."
    return "module_insight", content, (then,)


_TELL: Mapping[str, Callable[[Signal, Sequence[ShownRow], SeenCount], Told | str]] = {
    "repeated_grep": _grep,
    "read_abandon": _instead,
    "glob_ignore": _instead,
    "config_touch": _config,
    "import_chase": _chase,
    "parallel_conflict": _conflict,
    "external_reference": _reference,
}


def _candidate(session: Observation, signal: Signal, told: Told, count: SeenCount) -> Candidate:
    memory_type, content, files = told
    confidence = CONFIDENCE.get(signal.type, 0.55)
    if signal.type == "repeated_grep":
        confidence += min(MOST_GREP, OFTEN_GREP * count.sessions)
    at_once = f", by {signal.agents} agents at once" if signal.agents > 1 else ""
    return candidate(
        session,
        memory_type,
        content,
        signal=signal.type,
        key=signal.key,
        confidence=confidence,
        seen=count,
        evidence=Evidence((signal.step,), signal.events),
        why=f"{signal.type} {seen_words(count)}{at_once}",
        needs=needed(signals.KINDS[signal.type].sessions, signal.agents),
        files=files,
        tags=(signal.type.replace("_", "-"),),
        taint=signal.taint,
    )
