"""The commands that recorded sessions ran, in a form of its own, and which of them checked the work.

A command is its words, without the variables set for it, what only times it, the folder it is run in and
where its output goes; flags and arguments stay. Programs that only look, move files or belong to version
control are left out, and so are loops, scripts handed in and what asks a program about itself (`--help`,
`--version`).

A session *checked* with a command that it ran again, or after its last edit, that another session of the
repository ran too, and that failed at some time in the recordings and passed at another: what can never fail
decides nothing. No list of tools that check is asked.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from remora.core.events import Event
from remora.observer.fingerprint import looks_failed

_HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1.*?(?:\n\s*\2\b|\Z)", re.DOTALL)
_HANDED_IN = "HANDED-IN"
_TOKEN = re.compile(
    r"(?P<op>&&|\|\||\|&|[;|\n()]|&(?!>))"
    r"|(?P<redirect>\d*(?:>>?|<)(?:&\d|\s*[^\s;|&<>()]+)?|&>>?\s*[^\s;|&]+)"
    r"""|(?P<word>(?:'[^']*(?:'|\Z)|"(?:\\.|[^"\\])*(?:"|\Z)|\\.|\$\((?:[^()]|\([^()]*\))*\)"""
    r"""|[^\s;|&<>'"\\$()]+|\$)+)""",
    re.DOTALL,
)
_ASSIGNED = re.compile(r"[A-Za-z_]\w*\+?=")
_BEFORE = frozenset("do then else elif if while until ! { } time nohup command exec env sudo".split())
_TIMERS = ("timeout", "gtimeout")
_OF_ITSELF = frozenset(("--help", "--version", "-h"))
_NO_CHECKS = frozenset(
    """
    cat head tail less more ls ll find fd grep egrep fgrep rg ag ack wc tree file stat du df pwd which type
    printenv ps lsof sed awk jq yq diff cmp date whoami uname hostname xxd od bat sort uniq cut tr column tee
    nl cd pushd popd export set unset source . echo printf true false : sleep wait kill pkill pgrep clear test
    [ [[ read exit return local declare mkdir rmdir rm cp mv ln touch chmod chown basename dirname realpath
    readlink open curl wget ss netstat nc sqlite3 xargs seq trap eval for function case done fi esac in select
    git gh glab hg svn jj gt
    """.split()
)


class Use(NamedTuple):
    """How a session used a command: how often, whether after its last edit, and how often it failed alone."""

    runs: int
    last: bool
    failures: int


def commands(line: str, cwd: str = "") -> list[str]:
    """Return the commands of a line that may check something, each once.

    >>> commands("cd /w/app/web && CI=1 timeout 60 npm test -- -x 2>&1 | tail -5; git status", "/w/app")
    ['npm test -- -x']
    """
    line = _HEREDOC.sub(f" {_HANDED_IN} ", line.replace("\\\n", " "))
    line = line.replace(f"{cwd}/", "").replace(cwd, ".") if cwd else line
    found: list[str] = []
    words: list[str] = []
    for token in _TOKEN.finditer(f"{line}\n"):
        if token.lastgroup == "op":
            found += _command(words)
            words = []
        elif token.lastgroup == "word":
            words.append(" ".join(token.group().split()))
    return list(dict.fromkeys(found))


def _command(words: list[str]) -> Iterator[str]:
    while words and (words[0] in (*_BEFORE, *_TIMERS) or _ASSIGNED.match(words[0])):
        timer = words.pop(0) in _TIMERS
        while timer and words and words[0].startswith("-"):
            words.pop(0)
        words = words[timer:]
    odd = any(word == _HANDED_IN or "$" in word or "`" in word for word in words)
    if not words or odd or words[0][0] in "#-}" or not _OF_ITSELF.isdisjoint(words):
        return
    if posixpath.basename(words[0]) not in _NO_CHECKS:
        yield " ".join(words)


def uses(events: Iterable[Event]) -> dict[str, Use]:
    """Return how a session used each command."""
    ran: defaultdict[str, list[int]] = defaultdict(list)
    failures: Counter[str] = Counter()
    alone: dict[str, str] = {}
    last_edit = -1
    for place, event in enumerate(events):
        if event.kind == "tool_call" and event.action in ("edit", "write"):
            last_edit = place
        elif event.kind == "tool_call" and event.action == "run":
            found = commands(event.command, str((event.extra or {}).get("cwd") or ""))
            for command in found:
                ran[command].append(place)
            if len(found) == 1:
                alone[event.call_id] = found[0]
        elif event.kind == "tool_result" and event.call_id in alone:
            failures[alone[event.call_id]] += event.error or looks_failed(event.text)
    return {c: Use(len(p), 0 <= last_edit < p[-1], failures[c]) for c, p in ran.items()}


def checked_with(sessions: Sequence[Mapping[str, Use]]) -> list[frozenset[str]]:
    """Return the commands that each session of a repository checked its work with."""
    ran = Counter(command for session in sessions for command in session)
    runs, failures = Counter[str](), Counter[str]()
    for session in sessions:
        for command, use in session.items():
            runs[command] += use.runs
            failures[command] += use.failures
    decides = {command for command in ran if ran[command] > 1 and 0 < failures[command] < runs[command]}
    return [
        frozenset(c for c, use in session.items() if c in decides and (use.runs > 1 or use.last))
        for session in sessions
    ]


def most_frequent(sessions: Iterable[Iterable[str]], k: int) -> list[str]:
    """Return the commands that most sessions ran, of equals the newest; the oldest session first."""
    counts: Counter[str] = Counter()
    newest: dict[str, int] = {}
    for age, session in enumerate(sessions):
        for command in session:
            counts[command] += 1
            newest[command] = age
    return sorted(counts, key=lambda c: (-counts[c], -newest[c], c))[:k]
