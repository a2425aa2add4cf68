"""Error fingerprints: the error line of an output, and its hash, which is the same on every machine.

Two people on two machines meet the same error at other times, in other folders, at other lines. Paths, ids,
numbers and times are replaced before hashing. Package names ("@acme/auth") and HTTP status codes (404) are
kept: they distinguish errors.
"""

from __future__ import annotations

import hashlib
import re

from remora.core.text import STOP_WORDS, collapse, words

_READ = 8_000  # characters of an output that are looked at, from both ends
_LINE = 400  # characters of an error line

_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*\x07")
_IN_PATH = r"[^\s:'\"`,;()<>\[\]]+"
_PLACE = r"(?::\d+(?::\d+)?|\(\d+(?:,\d+)?\))"  # a line, or a line and a column
_NAMED = (
    r"(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}|[ap]m|utc|gmt"
)
# For text in lower case, in this order.
_RULES = tuple(
    (re.compile(pattern), stand_in)
    for pattern, stand_in in (
        (r"\bhttp/\d(?:\.\d)?\b", "http"),  # not a path
        (
            (
                rf"\bfile://{_IN_PATH}(?::/{_IN_PATH})?{_PLACE}?|\b[a-z]:(?:\\|/(?!/)){_IN_PATH}{_PLACE}?"
                rf"|(?<![\w.@:/>-])(?:~|\.{{1,2}})?/{_IN_PATH}{_PLACE}?"
                rf"|(?<![\w/.@:>+-])(?!@[\w.-]+/[\w.-]+['\"])[\w.@+-]+(?:/[\w.@+*-]+)+/?{_PLACE}?"
                rf"|(?<![\w/.@+-])[\w.+-]*\w\.[a-z]{{1,5}}{_PLACE}"
            ),
            "<path>",
        ),
        (
            # A UUID; a ULID or a TypeID, in Crockford's base 32; an address; a hash
            (
                r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|(?<![0-9a-z])[0-7][0-9a-hjkmnp-tv-z]{25}\b"
                r"|\b0x[0-9a-f]+\b|\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,64}\b"
            ),
            "<id>",
        ),
        (
            (
                r"(?<![\w<.])(?<!http )(?<!status[ =])(?<!status: )(?<!status code )(?<!status code: )"
                r"\d[\w.:,+-]*(?<![:.,])"
            ),
            "<n>",
        ),
        # A date or a time of several parts
        (rf"(?:\b(?:{_NAMED}),? +){{0,2}}<n>(?:,? *[+-]?<n>|,? +(?:{_NAMED})\b(?:[+-]<n>)?)+", "<n>"),
    )
)

# Messages of the host's own tools at the beginning of a result; anywhere else they belong to the project.
# For text in lower case, because ignoring case takes twice as long.
_REFUSED = (
    r"the user doesn't want to (?:proceed with|take) this|(?:the )?tool use (?:was )?rejected"
    r"|the agent proposed a plan that was rejected by the user|the user rejected permission to use "
    r"|(?:(?:exec )?command|patch|tool call) rejected by (?:the )?user"
    r"|permission (?:to use .{1,1500}? has been (?:auto-)?|for this .{1,40}? was )denied"
    r"|claude requested permissions "
)
_DENIED = re.compile(rf"\s*(?:error: )?(?:{_REFUSED})", re.DOTALL)
_HARNESS = re.compile(
    rf"\s*(?:error: )?(?:{_REFUSED}|<tool_use_error>|(?:exit code \d+\s+)?\[request interrupted by user"
    r"|file has not been read yet|file has been (?:unexpectedly )?modified since|string to replace not found"
    r"|found \d+ matches of the string to replace|no changes to make: old_string|sibling tool call errored"
    r"|file content \([\d.,]++\w* ?tokens\) exceeds|inputvalidationerror: (?:\[|\w+ failed due to)"
    r"|no such tool available|enoent: no such file or directory, posix_spawn '[^']*claude"
    r"|exit plan mode\?|you are not in plan mode|[^\n]{1,500} was blocked\. for security, claude"
    r"|apply_patch verification failed|invalid context \d+|failed to find expected lines)",
    re.DOTALL,
)
_USER_SAID = re.compile(r"the user said:\s*(.+)", re.IGNORECASE | re.DOTALL)

