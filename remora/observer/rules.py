"""A linter's rule that is broken again and again, with what was done about it: one memory for each rule.

It says how the rule's findings were resolved, the most frequent way first and a second where it is common,
each with one line of code as it was and became. The example is the one that has most in common with the
others of its kind. Left out are rules that say what to do themselves: formatting, what is unused, and
messages that ask for something.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from remora.core.events import Remedy
from remora.core.text import shorten
from remora.observer.findings import Finding, finding
from remora.observer.seen import ErrorMet
from remora.observer.sentences import code, listed, quoted

MESSAGE = 150  # characters
COMMON = 0.2  # share of the findings from which a second way is told
_WAYS = 2
_FILES = 2

# Rules whose finding is its own remedy: formatting, what is unused, not there, or named like a built-in.
_PLAIN = re.compile(
    r"(?i:.*(?:unused|unreachable|whitespace|indent|newline|trailing|blank[-_]line).*|.*quotes?|.*semi(?:colon)?s?"
    r"|.*line[-_]?length|.*import[-_]?(?:order|sort).*|.*sort(?:ed)?[-_]imports?|(?:.*[-_/])?spac(?:e|ing)\b.*)"
    r"|ineffassign|gofmt|gofumpt|goimports|gci|lll|misspell|godot|wsl|nlreturn|prettier/prettier|format\w*"
    r"|redefines-builtin(?:-id)?|redefined-builtin|predeclared|A00[123]|W0622"
    r"|max-len|dead_code|nolintlint|S1023|F401|F811|F841|I001|E[1257]\d\d|W[1-6]\d\d|Q\d+|COM\d+"
    r"|TS6133|TS6192|TS6196|TS2304|TS2307|undefined-variable|no-undef|name-defined"
    r"|import(?:-not-found|-untyped|-error)?|E0425|E0432|E0433"
)
# What a type checker says while code is being written.
_TYPES = re.compile(
    r"TS\d+|E0\d{3}|report[A-Z]\w+|arg-type|assignment|attr-defined|call-arg|call-overload|dict-item|has-type"
    r"|index|list-item|misc|no-any-return|operator|override|return|return-value|type-var|typeddict-item|union-attr"
    r"|valid-type|var-annotated"
)
# A message that asks for something names the remedy.
_ASKS = re.compile(
    r"\b(?:rewrite|can be (?:replaced|simplified|rewritten)|(?:could|should|must) be replaced|can replace"
    r"|make it an?\b|such constant .+ already exists|use \S+ instead|instead of|should use|must use|simplify"
    r"|consider (?:using|removing|renaming)|prefer |(?:must|should) not be (?:called|used)|forbidden because)"
    r"|^missing\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-z_%][\w.]*")
_RULE = "Linter rule "  # how the text of a rule's memory begins


def says_itself(listed: Finding) -> bool:
    """Return whether a rule's name or message is all that one needs to know.

    >>> says_itself(finding("a.py:1:1: F401 `os` imported but unused"))
    True
    >>> says_itself(finding("a.go:3:1: error is not nil but it returns nil (nilerr)"))
    False
    """
    return bool(_PLAIN.fullmatch(listed.rule) or _ASKS.search(listed.message))


def in_types(listed: Finding) -> bool:
    """Return whether a rule is one of a type checker, broken by any code that is not done yet."""
    return _TYPES.fullmatch(listed.rule) is not None


def resolved(met: Sequence[ErrorMet]) -> int:
    """Return how many findings were resolved in a way that is known."""
    return sum(remedy.times for m in met for remedy in m.error.remedies)


def rule_told(about: Finding, met: Sequence[ErrorMet]) -> str:
    """Return the sentences of a rule's memory: the rule, a message, what was done, and where."""
    name = code(about.rule) + (f" ({about.linter})" if about.linter else "")
    ways = _ways([remedy for m in met for remedy in m.error.remedies])
    count = sum(m.error.count for m in met)
    files = [path for m in reversed(met) for path in m.error.resolved_paths]
    usual = [path for path, _ in Counter(files).most_common(_FILES)]
    where = f", in {listed(usual)}" if usual else ""
    command = met[-1].error.command
    ran = f" of {code(shorten(command, 60))}" if command else ""
    times = f"{count} findings" if count > 1 else "1 finding"
    line = quoted(_typical(about, met), 2 * MESSAGE)
    told = f"{_RULE}{name}: {line}. What resolved it here: {'; '.join(ways)}."
    return f"{told} Met in {times}{ran}{where}."


