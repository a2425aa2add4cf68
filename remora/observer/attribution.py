"""Whose words something is: of those who say the same, the one who said it first.

A tool's answer, and what a person quotes, was written by others. Whichever program printed it, nobody here
vouches for it; so what an agent only repeats of it carries where it stood. The person's own words, and
what the agent said or wrote before it stood anywhere, are theirs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TypeVar

from remora.core.events import Agreement, CommitMade, ErrorSeen, Event, Exchange, Observation, Remark, Signal
from remora.core.text import CJK, STOP_WORDS
from remora.core.values import Taint
from remora.observer.calls import Call
from remora.observer.checkpoint import Kept, cut
from remora.observer.phrases import NOT_TYPED
from remora.observer.quoted_text import apart
from remora.shell.forms import command_form

RUN = 3  # telling words in a row
TELLING = 4  # letters of a telling word, at least
SIGNS = 10  # of Chinese, Japanese or Korean in a row
PRINTED = "printed by "  # how the source begins of what a program said
QUOTED_BY_USER = "quoted by the user"
_KEPT = 2_000_000  # characters of a session
_READ = 8_000  # characters of a text
_LEAST = 8  # characters; a shorter text holds neither a run nor a command
# What these answer is the agent's own words, or says of them that they are written.
_ECHOES = frozenset(("edit", "write", "plan", "task", "memory"))
_ABOUT_CODE = frozenset(("lint", "format"))  # checkers say what they find in the code, in words of their own
_ASKING = re.compile(r"ask.?user|user.?input|question", re.IGNORECASE)
_CODE = re.compile(r"`([^`\n]{8,300})`")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_AROUND = re.compile(r"\A[\"'“`(]+|(?<![\"'”`)])[\"'”`)]+[.,;:!?]*\Z")
_NAME = 80  # characters of a source
_LETTERS = bytes(b if b in b"abcdefghijklmnopqrstuvwxyz" else ord(" ") for b in range(256))
_TOKEN = re.compile(r"(?<![\w@$~./\\:#=&?%+-])[\w@$~./\\:#=&?%+-]*\w")


Part = TypeVar("Part", Signal, ErrorSeen, Exchange, CommitMade, Remark, Agreement)


class Heard(Kept):
    """The texts of one session in order, each once, where it stood first; the newest of them.

    They are read when somebody asks and not when they come: few words are ever asked for, and most texts
    show at a glance that they hold none of them.

    Attributes:
        texts: each with where it stood; None where the person or the agent said it.
        size: characters of all.
    """

    texts: dict[str, Taint | None]
    size: int

    def __init__(self) -> None:
        self.texts, self.size = {}, 0

    def feed(self, event: Event) -> None:
        """Take what the person or the agent says; answers come by `answered`."""
        if event.kind in ("reply", "reasoning") or (event.kind == "user_prompt" and event.agent):
            self._hear(event.text)
        elif event.kind == "user_prompt" and not NOT_TYPED.match(event.text):
            own, quoted = apart(event.text)
            self._hear(own)
            self._hear(quoted, Taint(QUOTED_BY_USER, event.step))
        elif event.kind == "tool_call":
            written = (event.extra or {}).get("new")
            self._hear(f"{event.command}\n{written if isinstance(written, str) else ''}")

    def answered(self, call: Call, cwd: str) -> None:
        """Take what a tool answered; `cwd` is where it ran."""
        if _ASKING.search(call.tool) or call.denied:
            self._hear(call.text)
        elif call.action == "run" and command_form(call.command, cwd).purpose in _ABOUT_CODE:
            return
        elif call.action not in _ECHOES:
            command = " ".join(call.command.split())[:_NAME]
            source = f"{PRINTED}`{command}`" if command else call.path or call.url or call.tool
            self._hear(call.text, Taint(source, call.step))

    def inherit(self, other: Heard) -> None:
        """Take over what was heard in a session that this one goes on from, before anything is said here."""
        for text, taint in other.texts.items():
            self._hear(text, taint and taint._replace(step=0))

    def taint(self, *texts: str) -> Taint | None:
        """Return where words of some texts stood before the person or the agent said them."""
        return self._repeats(texts).taint(*texts)

    def marked(self, session: Observation) -> Observation:
        """Return an observation in which all that repeats words of others is tainted, or left out."""
        texts = [session.summary, *(str(one.detail.get("before", "")) for one in session.signals)]
        for quote in session.quotes:
            texts += (quote.text, quote.answers)
        parts = (session.signals, session.errors, session.exchanges, session.commits, session.remarks)
        for part in (*parts, session.agreed):
            texts += (text for one in part if one.taint is None for text in _told(one))
        commands = [one.command for one in session.commands if not one.tainted]
        return self._repeats(texts, commands).marked(session)

    def _hear(self, text: str, taint: Taint | None = None) -> None:
        text = cut(text, _READ)
        if len(text) < _LEAST or text in self.texts:
            return
        self.texts[text] = taint
        self.size += len(text)
        while self.size > _KEPT:
            for oldest in list(islice(self.texts, 1 + len(self.texts) // 50)):
                del self.texts[oldest]
                self.size -= len(oldest)

    def _repeats(self, texts: Iterable[str], commands: Iterable[str] = ()) -> _Repeats:
        """Return which runs of some texts, and which commands, others said first."""
        runs = {run for text in set(texts) for run in _runs(text)}
        spans = {span for command in commands for span in _spans(command)}
        theirs = self._places(runs, spans, own=False)
        ours = self._places(runs & theirs.keys(), spans & theirs.keys(), own=True)
        taints = list(self.texts.values())
        first = {run: taints[at] for run, at in theirs.items() if at < ours.get(run, len(taints))}
        return _Repeats({run: taint for run, taint in first.items() if taint is not None})

    def _places(self, runs: set[str], spans: set[str], *, own: bool) -> dict[str, int]:
        """Return the number of the first text that holds each of some runs and commands."""
        found: dict[str, int] = {}
        told, commands = _Sought(runs, TELLING), _Sought(spans, 1)
        for at, (text, taint) in enumerate(self.texts.items() if runs or spans else ()):
            if (taint is None) == own:
                words = _words(text)
                if told.may_be_in(text, words):
                    found.update(dict.fromkeys(told.met(_runs(text)), at))
                if commands.may_be_in(text, words):
                    quoted = taint is not None and taint.source == QUOTED_BY_USER
                    found.update(dict.fromkeys(commands.met(_spans(text, every=quoted)), at))
        return found


class _Sought:
    """Runs or commands that are looked for in one text after another, each until it is met.

    A text is read only where it holds the first words of one, in a row among the words that are looked for.
    Words are letters of ASCII here, for these are found many times faster; of a run without any, every text
    with other letters is read.
    """

    def __init__(self, runs: set[str], least: int) -> None:
        """Look for some runs; words of fewer than `least` letters may stand anywhere between theirs."""
        known = {run: [word for word in _words(run) if len(word) >= least] for run in runs}
        self._vocabulary = {word for words in known.values() for word in words}
        self._row = {run: tuple(words[:RUN]) for run, words in known.items()}
        self._rows = Counter(self._row.values())
        self._sizes = set(map(len, self._rows)) - {0}

    def may_be_in(self, text: str, words: list[bytes]) -> bool:
        """Return whether a text of these words can hold one that was not met yet."""
        if not self._row:
            return False
        known = list(filter(self._vocabulary.__contains__, words))
        rows = (zip(*(known[at:] for at in range(size)), strict=False) for size in self._sizes)
        sought = self._rows.keys()
        return not all(map(sought.isdisjoint, rows)) or (() in sought and not text.isascii())

    def met(self, runs: Iterable[str]) -> set[str]:
        """Return which runs of a text are looked for; from now on they are not."""
        met = self._row.keys() & runs
        for row in map(self._row.pop, met):
            self._rows[row] -= 1
            if not self._rows[row]:
                del self._rows[row]
        return met


class _Repeats:
    """Runs and commands that others said first, each with where it stood."""

    def __init__(self, found: Mapping[str, Taint]) -> None:
        self._found = found

    def taint(self, *texts: str) -> Taint | None:
        """Return where the first of the runs of some texts stood, of those that others said first."""
        runs = (run for text in texts for run in _runs(text)) if self._found else ()
        return next((self._found[run] for run in runs if run in self._found), None)

    def marked(self, session: Observation) -> Observation:
        """Return an observation of which every part that holds one is tainted, or left out."""
        return session._replace(
            summary=self._own_sentences(session.summary),
            signals=tuple(self._without_before(self._part(s)) for s in session.signals),
            errors=tuple(map(self._part, session.errors)),
            commands=tuple(
                c._replace(tainted=c.tainted or any(s in self._found for s in _spans(c.command)))
                for c in session.commands
            ),
            exchanges=tuple(map(self._part, session.exchanges)),
            commits=tuple(map(self._part, session.commits)),
            remarks=tuple(map(self._part, session.remarks)),
            agreed=tuple(map(self._part, session.agreed)),
            quotes=tuple(
                q._replace(answers="" if self.taint(q.answers) else q.answers)
                for q in session.quotes
                if self.taint(q.text) is None
            ),
        )

    def _part(self, one: Part) -> Part:
        return one._replace(taint=one.taint or self.taint(*_told(one)))

    def _without_before(self, signal: Signal) -> Signal:
        """Return a signal without what a person's words answer where others said it; theirs stand alone."""
        before = signal.detail.get("before")
        if not before or not self.taint(str(before)):
            return signal
        return signal._replace(detail={**signal.detail, "before": ""})

    def _own_sentences(self, text: str) -> str:
        if self.taint(text) is None:
            return text
        return " ".join(one for one in _SENTENCE.split(text) if self.taint(one) is None)


