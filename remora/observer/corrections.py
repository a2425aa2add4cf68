"""What was believed and was wrong, what caused a fault, what was tried and given up.

Three kinds of sentences say so, and each is kept only where it can be read without the rest of the
session: it names what it is about, and no "this" or "it" hangs in the air.

    findings      the model names the cause of a fault and then changes files,
                  in that exchange or, once the user agrees, in the next           gotcha
    beliefs       the model corrects itself and says what is the case              gotcha, module_insight
    the user      contradicts, with the right fact                                 gotcha
    dead ends     an approach is given up, with the reason                         dead_end
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from remora.core.events import Exchange, Observation, Signal
from remora.core.text import collapse, shorten, words
from remora.observer import signals
from remora.observer.candidate import NOT_ALONE, USER_SAID, Candidate, Evidence, Rejected, draft, taken_back
from remora.observer.couplings import outside
from remora.observer.outcome import refuses
from remora.observer.paths import is_doc, is_test
from remora.observer.seen import Seen, SeenCount, needed
from remora.observer.sentences import listed, quoted, seen_words, sentence, without_lines
from remora.observer.statements import names_something, stands_alone, statements, states, tidy

FACT = 300  # characters
FINDINGS = 6  # of one session
CONFIDENCE, PRIORITY = 0.8, 0.9
_WHY = {"finding": "the cause was named and dealt with", "user_words": "the user said so"}

_LEAD = re.compile(
    r"\A\W*(?:(?:actually|wait|hmm+|oh|ah|no|sorry|correction|right|ok(?:ay)?|hold on|looking (?:at"
    r"|more) [^,]{0,40}|"
    r"i see|now i see|so)\b[\s,.!:—–-]*)+",
    re.IGNORECASE,
)
_THOUGHT_BUT = re.compile(
    r"\bI (?:initially|originally|first|previously|had) (?:thought|assumed|believed|expected|figured)\b.*?"
    r"[,;]? (?:but|however,?)(?: actually)?,? (?P<fact>.+)",
    re.IGNORECASE | re.DOTALL,
)
_UNSURE = re.compile(
    r"\b(?:maybe|perhaps|might|may be|likely|probably|seems?|appears? (?:to|like|that)|i think"
    r"|could be|should be|suspect|not sure|"
    r"let me|let's|i (?:ran|did|used|added|made|changed)\b|i(?:'ll| will| need| should| want| can| see"
    r"| was| am|'m|'ve| have| had| just| already)"
    r"|we(?:'ll|'d)|"
    r"need to (?:check|look|fix|update|add)|which is fine|the test|this test|the fix|the user)\b|\?",
    re.IGNORECASE,
)
_AMIDST = re.compile(
    r"\bwe(?:'re| are)\b", re.IGNORECASE
)  # of code, where a cause is named; else of the work
# A model's sentence says what "it" is; what hangs in the air is what it starts with or points at.
_HANGS = re.compile(
    r"\A(?:it|this|that|these|those|they|he|she|there|here|and|but|or|then|also|which|what|if|both(?! `)"
    r"|clear|why|how|the (?:core|key|main|only|real) (?:difference|point|thing))\b"
    r"|\b(?:this|that) \w+ case\b|\b(?:this|that|these|those) (?:is|was|should|change|branch|pr|case|file"
    r"|part|test|line|way|error"
    r"|issue|method|"
    r"function|one|means)\b|\b(?:option|step|scenario|case|problem|bug|issue) #?\d|\babove\b|\bbelow\b"
    r"|\b(?:this|that|these|those)\W*\Z",
    re.IGNORECASE,
)
_UNENDED = re.compile(  # a list followed
    r"\b(?:because|by|that|when|with|of|to|and|in|for|from|as|but|or|which|if|at|is|are|was|were):\W*\Z",
    re.IGNORECASE,
)
_ENDS_OPEN = re.compile(r"\b(?:it|them)\W*\Z", re.IGNORECASE)
_PLACED = re.compile(
    r"\A(?:in|on|at|with|about|how|that the test|line|more|only|there|related|just|directory)\b",
    re.IGNORECASE,
)
_TEMPORARY = re.compile(
    r"\b[0-9a-f]{7,40}\b|\b20\d\d-\d\d|(?-i:[a-z]\.[A-Z][a-z]+ \w+ )|\blines? \d+|:\d+(?:-\d+)?\b"
    r"|\bnow\b|\bmissing (?:import|an? )|\bundefined\b(?! (?:order|iteration|behaviou?r))|\bunused\b"
    r"|\bimport(?:s|ed)? (?:is|are)\b"
    r"|\bsession [AB]\b|\bmy\b|\bmissing\b.{0,20}\bimport|\b(?:create|do|have|use|set|fix|handle"
    r"|call)s? it\b|says:"
    r"|\bthe (?:old|new) (?:test|code)|\bexpects?\b"
    r"|\bimport cycle|\boutput format"
    r"|\b(?:is|are) (?:taking|hanging|timing out|failing|crashing|not working)\b",  # seen, not yet understood
    re.IGNORECASE,
)
# Causes that are no fault of the code: the agent's own slip, the machine it works on, a working copy.
_NOT_THE_CODE = re.compile(
    r"(?-i:\bI (?=[a-z]))|\b(?:previous|last|earlier) (?:edit|command|attempt)\b"
    r"|\bthis (?:sandbox|environment|machine|container|shell|session|workspace|host|vm)\b"
    r"|\bthe sandbox (?:has|does|blocks|cannot|can['’]t|denies|forbids)\b"
    r"|(?: not|n['’]t) (?:installed|available)(?=\W*(?:\Z|(?:here|yet|so|locally)\b))"
    r"|\b(?:your|our|this|the current|the local) (?:local )?(?:branch|checkout|clone|fork|shell|machine"
    r"|environment|working (?:copy|tree|directory))\b",
    re.IGNORECASE,
)
_WHERE = re.compile(
    r"\b(?:is|are|lives?|defined|handled|stored|found|located"
    r"|kept) (?:actually )?in `?[\w./-]+[./][\w./-]+`?",
    re.IGNORECASE,
)
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
    """Yield what the session found out against a belief, as far as it can be read alone."""
    yield from _findings(session)
    asked = (*session.prompts, *(exchange.ask for exchange in session.exchanges))
    stated = {statement.text for prompt in asked for statement in statements(prompt)}
    for signal in session.signals:
        if signal.type == "self_correction":
            if states(_words(signal)) not in stated:  # else it is learnt as what the user stated
                yield _corrected(session, seen, signal)
        elif signal.type == "backtrack":
            yield _taken_back(session, seen, signal)


def fact(text: str, *, cause: bool = False) -> str:
    """Return a sentence as a fact that stands alone; empty when it is none.

    Args:
        text: the model's sentence.
        cause: it was given as the cause of something: what "we are doing" in it is what the code does, and
            an "it" at its end is what it speaks of.

    >>> fact("Actually, go-git does not read the global `core.excludesfile`, only the one in the repository")
    'go-git does not read the global `core.excludesfile`, only the one in the repository.'
    >>> fact("Wait, that might not be right")
    ''
    """
    text = re.sub(r"^\s*\d+[.)]\s+.*", "", text)  # the first point of a list is not the whole
    text = without_lines(text)
    but = _THOUGHT_BUT.search(text)
    plain = collapse(_LEAD.sub("", but["fact"] if but else text)).replace("**", "").strip(" *.:;,-—")
    if not 6 <= len(plain.split()) <= 60 or len(plain) > FACT:
        return ""
    if (
        _UNENDED.search(text)
        or not names_something(plain)
        or _HANGS.search(plain)
        or _UNSURE.search(plain)
        or _PLACED.match(plain)
    ):
        return ""
    if _TEMPORARY.search(plain) or (cause and _NOT_THE_CODE.search(plain)):
        return ""
    if not cause and (_AMIDST.search(plain) or _ENDS_OPEN.search(plain)):
        return ""
    return tidy(plain)


def _findings(session: Observation) -> Iterator[Candidate | Rejected]:
    told, waiting = 0, None  # a cause that was named where nothing was changed
    for number, exchange in enumerate(session.exchanges):
        files = [path for path in exchange.paths if not outside(path)]
        after = session.exchanges[number + 1 : number + 2]
        refused = bool(after) and refuses(after[0].ask)
        found = exchange if exchange.findings else waiting
        waiting = found if exchange.findings and not files and not refused else None
        if found is None or not files or refused:
            continue
        last = quoted(found.findings[-1], 80)
        if all(is_test(path) or is_doc(path) for path in files):
            yield Rejected(f"cause {last}", "only tests and documents were changed")
            continue
        if taken_back(session, files, exchange.step):
            yield Rejected(f"cause {last}", "the session took it back")
            continue
        facts = [f for text in found.findings if (f := fact(text, cause=True))]
        if not facts:
            yield Rejected(f"cause {last}", "it cannot be read alone")
        elif told < FINDINGS:
            told += 1
            yield _finding(session, found, exchange, facts[-1], files)


def _finding(
    session: Observation, found: Exchange, mended: Exchange, what: str, files: list[str]
) -> Candidate:
    key = " ".join(words(what))
    at = mended.at or session.ended
    count = SeenCount(1, at, at)
    content = f"A fault that was found and fixed in {listed(files, 2)}: {what} {seen_words(count)}"
    taint = found.taint or mended.taint
    shown = Signal("finding", key, found.step, at, tuple(files[:8]), events=found.events, taint=taint)
    return _candidate(session, shown, "gotcha", content, count)._replace(wrote=mended.wrote)


def _corrected(session: Observation, seen: Seen, signal: Signal) -> Candidate | Rejected:
    kind = str(signal.detail.get("kind", ""))
    text = str(signal.detail.get("sentence", ""))
    what = f"correction {quoted(text, 80)}"
    count = seen.sessions(signal.type, signal.key)
    count = count if count.sessions else SeenCount(1, signal.at, signal.at)
    if kind == "dead_end":
        return _dead_end(session, signal, count) or Rejected(
            what, "an approach was given up without a reason that lasts"
        )
    if kind in ("user", "admitted"):
        plain = states(_words(signal))
        if not plain:
            return Rejected(what, NOT_ALONE)
        said = signal._replace(type="user_words", key=" ".join(words(plain)), taint=None)
        content = f"{plain} (said by the user, {signal.at[:10]})" if signal.at else plain
        found = _candidate(session, said, "gotcha", content, count)
        tags = (*found.draft.tags, USER_SAID)
        return found._replace(priority=0.95, draft=found.draft._replace(tags=tags))
    plain = fact(text) or fact(str(signal.detail.get("then", "")))
    if not plain:
        return Rejected(what, "it cannot be read alone")
    memory_type = "module_insight" if _WHERE.search(plain) else "gotcha"
    content = f"{plain} {seen_words(count)}"
    return _candidate(session, signal, memory_type, content, count)


def _words(signal: Signal) -> str:
    """Return the user's words that a correction rests on; empty where it rests on the model's."""
    kind = signal.detail.get("kind")
    name = "sentence" if kind == "user" else "words" if kind == "admitted" else ""
    return str(signal.detail.get(name, ""))


def _dead_end(session: Observation, signal: Signal, count: SeenCount) -> Candidate | None:
    """Return the dead end of a sentence that gives up an approach; it needs the approach and the reason."""
    tried = _last_sentence(str(signal.detail.get("before", "")))
    then = str(signal.detail.get("then", ""))
    own = str(signal.detail.get("sentence", ""))
    named = _NAMED_APPROACH.search(own)
    if named and not _HANGS.search(own):
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
    """Return the dead end of a change that was taken back in several sessions for a reason that is told."""
    why = str(signal.detail.get("why", ""))
    reason = fact(_last_sentence(why))
    reason = reason if _REASON.search(reason) else ""
    count = seen.sessions(signal.type, signal.key)
    if not reason or not signal.detail.get("tried"):
        return Rejected(f"a change of `{signal.key}` that was taken back", "nobody said why")
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
    return Candidate(
        name, key, memory, PRIORITY, score, 1, count, _WHY.get(name, "the model corrected itself")
    )
