"""Memories that come from the course of a session itself: words of the user, work done, verdicts, commits.

said        what the user stated for good (statements.py)
outcome     a request that changed two files or more, and how it was reported; not where a commit
            with a message that explains it covers the same files
verdicts    a check that the user reported as failing and that passes in the end (source qa_auto)
commits     commits whose message says why, not only what (source commit_auto)
handed_on   what a stage of a methodology hands to the next
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from remora.core.events import CommitMade, Exchange, Observation
from remora.core.methodology import NATIVE, ExecutionContext, Methodology, WorkUnitResult
from remora.core.text import collapse, words
from remora.core.values import MemoryDraft, MemoryRecord, Taint, WorkUnitRef
from remora.observer.candidate import USER_SAID, Candidate, Evidence, Rejected, doubted, draft, taken_back
from remora.observer.couplings import outside
from remora.observer.failures import asserts, in_writing, own_words, reported, says_nothing, told
from remora.observer.findings import finding
from remora.observer.outcome import refuses
from remora.observer.paths import is_doc, is_test
from remora.observer.reports import clear_ask, done
from remora.observer.seen import Seen, SeenCount
from remora.observer.sentences import first_sentences, listed, seen_words, sentence
from remora.observer.statements import names_something, statements

FILES = 2  # a request must have changed to be a unit of work
UNITS, COMMITS = 2, 6  # of one session that are told, those that say most
COVERED = 0.5  # of a unit's files in a commit that tells of it
SUBTASKS = 5  # with more, memories are promoted after each validated one
BODY = 8  # words of a commit's body that say why
LENGTH = 380  # characters of a commit's memory
_REASON = re.compile(
    r"\b(?:because|since|so that|so (?:the|it|they)|which (?:caused|meant|means|breaks)|instead of"
    r"|previously|before:|"
    r"root cause|problem|the (?:issue|bug) was|now|only (?:if|when)|no longer|without|avoids?|ensures?"
    r"|prevents?)\b",
    re.IGNORECASE,
)
_CAUSE = re.compile(
    r"\b(?:because|root cause|caused by|the (?:issue|problem|bug|reason|cause) (?:was|is))\b", re.IGNORECASE
)
# What a linter asked for: its rules have memories of their own.
_TIDIED = re.compile(
    r"nolint|noqa|type: ignore|ts-(?:ignore|expect-error)|(?:eslint|pylint|rubocop)\S*[-: ]disable|#\[allow"
    r"|^(?:\S+(?: [-–—]|:) )?(?:removed|dropped|deleted|fixed) (?:\S+ ){0,3}(?:redundant|unused|unneeded)\b"
    r"|^(?:\S+(?: [-–—]|:) )?(?:simplified|improved|cleaned up|tidied|polished)\b",
    re.IGNORECASE,
)
_FAILING = re.compile(r"\b(?:is|are) (?:still |currently )?(?:failing|broken|red)\b", re.IGNORECASE)
_PERSONAL = re.compile(r"\bI was\b|\b(?:are|is) (?:still )?failing\b|\bmy (?:change|edit|fix)", re.IGNORECASE)
_PASSING = re.compile(
    r"\b(?:merge|rebase) conflicts?\b|\bconflicts? (?:with|against|on|from)\b|\brebase\b", re.IGNORECASE
)
_ROUTINE = re.compile(
    r"^(?:(?:docs?|style|chore|test|ci)(?:\([^)]*\))?!?:|merge|wip\b|fixup!|squash!|revert\b|bump"
    r"|lint|fmt|format|cleanup|typo|saving|update docs?$)"
    r"|^(?:\w+(?:\([^)]*\))?!?: *)?(?:address|respond|incorporate)\b.*\b(?:review|feedback|comments?)\b",
    re.IGNORECASE,
)


def said(session: Observation, _: Seen) -> Iterator[Candidate]:
    """Yield what the user stated for good, in the user's own words."""
    told_already: set[str] = set()
    for prompt, evidence, at in _prompts(session):
        for statement in statements(prompt):
            key = " ".join(words(statement.text))
            if key in told_already:
                continue
            told_already.add(key)
            count = SeenCount(1, at, at)
            memory = draft(
                session,
                statement.type,
                f"{statement.text} (said by the user, {(at or '')[:10]})" if at else statement.text,
                signal="user_words",
                key=key,
                confidence=0.85,
                seen=count,
                evidence=evidence,
                tags=(USER_SAID,),
                source="user_taught",
            )
            yield Candidate("user_words", key, memory, 0.95, 0.9, 1, count, "the user said so")