# Patterns of error lines, the most reliable first.
_TELLING = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        # A place in a file: of a compiler with the column, of a linter that names its rule
        r"^.*\.\w{1,5}(?:[:(]\d+[:,]\d+\)?:? .+|:\d+: .{1,400}\(\w[\w-]{1,80}\))$",
        r"^(?:panic|fatal(?: error)?|error(?:\[\w+\])?): .+$|^npm (?:ERR!|error) (?!A complete log|code ).+$",
        # A failed test by name, and what it met
        r"^(?:FAILED|ERROR) \S+\.py.*$|^[ \t]*(?:--- FAIL:|●) .+$|^test .+ \.\.\. FAILED$",
        r"^E   +\S.*$|^thread '.+' panicked at .+$",
        r"^[ \t]*(?:\S{1,40} ){0,3}(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception|NotFound|Denied)(?:: .+)?$",
        r"^(?:[Ee]rror|ERROR|Fatal|abort|FAIL)\b ?[:!].+$",
        (
            r"^.*(?:not found|o such file or directory|does not exist|nvalid |nknown |CONFLICT|cannot "
            r"|could not |nable to |timed out).*$"
        ),
    )
)
_NOISE = re.compile(
    r"^(?:Exit code \d+|\[[\w:.-]+\] (?:\$|ERROR task failed|Finished).*|exit status \d+"
    r"|Error: exit status \d+|FAIL(?:\s+\S+\s+[\d.]+s)?|"
    r"make(?:\[\d+\])?: \*\*\* \[.*|Usage:.*|\(no output\)|\s*|</?tool_use_error>)$"
)
_LAST_HOPE = re.compile(
    r"error|fail|fatal|denied|refused|missing|not found|unable to|cannot|could not|unexpected|unsupported"
    r"|exceeded|no such",
    re.IGNORECASE,
)
_NOTHING = re.compile(
    r"\W*+(?:(?:FAIL|error|failed)(?:\s+\S+\s+[\d.]+s)?|FAIL: \S+(?: \([\d.]+s\))?)?\W*$", re.IGNORECASE
)
# Words of a runner about the result of what it ran: "error: script "lint" exited with code 1", "FAILURE:
# Build failed with an exception."
_HEADLINE = frozenset(
    """error errors err fail failed failure fails exit exited exits code status signal script command target
    task recipe step job process program returned terminated finished completed non zero nonzero unsuccessful
    unsuccessfully see above more details log output build exception went wrong occurred invoke could
    during execution errors""".split()
)
# Signs of a failure whose exit code a pipe hid: errors at the beginning of a line, failed tests by name, and
# summaries of the usual checks, in which "0 failed" and warnings are no failure.
_SOME = r"[1-9]\d*"
_BROKEN = (
    r"FAIL(?:\t|$)|panic: |Traceback \(most recent call last\)|make(?:\[\d+\])?: \*\*\* |error during build"
    r"|(?:FAILED|ERROR) \S+\.py|error(?:\[E\d+\]| TS\d+)?: |npm (?:ERR!|error) |Failed to compile"
    r"|\S.{0,200}:\d+: (?:fatal )?error: |[\w.+-]+: error: |\S+\.go:\d+:\d+: |\S+\.py:\d+:\d+: [A-Z]+\d+\b"
    r"|\S.{0,200}(?:\(\d+(?:,\d+)?\):|:\d+:\d+ -) error\b|\[[\w:-]+\] ERROR task failed|[Ww]ould reformat\b"
)
_FELL = r"--- FAIL: |FAIL +\S+\.\w|(?:\S+::|test).{1,200} (?:FAILED|FAIL)[][ \d%]*$"
_SUMMED_UP = (
    r"FAILED (?:\(\w|\|)|(?:FAILURES|ERRORS)!$|Failed! +- Failed:|test result: FAILED"
    r"|(?:\[\w+\] |\*\* )?(?:BUILD|Build|TEST) FAIL(?:URE|ED)|(?:\d+:\d+ .{1,80})?Some tests failed\."
    r"|(?:\[\w+\] )?Code style issues found|\d+ files? would be reformatted"
    # Counts, in an order that differs from tool to tool: "1 failed, 2 passed in 3s", "3 examples, 1 failure"
    rf"|=* ?(?:\d+ [\w ]{{1,20}}, )*{_SOME} (?:(?:tests? )?fail(?:ed|ing)?|(?:failures?|errors?)(?=,| in ))"
    r"(?:, \d+ .*| in \d.*)?[ =]*$"
    rf"|(?:\d+ [\w ]{{1,20}}, )+{_SOME} (?:failures?|errors?)(?=[ .=]*$|, \d| in \d| occurred outside)"
    rf"|(?:Test (?:Files|Suites)|Tests|Errors):? +{_SOME} (?:failed|errors?)|[#ℹ] fail {_SOME}$"
    rf"|(?:✖ )?{_SOME} problems? \({_SOME} errors?"
    rf"|Found {_SOME} errors?(?:\.|$| \((?!.*\b0 remaining)| in (?:\d+ files?|the same file|\S+:\d))"
    rf"|(?:\[\w+\] )?Tests(?: run)?: \d+, .*\b(?:Failures|Errors): {_SOME}"
    rf"|Executed \d+ tests?, with .*\b{_SOME} failures?|\d+% tests passed, {_SOME} tests? failed"
)
_SUM = re.compile(_SUMMED_UP)
_FAILED = re.compile(rf"^(?:{_BROKEN}|[ \t]*(?:{_FELL}|{_SUMMED_UP}))", re.MULTILINE)


