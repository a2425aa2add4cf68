"""Whose words something is: of those who say the same, the one who said it first.

A tool's answer, and what a person quotes, was written by others. Whichever program printed it, nobody here
vouches for it; so what an agent only repeats of it carries where it stood. The person's own words, and
what the agent said or wrote before it stood anywhere, are theirs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from zlib import crc32

from remora.core.events import Event, Observation, Signal
from remora.core.text import CJK, STOP_WORDS
from remora.core.values import Taint
from remora.observer.calls import Call
from remora.observer.keeping import Kept, cut, make_room
from remora.observer.phrases import NOT_TYPED
from remora.observer.quoted import apart
from remora.shell.forms import command_form

RUN = 3  # telling words in a row
SIGNS = 10  # of Chinese, Japanese or Korean in a row
PRINTED = "printed by "  # how the source begins of what a program said
QUOTED_BY_USER = "quoted by the user"
_KEPT = 60_000  # runs of each side
_READ = 8_000  # characters of a text
# What these answer is the agent's own words, or says of them that they are written.
_ECHOES = frozenset(("edit", "write", "plan", "task", "memory"))
_ABOUT_CODE = frozenset(("lint", "format"))  # checkers say what they find in the code, in words of their own
_ASKING = re.compile(r"ask.?user|user.?input|question", re.IGNORECASE)
_CODE = re.compile(r"`([^`\n]{8,300})`")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_AROUND = re.compile(r"\A[\"'“`(]+|(?<![\"'”`)])[\"'”`)]+[.,;:!?]*\Z")
_NAME = 80  # characters of a source
_TOKEN = re.compile(r"(?<![\w@$~./\\:#=&?%+-])[\w@$~./\\:#=&?%+-]*\w")


class Heard(Kept):
    """The words of one session, by who said them first; runs of words, as numbers."""

    own: dict[int, bool]
    others: dict[int, int]
    sources: list[tuple[str, int]]

    def __init__(self) -> None:
        self.own, self.others, self.sources = {}, {}, []

    def feed(self, event: Event) -> None:
        """Take what the person or the agent says; answers come by `answered`."""
        if event.kind in ("reply", "reasoning") or (event.kind == "user_prompt" and event.agent):
            self._said(event.text)
        elif event.kind == "user_prompt" and not NOT_TYPED.match(event.text):
            own, quoted = apart(event.text)
            self._said(own)
            self._brought(quoted, QUOTED_BY_USER, event.step)
        elif event.kind == "tool_call":
            written = (event.extra or {}).get("new")
            self._said(f"{event.command}\n{written if isinstance(written, str) else ''}")

    def answered(self, call: Call) -> None:
        """Take what a tool answered."""
        if _ASKING.search(call.tool) or call.denied:
            self._said(call.text)
        elif call.action == "run" and command_form(call.command, "").purpose in _ABOUT_CODE:
            return
        elif call.action not in _ECHOES:
            command = " ".join(call.command.split())[:_NAME]
            source = f"{PRINTED}`{command}`" if command else call.path or call.url or call.tool
            self._brought(call.text, source, call.step)

    def inherit(self, other: Heard) -> None:
        """Take over what was heard in a session that this one goes on from."""
        first = len(self.sources)
        self.sources += [(source, 0) for source, _ in other.sources]
        self.others.update((run, first + at) for run, at in other.others.items() if run not in self.own)

    def taint(self, *texts: str) -> Taint | None:
        """Return where words of some texts stood before the person or the agent said them."""
        for text in texts:
            for run in _runs(text):
                if run in self.others:
                    return Taint(*self.sources[self.others[run]])
        return None

    def marked(self, session: Observation) -> Observation:
        """Return an observation in which all that repeats words of others is tainted, or left out."""
        return session._replace(
            summary=self._own_sentences(session.summary),
            signals=tuple(self._signal(s) for s in session.signals),
            errors=tuple(
                # Its message is what the program printed, and is told as such, where it is printed again.
                e._replace(taint=e.taint or self.taint(e.resolved_how, e.worked, *e.helped))
                for e in session.errors
            ),
            commands=tuple(
                c._replace(tainted=c.tainted or any(s in self.others for s in _spans(c.command)))
                for c in session.commands
            ),
            exchanges=tuple(
                e._replace(taint=e.taint or self.taint(e.report, *e.findings)) for e in session.exchanges
            ),
            commits=tuple(c._replace(taint=c.taint or self.taint(c.message)) for c in session.commits),
            remarks=tuple(r._replace(taint=r.taint or self.taint(r.text)) for r in session.remarks),
            agreed=tuple(a._replace(taint=a.taint or self.taint(a.rule)) for a in session.agreed),
            quotes=tuple(
                q._replace(answers="" if self.taint(q.answers) else q.answers)
                for q in session.quotes
                if self.taint(q.text) is None
            ),
        )

    def _signal(self, signal: Signal) -> Signal:
        detail = dict(signal.detail)
        before = detail.pop("before", "")  # what a person's words answer; theirs stand without it
        taint = signal.taint or self.taint(*(v for v in detail.values() if isinstance(v, str)))
        if before and self.taint(str(before)):
            signal = signal._replace(detail={**detail, "before": ""})
        return signal._replace(taint=taint)

    def _own_sentences(self, text: str) -> str:
        if self.taint(text) is None:
            return text
        return " ".join(one for one in _SENTENCE.split(text) if self.taint(one) is None)

    def _said(self, text: str) -> None:
        for run in (*_runs(text), *_spans(text)):
            if run not in self.others:
                make_room(self.own, _KEPT)
                self.own[run] = True

    def _brought(self, text: str, source: str, step: int) -> None:
        known = len(self.others)
        for run in (*_runs(text), *_spans(text, every=source == QUOTED_BY_USER)):
            if run not in self.own and run not in self.others:
                make_room(self.others, _KEPT)
                self.others[run] = len(self.sources)
                known = -1
        if known < 0:
            self.sources.append((source, step))


def _runs(text: str) -> Iterator[int]:
    """Yield the runs of a text as numbers that are the same in every process.

    A run is RUN telling words in a row, whatever everyday words stand between; what is no word (a path, an
    address, a number) ends it. Of a script without spaces it is SIGNS in a row.
    """
    text = cut(text, _READ)
    row: list[str] = []
    for token in _TOKEN.findall(text):
        if not token.isalpha():
            row.clear()
        elif len(token) > 3 and (word := token.lower()) not in STOP_WORDS:
            row.append(word)
            if len(row) == RUN:
                yield _number(" ".join(row))
                del row[0]
    if not text.isascii():
        for signs in CJK.findall(text):
            for at in range(len(signs) - SIGNS + 1):
                yield _number(signs[at : at + SIGNS])


def _spans(text: str, *, every: bool = False) -> Iterator[int]:
    """Yield what may be a command in a text: its lines, what stands between backticks, or any few words."""
    text = cut(text, _READ)
    spans = [*text.split("\n"), *_CODE.findall(text)]
    if every:
        found = [_AROUND.sub("", word) for word in text.split()]
        spans += [" ".join(found[at : at + n]) for n in range(2, 8) for at in range(len(found) - n + 1)]
    for span in spans:
        command = " ".join(span.split()).removeprefix("$ ")
        if 8 <= len(command) <= 300 and " " in command:
            yield _number(f"${command}")


def _number(text: str) -> int:
    return crc32(text.encode("utf-8", "surrogatepass"))