def is_rule(text: str) -> bool:
    """Return whether a memory's text is of a linter's rule: it holds wherever such code is written.

    >>> is_rule("Linter rule `nilerr`: silenced")
    True
    """
    return text.startswith(_RULE)


def _typical(about: Finding, met: Sequence[ErrorMet]) -> str:
    """Return a message of a rule as most sessions met it, the newest of equals that were resolved."""
    known = [m for m in met if m.error.remedies] or met
    found = [f for m in reversed(known) if (f := finding(m.error.message)) is not None]
    shapes = Counter(_shape(f.message) for f in found)
    usual = max(found, key=lambda f: shapes[_shape(f.message)], default=about)
    rule = f"{usual.rule}: " if usual.linter else ""
    return f"{rule}{shorten(usual.message, MESSAGE)} ({usual.linter or usual.rule})"


def _shape(message: str) -> str:
    return re.sub(r"[`'\"(].*|\d+", "", message)[:40]


def _ways(remedies: Sequence[Remedy]) -> list[str]:
    """Return in words how findings were resolved, the most frequent kind first."""
    kinds: Counter[str] = Counter()
    for remedy in remedies:
        kinds[remedy.kind] += remedy.times
    total = sum(kinds.values())
    told: list[str] = []
    # Of equals, what shows code that one can write comes first.
    usual = sorted(kinds.items(), key=lambda item: (-item[1], item[0] in ("said", "removed")))
    for kind, times in usual[:_WAYS]:
        if told and times < max(COMMON * total, 1):
            break
        alike = [r for r in remedies if r.kind == kind]
        example = _example(alike)
        often = f" ({times} of {total})" if total > 1 else ""
        if kind == "silenced" and len({r.after for r in alike}) > 1:  # each place has its own reason
            told.append(f"silenced{often}, for example with {code(example.after)}")
        else:
            told.append(f"{_words(example)}{often}")
    return told


def _example(remedies: Sequence[Remedy]) -> Remedy:
    """Return the remedy that has most in common with the others, the newest of equals."""
    new = [
        set(_WORD.findall(r.after)) - set(_WORD.findall(r.before)) or set(_WORD.findall(r.said))
        for r in remedies
    ]
    shared = Counter(word for words in new for word in words)
    worth = [sum(shared[w] - 1 for w in words) / (len(words) + 1) for words in new]
    return max(zip(worth, range(len(worth)), remedies, strict=True))[2]


def how(remedies: Sequence[Remedy]) -> str:
    """Return in words what helped most often; empty if nothing is known.

    >>> how([Remedy("silenced", "", "# noqa: E501"), Remedy("changed", "a", "b", times=2)])
    '`a` became `b`'
    """
    return _words(max(remedies, key=lambda r: r.times)) if remedies else ""


def _words(remedy: Remedy) -> str:
    before, after, said = (code(text) if text else "" for text in (remedy.before, remedy.after, remedy.said))
    match remedy.kind:
        case "silenced":
            return f"silenced with {after}"
        case "changed":
            return f"{before} became {after}"
        case "dropped":
            return f"dropped {said} from {before}"
        case "removed":
            return f"removed {before}"
        case "added":
            return f"added {after}"
        case "configured":
            return f"left out in {said}: {after}"
        case "ran":
            return f"{after} mended it"
        case "said":
            return f"in the session's words: “{remedy.said}”"
        case _:
            words = f"reworked: “{remedy.said}”" if remedy.said else "reworked"
            return f"{words}, new {after}" if after else words