def _prompts(session: Observation) -> Iterator[tuple[str, Evidence, str | None]]:
    """Yield what the user typed, at length where it was answered, where, and when it was answered or over."""
    over = session.ended or session.started
    asked = [Evidence((step,), (key,)) for step, key in session.places.get("prompts", ())]
    of_key = {evidence.events[0]: evidence for evidence in asked}
    for exchange in session.exchanges:
        key = exchange.events[:1]
        yield exchange.ask, of_key.get("".join(key)) or Evidence((exchange.step,), key), exchange.at or over
    for number, prompt in enumerate(session.prompts):
        yield prompt, asked[number] if number < len(asked) else Evidence(), over


def outcome(session: Observation, _: Seen) -> Iterator[Candidate | Rejected]:
    """Yield the requests of a successful build that changed enough, with what was done."""
    if session.kind != "build" or session.outcome != "success":
        return
    units: list[tuple[float, int, Exchange]] = []
    for number, exchange in enumerate(session.exchanges):
        reason = _not_a_unit(session, number, exchange)
        if reason:
            yield Rejected(f"request “{collapse(exchange.ask)[:80]}”", reason)
        else:
            units.append((-_worth(exchange), number, exchange))
    best = sorted(units, key=lambda unit: unit[:2])[:UNITS]
    for place, exchange in enumerate(unit[2] for unit in best):
        if place == 0 or _REASON.search(done(exchange.report)):  # a further one has to say why
            yield _unit(session, exchange)


def _worth(exchange: Exchange) -> float:
    """Return how much the report of a unit says: reasons count most, then what was asked, then files."""
    report = done(exchange.report)
    reasons = len(_REASON.findall(report))
    clear = 2.0 if clear_ask(exchange.ask) else 0.0
    return 2.0 * min(reasons, 3) + clear + min(len(_inside(exchange.paths)), 6) / 2


def _inside(paths: Iterable[str]) -> list[str]:
    return [path for path in paths if not outside(path)]


def _not_a_unit(session: Observation, number: int, exchange: Exchange) -> str:
    paths = set(_inside(exchange.paths))
    if len(paths) < FILES:
        return f"it changed fewer than {FILES} files"
    if all(is_test(path) or is_doc(path) for path in paths):
        return "it changed only tests and documents"
    if _PASSING.search(exchange.ask[:300]):
        return "it was asked to bring branches together"
    report = done(exchange.report)
    if not report or not names_something(report):
        return "the report says nothing that lasts"
    if _FAILING.search(report):
        return "the report speaks of what still fails"
    pieces = re.split(r"(?<=\.)\s+", report)
    tidied = [_TIDIED.search(said) is not None and not _REASON.search(said) for said in pieces]
    if tidied[0] and 2 * sum(tidied) >= len(pieces):
        return "it only tidied up"
    after = session.exchanges[number + 1 : number + 2]
    if after and refuses(after[0].ask):
        return "the user refused it afterwards"
    if taken_back(session, sorted(paths), exchange.step):
        return "the session took it back"
    for made in session.commits:
        if _explains(made) and len(paths & set(made.paths)) >= COVERED * len(paths):
            return "a commit tells of it"
    return ""


