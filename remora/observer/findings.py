"""What linters and type checkers list: a place, a message and a rule, in the forms the usual tools print.

    a.go:3:1: message (nilerr)           golangci-lint, staticcheck, revive; G304 and the like stand in front
    a.py:3:1: E501 message               ruff, flake8; with `rule --> a.py:3:1` also ruff, rustc and clippy
    a.py:3: error: message  [arg-type]   mypy, gcc, shellcheck
    a.py:3:0: C0114: message (rule)      pylint
    a.ts(3,5): error TS2345: message     tsc; also `a.ts:3:5 - error TS2345: message`
    a.js, below it `3:5  error  message  no-undef`   eslint
    a.rb:3:5: C: Layout/LineLength: message          rubocop

A finding without a rule is a message of a compiler, and none of ours. Where the tool prints the line of
code it means, that is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

MOST = 80  # findings of one output
_LINE = 400  # characters of a message and of a line of code
_LONGEST = 1_000  # characters of a line that is looked at

_PATH = r"(?:[A-Za-z]:[\\/])?[\w@.~/\\+\[\]-]*[\w\]]\.\w{1,8}"
_AT = re.compile(rf"(?:\[\w+\] )?({_PATH}):(\d+):(?:\d+:)? (.+)")
_TSC = re.compile(rf"({_PATH})(?:\((\d+),\d+\): |:(\d+):\d+ - )error (TS\d+): (.+)")
_HEADING = re.compile(rf"(?:/|\./)?{_PATH}$")
_ESLINT = re.compile(r"\s+(\d+):(\d+)\s+(?:error|warning)\s+(\S.*)$")
_NAME = re.compile(r"@?[a-z][\w./@-]{2,}$")
_ARROW = re.compile(rf"\s*--> ({_PATH}):(\d+):\d+")
_CODE = r"[A-Z]{1,6}\d{2,5}"
_ABOVE = re.compile(
    rf"(?:(?:error|warning)(?:\[(?P<error>\w+)\])?: (?P<said>.+)"
    rf"|(?P<code>{_CODE}|[a-z][\w-]+\[[\w-]+\])(?: \[\*\])?:? (?P<told>.+))$"
)
_NOTED = re.compile(r"#\[(?:warn|deny|forbid)\(([\w:]+)\)\]|index\.html#(\w+)")
_SEVERITY = re.compile(r"(?:(?:fatal )?error|warning|note|info|style|refactor|convention): ")
_IN_ROUND = re.compile(r"(.+)\(([A-Za-z@][\w.:/@-]*[\w])\)$")
_IN_SQUARE = re.compile(r"(.+)\s\[(?:-W(?:error=)?)?([A-Za-z][\w-]+)\]$")
_CODE_FIRST = re.compile(rf"({_CODE}):? (?:\[\*\] )?(\S.*)")
_COP = re.compile(r"[CWEFR]: (?:\[\w+\] )?([A-Z]\w*/\w+): (.+)")
_SUB_RULE = re.compile(rf"({_CODE}|[A-Za-z]\w*(?:-\w+)*): (\S.*)")
_NUMBERED = re.compile(r"\s*(\d+)\s*[|│] ?(.*)")
_CARET = re.compile(r"\s*[\^~]+")
_SUMMARY = re.compile(r"\d+ issues?\b|\* \w+: \d+$|Found \d+|\[\w+\] |\s*\^")
# How a line begins that may list something; the others are not looked at.
_STARTS = re.compile(
    r"^(?:(?:\[\w+\] )?(?:\w|\.{0,2}/|[A-Za-z]:[\\/])[^\s:(]{0,300}(?::\d+(?::|:\d+ - )|\(\d+,\d+\): )"
    r"|[ \t]+\d+:\d+[ \t]+(?:error|warning)[ \t]|[ \t]*--> )",
    re.MULTILINE,
)
COMPILER = frozenset(("typecheck", "syntax-error", "syntax"))


class Finding(NamedTuple):
    """One thing that a linter lists.

    Attributes:
        path: as the tool names the file.
        line: where in it.
        rule: the most precise name: `nilerr`, `G304`, `redefines-builtin-id`, `TS2345`.
        linter: what else names it: the linter of a rule (`gosec`), the number of a named rule (`C0114`).
        message: without place and rule.
        source: the line of code it points at, trimmed; empty where the tool prints none.
        told: the whole line as printed, or as it would be where a tool spreads it over several.
    """

    path: str
    line: int
    rule: str
    linter: str
    message: str
    source: str
    told: str


def findings(output: str) -> list[Finding]:
    r"""Return what an output lists, in order, at most MOST.

    >>> found = findings("a.go:3:1: G304: a file (gosec)\n\tos.Open(x)\n\t^")
    >>> [(f.rule, f.linter, f.source) for f in found]
    [('G304', 'gosec', 'os.Open(x)')]
    """
    found: list[Finding] = []
    lines: list[str] = []
    number = at = 0
    for start in _STARTS.finditer(output):
        lines = lines or [_cut(line.rstrip("\r"), _LONGEST) for line in output.split("\n")]
        number, at = number + output.count("\n", at, start.start()), start.start()
        one = _finding(lines, number)
        if one is not None and one.rule not in COMPILER and one.linter not in COMPILER:
            found.append(one)
            if len(found) == MOST:
                break
    return found


def finding(line: str) -> Finding | None:
    """Return what a single line lists; None if it lists nothing.

    >>> finding("x.py:1:1: F401 [*] `os` imported but unused").rule, finding("a.go:3:1: undefined: x")
    ('F401', None)
    """
    return next(iter(findings(line.strip())), None)


def same_file(one: str, other: str) -> bool:
    """Return whether two paths name one file, where either may start further up than the other.

    >>> same_file("cmd/a.go", "/w/app/cmd/a.go"), same_file("a.go", "ba.go")
    (True, False)
    """
    one, other = one.replace("\\", "/").removeprefix("./"), other.replace("\\", "/").removeprefix("./")
    return one == other or one.endswith("/" + other) or other.endswith("/" + one)


def _finding(lines: Sequence[str], number: int) -> Finding | None:
    line = lines[number]
    if "-->" in line:
        return _below(lines, number, line)
    if found := _TSC.match(line):
        path, one, other, rule, message = found.groups()
        place = int(one or other)
        return _made(path, place, rule, "", message, _source(lines, number, place), line)
    if found := _AT.match(line):
        path, at, rest = found[1], int(found[2]), found[3].strip()
        named = _named(rest)
        if named is None:
            return None
        rule, linter, message, direct = named
        return _made(path, at, rule, linter, message, _source(lines, number, at, direct=direct), line)
    if found := _ESLINT.match(line.rstrip()):
        message, _, rule = found[3].rpartition("  ")
        heading = (
            next((above for above in lines[number - 1 :: -1] if above[:1].strip()), "") if number else ""
        )
        if message and _NAME.match(rule) and _HEADING.match(heading):
            told = f"{heading}:{found[1]}:{found[2]}: {message.strip()} ({rule})"
            return _made(heading, int(found[1]), rule, "", message, "", told)
    return None


def _named(rest: str) -> tuple[str, str, str, bool] | None:
    """Return rule, linter and message of what follows a place, and whether code follows without a mark."""
    rest = _SEVERITY.sub("", rest, count=1)
    if found := _COP.match(rest):
        return found[1], "", found[2], False
    if found := _IN_ROUND.match(rest):
        message, name = found[1].rstrip(), found[2]
        more = _SUB_RULE.match(message)
        if more is None or name in COMPILER:
            return name, "", message, True
        if "-" in name and re.fullmatch(_CODE, more[1]):  # pylint: the number in front, the name behind
            return name, more[1], more[2], False
        return more[1], name, more[2], True
    if found := _IN_SQUARE.match(rest):
        return found[2], "", found[1], False
    if found := _CODE_FIRST.match(rest):
        return found[1], "", found[2], False
    return None


def _below(lines: Sequence[str], number: int, line: str) -> Finding | None:
    """Return the finding whose place stands in a line of its own, below its message."""
    place = _ARROW.match(line)
    above = _ABOVE.match(lines[number - 1].strip()) if place and number else None
    if place is None or above is None:
        return None
    rule, message = above["error"] or above["code"] or "", above["said"] or above["told"]
    if not rule:
        notes = (_NOTED.search(later) for later in _until_blank(lines, number + 1))
        note = next((n for n in notes if n), None)
        rule = (note[1] or note[2]).removeprefix("clippy::") if note else ""
    if not rule:
        return None
    told = f"{place[1]}:{place[2]}: {message} ({rule})"
    return _made(place[1], int(place[2]), rule, "", message, _source(lines, number, int(place[2])), told)


def _until_blank(lines: Sequence[str], start: int) -> Iterator[str]:
    for line in lines[start : start + 16]:
        if not line.strip():
            return
        yield line


def _source(lines: Sequence[str], number: int, at: int, *, direct: bool = False) -> str:
    """Return the line of code that is printed below a finding; empty if none is.

    `direct` says that the tool prints it at once, with or without a caret below.
    """
    for line in lines[number + 1 : number + 5]:
        numbered = _NUMBERED.match(line)
        if numbered and int(numbered[1]) == at:
            return numbered[2].strip()[:_LINE]
    following = lines[number + 1 : number + 3]
    if not following or not following[0].strip() or _AT.match(following[0]) or _SUMMARY.match(following[0]):
        return ""
    marked = len(following) > 1 and _CARET.match(following[1])
    return following[0].strip()[:_LINE] if marked or direct else ""


def _made(path: str, line: int, rule: str, linter: str, message: str, source: str, told: str) -> Finding:
    return Finding(path, line, rule, linter, message.strip()[:_LINE], source, _cut(told.strip(), _LINE))


def _cut(line: str, limit: int) -> str:
    """Return a line with both ends, for the rule stands at the end."""
    return line if len(line) <= limit else f"{line[: limit - 103]} … {line[-100:]}"