def fingerprint(message: str) -> str:
    """Return the fingerprint of an error message: 16 hex digits, the same on every machine.

    >>> fingerprint("open /home/alice/app/x.go:42: no") == fingerprint("open /home/bob/w/y/x.go:99: no")
    True
    >>> len(fingerprint("boom"))
    16
    """
    return hashlib.sha256(normal_message(message).encode("utf-8", "replace")).hexdigest()[:16]


def normal_message(message: str) -> str:
    """Return a message in lower case with every part replaced that differs between machines and runs.

    >>> normal_message("2026-01-05 12:17:31 a/b.go:3:1: took 12ms, id 4c35f7f: Bad")
    '<n> <path>: took <n>, id <id>: bad'
    """
    text = _bare(message[:4000]).lower()
    for pattern, stand_in in _RULES:
        text = pattern.sub(stand_in, text)
    return collapse(text)


def telling(output: str) -> str:
    """Return the error line of an output; empty if there is none.

    "Exit code 1" and the final message of a task runner are not error lines; a headline ("Build failed") is
    one only if no other line is.
    """
    text = _bare(_ends(output)).replace("\r", "")
    traceback = text.rfind("Traceback (most recent call last)")
    if traceback >= 0:
        after = [
            line for line in text[traceback:].split("\n")[1:] if line and not line.startswith((" ", "\t"))
        ]
        if after:
            return after[0][:_LINE]
    headline = ""
    for pattern in _TELLING:
        for found in pattern.finditer(text):
            line = found[0].strip()
            if _NOISE.match(line):
                continue
            line = _cut(line)
            if not says_nothing(line):
                return line
            headline = headline or line
    return _fallback(text, headline)


def _cut(line: str) -> str:
    """Return a line shortened in the middle; a linter names its rule at the end."""
    return line if len(line) <= _LINE else f"{line[: _LINE - 83]} … {line[-80:]}"


def _fallback(text: str, headline: str) -> str:
    """Return a line with a word of failure, else a headline, else the first of a few lines."""
    lines = [line.strip() for line in text.split("\n") if line.strip() and not _NOISE.match(line.strip())]
    hoped = [line[:_LINE] for line in lines[:40] if _LAST_HOPE.search(line) and len(line) < 300]
    found = next((line for line in hoped if not says_nothing(line)), headline or next(iter(hoped), ""))
    return found or (lines[0][:_LINE] if 0 < len(lines) <= 3 else "")


def _bare(text: str) -> str:
    return _ANSI.sub("", text) if "\x1b" in text else text


def _ends(text: str) -> str:
    return text if len(text) <= _READ else f"{text[: _READ // 2]}\n{text[-_READ // 2 :]}"


def of_harness(output: str) -> bool:
    """Return whether an error comes from a tool of the host and not from the project.

    >>> of_harness("<tool_use_error>File has not been read yet.</tool_use_error>"), of_harness("panic: nil")
    (True, False)
    """
    return _HARNESS.match(output[:2000].lower()) is not None


def denied(output: str) -> bool:
    """Return whether a result is the host's message that the user refused the call.

    >>> denied("The tool use was rejected."), denied("UserRejectedRequestError: rejected by the user")
    (True, False)
    """
    return _DENIED.match(output[:2000].lower()) is not None


def user_said(output: str) -> str:
    """Return the user's message on refusing a call; empty if there is none."""
    found = _USER_SAID.search(output[:6000])
    return found.group(1).strip() if found else ""


def looks_failed(output: str) -> bool:
    """Return whether the output of a check shows a failure, whatever its exit code was.

    >>> looks_failed("1 failed, 2 passed in 0.12s"), looks_failed("2 passed, 0 failed")
    (True, False)
    """
    return _FAILED.search(_bare(_ends(output)).replace("\r", "")) is not None


def sums_up(message: str) -> bool:
    """Return whether a message only reports that a check failed, or how often, without the cause.

    >>> sums_up("1 failed, 2 passed in 0.12s"), sums_up("FAILED tests/a.py::test_b - no such colour")
    (True, False)
    """
    return _SUM.match(message) is not None


def says_nothing(message: str, command: str = "") -> bool:
    """Return whether a message names a failure without saying what failed.

    >>> says_nothing("FAIL entire.io/cli/cmd 1.718s"), says_nothing("--- FAIL: TestX (0.46s)")
    (True, True)
    >>> says_nothing('error: script "lint" exited with code 1', "bun run lint")
    True
    """
    if _NOTHING.match(message) or sums_up(message):
        return True
    said = set(words(message))
    rest = {word for word in said if not word.isdigit()} - _HEADLINE.union(STOP_WORDS, words(command))
    return not rest and not said.isdisjoint(("exit", "exited", "failed", "failure"))