def _unit(session: Observation, exchange: Exchange) -> Candidate:
    key = f"{session.session_id}:{' '.join(words(exchange.ask))[:200]}"
    files = _inside(exchange.paths)
    at = exchange.at or session.ended
    count = SeenCount(1, at, at)
    asked = clear_ask(exchange.ask)
    content = (
        f"{f'Asked: {sentence(asked)} Done: ' if asked else ''}{sentence(done(exchange.report))} "
        f"Changed {listed(_telling_first(files))} {seen_words(count)}."
    )
    memory = draft(
        session,
        "work_unit_outcome",
        content,
        signal="outcome",
        key=key,
        confidence=0.75,
        seen=count,
        evidence=Evidence((exchange.step,), exchange.events),
        files=files[:12],
        tags=("outcome",),
        payload={"succeeded": True},
        taint=exchange.taint,
        at=at,
    )
    why = f"{session.outcome}: {session.outcome_why}"
    return Candidate("outcome", key, memory, 0.6, 0.7, 1, count, why, exchange.wrote)


def _telling_first(paths: Sequence[str]) -> list[str]:
    """Return source files before tests, each in the order it was changed."""
    return sorted(paths, key=is_test)


def _parts(made: CommitMade) -> tuple[str, str]:
    subject, _, body = made.message.strip().partition("\n")
    return subject, body


def _by_subject(commits: Iterable[CommitMade]) -> dict[str, CommitMade]:
    """Return the commits of a session; one that was amended, or made again, is one with what all changed."""
    found: dict[str, CommitMade] = {}
    for made in commits:
        key = " ".join(words(_parts(made)[0]))
        before = found.get(key)
        if before is not None:
            made = made._replace(
                paths=tuple(dict.fromkeys((*before.paths, *made.paths))),
                taint=before.taint or made.taint,
                wrote=(*before.wrote, *made.wrote),
                events=(*before.events, *made.events),
            )
        found[key] = made
    return found


def _explains(made: CommitMade) -> bool:
    subject, body = _parts(made)
    return not _ROUTINE.match(subject) and len(words(subject)) >= 3 and len(words(body)) >= BODY


def commits(session: Observation, _: Seen) -> Iterator[Candidate | Rejected]:
    """Yield the commits whose message explains what it does."""
    told = 0
    for key, made in _by_subject(session.commits).items():
        subject, body = _parts(made)
        if _explains(made) and told >= COMMITS:
            yield Rejected(f"commit “{subject[:80]}”", f"{COMMITS} commits of a session are told")
            continue
        if not _explains(made):
            yield Rejected(f"commit “{subject[:80]}”", "its message says only what the log says")
            continue
        files = _inside(made.paths)
        if all(map(is_doc, files)):
            # Code that nobody saw change, a subagent's or the user's: whether it stands, nobody can tell.
            yield Rejected(f"commit “{subject[:80]}”", "nobody saw what it changed")
            continue
        told += 1
        at = made.at or session.ended
        count = SeenCount(1, at, at)
        room = LENGTH - len(subject)
        why = done(body, room, of_commit=True) or first_sentences(collapse(body), room)
        where = f" Changed {listed(_telling_first(files))}"
        memory = draft(
            session,
            "work_unit_outcome",
            f"{sentence(subject)} {sentence(why)}{where} (committed {(at or '')[:10]}).",
            signal="commit",
            key=key,
            confidence=0.8,
            seen=count,
            evidence=Evidence((made.step,), made.events),
            files=files[:12],
            tags=("commit",),
            payload={"succeeded": True},
            taint=made.taint,
            source="commit_auto",
            at=at,
        )
        yield Candidate("commit", key, memory, 0.65, 0.75, 1, count, "it was committed", made.wrote)


def verdicts(session: Observation, _: Seen) -> Iterator[Candidate]:
    """Yield the failing checks that the user brought and that pass in the end, with what made them pass."""
    for exchange, start, end in reported(session):
        yield from _verdict(session, exchange, start, end)


