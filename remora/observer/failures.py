"""Errors that come back, with what resolved them.

An error is a pattern when two sessions met it, or one met it twice, and somewhere it was resolved in a
way that can be told. What is left out is work, not a pattern:

    errors of the host's own tools
    a compiler that complains about code being written (an undefined name, an unused import)
    an assertion of a test that was edited, or whose file was edited, and then passed
    a path or a command that was mistyped; a table or a bucket that is missing was not, nor a program that
    sessions found under another name

What a linter lists is one error for each of its rules; `rules` tells it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from remora.core.events import ErrorSeen, Exchange, Observation
from remora.core.text import shorten
from remora.core.values import Taint
from remora.observer import signals
from remora.observer.candidate import Candidate, Evidence, Rejected, draft
from remora.observer.changes import brought
from remora.observer.findings import Finding, finding
from remora.observer.fingerprint import of_harness, sums_up
from remora.observer.rules import in_types, resolved, rule_told, says_itself
from remora.observer.seen import KEPT, ErrorMet, Seen, SeenCount
from remora.observer.sentences import code, listed, quoted, seen_words, sentence, too_few
from remora.observer.slips import THERE, by_another_name, in_command

SESSIONS = 2
OFTEN = 3  # sessions after which even an error of code being written is a pattern
LINE, WAY = 180, 260  # characters

FAILED_CHECK = re.compile(
    r"\b(?:tests?|lint\w*|build|ci|checks?|mise run \S+|make \S+|npm \S+|pytest|suite)\b.{0,60}"
    r"\b(?:fail|fails|failing|failed|broken|error|errors|red)\b"
    r"|\b(?:fix|failing|failed|broken)\b.{0,30}\b(?:tests?|lint\w*|build|ci|checks?)\b",
    re.IGNORECASE | re.DOTALL,
)
_NEW_TEST = re.compile(r"\b(?:write|add|create|make)\b.{0,40}\btests?\b", re.IGNORECASE)

_WRITING = re.compile(
    r"\bundefined:|declared and not used|imported and not used|is not used|not enough arguments"
    r"|too many arguments"
    r"|cannot use .{1,200} as"
    r"|missing return|assignment mismatch|redeclared|unknown field|has no field or method"
    r"|typecheck"
    r"|syntax error|expected (?:'|operand|declaration|statement|type)|missing import path"
    r"|non-declaration statement"
    r"|no new variables|invalid operation|SyntaxError|IndentationError|NameError|is not defined|unterminated"
    r"|does not implement|non-name|\[(?:build|setup) failed\]|implicit assignment|import cycle",
)
_ASSERTION = re.compile(
    r"--- FAIL|^\s*FAIL\b|_test\.\w+:\d+|\bassert|AssertionError|\bexpected\b.{1,400}\b(?:got|but|to)\b"
    r"|\bgot\b.{1,400}\bwant\b|●|✗"
)
_MISTYPED = re.compile(
    r"no such file or directory|cannot find the (?:file|path)|file not found|is a directory|does not exist"
    r"|directory not found|permission denied:|\(eval\)|not a directory|no matches found|command not found"
    r"|pathspec|File does not exist"
    r"|jq: error|parse error|unexpected EOF|unmatched|bad substitution|Traceback|<string>",
    re.IGNORECASE,
)
# What a service lacks is made, not typed.
_ABSENT = re.compile(
    r"\b(?:relation|table|view|schema|database|role|user|bucket|topic|queue|index|collection|keyspace|extension"
    r"|sequence|namespace|network|volume)(?: [\"'`“][^\"'`”/\n]+[\"'`”]| [\w-]+)? does not exist",
    re.IGNORECASE,
)
_PASSING = re.compile(
    r"interrupted|\bCONFLICT\b|Merge conflict|merge failed|timed? ?out|HTTP [45]\d\d|status code|Not Found"
    r"|rebas"
    r"|non-fast-forward|fetch first|\[rejected\]|Argument Validation|Tool .{1,200} not found|API Error|sha256"
    r"|\bnothing to commit",
    re.IGNORECASE,
)
_PLACE = re.compile(r"^\S*?\.\w{1,5}:\d+(?::\d+)?:\s*")
_NOTHING = re.compile(
    r"\W*+(?:exit (?:code|status) \d+|(?:FAIL|error|failed)(?:\s+\S+\s+[\d.]+s)?"
    r"|FAIL: \S+(?: \([\d.]+s\))?)?\W*$",
    re.IGNORECASE,
)
_EVERYDAY = re.compile(
    r"(?:ls|cat|head|tail|wc|grep|rg|sed|awk|find|cd|echo|jq|cut|sort|which|file|tree|python3? -c"
    r"|git (?:-\S+ \S+ )?(?:show|log|diff|status|branch|checkout|blame|ls-tree|ls-files|rev-parse|cat-file"
    r"|stash))\b"
)
_CHANGE = re.compile(r"^(?:changed|added to|removed from|wrote) `")
_NAME = re.compile(r"[a-z][A-Z]|\w_\w|^[A-Z]\w*[a-z]$|^\.\w|\w[./-]\w")
_AGAIN = re.compile(r"^it worked when run again")


def failures(session: Observation, seen: Seen) -> Iterator[Candidate | Rejected]:
    """Yield a candidate for each error of the session that is a pattern, and why others are not."""
    times = [(start, end) for _, start, end in reported(session)]
    for error in session.errors:
        brought = any(start < step <= end for step in error.steps for start, end in times)
        met = seen.errors(error.fingerprint)
        rule = finding(error.message)
        met = _untainted(rule, met, brought)
        reason = not_a_pattern(error, met) if rule is None else _no_rule(rule, met, brought)
        if reason:
            yield Rejected(f"error {quoted(error.message, 100)}", reason)
        else:
            # Of what was met more often only the newest are known, but not how many there are.
            whole = seen.met(error.fingerprint) if len(met) >= KEPT else None
            yield _candidate(session, error, met, rule, whole, brought=brought)


def reported(session: Observation) -> Iterator[tuple[Exchange, int, int]]:
    """Yield the requests that brought a failing check which passes in the end, with their steps."""
    start = 0
    for exchange in session.exchanges if session.outcome == "success" else ():
        ask = exchange.ask[:300]
        if FAILED_CHECK.search(ask) and not _NEW_TEST.search(ask) and exchange.paths:
            yield exchange, start, exchange.step
        start = exchange.step


def _no_rule(rule: Finding, met: Sequence[ErrorMet], brought: bool) -> str:
    """Return why a linter's rule is not worth a memory; empty when it is."""
    if says_itself(rule):
        return "the rule says by itself what to do"
    if (in_types(rule) or _WRITING.search(rule.message)) and len(met) < OFTEN:
        return "the compiler speaks of code that was being written"
    if not _often(met, brought):
        return too_few(1, SESSIONS)
    return "" if resolved(met) else "nobody knows what resolved it"


