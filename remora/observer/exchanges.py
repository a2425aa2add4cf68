"""Exchanges, the units of work in a session: the user's prompt and the model's report.

An exchange starts with a prompt and ends before the next one. Its report is the last reply of the model;
its findings are the sentences in which the model names a cause. Commit messages are kept whole: they are
the best summary that a session has.
"""

from __future__ import annotations

import re

from remora.core.events import CommitMade, Event, Exchange, Remark
from remora.core.text import collapse
from remora.core.values import Taint
from remora.observer.quoted_text import SENTENCE
from remora.observer.state import State, cut, keep_last, make_room

EXCHANGES, COMMITS, REMARKS = 100, 50, 300
ASK, REPORT, COMMIT, REMARK = 1_200, 3_000, 1_500, 400  # characters
FINDINGS, SHORTEST, LONGEST = 6, 30, 400  # of an exchange; characters of one
_CAUSE = re.compile(
    r"\b(?:because|caused by|due to)\b"
    r"|\b(?:issue|problem|cause|bug|reason|culprit)(?: here| now)? (?:is|was)\b"
    r"|\A\W*(?:root )?(?:issue|problem|cause|bug)\W{0,3}:",
    re.IGNORECASE,
)
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


class Exchanges(State):
    """The exchanges of a session so far, bounded."""

    ask: str
    report: str
    step: int
    at: str | None
    found: list[str]
    keys: list[str]  # of the prompt and of the report

    def __init__(self) -> None:
        self.closed: list[Exchange] = []
        self.commits: list[CommitMade] = []
        self.remarks: list[Remark] = []
        self.failed = False  # whether the last result was an error
        self.commands: dict[str, str] = {}
        self.taint: Taint | None = None
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
            return
        self.failed = event.error
        message = self.commands.pop(event.call_id or event.key, "")
        if not event.error and message and all(message != made.message for made in self.commits):
            made = CommitMade(message, event.step, event.at, taint, (event.key,))
            keep_last(self.commits, made, COMMITS)

    def _open(self, ask: str, key: str = "") -> None:
        self.ask, self.report, self.step, self.at = ask, "", 0, None
        self.keys, self.found = [key], []

    def _current(self) -> Exchange | None:
        if not self.ask or not self.report:
            return None
        return Exchange(
            self.ask,
            self.report,
            self.step,
            self.at,
            tuple(self.found[:FINDINGS]),
            self.taint,
            tuple(self.keys),
        )

    def _close(self) -> None:
        last = self._current()
        if last is not None:
            keep_last(self.closed, last, EXCHANGES)


def findings(text: str) -> list[str]:
    """Return the sentences of a text that name a cause, shortened.

    >>> findings("I see. The problem is that `Detect()` ranges over a map, so the order varies. Done.")
    ['The problem is that `Detect()` ranges over a map, so the order varies.']
    """
    sentences = (collapse(sentence) for sentence in SENTENCE.split(text[:8_000]))
    return [cut(one, LONGEST) for one in sentences if len(one) >= SHORTEST and _CAUSE.search(one)]


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
