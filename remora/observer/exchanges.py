"""Exchanges, the units of work in a session: the user's prompt, the changed files and the model's report.

An exchange starts with a prompt and ends before the next one. Its report is the last reply of the model;
its findings are the sentences in which the model names a cause. Commit messages are kept whole: they are
the best summary that a session has.
"""

from __future__ import annotations

import re

from remora.core.events import CommitMade, Event, Exchange, Remark
from remora.core.text import collapse
from remora.core.values import Taint
from remora.observer.checkpoint import Checkpointed, cut, keep_last, make_room

EXCHANGES, COMMITS, REMARKS = 100, 50, 300
ASK, REPORT, COMMIT, REMARK = 1_200, 3_000, 1_500, 400  # characters
PATHS, FINDINGS = 60, 6

_CAUSES = ("issue", "problem", "cause", "bug", "reason", "culprit")
_CAUSE = f"(?:{'|'.join(_CAUSES)})"
_REAL = "(?:real |actual |root |core |underlying |fundamental )?"
_FOUND = "(?:i(?:['’]ve| have)? )?found"
_FINDING = re.compile(
    rf"(?:\W{{0,4}}|(?:ah|i see|found it|got it|now i see|right|{_FOUND})[!.,:—–-]*\s*)(?:"
    rf"(?P<said>(?:\*\*)?(?:the |root |a ){_REAL}{_CAUSE}(?:\*\*)?(?: here| now)?"
    r"(?: is| was|:)(?:\*\*)?:?\s+)"
    r"|(?:\*\*)?(?:problem|bug|cause)(?:\*\*:|:\*\*|:)\s+"
    # "I see the problem now. `x` …" and "the test fails because `x` …": the cause follows at once.
    rf"|(?:i (?:can |now )?see|{_FOUND}) the {_REAL}{_CAUSE}(?: now| here)?[.!] (?=`)"
    r"|(?:it|(?:the|this)(?: (?!will|would|should|could|may|might)\S+){0,4}) fails? (?=because (?:the )?`)"
    r")(?:that |because )?(?P<what>[^\n]{30,500}?)(?=\.(?:\s|$)|\n|$)",
    re.IGNORECASE,
)
# A part of every finding, in lower case, and the places where one may begin: a quick test before _FINDING.
_CAUSE_IS = re.compile(rf"{_CAUSE}(?:\*\*)?(?: here| now)?(?: is| was|:|[.!] `)|\bfails? because")
_IN = re.compile(r"in `[^`\n]+`(?:\*\*)?(?::| [-–—]) \S")  # the place, then the cause
_BEGINNING = re.compile(r"^|(?<=[.!?:]\s)|(?<=\n)")
_LEAD = 80  # characters of a finding before its cause, at most
GIT_COMMIT = re.compile(r"\bgit\b[^|;&\n]{0,300}?\bcommit\b")
_MESSAGE = re.compile(
    r"(?:-m|--message|-[a-zA-Z]*m)[ =]*(?:"
    r"\"\$\(cat <<-?\s*'?\"?(?P<tag>\w+)'?\"?\s*\n(?P<here>.{0,4000}?)\n[^\S\n]*(?P=tag)\b"
    r"|\"(?P<double>(?:\\.|[^\"\\])*)\"|'(?P<single>[^']*)')",
    re.DOTALL,
)
_TRAILER = re.compile(
    r"^(?:Co-Authored-By|Signed-off-by|Generated with|🤖|[A-Z][\w-]+-by):? .*$", re.IGNORECASE | re.MULTILINE
)


