"""Attribution of text: words belong to the first speaker who said them in the session.

Tool results, and text that a person quotes, are external: others wrote them, whichever program printed
them. Text in which an agent only repeats them is tainted with their source. The person's own words, and
words that the agent said or wrote before any external text contained them, are not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TypeVar

from remora.core.events import CommitMade, ErrorSeen, Event, Exchange, Observation, Remark, Signal
from remora.core.text import CJK, STOP_WORDS
from remora.core.values import Taint
from remora.observer.calls import Call
from remora.observer.quoted_text import ASKING, NOT_TYPED, SENTENCE, apart
from remora.observer.state import State, cut
from remora.shell.forms import command_form

RUN = 3  # content words in a row
TELLING = 4  # letters of a content word, at least
SIGNS = 10  # characters of Chinese, Japanese or Korean in a row
PRINTED = "printed by "  # prefix of the source of program output
QUOTED_BY_USER = "quoted by the user"
_KEPT = 2_000_000  # characters of a session
_READ = 8_000  # characters of a text
_LEAST = 8  # characters; a shorter text holds neither a run nor a command
# Results of these actions repeat the agent's own words, or confirm that they are written.
_ECHOES = frozenset(("edit", "write", "plan", "task", "memory"))
_ABOUT_CODE = frozenset(("lint", "format"))  # checkers report on the code in their own words
_CODE = re.compile(r"`([^`\n]{8,300})`")
_AROUND = re.compile(r"\A[\"'“`(]+|(?<![\"'”`)])[\"'”`)]+[.,;:!?]*\Z")
_NAME = 80  # characters of a source
_LETTERS = bytes(b if b in b"abcdefghijklmnopqrstuvwxyz" else ord(" ") for b in range(256))
_TOKEN = re.compile(r"(?<![\w@$~./\\:#=&?%+-])[\w@$~./\\:#=&?%+-]*\w")


Part = TypeVar("Part", Signal, ErrorSeen, Exchange, CommitMade, Remark)


class Attribution(State):
    """The newest texts of one session in order, each once, with the source of its first occurrence.

    Texts are searched on request and not when they arrive: few words are ever looked up, and a quick test
    rules out most texts.

    Attributes:
        texts: each text with its source; None for words of the person or the agent.
        size: characters of all texts.
    """

    def __init__(self) -> None:
        self.texts: dict[str, Taint | None] = {}
        self.size = 0

    def feed(self, event: Event) -> None:
        """Store the words of the person and of the agent; tool results come through `answered`."""
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
        """Store the result of a tool call; `cwd` is its working directory."""
        if ASKING.search(call.tool) or call.denied:
            self._hear(call.text)
        elif call.action == "run" and command_form(call.command, cwd).purpose in _ABOUT_CODE:
            return
        elif call.action not in _ECHOES:
            command = " ".join(call.command.split())[:_NAME]
            source = f"{PRINTED}`{command}`" if command else call.path or call.url or call.tool
            self._hear(call.text, Taint(source, call.step))

    def inherit(self, other: Attribution) -> None:
        """Store the texts of the session that this one continues; call it before any other text."""
        for text, taint in other.texts.items():
            self._hear(text, taint and taint._replace(step=0))

    def taint(self, *texts: str) -> Taint | None:
        """Return the source of the external words that some texts repeat; None if they repeat none."""
        return self._repeats(texts).taint(*texts)

    def marked(self, session: Observation) -> Observation:
        """Return an observation whose parts that repeat external words are tainted or left out."""
        texts = [session.summary]
        for quote in session.quotes:
            texts += (quote.text, quote.answers)
        parts = (session.signals, session.errors, session.exchanges, session.commits, session.remarks)
        for part in parts:
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
        """Return the runs of some texts, and the commands, that external text contained first."""
        runs = {run for text in set(texts) for run in _runs(text)}
        spans = {span for command in commands for span in _spans(command)}
        theirs = self._places(runs, spans, own=False)
        ours = self._places(runs & theirs.keys(), spans & theirs.keys(), own=True)
        taints = list(self.texts.values())
        first = {run: taints[at] for run, at in theirs.items() if at < ours.get(run, len(taints))}
        return _Repeats({run: taint for run, taint in first.items() if taint is not None})

    def _places(self, runs: set[str], spans: set[str], *, own: bool) -> dict[str, int]:
        """Return the index of the first text, own or external, that contains each run and command."""
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
    """Runs or commands to find in a series of texts, each until its first occurrence.

    A text is parsed only if the wanted words in it contain the first words of a run in a row. Words are
    ASCII letters here, because these are found many times faster; for a run without any, every text with
    other letters is parsed.
    """

    def __init__(self, runs: set[str], least: int) -> None:
        """Store the runs to find; their words of fewer than `least` letters are ignored."""
        known = {run: [word for word in _words(run) if len(word) >= least] for run in runs}
        self._vocabulary = {word for words in known.values() for word in words}
        self._row = {run: tuple(words[:RUN]) for run, words in known.items()}
        self._rows = Counter(self._row.values())
        self._sizes = set(map(len, self._rows)) - {0}

    def may_be_in(self, text: str, words: list[bytes]) -> bool:
        """Return whether a text of these words can contain a run that was not found yet."""
        if not self._row:
            return False
        known = list(filter(self._vocabulary.__contains__, words))
        rows = (zip(*(known[at:] for at in range(size)), strict=False) for size in self._sizes)
        sought = self._rows.keys()
        return not all(map(sought.isdisjoint, rows)) or (() in sought and not text.isascii())

    def met(self, runs: Iterable[str]) -> set[str]:
        """Return the wanted runs among those of a text; they are not looked for any more."""
        met = self._row.keys() & runs
        for row in map(self._row.pop, met):
            self._rows[row] -= 1
            if not self._rows[row]:
                del self._rows[row]
        return met


class _Repeats:
    """Runs and commands that external text contained first, each with its source."""

    def __init__(self, found: Mapping[str, Taint]) -> None:
        self._found = found

    def taint(self, *texts: str) -> Taint | None:
        """Return the source of the first external run in some texts; None if there is none."""
        runs = (run for text in texts for run in _runs(text)) if self._found else ()
        return next((self._found[run] for run in runs if run in self._found), None)

    def marked(self, session: Observation) -> Observation:
        """Return an observation whose parts that contain one of them are tainted or left out."""
        return session._replace(
            summary=self._own_sentences(session.summary),
            signals=tuple(map(self._part, session.signals)),
            errors=tuple(map(self._part, session.errors)),
            commands=tuple(
                c._replace(tainted=c.tainted or any(s in self._found for s in _spans(c.command)))
                for c in session.commands
            ),
            exchanges=tuple(map(self._part, session.exchanges)),
            commits=tuple(map(self._part, session.commits)),
            remarks=tuple(map(self._part, session.remarks)),
            quotes=tuple(
                q._replace(answers="" if self.taint(q.answers) else q.answers)
                for q in session.quotes
                if self.taint(q.text) is None
            ),
        )

    def _part(self, one: Part) -> Part:
        return one._replace(taint=one.taint or self.taint(*_told(one)))

    def _own_sentences(self, text: str) -> str:
        if self.taint(text) is None:
            return text
        return " ".join(one for one in SENTENCE.split(text) if self.taint(one) is None)


def _runs(text: str) -> Iterator[str]:
    """Yield the runs of a text.

    A run is RUN content words in a row; short words and stop words in between are ignored, and a token that
    is not a word (a path, a URL, a number) ends it. In a script without spaces it is SIGNS characters.
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
    """Yield possible commands in a text: lines, spans in backticks and, with `every`, any 2 to 7 words."""
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
    """Return the sequences of ASCII letters in a text, in lower case."""
    return text.lower().encode("utf-8", "surrogatepass").translate(_LETTERS).split()


def _told(one: Signal | ErrorSeen | Exchange | CommitMade | Remark) -> tuple[str, ...]:
    """Return the texts of a part of a session that taint it if they are external."""
    if isinstance(one, Signal):
        return tuple(v for v in one.detail.values() if isinstance(v, str))
    if isinstance(one, ErrorSeen):  # its message is program output and is shown as such
        return (one.resolved_how, one.worked, *one.helped)
    if isinstance(one, Exchange):
        return (one.report, *one.findings)
    return (one.message,) if isinstance(one, CommitMade) else (one.text,)