def _often(met: Sequence[ErrorMet], brought: bool) -> bool:
    """Return whether a rule was met twice: in two sessions, in one, or once by the user and once there."""
    return len(met) >= SESSIONS or brought or any(m.error.count > 1 for m in met)


def _untainted(rule: Finding | None, met: Sequence[ErrorMet], brought: bool) -> Sequence[ErrorMet]:
    """Return the meetings before anything was read from outside, where they are a pattern by themselves."""
    clean = [m for m in met if m.error.taint is None]
    often = _often(clean, brought and len(clean) == len(met))
    return clean if clean and often and (_ways(clean) if rule is None else resolved(clean)) else met


def not_a_pattern(error: ErrorSeen, met: Sequence[ErrorMet]) -> str:
    """Return why an error is not worth a memory; empty when it is one."""
    message, often = error.message, len(met) >= OFTEN
    if of_harness(message) or says_nothing(message) or error.tool.startswith("mcp__"):
        return "it is an error of the harness, or says nothing"
    renamed = sum(by_another_name(m.error.command, m.error.message, m.error.resolved_how) for m in met)
    if renamed < SESSIONS and _mistyped(error, met):
        return "a mistyped path or command"
    if renamed < SESSIONS and _PASSING.search(message):
        return "a passing state of the network or of the working copy"
    if _WRITING.search(message):
        return "the compiler speaks of code that was being written"
    if _ASSERTION.search(message) and not often:
        return "an assertion of a test that the session worked on"
    if len(met) < SESSIONS and error.count < 2:
        return too_few(1, SESSIONS)
    if not _ways(met):
        return "nobody knows what resolved it"
    return ""


def _mistyped(error: ErrorSeen, met: Sequence[ErrorMet]) -> bool:
    """Return whether an error is a slip of the keyboard, not of a shell that is elsewhere or a service."""
    retyped = any(map(in_command, _ways(met)[:1]))
    message = error.message if retyped else _ABSENT.sub("", error.message)
    slip = _MISTYPED.search(message) or _EVERYDAY.match(error.command)
    return bool(slip) and THERE not in (m.error.resolved_how for m in met)


def says_nothing(message: str) -> bool:
    """Return whether a message names a failure without saying what failed.

    >>> says_nothing("FAIL entire.io/cli/cmd 1.718s"), says_nothing("--- FAIL: TestX (0.46s)")
    (True, True)
    """
    return _NOTHING.match(message) is not None or sums_up(message)


