"""Errors that come back, with what resolved them.

An error is a pattern when two sessions met it, or one met it twice, and somewhere it was resolved in a
way that can be told. What is left out is work, not a pattern:

    errors of the host's own tools
    a compiler that complains about code being written (an undefined name, an unused import)
    an assertion of a test that was edited, or whose file was edited, and then passed
    a path or a command that was mistyped
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from remora.core.events import ErrorSeen, Observation
from remora.core.text import shorten
from remora.core.values import Taint
from remora.observer import signals
from remora.observer.candidate import Candidate, Rejected, draft, provenance
from remora.observer.fingerprint import of_harness
from remora.observer.seen import ErrorMet, Seen, SeenCount
from remora.observer.sentences import cited, code, listed, quoted, seen_words, sentence

SESSIONS = 2
OFTEN = 3  # sessions after which even an error of code being written is a pattern
LINE, WAY = 180, 260  # characters

_WRITING = re.compile(
    r"\bundefined:|declared and not used|imported and not used|is not used|not enough arguments"
    r"|too many arguments"
    r"|cannot use .+ as|missing return|assignment mismatch|redeclared|unknown field|has no field or method"
    r"|typecheck"
    r"|syntax error|expected (?:'|operand|declaration|statement|type)|missing import path"
    r"|non-declaration statement"
    r"|no new variables|invalid operation|SyntaxError|IndentationError|NameError|is not defined|unterminated"
    r"|does not implement|non-name|\[(?:build|setup) failed\]|implicit assignment|import cycle",
)
_ASSERTION = re.compile(
    r"--- FAIL|^\s*FAIL\b|_test\.\w+:\d+|\bassert|AssertionError|\bexpected\b.+\b(?:got|but|to)\b"
    r"|\bgot\b.+\bwant\b|●|✗"
)
_MISTYPED = re.compile(
    r"no such file or directory|cannot find the (?:file|path)|file not found|is a directory|does not exist"
    r"|directory not found|permission denied:|\(eval\)|not a directory|no matches found|command not found"
    r"|pathspec|File does not exist"
    r"|jq: error|parse error|unexpected EOF|unmatched|bad substitution|Traceback|<string>",
    re.IGNORECASE,
)
_PASSING = re.compile(
    r"interrupted|\bCONFLICT\b|Merge conflict|merge failed|timed? ?out|HTTP [45]\d\d|status code|Not Found"
    r"|rebas"
    r"|non-fast-forward|fetch first|\[rejected\]|Argument Validation|Tool .+ not found|API Error|sha256"
    r"|\bnothing to commit",
    re.IGNORECASE,
)
# Rules whose finding is its own remedy.
_PLAIN_RULES = (
    "unused",
    "ineffassign",
    "gofmt",
    "gofumpt",
    "goimports",
    "typecheck",
    "whitespace",
    "F401",
    "F841",
)
_RULE = re.compile(r"\(([a-z][\w-]{2,30})\)\s*$")
_PLACE = re.compile(r"^\S*?\.\w{1,5}:\d+(?::\d+)?:\s*")
_NOTHING = re.compile(
    r"^\W*(?:exit (?:code|status) \d+|(?:FAIL|error|failed)(?:\s+\S+\s+[\d.]+s)?"
    r"|--- FAIL: \S+(?: \([\d.]+s\))?)?\W*$",
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
    for error in session.errors:
        met = seen.errors(error.fingerprint)
        reason = not_a_pattern(error, met)
        if reason:
            yield Rejected(f"error {quoted(error.message, 100)}", reason)
        else:
            yield _candidate(session, error, met)


def not_a_pattern(error: ErrorSeen, met: Sequence[ErrorMet]) -> str:
    """Return why an error is not worth a memory; empty when it is one."""
    message, often = error.message, len(met) >= OFTEN
    if of_harness(message) or says_nothing(message) or error.tool.startswith("mcp__"):
        return "it is an error of the harness, or says nothing"
    if _MISTYPED.search(message) or _EVERYDAY.match(error.command):
        return "a mistyped path or command"
    if _PASSING.search(message):
        return "a passing state of the network or of the working copy"
    if rule_of(message) in _PLAIN_RULES:
        return "the rule says by itself what to do"
    if _WRITING.search(message) and not (often and _RULE.search(message)):
        return "the compiler speaks of code that was being written"
    if _ASSERTION.search(message) and not often:
        return "an assertion of a test that the session worked on"
    if len(met) < SESSIONS and error.count < 2:
        return f"seen once, {SESSIONS} sessions are needed"
    if not _ways(met) and not (rule_of(message) and len(met) >= OFTEN):
        return "nobody knows what resolved it"
    return ""


def says_nothing(message: str) -> bool:
    """Return whether a message names a failure without saying what failed.

    >>> says_nothing("FAIL entire.io/cli/cmd 1.718s"), says_nothing("--- FAIL: TestX (0.46s)")
    (True, True)
    """
    return _NOTHING.match(message) is not None


def asserts(message: str) -> bool:
    """Return whether a message is the failed assertion of a test."""
    return _ASSERTION.search(message) is not None


def in_writing(message: str) -> bool:
    """Return whether a compiler complains about code that was just being written."""
    return _WRITING.search(message) is not None


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
    """Return whether a change names what the error names, or silences its rule."""
    rule = rule_of(message)
    if rule and (rule in way or "nolint" in way or "noqa" in way):
        return rule in way
    names = re.findall(r"[\w./-]*\w", _PLACE.sub("", message))
    return any(name in way for name in names if len(name) > 3 and _NAME.search(name))


def rule_of(message: str) -> str:
    """Return the linter's rule that a message names at its end, or nothing.

    >>> rule_of("a.go:3:1: error is not nil but it returns nil (nilerr)")
    'nilerr'
    """
    found = _RULE.search(message) if _PLACE.match(message.strip()) else None
    return found[1] if found else ""


def told(error: ErrorSeen) -> str:
    """Return how a sentence names an error: what failed, and the line that says why."""
    rule = rule_of(error.message)
    line = _PLACE.sub("", error.message.strip())
    ran = code(shorten(error.command, 70)) if error.command else error.tool
    if rule:
        return f"{ran} fails on the linter's rule {code(rule)}: {quoted(_RULE.sub('', line), LINE)}"
    return f"{ran} fails with {quoted(line, LINE)}"


def _sentence(error: ErrorSeen, ways: Sequence[str], files: Sequence[str]) -> str:
    if not ways:
        line = quoted(_RULE.sub("", _PLACE.sub("", error.message.strip())), LINE)
        return f"The linter's rule {code(rule_of(error.message))} is on here and is often broken: {line}"
    where = f" (files: {listed(files, 2)})" if files and not any(f in ways[0] for f in files[:2]) else ""
    return f"{told(error)}; what resolved it: {sentence(ways[0] + where)}"


def _candidate(session: Observation, error: ErrorSeen, met: Sequence[ErrorMet]) -> Candidate:
    times = [m.at for m in met if m.at]
    count = SeenCount(len(met), min(times, default=None), max(times, default=None))
    solved = [m for m in met if m.error.resolved]
    files = [path for m in reversed(solved) for path in m.error.resolved_paths]
    files = [path for path, _ in Counter(f for f in files if not f.startswith(("/", "~"))).most_common(4)]
    content = f"{_sentence(_told_best(met, error), _ways(met), files)} {seen_words(count)}"
    happened = sum(m.error.count for m in met)
    taint: Taint | None = next((m.error.taint for m in (*reversed(met),) if m.error.taint), error.taint)
    memory = draft(
        session,
        "error_pattern",
        content,
        signal="error_retry",
        key=error.fingerprint,
        confidence=0.6 + min(0.3, 0.05 * happened),
        files=files,
        tags=("error", *([rule_of(error.message)] if rule_of(error.message) else ())),
        payload=provenance("error_retry", error.fingerprint, count, error.steps),
        citation=cited(count, session.session_id, error.steps),
        taint=taint,
    )
    if count.sessions > 1:
        memory = memory._replace(branch=None)
    rule = signals.KINDS["error_retry"]
    why = f"met {happened} times in {count.sessions} sessions, resolved in {len(solved)}"
    needs = 1 if error.count >= 2 else SESSIONS
    return Candidate("error_retry", error.fingerprint, memory, rule.score, rule.score, needs, count, why)
