"""Whose words something is: of those who say the same, the one who said it first.

A tool's answer, and what a person quotes, was written by others. Whichever program printed it, nobody here
vouches for it; so what an agent only repeats of it carries where it stood. The person's own words, and
what the agent said or wrote before it stood anywhere, are theirs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from zlib import crc32

from remora.core.events import Event, Observation
from remora.core.text import CJK, STOP_WORDS
from remora.core.values import Taint
from remora.observer.calls import Call
from remora.observer.commands import parse
from remora.observer.keeping import Kept, cut, make_room
from remora.observer.phrases import NOT_TYPED
from remora.observer.quoted import apart

RUN, TELLING = 4, 3  # words in a row, and how many of them must not be everyday ones
SIGNS = 10  # of Chinese, Japanese or Korean in a row
PRINTED = "printed by "  # how the source begins of what a program said
QUOTED_BY_USER = "quoted by the user"
_KEPT = 60_000  # runs of each side
_READ = 8_000  # characters of a text
# What these answer is the agent's own words, or says of them that they are written.
_ECHOES = frozenset(("edit", "write", "plan", "task", "memory"))
_ABOUT_CODE = frozenset(("lint", "format"))  # checkers say what they find in the code, in words of their own
_ASKING = re.compile(r"ask.?user|user.?input|question", re.IGNORECASE)
_NAME = 80  # characters of a source
_TOKEN = re.compile(r"[\w@$~./\\:#=&?%+-]*\w")


class Heard(Kept):
    """The words of one session, by who said them first; runs of words, as numbers."""

    own: dict[int, bool]
    others: dict[int, int]
    sources: list[tuple[str, int]]

    def __init__(self) -> None:
        self.own, self.others, self.sources = {}, {}, []

    def feed(self, event: Event) -> None:
        """Take what the person or the agent says; answers come by `answered`."""
        if event.kind in ("reply", "reasoning"):
            self._said(event.text)
        elif event.kind == "user_prompt" and event.agent:
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
        elif call.action == "run" and parse(call.command, "").purpose in _ABOUT_CODE:
            return
        elif call.action not in _ECHOES:
            command = " ".join(call.command.split())[:_NAME]
            source = f"{PRINTED}`{command}`" if command else call.path or call.url or call.tool
            self._brought(call.text, source, call.step)

    def taint(self, *texts: str) -> Taint | None:
        """Return where words of some texts stood before the person or the agent said them."""
        for text in texts:
            for run in _runs(text):
                if run in self.others:
                    return Taint(*self.sources[self.others[run]])
        return None

    def marked(self, session: Observation) -> Observation:
        """Return an observation in which all that repeats words of others is tainted; of quotes it is left out."""
        return session._replace(
            signals=tuple(
                s._replace(taint=s.taint or self.taint(*_texts(s.detail))) for s in session.signals
            ),
            errors=tuple(
                e._replace(
                    taint=e.taint
                    or self.taint(e.resolved_how, *(f"{r.after}\n{r.said}" for r in e.remedies), e.message)
                )
                for e in session.errors
            ),
            commands=tuple(
                c._replace(tainted=c.tainted or self.taint(c.as_run) is not None) for c in session.commands
            ),
            exchanges=tuple(
                e._replace(taint=e.taint or self.taint(e.report, *e.findings)) for e in session.exchanges
            ),
            commits=tuple(c._replace(taint=c.taint or self.taint(c.message)) for c in session.commits),
            remarks=tuple(r._replace(taint=r.taint or self.taint(r.text)) for r in session.remarks),
            quotes=tuple(q for q in session.quotes if self.taint(q.text) is None),
        )

    def _said(self, text: str) -> None:
        for run in _runs(text):
            if run not in self.others:
                make_room(self.own, _KEPT)
                self.own[run] = True

    def _brought(self, text: str, source: str, step: int) -> None:
        known = len(self.others)
        for run in _runs(text):
            if run not in self.own and run not in self.others:
                make_room(self.others, _KEPT)
                self.others[run] = len(self.sources)
                known = -1
        if known < 0:
            self.sources.append((source, step))


def _texts(detail: object) -> Iterator[str]:
    values = detail.values() if isinstance(detail, dict) else ()
    return (value for value in values if isinstance(value, str))


def _runs(text: str) -> Iterator[int]:
    """Yield the telling runs of words in a text, as numbers that are the same in every process.

    A path or an address is one word. Of a script without spaces SIGNS in a row are a run.
    """
    text = cut(text, _READ)
    found = [name.lower() for name in _TOKEN.findall(text)]
    telling = [len(word) > 3 and word.isalpha() and word not in STOP_WORDS for word in found]
    count = sum(telling[: RUN - 1])
    for at in range(len(found) - RUN + 1):
        count += telling[at + RUN - 1]
        if count >= TELLING:
            yield crc32(" ".join(found[at : at + RUN]).encode("utf-8", "surrogatepass"))
        count -= telling[at]
    if not text.isascii():
        for signs in CJK.findall(text):
            for at in range(len(signs) - SIGNS + 1):
                yield crc32(signs[at : at + SIGNS].encode("utf-8", "surrogatepass"))