def _told_best(met: Sequence[ErrorMet], newest: ErrorSeen) -> ErrorSeen:
    """Return the meeting that is told: the newest one that was resolved the usual way."""
    usual = _ways(met)[:1]
    return next((m.error for m in reversed(met) if [_way(m.error)] == usual), newest)


def _ways(met: Sequence[ErrorMet]) -> list[str]:
    """Return how it was resolved, the usual way first, the newest of equals."""
    ways = [way for m in met if (way := _way(m.error))]
    count = Counter(ways)
    return sorted(count, key=lambda way: (-count[way], -max(n for n, w in enumerate(ways) if w == way)))


def _way(error: ErrorSeen) -> str:
    """Return how an error was resolved; a change that does not speak of it says nothing."""
    way = error.resolved_how
    if not error.resolved or not way or _AGAIN.match(way):
        return ""
    if _CHANGE.match(way) and not _about(error.message, way):
        return ""
    return shorten(way, WAY)


def _about(message: str, way: str) -> bool:
    """Return whether a change names what the error names."""
    names = re.findall(r"(?<![\w./-])[\w./-]*\w", _PLACE.sub("", message))
    return any(name in way for name in names if len(name) > 3 and _NAME.search(name))


def told(error: ErrorSeen) -> str:
    """Return how a sentence names an error: what failed, and the line that says why."""
    line = _PLACE.sub("", error.message.strip())
    ran = code(shorten(error.command, 70)) if error.command else error.tool
    return f"{ran} fails with {quoted(line, LINE)}"


def _sentence(error: ErrorSeen, ways: Sequence[str], files: Sequence[str]) -> str:
    where = f" (files: {listed(files, 2)})" if files and not any(f in ways[0] for f in files[:2]) else ""
    failed = told(error._replace(command="cd") if ways[0] == THERE else error)
    return f"{failed}; what resolved it: {sentence(ways[0] + where)}"


def _candidate(
    session: Observation,
    error: ErrorSeen,
    met: Sequence[ErrorMet],
    rule: Finding | None,
    whole: SeenCount | None,
    *,
    brought: bool,
) -> Candidate:
    times = [m.at for m in met if m.at]
    count = whole or SeenCount(len(met), min(times, default=None), max(times, default=None))
    solved = [m for m in met if m.error.resolved]
    files = [path for m in reversed(solved) for path in m.error.resolved_paths]
    files = [path for path, _ in Counter(f for f in files if not f.startswith(("/", "~"))).most_common(4)]
    newest = met[-1]
    said = rule_told(rule, met) if rule else _sentence(_told_best(met, newest.error), _ways(met), files)
    happened = sum(m.error.count for m in met)
    taint: Taint | None = next((m.error.taint for m in reversed(met) if m.error.taint), None)
    memory = draft(
        session,
        "error_pattern",
        f"{said} {seen_words(count)}",
        signal="error_retry",
        key=error.fingerprint,
        confidence=0.6 + min(0.3, 0.05 * happened),
        files=() if rule else files,  # a rule holds for every file
        tags=("error", *filter(None, (rule.rule, rule.linter) if rule else ())),
        seen=count,
        evidence=Evidence(error.steps, error.events),
        taint=taint,
    )
    if count.sessions > 1:
        memory = memory._replace(branch=None)
    kind = signals.KINDS["error_retry"]
    often = "once " if happened == 1 else f"{happened} times "
    of = ""
    if count.sessions > len(met):
        often, of = "", f" of the last {len(met)}"
    among = (
        "one session" if count.sessions <= 1 else f"{count.sessions} sessions, resolved in {len(solved)}{of}"
    )
    why = f"met {often}in {among}"
    needs = 1 if brought or any(m.error.count > 1 for m in met) else SESSIONS
    return Candidate(
        *("error_retry", error.fingerprint, memory, kind.score, kind.score, needs, count, why),
        remedy=_marks(met) if rule else _brought(_told_best(met, newest.error)),
    )


def _marks(met: Sequence[ErrorMet]) -> tuple[tuple[str, str], ...]:
    """Return the files with the marks that silenced a rule; nothing where it was resolved in another way."""
    remedies = [remedy for m in met for remedy in m.error.remedies]
    if any(remedy.kind != "silenced" for remedy in remedies):
        return ()
    paths = dict.fromkeys(path for m in met for path in m.error.resolved_paths)
    return tuple((path, remedy.after) for path in paths for remedy in remedies)


def _brought(error: ErrorSeen) -> tuple[tuple[str, str], ...]:
    found = brought(error.resolved_how)
    return (found,) if found and _way(error) else ()