def _verdict(session: Observation, exchange: Exchange, start: int, end: int) -> Iterator[Candidate]:
    met = [
        error
        for error in session.errors
        if error.command
        and error.resolved
        and finding(error.message) is None  # `failures` tells it, with what other sessions did
        and any(start < step <= end for step in error.steps)
        and not says_nothing(error.message)
        and not in_writing(error.message)
    ]
    report = done(exchange.report)
    if not met or not report:
        return
    error = met[0]
    if asserts(error.message) and (not _CAUSE.search(report) or _PERSONAL.search(report)):
        return  # a test that was made to fit says nothing to the next reader
    key = error.fingerprint
    at = exchange.at or session.ended
    count = SeenCount(1, at, at)
    files = list(dict.fromkeys(_inside((*error.resolved_paths, *exchange.paths))))
    memory = draft(
        session,
        "error_pattern",
        f"{told(error)}. It passes since: {sentence(report)} {seen_words(count)}",
        signal="qa",
        key=key,
        confidence=0.75,
        seen=count,
        evidence=Evidence(error.steps, (*error.events, *exchange.events)),
        files=files[:8],
        tags=("error", "check"),
        taint=error.taint or exchange.taint,
        source="qa_auto",
        at=at,
    )
    why = "the user reported the failing check; it passed in the end"
    quotes = own_words(error.message) if asserts(error.message) else ""
    yield Candidate("qa", key, memory, 0.8, 0.8, 1, count, why, exchange.wrote, quotes=quotes)


def unit_ended(
    context: ExecutionContext,
    result: WorkUnitResult,
    methodology: Methodology = NATIVE,
    *,
    session_id: str | None = None,
    branch: str | None = None,
    taint: Taint | None = None,
) -> MemoryDraft | None:
    """Return the memory of how a methodology's unit of work ended; None when there is nothing to say.

    `taint` is where the session that did the work read text from outside: its summary may repeat that.
    """
    content = methodology.on_work_unit_complete(context, result)
    unit = methodology.resolve_work_unit_ref(context)
    if not content or unit is None:
        return None
    memory = MemoryDraft(
        content=content,
        type="work_unit_outcome",
        source="observer_inferred",
        scope="work_unit",
        confidence=0.8,
        tags=("observed", "outcome"),
        session_id=session_id,
        branch=branch,
        work_unit_ref=unit,
        methodology=methodology.id,
        taint=taint,
        payload={"succeeded": result.success},
        external_id=f"observed:work_unit_outcome:{methodology.id}:{'/'.join(unit.hierarchy)}",
    )
    return doubted(memory)


def promotes_early(subtasks: int) -> bool:
    """Return whether a build promotes after each validated subtask and not only at its end.

    >>> promotes_early(5), promotes_early(6)
    (False, True)
    """
    return subtasks > SUBTASKS


def for_unit(draft: MemoryDraft, context: ExecutionContext, methodology: Methodology = NATIVE) -> MemoryDraft:
    """Return a draft as one of the unit of work it was learnt in."""
    return draft._replace(
        work_unit_ref=methodology.resolve_work_unit_ref(context), methodology=methodology.id
    )


def belongs(memory: MemoryRecord, unit: WorkUnitRef | None) -> bool:
    """Return whether a memory was learnt in a unit of work, in a part of it, or in a whole it is part of.

    A spec belongs to each of its subtasks and each of them to it; a subtask never to its neighbour.
    """
    own = memory.work_unit_ref
    if own is None or unit is None or own.methodology != unit.methodology:
        return False
    shared = min(len(own.hierarchy), len(unit.hierarchy))
    return own.hierarchy[:shared] == unit.hierarchy[:shared]


def handed_on(
    memories: Sequence[MemoryRecord], from_stage: str, to_stage: str, methodology: Methodology = NATIVE
) -> list[MemoryRecord]:
    """Return the memories that a stage hands to the next, in the order given; none where they do not meet."""
    for transition in methodology.relay_transitions():
        if (transition.from_stage, transition.to_stage) == (from_stage, to_stage):
            return [m for m in memories if not transition.types or m.type in transition.types]
    return []
