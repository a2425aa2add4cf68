"""Corrections by the user, and approaches that were tried and given up.

Each is kept only if it can be read without the rest of the session: it names its subject, and no "this" or
"it" refers to another sentence.

    the user      contradicts, with the right fact                                 gotcha
    dead ends     an approach is given up, with the reason                         dead_end
    backtracks    a change that sessions took back, with the reason                dead_end

Self-corrections of the agent are evidence for a language model (`evidence`), not memories.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from remora.core.events import Observation, Signal
from remora.core.text import collapse, shorten, words
from remora.observer import signals
from remora.observer.candidate import NOT_ALONE, USER_SAID, Candidate, Evidence, Rejected, draft
from remora.observer.couplings import outside
from remora.observer.past_sessions import Seen, SeenCount, needed
from remora.observer.sentences import quoted, seen_words, sentence
from remora.observer.statements import names_something, stands_alone, statements, states, tidy

CONFIDENCE, PRIORITY = 0.8, 0.9
FACT = 300  # characters
_REASON = re.compile(
    r"\b(?:because|due to|so that|requires?|needs?|cannot|can't|doesn't|does not|won't|isn't|is not|"
    r"fails?|breaks?|never|no longer)\b",
    re.IGNORECASE,
)
_NAMED_APPROACH = re.compile(
    r"\bthe (?P<what>(?!current|same|new|different|right|best|first|second)[\w`.-]+(?: [\w`.-]+)? approach) "
    r"(?:won['’]?t|will not|cannot|can['’]t|does(?:n['’]t| not)|did(?:n['’]t| not)|fails|failed"
    r"|breaks)\b.{25,}",
    re.IGNORECASE,
)
_APPROACH = re.compile(
    r"\b(?:use|using|try|trying|with|by|via|add|adding|call|calling|pass|passing|run|running|set|setting)\b",
    re.IGNORECASE,
)


def corrections(session: Observation, seen: Seen) -> Iterator[Candidate | Rejected]:
    """Yield the user's corrections and the approaches given up that can be read by themselves."""
    asked = (*session.prompts, *(exchange.ask for exchange in session.exchanges))
    stated = {statement.text for prompt in asked for statement in statements(prompt)}
    for signal in session.signals:
        if signal.type == "self_correction":
            if states(_words(signal)) not in stated:  # otherwise it is learned as a statement of the user
                yield from _corrected(session, seen, signal)
        elif signal.type == "backtrack":
            yield _taken_back(session, seen, signal)


def _corrected(session: Observation, seen: Seen, signal: Signal) -> Iterator[Candidate | Rejected]:
    kind = str(signal.detail.get("kind", ""))
    what = f"correction {quoted(str(signal.detail.get('sentence', '')), 80)}"
    count = seen.sessions(signal.type, signal.key)
    count = count if count.sessions else SeenCount(1, signal.at, signal.at)
    if kind == "dead_end":
        given_up = _dead_end(session, signal, count)
        yield given_up or Rejected(what, "an approach was given up without a lasting reason")
    elif kind != "user":
        yield Rejected(what, "the agent corrected itself")
    elif not (plain := states(_words(signal))):
        yield Rejected(what, NOT_ALONE)
    else:
        said = signal._replace(type="user_words", key=" ".join(words(plain)), taint=None)
        content = f"{plain} (said by the user, {signal.at[:10]})" if signal.at else plain
        found = _candidate(session, said, "gotcha", content, count)._replace(why="the user said so")
        tags = (*found.draft.tags, USER_SAID)
        yield found._replace(priority=0.95, draft=found.draft._replace(tags=tags))


def _words(signal: Signal) -> str:
    """Return the user's words of a correction; empty if the model made it."""
    return str(signal.detail.get("sentence", "")) if signal.detail.get("kind") == "user" else ""


def _dead_end(session: Observation, signal: Signal, count: SeenCount) -> Candidate | None:
    """Return the dead end of a sentence that gives up an approach; None without an approach or a reason."""
    tried = _last_sentence(str(signal.detail.get("before", "")))
    then = str(signal.detail.get("then", ""))
    own = str(signal.detail.get("sentence", ""))
    named = _NAMED_APPROACH.search(own)
    if named and stands_alone(own):
        tried = named["what"]
        content = f"{sentence(own)} {seen_words(count)}"
        return _given_up(session, signal, count, content, {"approach_tried": tried, "why_it_failed": own})
    why = next((t for t in (own, then) if _REASON.search(t) and names_something(t) and stands_alone(t)), "")
    clear = names_something(tried) and stands_alone(tried) and _APPROACH.search(tried)
    if not why or not clear:
        return None
    instead = then if then != why and names_something(then) and not then.endswith("?") else ""
    payload = {"approach_tried": tried, "why_it_failed": why}
    if instead:
        payload["alternative_used"] = instead
    content = f"Tried and given up: {sentence(tried)} {sentence(why)} {seen_words(count)}"
    return _given_up(session, signal, count, content, payload)


def _given_up(
    session: Observation, signal: Signal, count: SeenCount, content: str, payload: dict[str, str]
) -> Candidate:
    task = session.prompts[0] if session.prompts else ""
    if task:
        payload["task_context"] = shorten(task, 200)
    return _candidate(session, signal, "dead_end", content, count, payload)


def _taken_back(session: Observation, seen: Seen, signal: Signal) -> Candidate | Rejected:
    """Return the dead end of a change that was taken back, or its rejection if no reason is stated."""
    why = str(signal.detail.get("why", ""))
    reason = _last_sentence(why)
    lasts = _REASON.search(reason) and names_something(reason) and stands_alone(reason)
    reason = tidy(reason) if lasts and len(reason) <= FACT else ""
    count = seen.sessions(signal.type, signal.key)
    if not reason or not signal.detail.get("tried"):
        return Rejected(f"a change of `{signal.key}` that was taken back", "no reason was stated")
    tried = f"a change of `{signal.key}`: {shorten(str(signal.detail['tried']), 160)}"
    content = f"A change of `{signal.key}` was taken back: {reason} {seen_words(count)}"
    payload = {"approach_tried": tried, "why_it_failed": reason}
    made = _candidate(session, signal._replace(paths=(signal.key,)), "dead_end", content, count, payload)
    kind = signals.KINDS["backtrack"]
    memory = made.draft._replace(confidence=0.65)
    needs = needed(kind.sessions, signal.agents)
    why = f"the change was taken back {seen_words(count)}"
    return made._replace(draft=memory, priority=kind.score, score=kind.score, needs=needs, why=why)


def _last_sentence(text: str) -> str:
    pieces = [p for p in re.split(r"(?<=[.!?:])\s+", collapse(text)) if len(p.split()) >= 5]
    return pieces[-1].strip(" *-•") if pieces else ""


def _candidate(
    session: Observation,
    signal: Signal,
    memory_type: str,
    content: str,
    count: SeenCount,
    payload: dict[str, str] | None = None,
) -> Candidate:
    name, key = signal.type, signal.key
    memory = draft(
        session,
        memory_type,
        content,
        signal=name,
        key=key,
        confidence=CONFIDENCE,
        files=tuple(f for f in signal.paths if not outside(f)),
        tags=(name.replace("_", "-"),),
        payload=payload,
        seen=count,
        evidence=Evidence((signal.step,), signal.events),
        taint=signal.taint,
        at=signal.at,
    )
    score = signals.KINDS["self_correction"].score
    return Candidate(name, key, memory, PRIORITY, score, 1, count, "an approach was given up")