class Exchanges(Checkpointed):
    """The exchanges of a session so far, bounded."""

    closed: list[Exchange]
    commits: list[CommitMade]
    remarks: list[Remark]
    failed: bool  # whether the last result was an error
    uncommitted: list[str]
    commands: dict[str, str]
    paths: dict[str, str]
    ask: str
    report: str
    step: int
    at: str | None
    changed: list[str]
    found: list[str]
    keys: list[str]  # of the prompt and of the report
    taint: Taint | None

    def __init__(self) -> None:
        self.closed, self.commits, self.uncommitted = [], [], []
        self.commands, self.paths = {}, {}
        self.remarks, self.failed = [], False
        self.taint = None
        self._open("")

    def feed(self, event: Event, taint: Taint | None = None) -> None:
        """Process an event; `taint` is the taint of its step."""
        if event.agent:
            return
        if event.kind == "user_prompt":
            self._close()
            self._open(cut(event.text, ASK), event.key)
        elif event.kind == "reply" and event.text.strip():
            self.report, self.step, self.at = cut(event.text, REPORT), event.step, event.at
            self.taint, self.keys = taint, [*self.keys[:1], event.key]
            said = Remark(cut(collapse(event.text), REMARK), event.step, event.key, self.failed, taint)
            keep_last(self.remarks, said, REMARKS)
            if len(self.found) < FINDINGS:
                self.found += [f for f in findings(event.text) if f not in self.found]
        elif event.kind in ("tool_call", "tool_result"):
            self._used(event, taint)

    def exchanges(self) -> tuple[Exchange, ...]:
        """Return the exchanges, including the open one."""
        last = self._current()
        return (*self.closed[-EXCHANGES:], *([last] if last else []))

    def _used(self, event: Event, taint: Taint | None) -> None:
        if event.kind == "tool_call":
            if event.action == "run" and GIT_COMMIT.search(event.command):
                make_room(self.commands, COMMITS)
                self.commands[event.call_id or event.key] = commit_message(event.command)
            elif event.action in ("edit", "write") and event.paths:
                make_room(self.paths, 200)
                self.paths[event.call_id or event.key] = "\n".join(event.paths)
            return
        self.failed = event.error
        message = self.commands.pop(event.call_id or event.key, "")
        paths = self.paths.pop(event.call_id or event.key, "")
        if event.error:
            return
        if message and all(message != made.message for made in self.commits):
            made = CommitMade(message, event.step, event.at, tuple(self.uncommitted), taint, (event.key,))
            keep_last(self.commits, made, COMMITS)
            self.uncommitted = []
        for path in filter(None, paths.split("\n")):
            for changed in (self.changed, self.uncommitted):
                if path not in changed and len(changed) < PATHS:
                    changed.append(path)

    def _open(self, ask: str, key: str = "") -> None:
        self.ask, self.report, self.step, self.at = ask, "", 0, None
        self.keys = [key]
        self.changed, self.found = [], []

    def _current(self) -> Exchange | None:
        if not self.ask or not self.report:
            return None
        return Exchange(
            self.ask,
            self.report,
            self.step,
            self.at,
            tuple(self.changed),
            tuple(self.found[:FINDINGS]),
            self.taint,
            tuple(self.keys),
        )

    def _close(self) -> None:
        last = self._current()
        if last is not None:
            keep_last(self.closed, last, EXCHANGES)


def findings(text: str) -> list[str]:
    """Return the causes that a text names, verbatim.

    >>> findings("I see the issue. The problem is that `Detect()` ranges over a map, so order varies.")
    ['`Detect()` ranges over a map, so order varies']
    """
    text = text[:8_000]
    folded = text.lower()
    if len(folded) != len(text):  # a character that becomes two in lower case
        folded = "".join(low if len(low := sign.lower()) == 1 else sign for sign in text)
    if not any(word in folded for word in _CAUSES):
        return []
    named: list[str] = []
    done = 0
    for cause in _CAUSE_IS.finditer(folded):
        first, last = max(done, cause.start() - _LEAD), cause.start() + 1
        for begun in _BEGINNING.finditer(text, first, last):
            done = begun.start() + 1  # a place without a finding is not tried again
            if found := _FINDING.match(text, begun.start()):
                subject = found["said"] if found["said"] and _IN.match(found["what"]) else ""
                named.append(collapse(subject + found["what"]))
                done = found.end()
                break
    return named


def commit_message(command: str) -> str:
    """Return the message of a commit command without trailers; empty if the command does not show it.

    >>> commit_message("git add -A && git commit -m 'fix: keep the mode'")
    'fix: keep the mode'
    """
    at = GIT_COMMIT.search(command)
    found = _MESSAGE.search(command, at.start()) if at else None
    if found is None:
        return ""
    text = found["here"] or found["double"] or found["single"] or ""
    return cut(_TRAILER.sub("", text.replace('\\"', '"')).strip(), COMMIT)