def _runs(text: str) -> Iterator[str]:
    """Yield the runs of a text.

    A run is RUN telling words in a row, whatever everyday words stand between; what is no word (a path, an
    address, a number) ends it. Of a script without spaces it is SIGNS in a row.
    """
    text = cut(text, _READ)
    first = second = ""
    for word in _TOKEN.findall(text.lower()):
        if not word.isalpha():
            first = second = ""
        elif len(word) >= TELLING and word not in STOP_WORDS:
            if first:
                yield f"{first} {second} {word}"
            first, second = second, word
    if not text.isascii():
        for signs in CJK.findall(text):
            for at in range(len(signs) - SIGNS + 1):
                yield signs[at : at + SIGNS]


def _spans(text: str, *, every: bool = False) -> Iterator[str]:
    """Yield what may be a command in a text: its lines, what stands between backticks, or any few words."""
    text = cut(text, _READ)
    spans = [*text.split("\n"), *_CODE.findall(text)]
    if every:
        found = [_AROUND.sub("", word) for word in text.split()]
        spans += [" ".join(found[at : at + n]) for n in range(2, 8) for at in range(len(found) - n + 1)]
    for span in spans:
        command = " ".join(span.split()).removeprefix("$ ")
        if 8 <= len(command) <= 300 and " " in command:
            yield f"${command}"


def _words(text: str) -> list[bytes]:
    """Return all that is letters of ASCII in a row, lower-case."""
    return text.lower().encode("utf-8", "surrogatepass").translate(_LETTERS).split()


def _told(one: Signal | ErrorSeen | Exchange | CommitMade | Remark | Agreement) -> tuple[str, ...]:
    """Return what of a part of a session taints it where others said it first."""
    if isinstance(one, Signal):
        return tuple(v for key, v in one.detail.items() if key != "before" and isinstance(v, str))
    if isinstance(one, ErrorSeen):  # its message is what the program printed, and is told as such
        return (one.resolved_how, one.worked, *one.helped)
    if isinstance(one, Exchange):
        return (one.report, *one.findings)
    if isinstance(one, Agreement):
        return (one.rule,)
    return (one.message,) if isinstance(one, CommitMade) else (one.text,)
